"""Every position that a tiny double flip can come to, counted twice: by the engine, and by the rules alone.

Four ranks in two or three suits, rows of two. Any seat makes any move it has; where nobody has one the
rows are gathered. The second walk is a few lines written from D that share nothing with the engine but the
shuffle. The counts below are those of both, which have to agree before a row may be added.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from firmware.rules import Card, Command, Cover, Go, Options, Status
from firmware.rules.deal import shuffled
from firmware.rules.double_flip import DoubleFlip
from firmware.rules.laid_rows import LaidOwn
from firmware.rules.table import Table

Deck = tuple[Card, ...]
WIDE = 2
Ends = Counter[tuple[str, int | None]]
"""How many moves end the hand so: reason and winner."""


# The walk of the engine


def position(table: Table[LaidOwn]) -> object:
    """All of a table that the rest of an untimed hand hangs on, but for how often rows were gathered."""
    piles = tuple((pile.cards, pile.is_open) for pile in table.piles)
    return tuple(holding.draw for holding in table.holdings), piles, table.own.barren


def walk_engine(deck: Deck, *, doubles: bool) -> tuple[int, Ends]:
    game = DoubleFlip("tiny", WIDE, doubles, tuple(sorted(deck)))
    table, _ = game.apply(game.start(Options(lay_ms=0), 0, deck=deck), Go(0))
    seen, ends, rest = {position(table)}, Ends(), deque([table])
    while rest:
        table = rest.popleft()
        assert game.status(table) is Status.VALID
        moves = [(seat, slot) for seat in (0, 1) for slot in game.legal_slots(table, seat)]
        commands: list[Command] = [Cover(table.at_ns, *move) for move in moves]
        if table.next_timer is not None:
            commands.append(table.next_timer)  # never with a move: nothing is due then
        for command in commands:
            after, _ = game.apply(table, command)
            if after.outcome is not None:
                ends[after.outcome.reason.value, after.outcome.winner] += 1
            elif position(after) not in seen:
                seen.add(position(after))
                rest.append(after)
    return len(seen), ends


# The walk of the rules


class Bare(NamedTuple):
    """Draw piles, piles (slots 0 and 1 are seat 0's), which are open, rows running without a cover."""

    draws: tuple[tuple[Card, ...], ...]
    piles: tuple[tuple[Card, ...], ...]
    open: frozenset[int]
    barren: int


def laid(hands: list[tuple[Card, ...]], barren: int) -> Bare:
    """Both rows laid; what matches is open (D-1, D-2)."""
    piles = tuple((hand[nth],) for hand in hands for nth in range(WIDE))
    draws = tuple(hand[WIDE:] for hand in hands)
    return Bare(draws, piles, matched(piles, doubles=False), barren)


def matched(piles: tuple[tuple[Card, ...], ...], *, doubles: bool) -> frozenset[int]:
    tops = [pile[-1].rank for pile in piles]
    return frozenset(
        slot
        for slot, pile in enumerate(piles)
        if tops.count(tops[slot]) > 1 or (doubles and len(pile) > 1 and pile[-2].rank == tops[slot])
    )


def next_of(bare: Bare, *, doubles: bool) -> Iterator[Bare | tuple[str, int | None]]:
    """All that can come next: a position, or an end."""
    if not bare.open:
        sizes = [len(bare.draws[seat]) + sum(map(len, rows_of(bare, seat))) for seat in (0, 1)]
        if bare.barren == 12:  # D-7
            yield ("tie", None) if sizes[0] == sizes[1] else ("fewer_cards", int(sizes[1] < sizes[0]))
            return
        hands = [
            (*bare.draws[seat], *(card for pile in rows_of(bare, seat) for card in pile)) for seat in (0, 1)
        ]
        yield laid(hands, bare.barren + 1)
    for seat in (0, 1):
        for slot in sorted(bare.open):
            card, *draw = bare.draws[seat]
            if not draw:
                yield "placed_last_card", seat
                continue
            piles = (*bare.piles[:slot], (*bare.piles[slot], card), *bare.piles[slot + 1 :])
            is_open = (bare.open - {slot}) | matched(piles, doubles=doubles)
            draws = (tuple(draw), bare.draws[1]) if seat == 0 else (bare.draws[0], tuple(draw))
            yield Bare(draws, piles, is_open, 0)


def rows_of(bare: Bare, seat: int) -> tuple[tuple[Card, ...], ...]:
    return bare.piles[seat * WIDE : (seat + 1) * WIDE]


def walk_rules(deck: Deck, *, doubles: bool) -> tuple[int, Ends]:
    half = len(deck) // 2
    first = laid([deck[:half], deck[half:]], 1)
    seen, ends, rest = {first}, Ends(), deque([first])
    while rest:
        for after in next_of(rest.popleft(), doubles=doubles):
            if not isinstance(after, Bare):
                ends[after] += 1
            elif after not in seen:
                seen.add(after)
                rest.append(after)
    return len(seen), ends


def decks(ranks: int, suits: int) -> Iterator[Deck]:
    """Every order of a pack's ranks; suits make no difference."""
    left = Counter(dict.fromkeys(range(ranks), suits))

    def longer(deck: Deck) -> Iterator[Deck]:
        if len(deck) == ranks * suits:
            yield deck
        for rank in range(ranks):
            if left[rank]:
                left[rank] -= 1
                yield from longer((*deck, Card(rank, left[rank])))
                left[rank] += 1

    return longer(())


def test_d_every_position_of_every_deck_of_two_suits_is_as_the_rules_say() -> None:
    count, positions, ends = 0, 0, Ends()
    for deck in decks(4, 2):
        found = walk_engine(deck, doubles=False)
        assert found == walk_rules(deck, doubles=False), deck
        count += 1
        positions += found[0]
        ends += found[1]
    assert (count, positions) == (2520, 30_456)
    # Neither seat is better off.
    assert ends == {("placed_last_card", 0): 42_912, ("placed_last_card", 1): 42_912, ("tie", None): 576}


@pytest.mark.parametrize(
    ("seed", "doubles", "positions", "wins"),
    [
        (0, False, 2259, (5476, 6060)),
        (0, True, 2515, (6604, 7092)),
        (1, False, 13_453, (35_764, 37_560)),
        (1, True, 2383, (6756, 5976)),
        (3, False, 4733, (11_576, 11_904)),
        (3, True, 4159, (10_608, 10_872)),
    ],
)
def test_d_every_position_of_three_suits_is_as_the_rules_say(
    seed: int, doubles: bool, positions: int, wins: tuple[int, int]
) -> None:
    pack = tuple(Card(rank, suit) for rank in range(4) for suit in range(3))
    deck = shuffled(pack, seed)
    found = walk_engine(deck, doubles=doubles)
    assert found == walk_rules(deck, doubles=doubles)
    ends = {("placed_last_card", seat): won for seat, won in enumerate(wins)}
    assert found == (positions, ends)
