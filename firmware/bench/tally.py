"""What many races came to: who was robbed, which presses were lost or made up, how long a verdict took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from firmware.bench.bouts import WINDOW_NS, Taken
from firmware.bench.other_ways import Press
from firmware.bench.races import Outcome, Race, is_robbed
from firmware.clock import NS_PER_MS
from firmware.seats import SIDES


def percent(part: int, whole: int) -> float:
    """The share of *part* in *whole*; 0 of nothing."""
    return round(100 * part / whole, 3) if whole else 0.0


@dataclass(slots=True)
class Tally:
    """What one way made of many races. ``robbed``: by the seat that was."""

    races: int = 0
    robbed: Counter[int] = field(default_factory=Counter)
    replayed: int = 0
    wrongly_penalised: int = 0
    lost: int = 0
    phantom: int = 0
    delays_ns: list[int] = field(default_factory=list)
    uncertain_ns: list[int] = field(default_factory=list)

    def add(self, race: Race, true: Outcome, outcome: Outcome, presses: Iterable[Press]) -> None:
        """One more race: *true* is what it should have come to, *outcome* what came of *presses*."""
        self.races += 1
        if is_robbed(race, true, outcome):
            self.robbed[race.first] += 1
        self.replayed += outcome.is_dead_heat and not outcome.landed
        self.wrongly_penalised += len(outcome.penalised - true.penalised)
        taken = Counter(press.seat for press in presses)
        self.lost += sum(taken[seat] == 0 for seat in range(SIDES))
        self.phantom += sum(max(0, taken[seat] - 1) for seat in range(SIDES))
        for press in presses:
            self.delays_ns.append(press.seen_ns - race.fingers[press.seat].touch_ns)
            self.uncertain_ns.append(press.uncertain_ns)

    def figures(self) -> dict[str, float]:
        """Shares of all races in per cent, times in ms."""
        return {
            "robbed_percent": percent(self.robbed.total(), self.races),
            "robbed_seat_1_percent": percent(self.robbed[0], self.races),
            "robbed_seat_2_percent": percent(self.robbed[1], self.races),
            "replayed_percent": percent(self.replayed, self.races),
            "wrongly_penalised_percent": percent(self.wrongly_penalised, self.races),
            "lost_presses": self.lost,
            "phantom_presses": self.phantom,
            "delay_p50_ms": _at(self.delays_ns, 0.5),
            "delay_p99_ms": _at(self.delays_ns, 0.99),
            "uncertain_p50_ms": _at(self.uncertain_ns, 0.5),
            "uncertain_p99_ms": _at(self.uncertain_ns, 0.99),
        }


def _at(ns: list[int], share: float) -> float:
    ordered = sorted(ns) or [0]
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] / NS_PER_MS, 3)


@dataclass(slots=True)
class Clear:
    """Races with a clear first, and in how many of them that seat was not.

    ``clear``: the true gap is larger than the window and all that the touches say of their uncertainty. Of
    these, ``wrong``: the first seat's card did not land first, nor was it a dead heat. ``needless``: called a
    dead heat although not even a stamp that is late by ``late_ns``, of which no stamp can know, explains it.
    ``dead_heats``: of all ``races``.
    """

    late_ns: int = 0
    races: int = 0
    clear: int = 0
    wrong: int = 0
    needless: int = 0
    dead_heats: int = 0

    def add(self, taken: Taken) -> None:
        """One more race."""
        race, outcome = taken.race, taken.outcome
        self.races += 1
        self.dead_heats += outcome.is_dead_heat
        reach_ns = WINDOW_NS + sum(press.uncertain_ns for press in taken.presses)
        if race.gap_ns <= reach_ns:
            return
        self.clear += 1
        if outcome.is_dead_heat:
            self.needless += race.gap_ns > reach_ns + self.late_ns
        else:
            self.wrong += outcome.landed[:1] != (race.first,)

    def figures(self) -> dict[str, float]:
        """Counts, and how many of all races were dead heats, in per cent."""
        return {
            "clear": self.clear,
            "wrong": self.wrong,
            "needless_dead_heats": self.needless,
            "dead_heats_percent": percent(self.dead_heats, self.races),
        }
