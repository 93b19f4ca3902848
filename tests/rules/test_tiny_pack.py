"""Every way a hand with a tiny pack can go, counted twice: by the engine, and by the rules alone.

No timing: cards that turn turn first, then any seat makes any move it has, and where there is none the
redeal comes. The second walk is a few lines written from the rules that share nothing with the engine
but the shuffle.

The counts below are those of both walks, which have to agree before a row may be added; like perft tables
in chess they find what single examples miss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest

from firmware.rules import Card, Command, Cover, Go, Options, Status
from firmware.rules.cards import parse_cards
from firmware.rules.deal import shuffled, top_owners
from firmware.rules.options import ShortRedeal
from firmware.rules.shared_piles import Match, SharedOwn, SharedPiles
from firmware.rules.table import Table

Ends = Counter[tuple[str, int | None]]
"""How many lines of play end so: reason and winner."""


class Tiny(NamedTuple):
    """A tiny pack and the rules it is played by."""

    ranks: str
    suits: str
    piles: int
    match: Match
    draw_two: bool
    short: ShortRedeal
    seed: int

    def pack(self) -> tuple[Card, ...]:
        return parse_cards("".join(rank + suit for suit in self.suits for rank in self.ranks))


# The walk of the engine


def position(table: Table[SharedOwn]) -> object:
    """All of a table that the rest of an untimed hand hangs on."""
    by_recency = sorted(range(len(table.piles)), key=lambda slot: (table.piles[slot].changed, slot))
    return (
        tuple((holding.draw, holding.active) for holding in table.holdings),
        tuple(pile.top for pile in table.piles),
        table.redeals,
        tuple(by_recency),
    )


def walk_engine(tiny: Tiny) -> tuple[int, Ends]:
    """How many positions the hand goes on from, and the ends of all lines of play."""
    game = SharedPiles("tiny", tiny.piles, tiny.match, tiny.draw_two, tiny.pack())
    seen: dict[object, Ends] = {}

    def after(table: Table[SharedOwn], command: Command) -> Table[SharedOwn]:
        table, _ = game.apply(table, command)
        assert game.status(table) is Status.VALID
        assert sum(len(holding.draw) + (holding.active is not None) for holding in table.holdings) + sum(
            len(pile.cards) for pile in table.piles
        ) == len(tiny.pack())
        return table

    def ends(table: Table[SharedOwn]) -> Ends:
        while (due := table.next_timer) is not None and due.what == "turn":
            table = after(table, due)
        if table.outcome is not None:
            return Counter({(str(table.outcome.reason), table.outcome.winner): 1})
        here = position(table)
        if here not in seen:
            moves = [
                after(table, Cover(table.at_ns, seat, slot))
                for seat in (0, 1)
                for slot in game.legal_slots(table, seat)
            ]
            if not moves:
                assert due is not None
                assert due.what == "redeal"
                moves = [after(table, due)]
            seen[here] = sum((ends(then) for then in moves), Counter())
        return seen[here]

    start = game.start(Options(short_redeal=tiny.short), tiny.seed)
    total = ends(after(start, Go(0)))
    return len(seen), total


# The walk by the rules alone


class Lie(NamedTuple):
    """How the cards lie: each seat's cards, the face-up one first; tops; piles by recency, newest last."""

    hands: tuple[tuple[Card, ...], tuple[Card, ...]]
    tops: tuple[Card, ...]
    recency: tuple[int, ...]
    deals: int


FITS: dict[Match, Callable[[Card, Card], bool]] = {
    Match.RANK: lambda a, b: a.rank == b.rank,
    Match.SUIT: lambda a, b: a.suit == b.suit,
    Match.RANK_OR_SUIT: lambda a, b: a.rank == b.rank or a.suit == b.suit,
    Match.NEXT_RANK: lambda a, b: abs(a.rank - b.rank) in (1, 12),
}


def walk_rules(tiny: Tiny) -> tuple[int, Ends]:
    """As :func:`walk_engine`, without the engine."""
    fits = FITS[tiny.match]
    owners = top_owners(tiny.piles, tiny.seed)
    deck = shuffled(tiny.pack(), tiny.seed)
    half = len(deck) // 2
    counted = 0

    def deal(lie: Lie, slots: tuple[int, ...], laid: list[tuple[Card, ...]]) -> Lie:
        """One card of each seat onto each of the slots (S-1, S-5, S-13)."""
        tops = list(lie.tops)
        for nth, slot in enumerate(slots):
            first = owners[0] + nth if tiny.draw_two and lie.deals else owners[slot]
            tops[slot] = laid[(first + lie.deals) % 2][nth]
        recency = (*(slot for slot in lie.recency if slot not in slots), *slots)
        return lie._replace(tops=tuple(tops), recency=recency, deals=lie.deals + 1)

    def redeal(lie: Lie) -> Lie | tuple[str, int | None]:
        slots = tuple(sorted(lie.recency[-2:])) if tiny.draw_two else tuple(range(tiny.piles))
        wide = len(slots)
        lefts = [len(hand) for hand in lie.hands]
        if all(left > wide for left in lefts):
            laid = [hand[1 : wide + 1] for hand in lie.hands]
            near, far = (hand[:1] + hand[wide + 1 :] for hand in lie.hands)
            return deal(lie._replace(hands=(near, far)), slots, laid)
        if tiny.short is ShortRedeal.DEADLOCK:  # S-6
            return ("tie", None) if lefts[0] == lefts[1] else ("fewer_cards", lefts.index(min(lefts)))
        emptied = [seat for seat, left in enumerate(lefts) if left <= wide]
        return ("tie", None) if len(emptied) == 2 else ("placed_last_card", emptied[0])

    @cache
    def ends(lie: Lie) -> Ends:
        nonlocal counted
        counted += 1
        total: Ends = Counter()
        for seat, hand in enumerate(lie.hands):
            for slot, top in enumerate(lie.tops):
                if fits(hand[0], top):
                    if len(hand) == 1:
                        total[("placed_last_card", seat)] += 1
                        continue
                    hands = (hand[1:], lie.hands[1]) if seat == 0 else (lie.hands[0], hand[1:])
                    tops = (*lie.tops[:slot], hand[0], *lie.tops[slot + 1 :])
                    recency = (*(other for other in lie.recency if other != slot), slot)
                    total += ends(lie._replace(hands=hands, tops=tops, recency=recency))
        if not total:
            then = redeal(lie)
            if isinstance(then, Lie):
                return ends(then)
            total[then] += 1
        return total

    hands = (deck[:half], deck[half:])
    opening = Lie(hands, deck[: tiny.piles], tuple(range(tiny.piles)), 0)
    laid = [hand[: tiny.piles] for hand in hands]
    rest = (hands[0][tiny.piles :], hands[1][tiny.piles :])
    total = ends(deal(opening._replace(hands=rest), tuple(range(tiny.piles)), laid))
    return counted, total


