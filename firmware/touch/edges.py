"""What a line of wire says, and where that comes from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class EdgeKind(StrEnum):
    """How a level became known."""

    EDGE = "edge"
    """The kernel saw the line change and stamped the moment."""
    POLL = "poll"
    """The line was read and was not as last known: an edge was lost, or its direction misread."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One change of one line.

    ``line``: its name as in the settings. ``level``: 1 open (pulled up), 0 closed to ground; of an
    edge it is read after the interrupt and may be wrong while the contact bounces. ``at_ns``: the kernel's
    stamp, CLOCK_MONOTONIC (of a poll: once it was read). ``seq``: its number within the source.
    ``arrived_ns``: when it reached us; never used to decide anything. ``uncertain_ns``: the change
    itself lies between ``at_ns - uncertain_ns`` and ``at_ns``.
    """

    kind: EdgeKind
    line: str
    level: int
    at_ns: int
    seq: int
    arrived_ns: int
    uncertain_ns: int = 0


class EdgeSource(Protocol):
    """Where edges come from: the header's lines, mock pins, a file."""

    def wait(self, timeout_s: float | None) -> list[Edge]:
        """Edges that have come, in order of arrival; waits up to *timeout_s* for the first, None for ever."""
        ...

    def poll(self, now_ns: int) -> list[Edge]:
        """Read every line; those whose level is not as last known, as edges of kind POLL.

        *now_ns* is the present. Each edge bears a time at which its line had been read, and reaches back to
        the poll before.
        """
        ...

    def put(self, line: str, level: int, at_ns: int, uncertain_ns: int) -> None:
        """One more edge, from any thread: of a line of its own, or of a CPU player's button without one."""
        ...

    def closed_at_start(self) -> frozenset[str]:
        """Lines that were closed when the source began."""
        ...

    def wake(self) -> None:
        """Make a :meth:`wait` in another thread return at once."""
        ...

    def close(self) -> None:
        """Let go of the lines. May be called twice."""
        ...
