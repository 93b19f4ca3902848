"""Races for one pile: positions from real hands in which it matters who is first, and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, product
from random import Random

from firmware import rules
from firmware.bench.other_ways import Press
from firmware.bench.switches import SWITCHES, Changes, Finger, Switch, both, press, spikes
from firmware.clock import NS_PER_MS
from firmware.rules.deal import hand_seeds
from firmware.rules.events import Covered, DeadHeated, Penalised
from firmware.rules.options import DeadHeatPolicy
from firmware.seats import SIDES, opposite

MATCH_SD_MS, REACTION_SD_MS = 150, 45
"""Spread of one person's time to a pile: looking for it in a match, waiting for one signal (FAIR_INPUT)."""
RACE_NS = 1500 * NS_PER_MS
"""From one race to the next: long after the last finger has let go."""
START_NS = 700 * NS_PER_MS
"""Within a race, when fingers come down in the mean; the slowest in a hundred thousand stay within it."""


@dataclass(frozen=True, slots=True)
class Position:
    """A table, and the slot that each seat is going for: each card lands only if it comes first."""

    table: rules.AnyTable
    slots: tuple[int, int]

    def options(self, policy: DeadHeatPolicy, seed: int) -> Position:
        """The same under another *policy*, with tosses from *seed*."""
        options = replace(self.table.options, dead_heat=policy)
        return replace(self, table=replace(self.table, options=options, seed=seed))


GAMES = ("rank_or_suit", "speed", "double_flip")
PLACES = 40
"""Positions of each game; races are run in them in turn."""


def places(seed: int, policy: DeadHeatPolicy = DeadHeatPolicy.REPLAY) -> list[Position]:
    """The positions of all games, dealt from *seed*, in turn."""
    found = [_positions(game, PLACES, seed) for game in GAMES]
    return [one.options(policy, one.table.seed) for one in chain.from_iterable(zip(*found, strict=True))]


@cache
def _positions(game_id: str, wanted: int, seed: int) -> list[Position]:
    """*wanted* contested positions of hands dealt from *seed*, one of a hand here and there."""
    found: list[Position] = []
    for hand in hand_seeds(seed):
        chance = Random(f"{hand}/contest")
        for table in _moments(game_id, hand, chance):
            contested = [
                slots
                for slots in product(table.game.legal_slots(table, 0), table.game.legal_slots(table, 1))
                if _is_contest(table, slots)
            ]
            if contested and chance.random() < 0.3:
                found.append(Position(table, contested[int(chance.random() * len(contested))]))
                if len(found) == wanted:
                    return found
    raise AssertionError("there is always another hand")


def _moments(game_id: str, seed: int, chance: Random) -> Iterator[rules.AnyTable]:
    """The tables of one hand at which nothing is due and both seats can move."""
    game = rules.find(game_id).game
    table = game.start(rules.Options(), seed)
    table, _ = game.apply(table, rules.Go(0))
    while table.outcome is None:
        if table.next_timer is not None:
            table, _ = game.apply(table, table.next_timer)
            continue
        moves = [(seat, slot) for seat in range(SIDES) for slot in game.legal_slots(table, seat)]
        if len({seat for seat, _ in moves}) == SIDES:
            yield table
        seat, slot = moves[int(chance.random() * len(moves))]
        table, _ = game.apply(table, rules.Cover(table.at_ns + NS_PER_MS, seat, slot))


def _is_contest(table: rules.AnyTable, slots: Sequence[int]) -> bool:
    covers = [rules.Cover(table.at_ns, seat, slot) for seat, slot in enumerate(slots)]
    return isinstance(rules.judge(table, covers), rules.DeadHeat)


@dataclass(frozen=True, slots=True)
class Race:
    """Two fingers going for one position. Times count from the beginning of the race."""

    position: Position
    fingers: tuple[Finger, Finger]
    disturbances: tuple[Changes, Changes]

    @property
    def lines(self) -> dict[int, Changes]:
        """What each seat's line does."""
        return {
            seat: both(list(finger.changes), disturbance)
            for seat, (finger, disturbance) in enumerate(zip(self.fingers, self.disturbances, strict=True))
        }

    @property
    def first(self) -> int:
        """The seat that truly touched first."""
        return min(range(SIDES), key=lambda seat: self.fingers[seat].touch_ns)

    @property
    def gap_ns(self) -> int:
        """By how much."""
        return abs(self.fingers[0].touch_ns - self.fingers[1].touch_ns)

    @property
    def lasts_ns(self) -> int:
        """From the first touch until both have let go."""
        return max(one.release_ns for one in self.fingers) - self.fingers[self.first].touch_ns

    def swapped(self) -> Race:
        """The same hands on the other side of the table."""
        return replace(self, fingers=self.fingers[::-1], disturbances=self.disturbances[::-1])


