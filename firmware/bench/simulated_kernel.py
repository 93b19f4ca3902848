"""The kernel between a wire and us, on the manual clock: late, with one slot a line, and out of order.

As ``gpiolib-cdev.c`` and ``pinctrl-bcm2835.c`` have it: pending lines are stamped in ascending number, a
stamp that nobody has taken yet is overwritten, the direction is read when the thread runs, and what is
queued reaches us when the scheduler lets us run. What is above is the real thing
(:class:`~firmware.touch.gpiod_lines.GpiodLines`).
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

import gpiod
from gpiod.line import Value

from firmware.bench.switches import Changes
from firmware.chips import Chip
from firmware.clock import ManualClock
from firmware.lines import Line
from firmware.touch.gpiod_lines import GpiodLines
from firmware.touch.kernel import Requested

CHIP = Chip("gpiochip0", "pinctrl-rp1", 54)
STAMP_NS = 2000
"""From one pending line to the next."""


@dataclass(frozen=True, slots=True)
class Load:
    """How late things run, in µs, from and to (estimates: FAIR_INPUT's latencies of a Pi).

    ``interrupt``: from the edge to its stamp. ``thread``: from the stamp to the event. ``reader``: from
    the event to us.
    """

    interrupt: tuple[float, float]
    thread: tuple[float, float]
    reader: tuple[float, float]


IDLE = Load((5, 20), (10, 60), (50, 300))
LOADED = Load((5, 100), (10, 400), (100, 2000))


class Wires:
    """The lines of one request; *load* says how late everything is."""

    def __init__(self, offsets: Iterable[int], clock: ManualClock, load: Load, chance: Random) -> None:
        self.fd = -1
        self._clock = clock
        self._load = load
        self._chance = chance
        self._levels: dict[int, tuple[list[int], list[int]]] = {}
        self._line_numbers = dict.fromkeys(offsets, 0)
        self._number = 0
        self._queue: deque[tuple[int, gpiod.EdgeEvent]] = deque()
        self._wake_ns: int | None = None

    def play(self, changes: Mapping[int, Changes]) -> None:
        """Let the lines do this, from now on. All that was played before must be over, and all lines open."""
        self._levels = {
            offset: ([at_ns for at_ns, _ in line], [level for _, level in line])
            for offset, line in changes.items()
            if line
        }
        self._queue.extend(self._events(changes))

    def _late_ns(self, span_us: tuple[float, float]) -> int:
        return round(self._chance.uniform(*span_us) * 1000)

    def _events(self, changes: Mapping[int, Changes]) -> Iterable[tuple[int, gpiod.EdgeEvent]]:
        heap = [(at_ns, 0, offset, level) for offset, line in changes.items() for at_ns, level in line]
        heapq.heapify(heap)
        levels: dict[int, int] = {}
        pending: set[int] = set()
        slots: dict[int, tuple[int, int]] = {}
        while heap:
            at_ns, what, offset, level = heapq.heappop(heap)
            if what == 0:
                levels[offset] = level
                if not pending:
                    heapq.heappush(heap, (at_ns + self._late_ns(self._load.interrupt), 1, 0, 0))
                pending.add(offset)
            elif what == 1:
                for nth, line in enumerate(sorted(pending)):
                    self._number += 1
                    stamp_ns = at_ns + nth * STAMP_NS
                    if line not in slots:
                        heapq.heappush(heap, (stamp_ns + self._late_ns(self._load.thread), 2, line, 0))
                    slots[line] = (stamp_ns, self._number)
                pending.clear()
            else:
                stamp_ns, number = slots.pop(offset)
                self._line_numbers[offset] += 1
                kind = _RISING if levels[offset] else _FALLING
                yield (
                    at_ns,
                    gpiod.EdgeEvent(kind.value, stamp_ns, offset, number, self._line_numbers[offset]),
                )

    def level(self, offset: int, at_ns: int) -> int:
        """The level at *at_ns*."""
        times, levels = self._levels.get(offset, ([], []))
        before = bisect_right(times, at_ns)
        return levels[before - 1] if before else 1

    @property
    def queued_ns(self) -> int | None:
        """Since when, or from when on, there is something in the queue."""
        return self._queue[0][0] if self._queue else None

    @property
    def wake_ns(self) -> int | None:
        """When the scheduler lets us run for what is queued next."""
        if self._wake_ns is None and self._queue:
            self._wake_ns = self._queue[0][0] + self._late_ns(self._load.reader)
        return self._wake_ns

    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]:
        """What has been queued by now."""
        events: list[gpiod.EdgeEvent] = []
        now_ns = self._clock.now_ns()
        while self._queue and self._queue[0][0] <= now_ns:
            events.append(self._queue.popleft()[1])
        self._wake_ns = None
        return events

    def get_values(self, lines: Iterable[int | str] | None = None) -> list[Value]:
        """The levels now."""
        now_ns = self._clock.now_ns()
        values = [Value.ACTIVE] * len(self._line_numbers)
        for nth, offset in enumerate(lines or self._line_numbers):
            if offset in self._levels and not self.level(int(offset), now_ns):
                values[nth] = Value.INACTIVE
        return values

    def release(self) -> None:
        """Nothing is held."""


_RISING, _FALLING = gpiod.EdgeEvent.Type.RISING_EDGE, gpiod.EdgeEvent.Type.FALLING_EDGE


class SimulatedLines(GpiodLines):
    """The cabinet's own source on :class:`Wires`, which one does not wait for."""

    _clock: ManualClock

    def __init__(self, lines: Iterable[Line], clock: ManualClock, load: Load, chance: Random) -> None:
        lines = tuple(lines)
        self.wires = Wires([line.number for line in lines], clock, load, chance)
        super().__init__(lines, clock, find=lambda line: CHIP, request_lines=lambda *_, **__: self.wires)

    def _ready(self, timeout_s: float | None) -> list[Requested]:
        queued_ns, now_ns = self.wires.queued_ns, self._clock.now_ns()
        until_ns = now_ns + round((timeout_s or 0) * 1e9)
        is_ready = queued_ns is not None and queued_ns <= until_ns
        self._clock.move_to(max(now_ns, queued_ns) if queued_ns is not None and is_ready else until_ns)
        return self._requests if is_ready else []
