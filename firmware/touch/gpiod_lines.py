"""Buttons through the kernel's GPIO character device, by libgpiod 2: what the cabinet plays on.

All lines of a chip are one request: one queue of 1024 events (lgpio: 16 for each line, the oldest lost
without a trace), stamps in whole nanoseconds, numbers that show what was lost, all levels in one call.

*Which edges.* Both, unless ``falling_only``. A first touch is overwritten if another edge comes before the
kernel's thread has run (:mod:`firmware.touch.merged`):

- Asking for falling edges only, the one that can do so is the second closing of a bounce instead of its first
  opening: twice as much time for the thread, half the interrupts in a storm, and no direction that is read
  late and wrong. So it keeps more first stamps.
- In exchange every opening must be seen by reading levels: 1 ms late while a contact is unsettled, a poll
  late otherwise; and a press that is over before the referee has run again leaves no trace of how long it
  was: it cannot be told from a spike.

Measured on a real kernel with simulated lines (tests/vm, ``races``), bounces of 13 and 41 edges back to
back, the kernel's threads kept from running for 0.2 ms at a time: both edges kept the first stamp of 49 to
57 % of 1,120 presses, falling edges of 90 to 97 %. But that numbers are missing is known either way, and
not whose: the stated doubt (0.3 ms), the dead heats (48 of 560 pairs) and the orders (none wrong) came out
the same. What can differ is presses lost: none of 3,360 in that run either way, but when the referee was
once kept for 47 ms, falling edges lost two presses of 30 ms, and both edges none. A doubt is honest, a lost
press is not: so both.
"""

from __future__ import annotations

import errno
import logging
import os
import select
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import count

import gpiod

from firmware.chips import Chip, find_chip
from firmware.clock import Clock
from firmware.errors import CabinetError, ChipError, LineError
from firmware.lines import Line
from firmware.touch.edges import Edge, EdgeKind
from firmware.touch.kernel import Ask, News, Requested, RequestLines, consumer_of, gone, refusal
from firmware.touch.merged import THREAD_NS

log = logging.getLogger(__name__)


