"""How others take presses, on the same wires: by polling, by debouncing first, by arrival.

Each way says which presses it takes from a race, in the order in which a game would get them. None of them
is made worse than it has to be: each debounces as it is usually done.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from firmware.bench.switches import Changes
from firmware.clock import NS_PER_MS
from firmware.seats import Seat


@dataclass(frozen=True, slots=True)
class Press:
    """A press as the game gets it: stamped ``at_ns``, known at ``seen_ns``, within ``uncertain_ns``."""

    seat: Seat
    at_ns: int
    seen_ns: int
    uncertain_ns: int = 0


Lines = Mapping[Seat, Changes]
"""What the lines of one race do, by seat."""
Way = Callable[[Random, Lines], list[Press]]


def _level(changes: Changes, at_ns: int) -> int:
    before = bisect_right(changes, (at_ns, 1))
    return changes[before - 1][1] if before else 1


def polled(period_ns: int, quiet_ns: int = 0) -> Way:
    """Levels are read every *period_ns*; in one reading the near player's come first.

    A press counts once the line was read open for *quiet_ns* before it.
    """

    def take(chance: Random, lines: Lines) -> list[Press]:
        times = [at_ns for changes in lines.values() for at_ns, _ in changes]
        if not times:
            return []
        presses: list[Press] = []
        closed_ns = dict.fromkeys(lines, -quiet_ns - 1)
        before = dict.fromkeys(lines, 1)
        at_ns = min(times) - round(chance.random() * period_ns)
        while at_ns <= max(times) + period_ns:
            for seat in sorted(lines):
                level = _level(lines[seat], at_ns)
                if level == 0:
                    if before[seat] == 1 and at_ns - closed_ns[seat] > quiet_ns:
                        presses.append(Press(seat, at_ns, at_ns, period_ns))
                    closed_ns[seat] = at_ns
                before[seat] = level
            at_ns += period_ns
        return presses

    return take


def _settled(changes: Changes, quiet_ns: int) -> Changes:
    """Levels that have stayed for *quiet_ns*, each at the moment when that was known."""
    settled: Changes = []
    level = 1
    for nth, (at_ns, value) in enumerate(changes):
        until_ns = changes[nth + 1][0] if nth + 1 < len(changes) else at_ns + quiet_ns
        if value != level and until_ns - at_ns >= quiet_ns:
            level = value
            settled.append((at_ns + quiet_ns, value))
    return settled


BOUNCE_TIME_NS = 10 * NS_PER_MS


def debounced_first(chance: Random, lines: Lines) -> list[Press]:
    """Stamped when the contact has settled, as by gpiozero's ``bounce_time`` or the kernel's debouncer."""
    presses = [
        Press(seat, at_ns, at_ns)
        for seat, changes in lines.items()
        for at_ns, level in _settled(changes, BOUNCE_TIME_NS)
        if level == 0
    ]
    return sorted(presses, key=lambda press: (press.at_ns, press.seat))


DELAY_NS = 2 * NS_PER_MS
HICCUP = 0.05
HICCUP_NS = 20 * NS_PER_MS
LOCKOUT_NS = 25 * NS_PER_MS


def by_arrival(chance: Random, lines: Lines) -> list[Press]:
    """Each player's callback in a thread of its own while a frame is drawn: whoever arrives first is first.

    Late by 2 ms in the mean, one time in twenty by up to 20 ms more, which is what another thread may hold
    the interpreter for (estimates). A spike is over by then, and for 25 ms after a press or a release
    nothing counts.
    """
    presses: list[Press] = []
    for seat, changes in lines.items():
        is_pressed, since_ns, last_ns = False, 0, -LOCKOUT_NS
        for at_ns, level in changes:
            if is_pressed:
                last_ns = at_ns
                is_pressed = level == 0 or at_ns - since_ns < LOCKOUT_NS
            elif at_ns - last_ns < LOCKOUT_NS:
                last_ns = at_ns
            elif level == 0:
                late_ns = chance.expovariate(1 / DELAY_NS)
                late_ns += HICCUP_NS * chance.random() * (chance.random() < HICCUP)
                seen_ns = at_ns + round(late_ns)
                if _level(changes, seen_ns) == 0:
                    presses.append(Press(seat, seen_ns, seen_ns))
                    is_pressed, since_ns = True, at_ns
    return sorted(presses, key=lambda press: (press.at_ns, press.seat))


OTHER_WAYS: Mapping[str, Way] = {
    "polled per 60 Hz frame": polled(16_666_667),
    "125 Hz USB encoder": polled(8 * NS_PER_MS),
    "polled every 20 ms": polled(20 * NS_PER_MS),
    "1 kHz polling": polled(NS_PER_MS, quiet_ns=10 * NS_PER_MS),
    "debounced, then stamped": debounced_first,
    "arrival order under load": by_arrival,
}
