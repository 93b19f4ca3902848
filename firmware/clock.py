"""Time as integer nanoseconds of CLOCK_MONOTONIC, handed in to whoever needs it."""

from __future__ import annotations

import time
from typing import Protocol

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class Clock(Protocol):
    """Something that tells the time."""

    def now_ns(self) -> int:
        """Nanoseconds since some fixed moment; never runs backwards."""
        ...


class MonotonicClock:
    """The kernel's clock, the same that stamps the edges."""

    def now_ns(self) -> int:
        """Nanoseconds of CLOCK_MONOTONIC."""
        return time.monotonic_ns()


class ManualClock:
    """A clock that is moved by hand, for tests and for play as fast as the machine can."""

    def __init__(self, start_ns: int = 0) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """The moment it was last moved to."""
        return self._now_ns

    def move_to(self, at_ns: int) -> None:
        """Move to *at_ns*; raises :class:`ValueError` for a moment that has passed."""
        if at_ns < self._now_ns:
            raise ValueError(f"time cannot run back from {self._now_ns} to {at_ns} ns")
        self._now_ns = at_ns
