"""One request of the kernel's lines: what it is asked for, what it answers, why it refuses."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import gpiod
from gpiod.line import Bias, Clock, Direction, Value
from gpiod.line import Edge as Detection

from firmware.chips import Chip
from firmware.errors import CabinetError, ChipError, LineError
from firmware.lines import Line
from firmware.touch.merged import THREAD_NS, Numbers

log = logging.getLogger(__name__)

CONSUMER = "speed-cabinet"
"""What the kernel tells others who ask for our lines."""
QUEUE = 1024
"""Events that the kernel keeps for us: as many as it allows (64 times 16 for each line, gpiolib-cdev.c)."""

EXPANDER_NS = 5_000_000
"""How late an edge of a chip on a bus may be stamped (an estimate, for an MCP23017 at the Pi's 100 kHz).

Its one interrupt wakes a thread, which reads INTF, INTCAP, INTCON, GPINTEN, DEFVAL and GPIO before any line
is stamped (``mcp23s08_irq`` in pinctrl-mcp23s08.c): six words of 48 bits, 2.9 ms. Before that it may have to
wait for a lamp being written on the same bus, 1 ms, and for the level of a neighbour being read, 0.5 ms.
"""


class Ask(Enum):
    """Which edges of a line are asked for."""

    BOTH = Detection.BOTH
    FALLING = Detection.FALLING
    NONE = Detection.NONE
    """The chip has no interrupt: its lines can only be read."""


class Request(Protocol):
    """What is used of ``gpiod.LineRequest``."""

    @property
    def fd(self) -> int: ...
    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]: ...
    def get_values(self, lines: Iterable[int | str] | None = None) -> list[Value]: ...
    def release(self) -> None: ...


RequestLines = Callable[..., Request]
"""``gpiod.request_lines``, or what a test puts in its place."""


def consumer_of(device: str, offset: int) -> str:
    """Who has taken line *offset* of the chip at *device*; "" if nobody says so."""
    with gpiod.Chip(device) as chip:
        return chip.get_line_info(offset).consumer


def refusal(error: Exception, chip: Chip, line: Line, who: Callable[[str, int], str]) -> CabinetError:
    """Why *line* of *chip* cannot be had, in words."""
    match error:
        case PermissionError():
            return ChipError(f"{chip.device}: {error.strerror}; the user has to be in the group 'gpio'")
        case OSError(errno=errno.ENODEV | errno.ENOENT):
            return gone(error, chip)
        case OSError(errno=errno.EBUSY):
            try:
                consumer = who(chip.device, line.number)
            except OSError:
                consumer = ""
            return LineError(f"line {line}: taken by {consumer or 'another program'}")
        case OSError():
            return LineError(f"line {line}: {error.strerror or error}")
    return LineError(f"line {line}: {chip.label} has lines 0 to {chip.lines - 1}")


def gone(error: OSError, chip: Chip) -> ChipError:
    """*chip* cannot be had, or answers no more."""
    is_gone = error.errno in (errno.ENODEV, errno.ENOENT)
    why = "is gone" if is_gone else error.strerror or str(error)
    return ChipError(f"GPIO chip {chip.name} [{chip.label}]: {why}")


@dataclass(slots=True, eq=False)
class Wire:
    """What is known of one line: its ``level``, and that nothing is hidden up to ``known_ns``.

    ``event_ns``, ``number``, ``line_number``: stamp and numbers of its last event.
    """

    name: str
    offset: int
    level: int
    known_ns: int
    event_ns: int = 0
    number: int = 0
    line_number: int = 0


@dataclass(frozen=True, slots=True, order=True)
class News:
    """An edge as the kernel told it, in the order in which edges happened."""

    at_ns: int
    number: int
    name: str
    level: int
    uncertain_ns: int


class Requested:
    """Lines of one chip, asked for together: their edges come through one queue, in one count.

    *now_ns* is a moment before the call. Raises what ``gpiod.request_lines`` raises.
    """

    def __init__(
        self, chip: Chip, lines: Sequence[Line], ask: Ask, now_ns: int, request_lines: RequestLines
    ) -> None:
        self.chip = chip
        self.ask = ask
        settings = gpiod.LineSettings(
            direction=Direction.INPUT,
            edge_detection=ask.value,
            bias=Bias.PULL_UP,
            event_clock=Clock.MONOTONIC,
        )
        self._request = request_lines(
            chip.device,
            {tuple(line.number for line in lines): settings},
            consumer=CONSUMER,
            event_buffer_size=QUEUE if ask is not Ask.NONE else None,
        )
        try:
            levels = self.levels_of(line.number for line in lines)
        except BaseException:
            self.close()
            raise
        self.wires = [
            Wire(str(line), line.number, level, now_ns) for line, level in zip(lines, levels, strict=True)
        ]
        self._by_offset = {wire.offset: wire for wire in self.wires}
        self._numbers = Numbers(now_ns)
        self._begun_ns = now_ns

    @property
    def fd(self) -> int:
        """To be waited on."""
        return self._request.fd

    def levels_of(self, offsets: Iterable[int]) -> list[int]:
        """The levels of these lines, read in one call. Raises :class:`OSError`."""
        return [int(value is Value.ACTIVE) for value in self._request.get_values(list(offsets))]

    def levels(self) -> list[int]:
        """The levels of :attr:`wires`. Raises :class:`OSError`."""
        return self.levels_of(wire.offset for wire in self.wires)

    def has_closed(self, levels: Iterable[int]) -> bool:
        """Do *levels* show a line closed that was open, and whose event may come any moment?"""
        is_quick = self.ask is not Ask.NONE and not self.chip.is_on_bus
        return is_quick and any(level < wire.level for wire, level in zip(self.wires, levels, strict=True))

    def read(self) -> list[News]:
        """What has come, in the order of the stamps; blocks if there is nothing. Raises :class:`OSError`."""
        events = self._request.read_edge_events(QUEUE)
        self._numbers.note((event.global_seqno, event.timestamp_ns) for event in events)
        # Events of different lines may be delivered out of order; those of one line are not.
        events.sort(key=lambda event: (event.timestamp_ns, event.global_seqno))
        return [self._told(event) for event in events]

    def _told(self, event: gpiod.EdgeEvent) -> News:
        wire = self._by_offset[event.line_offset]
        at_ns = event.timestamp_ns
        told_ns = max(wire.event_ns, self._begun_ns)
        if event.line_seqno != wire.line_number + 1:
            # The queue was full, and the oldest events of this line are lost; a reading may be newer.
            earliest_ns = wire.known_ns if wire.known_ns <= at_ns else told_ns
        elif len(self.wires) == 1:
            # A line alone is given no numbers for its interrupts: any event may have swallowed one.
            earliest_ns = max(told_ns, at_ns - THREAD_NS)
        else:
            # That the line was read open meanwhile proves nothing: it may have been between two bounces.
            earliest_ns = max(told_ns, self._numbers.earliest_ns(event.global_seqno, at_ns, wire.number))
        wire.level = int(event.event_type is gpiod.EdgeEvent.Type.RISING_EDGE)
        wire.known_ns = max(wire.known_ns, at_ns)
        wire.event_ns, wire.number, wire.line_number = at_ns, event.global_seqno, event.line_seqno
        late_ns = EXPANDER_NS if self.chip.is_on_bus else 0
        return News(at_ns, event.global_seqno, wire.name, wire.level, max(0, at_ns - earliest_ns) + late_ns)

    def close(self) -> None:
        """Let go of the lines."""
        try:
            self._request.release()
        except OSError:
            log.exception("%s cannot be let go", self.chip.name)
