"""Whole hands between perfect, equally fast players, for statistics: no clock, no devices.

While anything is legal, one of the seats that can move is chosen with equal chance, then one of its
legal places. Cards that are turning turn first, so that neither seat is ahead by a flip.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from firmware import rules
from firmware.rules.deal import hand_seeds


@dataclass(frozen=True, slots=True)
class Played:
    """One simulated hand: why it ended, how many redeals and placements it took."""

    reason: str
    winner: int | None
    redeals: int
    placements: int


@dataclass(slots=True)
class Tally:
    """The sum of many hands."""

    hands: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    redeals: int = 0
    placements: int = 0

    def add(self, played: Played) -> None:
        """Count one more hand."""
        self.hands += 1
        self.reasons[played.reason] += 1
        self.redeals += played.redeals
        self.placements += played.placements


def play_hand(game_id: str, seed: int, options: rules.Options | None = None) -> Played:
    """One hand of *game_id* dealt from *seed*, the players' choices following from it too."""
    chance = Random(f"{seed}/players")
    game = rules.find(game_id).game
    table = game.start(options or rules.Options(), seed)
    table, _ = game.apply(table, rules.Go(0))
    while table.outcome is None:
        movers = [] if table.next_timer and table.next_timer.what == "turn" else _movers(table)
        if movers:
            seat, slots = movers[int(chance.random() * len(movers))]
            slot = slots[int(chance.random() * len(slots))]
            table, _ = game.apply(table, rules.Cover(table.at_ns, seat, slot))
        else:
            assert table.next_timer is not None, "a hand that goes on has moves or something due"
            table, _ = game.apply(table, table.next_timer)
    placements = sum(holding.covers for holding in table.holdings)
    return Played(table.outcome.reason, table.outcome.winner, table.redeals, placements)


def _movers(table: rules.AnyTable) -> list[tuple[int, tuple[int, ...]]]:
    seats = range(len(table.holdings))
    return [(seat, slots) for seat in seats if (slots := table.game.legal_slots(table, seat))]


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
        with ProcessPoolExecutor(jobs) as pool:
            count(pool.map(_play_hands, [game_id] * len(chunks), chunks))
    return tally
