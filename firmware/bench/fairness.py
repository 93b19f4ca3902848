"""Who is robbed: the same races judged by the cabinet and by the ways in which others take presses.

Both people go for one pile at human times, on switches that bounce, and each race is run twice, the second
time with their seats swapped. *Robbed* is who touched first and yet saw the other's card land. The machine's
speed plays no part: everything is on the manual clock, and the same seed gives the same figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import Any

from firmware.bench.other_ways import OTHER_WAYS
from firmware.bench.our_way import OurWay
from firmware.bench.races import (
    MATCH_SD_MS,
    REACTION_SD_MS,
    Race,
    apart,
    as_taken,
    places,
    races,
    spread,
    truth,
)
from firmware.bench.simulated_kernel import IDLE, LOADED, Load
from firmware.bench.tally import Clear, Tally, percent
from firmware.clock import NS_PER_MS
from firmware.rules.options import DeadHeatPolicy

OURS = "the cabinet"
RACES_PER_S = 300
"""Races that a desktop runs in a second, in the mean of all kinds."""
FEW = 300
"""Of each kind but the clear races a tenth as many are run, but so many at least."""
SPREADS = {"match_race": MATCH_SD_MS, "pure_reaction": REACTION_SD_MS}
NEAR_MS = (1, 8)
FAR_MS = (3, 20)
"""True gaps of clear races on a busy and on an idle box."""
MOST_IDLE_PERCENT = 1
"""Of races on an idle box with a true gap of 3 ms or more, so many may be called dead heats."""


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


def clear_races(count: int, seed: int, gap_ns: Callable[[Random], float], load: Load) -> Clear:
    """Races with a true gap of *gap_ns*, both buttons bouncing, until *count* had a clear first.

    Or until twice as many have been run.
    """
    clear = Clear(late_ns=round(load.interrupt[1] * 1000))
    run = races(places(seed), 2 * count, f"{seed}/clear", apart(gap_ns), is_disturbed=False)
    for taken in OurWay(f"{seed}", load=load).take(run):
        clear.add(taken)
        if clear.clear == count:
            break
    return clear


KINDS = 7
"""Besides the clear races: two comparisons, three times coin, once replay, once an idle box."""


def few(count: int) -> int:
    """How many races of each other kind go with *count* clear ones."""
    return max(count // 10, min(count, FEW))


def fitting(seconds: float) -> int:
    """How many clear races, with the others, take about so many *seconds* on a desktop."""
    total = RACES_PER_S * seconds
    return round(max(60, min(total / (1 + KINDS / 10), max(total / (1 + KINDS), total - KINDS * FEW))))


def measure(count: int, seed: int = 1, say: Callable[[str], None] = lambda what: None) -> dict[str, Any]:
    """*count* clear races and :func:`few` of each other kind; the same *count* and *seed*, the same figures.

    *say* hears what is run next.
    """
    some = few(count)
    figures: dict[str, Any] = {"seed": seed, "races": some // 2 * 2}
    for name, sd_ms in SPREADS.items():
        say(f"{some} races taken each way, {name.replace('_', ' ')}")
        tallies = compare(some // 2, seed, sd_ms)
        figures[name] = {way: tally.figures() for way, tally in tallies.items()}
    say(f"{some} double touches under each policy")
    figures["double_touches"] = _double_touches(some, seed)
    say(f"{count} races with a clear first")
    figures["clear_races"] = _clear(count, seed, NEAR_MS, LOADED)
    say(f"{some} races on an idle box")
    figures["idle_from_3_ms"] = _clear(some, seed, FAR_MS, IDLE)
    return figures


def _double_touches(count: int, seed: int) -> dict[str, float]:
    tossed = {
        "coin": double_touches(count, seed, DeadHeatPolicy.COIN),
        "swapped_coin": double_touches(count, seed, DeadHeatPolicy.COIN, is_swapped=True),
        "rewired_coin": double_touches(count, seed, DeadHeatPolicy.COIN, is_rewired=True),
    }
    replayed = double_touches(count, seed, DeadHeatPolicy.REPLAY).replayed
    return {
        "touches": count,
        # Three standard deviations of a fair coin: 1.5 % in 10,000 tosses.
        "chance_percent": round(150 / sqrt(count), 3),
        **{f"{name}_seat_1_percent": percent(one.landed[0], count) for name, one in tossed.items()},
        "replay_dead_heats_percent": percent(replayed, count),
    }


def _clear(count: int, seed: int, gap_ms: tuple[float, float], load: Load) -> dict[str, object]:
    clear = clear_races(count, seed, lambda chance: chance.uniform(*gap_ms) * NS_PER_MS, load)
    return {"gap_ms": gap_ms, "races": clear.races, **clear.figures()}


def problems(figures: Mapping[str, Any]) -> list[str]:
    """What in :func:`measure`'s *figures* is not as promised, in words."""
    found: list[str] = []
    for name in SPREADS:
        ours = figures[name][OURS]
        for what in ("lost", "phantom"):
            if count := ours[f"{what}_presses"]:
                found.append(f"{count:,} presses {what} by the cabinet ({name.replace('_', ' ')})")
    heats = figures["double_touches"]
    for name, share in heats.items():
        if name.endswith("coin_seat_1_percent") and abs(share - 50) > heats["chance_percent"]:
            found.append(f"{name.replace('_', ' ')}: {share:g}, allowed are 50 ± {heats['chance_percent']:g}")
    if heats["replay_dead_heats_percent"] < 100:
        found.append("touches at one moment were decided under replay")
    for name in ("clear_races", "idle_from_3_ms"):
        if wrong := figures[name]["wrong"]:
            found.append(f"{wrong:,} of {figures[name]['clear']:,} clear races decided wrongly")
    if (share := figures["idle_from_3_ms"]["dead_heats_percent"]) > MOST_IDLE_PERCENT:
        found.append(f"{share:g} % dead heats on an idle box, allowed are {MOST_IDLE_PERCENT} %")
    return found