DEADLOCK, DEAL = ShortRedeal.DEADLOCK, ShortRedeal.DEAL_WHAT_YOU_HAVE
ENDS = [
    ("placed_last_card", 0), ("placed_last_card", 1), ("fewer_cards", 0), ("fewer_cards", 1), ("tie", None)
]  # fmt: skip
COUNTS = [
    # The pack and its rules, positions, and lines of play in the order of ENDS.
    (Tiny("A234", "cd", 2, Match.RANK, False, DEADLOCK, 5), 1, (0, 0, 0, 0, 1)),
    (Tiny("A234", "cd", 2, Match.SUIT, False, DEADLOCK, 5), 5, (3, 3, 0, 0, 0)),
    (Tiny("A234", "cd", 2, Match.RANK_OR_SUIT, False, DEAL, 5), 5, (6, 3, 0, 0, 0)),
    (Tiny("A234", "cd", 2, Match.NEXT_RANK, False, DEADLOCK, 5), 5, (6, 2, 0, 0, 0)),
    (Tiny("A2345", "cdhs", 2, Match.RANK_OR_SUIT, False, DEADLOCK, 5), 44, (48, 0, 14, 0, 0)),
    (Tiny("A2345", "cdhs", 2, Match.RANK_OR_SUIT, False, DEAL, 5), 44, (62, 0, 0, 0, 0)),
    (Tiny("A2JQK", "cdhs", 3, Match.RANK_OR_SUIT, False, DEADLOCK, 5), 701, (4993, 1449, 32, 4, 40)),
    (Tiny("A2JQK", "cdhs", 3, Match.RANK_OR_SUIT, True, DEADLOCK, 5), 799, (5357, 1561, 30, 3, 5)),
    (Tiny("A2JQK", "cdhs", 3, Match.RANK_OR_SUIT, True, DEAL, 5), 799, (5387, 1564, 0, 0, 5)),
    (Tiny("A2JQK", "cdhs", 3, Match.NEXT_RANK, True, DEADLOCK, 5), 15, (0, 0, 0, 2, 2)),
    (Tiny("A2JQK", "cdhs", 3, Match.RANK, False, DEAL, 5), 3, (0, 1, 0, 0, 0)),
    (Tiny("A2345678", "cd", 2, Match.SUIT, False, DEADLOCK, 5), 58, (0, 0, 0, 0, 256)),
    (Tiny("A23456", "cdhs", 4, Match.SUIT, True, DEADLOCK, 5), 26, (0, 13, 0, 0, 0)),
    (Tiny("A23456", "cdhs", 4, Match.NEXT_RANK, True, DEADLOCK, 5), 352, (192, 1902, 4, 17, 24)),
    (Tiny("A23456", "cdhs", 4, Match.NEXT_RANK, False, DEAL, 5), 340, (196, 1959, 0, 0, 24)),
    (Tiny("A234567", "cdhs", 4, Match.RANK, False, DEADLOCK, 5), 34, (0, 0, 0, 0, 30)),
    (Tiny("A234567", "cdhs", 4, Match.SUIT, True, DEAL, 5), 50, (0, 24, 0, 0, 0)),
    (Tiny("A23456", "cdhs", 4, Match.RANK_OR_SUIT, False, DEADLOCK, 5), 7751, (88422, 83688, 83, 145, 689)),
]  # fmt: skip


@pytest.mark.parametrize(("tiny", "positions", "lines"), COUNTS)
def test_s_every_way_a_tiny_hand_can_go(tiny: Tiny, positions: int, lines: tuple[int, ...]) -> None:
    expected = Counter({end: times for end, times in zip(ENDS, lines, strict=True) if times})
    assert walk_rules(tiny) == (positions, expected)
    assert walk_engine(tiny) == (positions, expected)


@pytest.mark.parametrize("match", Match)
@pytest.mark.parametrize("short", ShortRedeal)
def test_s_many_tiny_packs_go_the_same_way_by_both_walks(match: Match, short: ShortRedeal) -> None:
    for seed in range(15):
        for ranks, suits, piles in (("A23K", "cd", 2), ("A2QK", "cdh", 3), ("A2QK", "cdhs", 3)):
            tiny = Tiny(ranks, suits, piles, match, seed % 2 == 1, short, seed)
            assert walk_engine(tiny) == walk_rules(tiny), tiny
