"""Who is robbed: the same races judged by the cabinet and by the ways in which others take presses.

Both people go for one pile at human times, on switches that bounce, and each race is run twice, the second
time with their seats swapped. *Robbed* is who touched first and yet saw the other's card land. The machine's
speed plays no part: everything is on the manual clock, and the same seed gives the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from random import Random

from firmware.bench.other_ways import OTHER_WAYS, Press
from firmware.bench.our_way import OurWay
from firmware.bench.races import (
    MATCH_SD_MS,
    REACTION_SD_MS,
    Outcome,
    Position,
    Race,
    apart,
    as_taken,
    is_robbed,
    positions,
    races,
    spread,
    truth,
)
from firmware.bench.simulated_kernel import IDLE, LOADED, Load
from firmware.clock import NS_PER_MS
from firmware.rules.options import DeadHeatPolicy
from firmware.seats import SIDES

GAMES = ("rank_or_suit", "speed", "double_flip")
PLACES = 40
"""Positions of each game; races are run in them in turn."""
OURS = "the cabinet"
RACES_PER_S = 30
"""Races of each kind that a desktop runs in a second, all kinds and ways together."""


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
        """One more race."""
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
        robbed = self.robbed.total()
        return {
            "robbed_percent": _percent(robbed, self.races),
            "robbed_seat_1_percent": _percent(self.robbed[0], self.races),
            "robbed_seat_2_percent": _percent(self.robbed[1], self.races),
            "replayed_percent": _percent(self.replayed, self.races),
            "wrongly_penalised_percent": _percent(self.wrongly_penalised, self.races),
            "lost_presses": self.lost,
            "phantom_presses": self.phantom,
            "delay_p50_ms": _at(self.delays_ns, 0.5),
            "delay_p99_ms": _at(self.delays_ns, 0.99),
            "uncertain_p50_ms": _at(self.uncertain_ns, 0.5),
            "uncertain_p99_ms": _at(self.uncertain_ns, 0.99),
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 3) if whole else 0.0


def _at(ns: list[int], share: float) -> float:
    ordered = sorted(ns) or [0]
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] / NS_PER_MS, 3)


def places(seed: int, policy: DeadHeatPolicy = DeadHeatPolicy.REPLAY) -> list[Position]:
    """The positions of all games, dealt from *seed*, in turn."""
    found = [positions(game, PLACES, seed) for game in GAMES]
    return [one.options(policy, one.table.seed) for one in chain.from_iterable(zip(*found, strict=True))]


def compare(count: int, seed: int, sd_ms: float, load: Load = LOADED) -> dict[str, Tally]:
    """*count* races between people whose times vary by *sd_ms*, and the same with their seats swapped."""
    once = list(races(places(seed), count, f"{seed}/{sd_ms}", spread(sd_ms)))
    run = [*once, *(race.swapped() for race in once)]
    true = [truth(race) for race in run]
    tallies = {OURS: Tally()}
    for taken, what in zip(OurWay(f"{seed}", load=load).take(run), true, strict=True):
        tallies[OURS].add(taken.race, what, taken.outcome, taken.presses)
    for name, way in OTHER_WAYS.items():
        chance = Random(f"{seed}/{name}")
        tally = tallies[name] = Tally()
        for race, what in zip(run, true, strict=True):
            presses = way(chance, race.lines)
            tally.add(race, what, as_taken(race, presses), presses)
    return tallies


@dataclass(frozen=True, slots=True)
class DoubleTouches:
    """Touches at the same moment: whose card landed, and how many were replayed."""

    landed: Counter[int]
    replayed: int


def double_touches(
    count: int, seed: int, policy: DeadHeatPolicy, *, is_swapped: bool = False, is_rewired: bool = False
) -> DoubleTouches:
    """*count* double touches. ``is_swapped``: hands exchange seats; ``is_rewired``: GPIO numbers exchange."""
    run = races(places(seed, policy), count, f"{seed}/double", apart(lambda chance: 0), is_disturbed=False)
    landed: Counter[int] = Counter()
    replayed = 0
    for taken in OurWay(f"{seed}", is_rewired=is_rewired).take(_seeded(run, policy, is_swapped)):
        landed.update(taken.outcome.landed[:1])
        replayed += taken.outcome.is_dead_heat and not taken.outcome.landed
    return DoubleTouches(landed, replayed)


def _seeded(run: Iterable[Race], policy: DeadHeatPolicy, is_swapped: bool) -> Iterable[Race]:
    """Tosses follow from the hand's seed: each race is of another hand."""
    for nth, race in enumerate(run):
        one = race.swapped() if is_swapped else race
        yield Race(one.position.options(policy, nth), one.fingers, one.disturbances)


@dataclass(slots=True)
class Clear:
    """Races with a clear first: how many there were, and in how many that seat was not.

    ``within_reach``: not clear by what the two touches say of themselves. Of the others, ``robbed``: the
    other's card landed. ``tied``: called a dead heat although the first stamp, which may be late by its
    uncertainty and by the interrupt's latency, of which no stamp can know, cannot have been so late.
    ``dead_heats``: of all races.
    """

    races: int = 0
    within_reach: int = 0
    robbed: int = 0
    tied: int = 0
    dead_heats: int = 0


def clear_races(
    count: int, seed: int, gap_ns: Callable[[Random], float], load: Load, *, is_disturbed: bool = False
) -> Clear:
    """*count* races with a true gap of *gap_ns*, both buttons bouncing."""
    ours = OurWay(f"{seed}", load=load)
    late_ns = round(load.interrupt[1] * 1000)
    clear = Clear()
    run = races(places(seed), count, f"{seed}/clear", apart(gap_ns), is_disturbed=is_disturbed)
    for taken in ours.take(run):
        race = taken.race
        clear.races += 1
        clear.dead_heats += taken.outcome.is_dead_heat
        uncertain_ns = {press.seat: press.uncertain_ns for press in taken.presses}
        reach_ns = ours.window_ns + sum(uncertain_ns.values())
        if race.gap_ns <= reach_ns:
            clear.within_reach += 1
        elif taken.outcome.is_dead_heat:
            clear.tied += race.gap_ns > reach_ns + uncertain_ns[race.first] + late_ns
        else:
            clear.robbed += taken.outcome.landed[:1] != (race.first,)
    return clear


def measure(seconds: float, seed: int = 1) -> Mapping[str, object]:
    """All of it, about as much as fits into *seconds* on a desktop; the same *seconds*, the same figures."""
    count = max(60, round(RACES_PER_S * seconds))
    figures: dict[str, object] = {"races": 2 * count}
    for name, sd_ms in (("match_race", MATCH_SD_MS), ("pure_reaction", REACTION_SD_MS)):
        tallies = compare(count, seed, sd_ms)
        figures[name] = {way: tally.figures() for way, tally in tallies.items()}
    tossed = double_touches(count, seed, DeadHeatPolicy.COIN)
    replayed = double_touches(count, seed, DeadHeatPolicy.REPLAY)
    figures["double_touches"] = {
        "coin_seat_1_percent": _percent(tossed.landed[0], count),
        "replay_dead_heats_percent": _percent(replayed.replayed, count),
    }
    near = clear_races(count, seed, lambda chance: chance.uniform(1, 8) * NS_PER_MS, LOADED)
    idle = clear_races(count, seed, lambda chance: chance.uniform(3, 20) * NS_PER_MS, IDLE)
    figures["clear_races"] = {
        "robbed": near.robbed,
        "of": near.races - near.within_reach,
        "idle_dead_heats_from_3_ms_percent": _percent(idle.dead_heats, idle.races),
    }
    return figures