class GpiodLines:
    """An :class:`~firmware.touch.edges.EdgeSource` of the kernel's lines.

    Lines that cannot be had, at first or later, are in :attr:`missing`, each with the reason; the others
    are not held up by them. :meth:`mend` asks for them again (see :class:`~firmware.touch.mending.Mending`).
    ``find``, ``request_lines`` and ``who`` stand for the kernel.
    """

    def __init__(
        self,
        lines: Iterable[Line],
        clock: Clock,
        *,
        falling_only: bool = False,
        find: Callable[[Line], Chip] = find_chip,
        request_lines: RequestLines = gpiod.request_lines,
        who: Callable[[str, int], str] = consumer_of,
    ) -> None:
        self._lines = {str(line): line for line in lines}
        self._clock = clock
        self._ask = Ask.FALLING if falling_only else Ask.BOTH
        self._find = find
        self._request_lines = request_lines
        self._who = who
        self._requests: list[Requested] = []
        self._levels: dict[str, int] = {}
        self._pushed: deque[Edge] = deque()
        self._seq = count(1)
        self._wake_fd: int | None = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.missing: dict[str, CabinetError] = {}
        try:
            self._open(self._lines.values())
        except BaseException:
            self.close()
            raise
        self._closed = frozenset(name for name, level in self._levels.items() if level == 0)

    def wait(self, timeout_s: float | None) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`; ordered by stamp, what was :meth:`put` first."""
        return self._taken(self._ready(0 if self._pushed else timeout_s))

    def _ready(self, timeout_s: float | None) -> list[Requested]:
        """The requests that have something to tell."""
        if self._wake_fd is None:
            return []
        by_fd = {request.fd: request for request in self._requests if request.ask is not Ask.NONE}
        # Not poll(), which rounds up to whole milliseconds: verdicts would wait for it.
        ready, _, _ = select.select([self._wake_fd, *by_fd], [], [], timeout_s)
        if self._wake_fd in ready:
            os.eventfd_read(self._wake_fd)
        return [by_fd[fd] for fd in ready if fd in by_fd]

    def _taken(self, ready: Iterable[Requested]) -> list[Edge]:
        news: list[News] = []
        for request in ready:
            try:
                news += request.read()
            except OSError as error:
                self._lose(request, error)
        arrived_ns = self._clock.now_ns()
        edges = [self._pushed.popleft() for _ in range(len(self._pushed))]
        edges += [
            Edge(EdgeKind.EDGE, one.name, one.level, one.at_ns, next(self._seq), arrived_ns, one.uncertain_ns)
            for one in sorted(news)
        ]
        return edges

    def poll(self, now_ns: int) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`. Edges that have come meanwhile stand before them."""
        readings: list[tuple[Requested, int, int, list[int]]] = []
        for request in tuple(self._requests):
            began_ns = self._clock.now_ns()
            try:
                levels = request.levels()
            except OSError as error:
                self._lose(request, error)
                continue
            readings.append((request, began_ns, self._clock.now_ns(), levels))
        # What the kernel has queued by now has a stamp of its own, and is no lost edge.
        edges = self._taken(self._ready(0))
        if any(request.has_closed(levels) for request, _, _, levels in readings):
            # A touch that was read before the kernel's thread could tell of it: its stamp is worth a wait.
            edges += self._taken(self._ready(THREAD_NS / 1e9))
        for request, began_ns, ended_ns, levels in readings:
            for wire, level in zip(request.wires, levels, strict=True):
                if wire.event_ns >= began_ns:
                    continue  # its edge came while it was read, and tells more
                if level != wire.level:
                    wire.level = level
                    edges.append(self._read(wire.name, level, ended_ns, ended_ns - wire.known_ns))
                wire.known_ns = max(wire.known_ns, began_ns)
        return edges

    def _read(self, name: str, level: int, at_ns: int, span_ns: int) -> Edge:
        return Edge(EdgeKind.POLL, name, level, at_ns, next(self._seq), at_ns, max(0, span_ns))

    def put(self, line: str, level: int, at_ns: int, uncertain_ns: int) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        arrived_ns = self._clock.now_ns()
        self._pushed.append(
            Edge(EdgeKind.EDGE, line, level, at_ns, next(self._seq), arrived_ns, uncertain_ns)
        )
        self.wake()

    def closed_at_start(self) -> frozenset[str]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        return self._closed

    def wake(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        if self._wake_fd is not None:
            os.eventfd_write(self._wake_fd, 1)

    def close(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        while self._requests:
            self._requests.pop().close()
        fd, self._wake_fd = self._wake_fd, None
        if fd is not None:
            os.close(fd)

    # Lines that come and go

    def mend(self) -> None:
        """Ask again for all lines that are missing.

        One that comes back closed counts for nothing until it is released, like one closed at the start:
        when it was touched nobody knows.
        """
        self._open([self._lines[name] for name in self.missing])

    def _open(self, lines: Iterable[Line]) -> None:
        groups: dict[Chip, list[Line]] = {}
        for line in lines:
            try:
                groups.setdefault(self._find(line), []).append(line)
            except CabinetError as error:
                self.missing[str(line)] = error
        for chip, group in groups.items():
            if not self._have(chip, group):
                # One of several stands in the way of the others.
                rest = [line for line in group if self._can_have(chip, line)]
                if not self._have(chip, rest):
                    refused = {str(line): LineError(f"line {line}: refused beside others") for line in rest}
                    self.missing |= refused

    def _have(self, chip: Chip, lines: Sequence[Line]) -> bool:
        """Ask for *lines* together; False if that is refused and they are to be asked for one by one."""
        if not lines:
            return True
        try:
            request = self._request(chip, lines)
        except (OSError, ValueError) as error:
            reason = refusal(error, chip, lines[0], self._who)
            if len(lines) > 1 and not isinstance(reason, ChipError):
                return False
            self.missing |= {str(line): reason for line in lines}
            return True
        self._requests.append(request)
        now_ns = self._clock.now_ns()
        for wire in request.wires:
            self.missing.pop(wire.name, None)
            if self._levels.get(wire.name) == 0 and wire.level == 1:
                self._pushed.append(self._read(wire.name, 1, now_ns, 0))
            self._levels[wire.name] = wire.level
        return True

    def _can_have(self, chip: Chip, line: Line) -> bool:
        try:
            self._request(chip, [line]).close()
        except (OSError, ValueError) as error:
            self.missing[str(line)] = refusal(error, chip, line, self._who)
            return False
        return True

    def _request(self, chip: Chip, lines: Sequence[Line]) -> Requested:
        now_ns = self._clock.now_ns()
        try:
            return Requested(chip, lines, self._ask, now_ns, self._request_lines)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        # No interrupt leads to this chip. Its buttons are read instead, as often as levels are.
        log.warning("%s [%s] has no interrupt: its lines are only read", chip.name, chip.label)
        return Requested(chip, lines, Ask.NONE, now_ns, self._request_lines)

    def _lose(self, request: Requested, error: OSError) -> None:
        """The chip has gone, or answers no more: play goes on with what is left."""
        reason = gone(error, request.chip)
        log.warning("%s", reason)
        if request in self._requests:
            self._requests.remove(request)
            request.close()
        for wire in request.wires:
            self._levels[wire.name] = wire.level
            self.missing[wire.name] = reason
