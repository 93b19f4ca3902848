"""What wires say, for the tests of the touch room: edges, shapes of a bounce, storms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from firmware.touch.contact import Button, Contact, Signal, Times, Touch
from firmware.touch.edges import Edge, EdgeKind

US = 1_000
MS = 1_000_000
S = 1_000_000_000
T0 = 5 * S
"""Where the stories begin."""

CLOSED, OPEN = 0, 1
PILE = Button(0, 2)
_numbers = count(1)


def edge(at_ns: int, level: int, line: str = "4", *, uncertain_ns: int = 0) -> Edge:
    """The kernel saw *line* change to *level*."""
    return Edge(EdgeKind.EDGE, line, level, at_ns, next(_numbers), at_ns, uncertain_ns)


def poll(at_ns: int, level: int, line: str = "4", *, uncertain_ns: int = 5 * MS) -> Edge:
    """*line* was read, and was not as last known."""
    return Edge(EdgeKind.POLL, line, level, at_ns, next(_numbers), at_ns, uncertain_ns)


def bounce(at_ns: int, breaks_us: Iterable[tuple[float, float]] = (), line: str = "4") -> list[Edge]:
    """A contact closes at *at_ns* and opens for each (from, to), in µs after that."""
    edges = [edge(at_ns, CLOSED, line)]
    for opens, closes in breaks_us:
        edges += [
            edge(at_ns + round(opens * US), OPEN, line),
            edge(at_ns + round(closes * US), CLOSED, line),
        ]
    return edges


def storm(at_ns: int, for_ns: int, closed: float, line: str = "4", rate: int = 10_000) -> Iterator[Edge]:
    """*rate* edges a second, the line being closed for the share *closed* of the time."""
    period = 2 * S // rate
    for begin in range(at_ns, at_ns + for_ns, period):
        yield edge(begin, CLOSED, line)
        yield edge(begin + round(period * closed), OPEN, line)


def contact(times: Times | None = None) -> Contact:
    """The contact of :data:`PILE`."""
    return Contact(PILE, times or Times())


def hear(switch: Contact, edges: Iterable[Edge], until_ns: int | None = None) -> list[Signal]:
    """All that *switch* says to *edges*, and until *until_ns*."""
    signals = [signal for one in edges for signal in switch.feed(one)]
    return signals + (switch.advance(until_ns) if until_ns is not None else [])


def touch(seat: int, at_ns: int, number: int = 0, uncertain_ns: int = 0) -> Touch:
    """A touch of a pile button."""
    return Touch(Button(seat, number), at_ns, uncertain_ns)
