"""A finger in a process of its own, so that it never waits for the firmware.

``python -m tests.vm.guest.finger`` reads a list of :class:`Pair` from standard input, makes them, and writes
the list of :class:`Made` to standard output.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Final

import msgspec
from msgspec import Struct

from firmware.clock import NS_PER_MS
from firmware.lines import Line
from tests.vm.guest.wires import Span, Wires

HOLD_NS: Final = 30 * NS_PER_MS
REST_NS: Final = 45 * NS_PER_MS
"""Twice what a button needs to re-arm."""
SPIN_NS: Final = NS_PER_MS


PRIORITY: Final = 60
"""The kernel's threads of interrupts have 50."""


class Pair(Struct, frozen=True):
    """Two buttons pressed *gap_ns* apart, each with as many *edges* back to back (odd: it stays closed).

    *kept_ns*: for so long at a time the kernel's threads are kept from running meanwhile, as they may be on
    a busy Pi: edges that come before a line's thread has run are merged into one event.
    """

    first: int
    second: int
    gap_ns: int
    edges: int
    kept_ns: int = 0


class Made(Struct, frozen=True):
    """What was done to one of the two: the first edge fell within ``from_ns`` and ``to_ns``.

    ``settled_ns``: after the last edge of the bounce. ``opened_ns``: let go again.
    """

    pair: int
    line: int
    from_ns: int
    to_ns: int
    settled_ns: int
    opened_ns: int


class Precedence:
    """Runs before the kernel's threads, *longest_ns* at a time; 0: never."""

    def __init__(self, longest_ns: int) -> None:
        self._longest_ns = longest_ns
        self._since_ns: int | None = None

    def take(self) -> None:
        """Go before them from now on."""
        if self._longest_ns and self._since_ns is None:
            self._since_ns = time.monotonic_ns()
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))

    def give_in_time(self) -> None:
        """Let them run if they have waited long enough."""
        if self._since_ns is not None and time.monotonic_ns() - self._since_ns >= self._longest_ns:
            self.give()

    def give(self) -> None:
        """Let them run."""
        if self._since_ns is not None:
            self._since_ns = None
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def make(wires: Wires, nth: int, pair: Pair) -> list[Made]:
    """Press, bounce, hold and let go; bounces that overlap are made edge by edge in turn."""
    lines = (Line(None, pair.first), Line(None, pair.second))
    due_ns = [time.monotonic_ns() + REST_NS]
    due_ns.append(due_ns[0] + pair.gap_ns)
    spans: list[list[Span]] = [[], []]
    precedence = Precedence(pair.kept_ns)
    while min(map(len, spans)) < pair.edges:
        for one, line in enumerate(lines):
            done = len(spans[one])
            if done < pair.edges and time.monotonic_ns() >= due_ns[one]:
                precedence.take()
                spans[one].append(wires.set(line, done % 2))
        precedence.give_in_time()
        waiting = [at_ns for at_ns, made in zip(due_ns, spans, strict=True) if not made]
        if waiting and all(len(made) in (0, pair.edges) for made in spans):
            precedence.give()
            time.sleep(max(0, min(waiting) - SPIN_NS - time.monotonic_ns()) / 1e9)
    precedence.give()
    time.sleep(HOLD_NS / 1e9)
    made = []
    for line, edges in zip(lines, spans, strict=True):
        first, opened_ns = edges[0], wires.set(line, 1).from_ns
        made.append(Made(nth, line.number, first.from_ns, first.to_ns, edges[-1].to_ns, opened_ns))
    return made


def main() -> None:
    """See the module."""
    pairs = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Pair])
    wires = Wires()
    made = [one for nth, pair in enumerate(pairs) for one in make(wires, nth, pair)]
    wires.close()
    sys.stdout.buffer.write(msgspec.json.encode(made))


if __name__ == "__main__":
    main()
