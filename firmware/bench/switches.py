"""What hands and switches do to a wire: races of two people, bounce, worn contacts, spikes (seeded).

Times are ns. A trace is what an oscilloscope would show: every change of the level, 1 open, 0 closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from firmware.clock import NS_PER_MS

Changes = list[tuple[int, int]]
"""(moment, level) of one line, in order."""
_US = 1000


def _toggles(at_ns: int, level: int, breaks: list[int]) -> Changes:
    """*level* from *at_ns*, the other one between each two of *breaks*, which come in pairs."""
    kept = [(at_ns, level)]
    for nth, after_ns in enumerate(sorted(breaks)):
        if kept[-1][0] == at_ns + after_ns:
            kept.pop()  # two changes at one moment are none
        else:
            kept.append((at_ns + after_ns, level ^ (nth % 2 == 0)))
    return kept


def ganssle(chance: Random, at_ns: int, level: int) -> Changes:
    """A switch as Ganssle measured sixteen: bounces for 1.6 ms in the mean, 6.2 ms at most."""
    for_ns = min(6_200_000, 1000 + round(chance.expovariate(1 / 1_640_000)))
    times = 1 + 2 * int(chance.random() * 6)
    return _toggles(at_ns, level, [*(1 + round(chance.random() * for_ns) for _ in range(times)), for_ns])


def arcade(chance: Random, at_ns: int, level: int) -> Changes:
    """An arcade button as measured: 0.57 ms of bounce, in bursts with changes 4 to 8 µs apart."""
    breaks: list[int] = []
    after_us = 0.0
    while after_us < 570:
        for _ in range(2 * (2 + int(chance.random() * 4))):
            after_us += 4 + 4 * chance.random()
            breaks.append(round(after_us * _US))
        after_us += 20 + 150 * chance.random()
    return _toggles(at_ns, level, breaks)


def worn(chance: Random, at_ns: int, level: int) -> Changes:
    """A worn contact: bounces for 6 ms, and a firm hold is broken once more for 1 to 9 ms."""
    breaks = [1 + round(chance.random() * 6000 * _US) for _ in range(2 * (3 + int(chance.random() * 6)))]
    if level == 0:
        lost_us = 15_000 + 15_000 * chance.random()
        breaks += [round(lost_us * _US), round((lost_us + 1000 + 8000 * chance.random()) * _US)]
    return _toggles(at_ns, level, breaks)


def clean(chance: Random, at_ns: int, level: int) -> Changes:
    """A switch that does not bounce."""
    return [(at_ns, level)]


Switch = Callable[[Random, int, int], Changes]
SWITCHES: tuple[Switch, ...] = (ganssle, ganssle, arcade, arcade, worn)
"""The buttons of a box that has seen some play."""


@dataclass(frozen=True, slots=True)
class Finger:
    """One press: first touch at ``touch_ns``, all that the line does, let go at ``release_ns``."""

    touch_ns: int
    release_ns: int
    changes: tuple[tuple[int, int], ...]

    @property
    def closing(self) -> int:
        """How many of the changes belong to the touch; the others to letting go."""
        return sum(at_ns < self.release_ns for at_ns, _ in self.changes)


def press(chance: Random, switch: Switch, touch_ns: int) -> Finger:
    """A finger that holds the button for 70 to 110 ms."""
    release_ns = touch_ns + round((70 + 40 * chance.random()) * NS_PER_MS)
    changes = (*switch(chance, touch_ns, 0), *switch(chance, release_ns, 1))
    return Finger(touch_ns, release_ns, changes)


SPIKES_PER_S = 0.1
"""Spikes that lamps and motors send into each long wire (an estimate, on the high side)."""


def spikes(chance: Random, from_ns: int, to_ns: int) -> Changes:
    """Spikes on one line: closed for 1 to 20 µs."""
    changes: Changes = []
    at_ns = from_ns
    while (at_ns := at_ns + round(chance.expovariate(SPIKES_PER_S) * 1e9)) < to_ns:
        changes += [(at_ns, 0), (at_ns + round((1 + 19 * chance.random()) * _US), 1)]
    return changes


def both(finger: Changes, disturbance: Changes) -> Changes:
    """A line that a finger and a disturbance both close."""
    level = [1, 1]
    seen, changes = 1, []
    for at_ns, nth, value in sorted(
        [(at_ns, 0, value) for at_ns, value in finger] + [(at_ns, 1, value) for at_ns, value in disturbance]
    ):
        level[nth] = value
        if min(level) != seen:
            seen = min(level)
            changes.append((at_ns, seen))
    return changes
