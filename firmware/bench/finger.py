"""Fingers, in a thread of their own, and load beside them, in processes.

Each change of a line is stamped when it is due and made at once, as a kernel does in its interrupt. What
follows a touch is due by when that truly was: where this thread is held up, gaps grow, but stamps are true.
"""

from __future__ import annotations

import heapq
import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Semaphore
from typing import Final

SPIN_NS: Final = 200_000
"""A sleep on an idle machine ends late by less than this; the rest is waited for without sleeping."""


@dataclass(frozen=True, slots=True)
class Hand:
    """One press: its line changes at these ns after the touch, then after letting go, ``held_ns`` later.

    Each begins with 0, and with each the level turns round.
    """

    closing: tuple[int, ...]
    held_ns: int
    opening: tuple[int, ...]

    @property
    def changes(self) -> int:
        """How often the line changes."""
        return len(self.closing) + len(self.opening)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two hands: the first touches ``after_ns`` after the pair before did, the second ``gap_ns`` later."""

    after_ns: int
    gap_ns: int
    hands: tuple[Hand, Hand]


def make(pairs: Sequence[Pair], wait: Callable[[int], int], change: Callable[[int, int], None]) -> None:
    """Make all *pairs*; their hands are numbered through, two to a pair.

    *wait* waits for a moment and gives back the one it has become, at which *change* changes the line of the
    hand with that number.
    """
    # (due, hand, which change of it); where moments are the same, the lower number comes first.
    due: list[tuple[int, int, int]] = [(wait(0) + pairs[0].after_ns, 0, 0)] if pairs else []
    begun_ns: dict[int, int] = {}
    while due:
        due_ns, number, nth = heapq.heappop(due)
        at_ns = wait(due_ns)
        change(at_ns, number)
        pair, side = divmod(number, 2)
        hand = pairs[pair].hands[side]
        if nth == 0:
            heapq.heappush(due, (at_ns + hand.held_ns, number, len(hand.closing)))
            if side == 0:
                heapq.heappush(due, (at_ns + pairs[pair].gap_ns, number + 1, 0))
                if pair + 1 < len(pairs):
                    heapq.heappush(due, (at_ns + pairs[pair + 1].after_ns, number + 2, 0))
        if nth in (0, len(hand.closing)):
            begun_ns[number] = at_ns
        if nth + 1 not in (len(hand.closing), hand.changes):
            after_ns = (*hand.closing, *hand.opening)[nth + 1]
            heapq.heappush(due, (begun_ns[number] + after_ns, number, nth + 1))


def wait_until(due_ns: int) -> int:
    """Wait for *due_ns* on the kernel's clock; the moment it has become."""
    while (now_ns := time.monotonic_ns()) < due_ns:
        if due_ns - now_ns > SPIN_NS:
            time.sleep((due_ns - now_ns - SPIN_NS) / 1e9)
    return now_ns


def keep_busy(begun: Semaphore) -> None:
    """The body of a process that takes a processor while its parent lives; *begun* is released then."""
    # Ctrl-C is for the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    begun.release()
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass
