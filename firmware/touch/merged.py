"""How far back a first touch may lie that the kernel has merged with a later edge (pure).

The kernel has one slot for each line. Its hard interrupt handler writes stamp and number there; a thread
takes them out and queues the event. An edge that comes before the thread has run overwrites the one
before it: the first stamp is gone, and its number, counted for all lines of a request together
(``global_seqno``), is missing for good (``edge_irq_handler`` and ``edge_irq_thread`` in gpiolib-cdev.c).

Which line a missing number belonged to is nowhere written: ``line_seqno`` counts what was queued, in the
thread, so it shows what a full queue dropped, but never a merge. What can be said:

- Numbers are given in the order of time: a missing one lies between the stamps of its neighbours.
- It belongs to a line whose own events stand before and after it, and whose thread was kept from
  running all that time. A thread is not kept for longer than :data:`THREAD_NS`.

So an event is put back to the earliest missing number that it can have swallowed, and no further. Where two
lines can have swallowed the same one, both are: that is at most 0.3 ms too much, for one of them.

A number may also be missing because its event, of another line, is on its way still; it then comes with
the next batch, and takes itself out of the gap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

THREAD_NS = 300_000
"""How long the kernel can be kept from running the thread of an interrupt that has come.

An estimate: three times the latency of a Pi under load (5 to 20 µs idle, about 100 µs under load). Where it
is exceeded, nobody is robbed as long as the excess is less than the dead-heat window.
"""
KEPT_NS = 8 * THREAD_NS
"""How long a gap is remembered, for events that are delivered late."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers ``first`` to ``last`` are missing; they were given between ``after_ns`` and ``before_ns``."""

    first: int
    last: int
    after_ns: int
    before_ns: int


class Numbers:
    """The numbers of the events of one request that began at *begun_ns*."""

    def __init__(self, begun_ns: int) -> None:
        self._last = 0
        self._last_ns = begun_ns
        self._gaps: list[Gap] = []

    def note(self, events: Iterable[tuple[int, int]]) -> None:
        """These events have come: (number, stamp in ns) of each, in any order."""
        batch = sorted(events)
        if batch:
            # From the oldest of them on: where a long bounce is fetched late, all of it is still to be told.
            since_ns = min(at_ns for _, at_ns in batch) - KEPT_NS
            self._gaps = [gap for gap in self._gaps if gap.before_ns >= since_ns]
        for number, at_ns in batch:
            if number > self._last:
                if number > self._last + 1:
                    self._gaps.append(Gap(self._last + 1, number - 1, self._last_ns, at_ns))
                self._last, self._last_ns = number, at_ns
            else:
                self._fill(number, at_ns)

    def _fill(self, number: int, at_ns: int) -> None:
        """An event that was delivered after a later one."""
        for nth, gap in enumerate(self._gaps):
            if gap.first <= number <= gap.last:
                parts = (
                    Gap(gap.first, number - 1, gap.after_ns, at_ns),
                    Gap(number + 1, gap.last, at_ns, gap.before_ns),
                )
                self._gaps[nth : nth + 1] = [part for part in parts if part.first <= part.last]
                return

    def earliest_ns(self, number: int, at_ns: int, last_number: int) -> int:
        """The earliest moment of an edge that event *number* at *at_ns* can have swallowed; else *at_ns*.

        *last_number*: of the event before it on the same line, 0 if there was none.
        """
        since_ns = at_ns - THREAD_NS
        begin = bisect_left(self._gaps, since_ns, key=lambda gap: gap.before_ns)
        for gap in islice(self._gaps, begin, None):
            if gap.last > last_number and gap.first < number:
                return min(at_ns, max(since_ns, gap.after_ns))
        return at_ns
