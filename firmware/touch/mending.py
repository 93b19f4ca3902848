"""Lines that are missing are asked for again, every second, while play goes on with the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from firmware.clock import NS_PER_S, Clock
from firmware.errors import CabinetError
from firmware.touch.edges import Edge, EdgeSource

RETRY_NS = NS_PER_S
"""How long to wait before asking for missing lines again."""
SHARE = 20
"""Asking takes at most one part in so many of the time: a bus that hangs must not hold up the other lines."""


class Complain(Protocol):
    """Takes what is wrong, and once more, with ``is_over``, that it is right again."""

    def __call__(self, fault: str, *, is_over: bool = False) -> None: ...


class Mendable(EdgeSource, Protocol):
    """A source that can do without some of its lines, and get them back."""

    @property
    def missing(self) -> Mapping[str, CabinetError]:
        """The lines that cannot be had now, each with the reason."""
        ...

    def mend(self) -> None:
        """Ask for all missing lines again."""
        ...


class Mending:
    """An :class:`~firmware.touch.edges.EdgeSource` that mends *source*, whose lines may be missing.

    *complain* is called, in the thread that waits, with each reason and its lines.
    """

    def __init__(self, source: Mendable, clock: Clock, complain: Complain) -> None:
        self._source = source
        self._clock = clock
        self._complain = complain
        self._told: set[str] = set()
        self._next_ns = clock.now_ns() + RETRY_NS

    def wait(self, timeout_s: float | None) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        if self._source.missing:
            left_ns = self._next_ns - self._clock.now_ns()
            if left_ns <= 0:
                left_ns = self._mend()
            timeout_s = left_ns / 1e9 if timeout_s is None else min(timeout_s, left_ns / 1e9)
        self._tell()
        return self._source.wait(timeout_s)

    def _mend(self) -> int:
        began_ns = self._clock.now_ns()
        self._source.mend()
        ended_ns = self._clock.now_ns()
        pause_ns = max(RETRY_NS, SHARE * (ended_ns - began_ns))
        self._next_ns = ended_ns + pause_ns
        return pause_ns

    def poll(self, now_ns: int) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        return self._source.poll(now_ns)

    def _tell(self) -> None:
        reasons: dict[str, list[str]] = {}
        for line, error in self._source.missing.items():
            reasons.setdefault(str(error), []).append(line)
        faults = {_fault(reason, lines) for reason, lines in reasons.items()}
        for fault in sorted(self._told - faults):
            self._complain(fault, is_over=True)
        for fault in sorted(faults - self._told):
            self._complain(fault)
        self._told = faults

    def put(self, line: str, level: int, at_ns: int, uncertain_ns: int) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        self._source.put(line, level, at_ns, uncertain_ns)

    def closed_at_start(self) -> frozenset[str]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        return self._source.closed_at_start()

    def wake(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        self._source.wake()

    def close(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        self._source.close()


def _fault(reason: str, lines: list[str]) -> str:
    """One line for the operator: which buttons, and why."""
    if len(lines) == 1 and reason.startswith(f"line {lines[0]}:"):
        return f"no button on {reason}"
    return f"no buttons on {', '.join(lines)}: {reason}"