def spread(sd_ms: float) -> Callable[[Random], tuple[int, int]]:
    """The touches of two people whose times vary by *sd_ms*."""

    def touches(chance: Random) -> tuple[int, int]:
        mean, sd = START_NS, sd_ms * NS_PER_MS
        return round(chance.gauss(mean, sd)), round(chance.gauss(mean, sd))

    return touches


def apart(gap_ns: Callable[[Random], float]) -> Callable[[Random], tuple[int, int]]:
    """Touches that are *gap_ns* apart, either seat first."""

    def touches(chance: Random) -> tuple[int, int]:
        gap = round(gap_ns(chance))
        pair = (START_NS, START_NS + gap)
        return pair if chance.random() < 0.5 else (pair[1], pair[0])

    return touches


def races(
    places: Sequence[Position],
    count: int,
    seed: str,
    touches: Callable[[Random], tuple[int, int]],
    *,
    switches: Sequence[Switch] = SWITCHES,
    is_disturbed: bool = True,
) -> Iterator[Race]:
    """*count* races that follow from *seed*, in the *places* in turn."""
    chance = Random(seed)
    for nth in range(count):
        at_ns = touches(chance)
        near, far = (press(chance, switches[int(chance.random() * len(switches))], at) for at in at_ns)
        noise = [spikes(chance, 0, RACE_NS - 100 * NS_PER_MS) if is_disturbed else [] for _ in at_ns]
        yield Race(places[nth % len(places)], (near, far), (noise[0], noise[1]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a race: whose cards landed, in order, who was penalised, was it a dead heat."""

    landed: tuple[int, ...]
    penalised: frozenset[int]
    is_dead_heat: bool = False


class Court:
    """The rules, applied to what a race brings, at the times it brings it."""

    def __init__(self, position: Position, base_ns: int) -> None:
        self.table = position.table
        self.slots = position.slots
        self._shift_ns = position.table.at_ns + NS_PER_MS - base_ns
        self._landed: list[int] = []
        self._penalised: set[int] = set()
        self._is_dead_heat = False

    def cover(self, seat: int, at_ns: int) -> rules.Cover:
        """The command of a press of *seat* at *at_ns*."""
        return rules.Cover(at_ns + self._shift_ns, seat, self.slots[seat])

    def judge(self, covers: Sequence[rules.Cover]) -> rules.First | rules.DeadHeat:
        """T-5, on the table as it is when the first of them comes."""
        self._catch_up(min(cover.at_ns for cover in covers))
        return rules.judge(self.table, covers)

    def enter(self, command: rules.Command) -> None:
        """Apply *command*."""
        self._catch_up(command.at_ns)
        if self.table.outcome is None:
            self._apply(replace(command, at_ns=max(command.at_ns, self.table.at_ns)))

    def _catch_up(self, at_ns: int) -> None:
        while (due := self.table.next_timer) is not None and due.at_ns <= at_ns:
            self._apply(due)

    def _apply(self, command: rules.Command) -> None:
        self.table, events = self.table.game.apply(self.table, command)
        for event in events:
            match event:
                case Covered():
                    self._landed.append(event.seat)
                case Penalised():
                    self._penalised.add(event.seat)
                case DeadHeated():
                    self._is_dead_heat = True

    @property
    def outcome(self) -> Outcome:
        """What came of it so far."""
        return Outcome(tuple(self._landed), frozenset(self._penalised), self._is_dead_heat)


def as_taken(race: Race, presses: Iterable[Press]) -> Outcome:
    """What came of *race* where *presses* are taken as they come."""
    court = Court(race.position, 0)
    for one in presses:
        court.enter(court.cover(one.seat, one.at_ns))
    return court.outcome


def truth(race: Race) -> Outcome:
    """What would have come of *race* if every first touch were known at once."""
    order = sorted(range(SIDES), key=lambda seat: race.fingers[seat].touch_ns)
    return as_taken(race, [Press(seat, race.fingers[seat].touch_ns, 0) for seat in order])


def is_robbed(race: Race, true: Outcome, outcome: Outcome) -> bool:
    """Did the true first toucher's card give way to the other's?"""
    first = race.first
    if not race.gap_ns or true.landed[:1] != (first,):
        return False
    return outcome.landed[:1] == (opposite(first),)
