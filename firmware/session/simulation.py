"""Whole hands between perfect, equally fast players, for statistics: no clock, no devices.

While anything is legal, one of the seats that can move is chosen with equal chance, then one of its
legal places. Cards that are turning turn first, so that neither seat is ahead by a flip. A seat that has
to call touches both places of a true pair as one move (A-3).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from statistics import median

from firmware import rules
from firmware.rules.deal import hand_seeds
from firmware.rules.events import Touched


@dataclass(frozen=True, slots=True)
class Played:
    """One simulated hand: why it ended, how many redeals and placements it took.

    ``redeals``: how often both dealt anew, where rows are played: gathered.
    """

    reason: str
    winner: int | None
    redeals: int
    placements: int


@dataclass(slots=True)
class Tally:
    """The sum of many hands. ``wins``: by seat, tied hands under None."""

    hands: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    wins: Counter[int | None] = field(default_factory=Counter)
    redeals: int = 0
    placements: int = 0
    _gathers: Counter[int] = field(default_factory=Counter, repr=False)
    _covers: Counter[int] = field(default_factory=Counter, repr=False)

    def add(self, played: Played) -> None:
        """Count one more hand."""
        self.hands += 1
        self.reasons[played.reason] += 1
        self.wins[played.winner] += 1
        self.redeals += played.redeals
        self.placements += played.placements
        self._gathers[played.redeals] += 1
        self._covers[played.placements] += 1

    @property
    def median_gathers(self) -> float:
        """Redeals of the median hand, in a row game its gathers; raises :class:`ValueError` without hands."""
        return median(self._gathers.elements())

    @property
    def median_covers(self) -> float:
        """Placements of both seats together in the median hand; raises :class:`ValueError` without hands."""
        return median(self._covers.elements())


def play_hand(
    game_id: str, seed: int, options: rules.Options | None = None, *, seats: int | None = None
) -> Played:
    """One hand of *game_id* dealt from *seed*, the players' choices following from it too.

    *seats*: as many as can play unless given.
    """
    chance = Random(f"{seed}/players")
    game = rules.find(game_id).game
    table = game.start(options or rules.Options(), seed, seats=seats or game.seats[-1])
    table, _ = game.apply(table, rules.Go(0))
    while table.outcome is None:
        movers = [] if table.next_timer and table.next_timer.what == "turn" else _movers(table)
        if movers:
            seat, slots = movers[int(chance.random() * len(movers))]
            slot = slots[int(chance.random() * len(slots))]
            table, events = game.apply(table, rules.Cover(table.at_ns, seat, slot))
            if isinstance(events[-1], Touched):
                slots = game.legal_slots(table, seat)
                slot = slots[int(chance.random() * len(slots))]
                table, _ = game.apply(table, rules.Cover(table.at_ns, seat, slot))
        else:
            table, _ = game.apply(table, table.next_timer or _agreement(table))
    placements = sum(holding.covers for holding in table.holdings)
    return Played(table.outcome.reason, table.outcome.winner, table.redeals, placements)


def _movers(table: rules.AnyTable) -> list[tuple[int, tuple[int, ...]]]:
    seats = range(len(table.holdings))
    return [(seat, slots) for seat in seats if (slots := table.game.legal_slots(table, seat))]


def _agreement(table: rules.AnyTable) -> rules.Agree:
    """Where nothing is legal and nothing is due, the players are asked (T-6): the next one agrees."""
    seats = (seat for seat, h in enumerate(table.holdings) if not h.has_agreed and not h.is_out)
    return rules.Agree(table.at_ns, next(seats))


def _play_hands(game_id: str, seeds: list[int]) -> list[Played]:
    return [play_hand(game_id, seed) for seed in seeds]


CHUNK = 250
"""Hands handed to a process at once: about a tenth of a second of work."""


def simulate(
    game_id: str, hands: int, seed: int, *, jobs: int = 1, progress: Callable[[int], None] | None = None
) -> Tally:
    """*hands* hands that follow from *seed*; the result is the same for any number of *jobs*.

    *progress* is called with the number of hands done.
    """
    rules.find(game_id)
    seeds = hand_seeds(seed)
    sizes = [min(CHUNK, hands - done) for done in range(0, hands, CHUNK)]
    chunks = [list(islice(seeds, size)) for size in sizes]
    tally = Tally()

    def count(results: Iterable[list[Played]]) -> None:
        for played in results:
            for hand in played:
                tally.add(hand)
            if progress is not None:
                progress(tally.hands)

    if jobs == 1:
        count(_play_hands(game_id, chunk) for chunk in chunks)
    else:
        with ProcessPoolExecutor(min(jobs, len(chunks), os.cpu_count() or 1)) as pool:
            count(pool.map(_play_hands, [game_id] * len(chunks), chunks))
    return tally
