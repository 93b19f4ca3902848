"""What all games with rows have in common: matches, open piles, gathering (D-2, D-3, D-5).

Each seat has piles of its own in front of it, but any seat may cover any open pile. Two or more equal
tops are a *match*; its piles become open and stay open until covered, whatever becomes of the others.
So a match may be shared, and every live match is open (:class:`Pile.is_open` holds more than those).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

from firmware.rules.cards import Card
from firmware.rules.events import Dealt, Gathered, Thawed
from firmware.rules.game import Game
from firmware.rules.table import NS_PER_MS, Change, Draft, Pile, Status, Table

OwnT = TypeVar("OwnT")
AnyRows = Table[Any] | Draft[Any]


class Rows(Game[OwnT]):
    """A game in which each seat has a row of piles and open piles are covered from the draw pile."""

    doubles: bool = False
    """D-8: is a pile open too whose two upper cards have equal rank?"""

    # Covering

    def fits(self, table: Table[OwnT] | Draft[OwnT], seat: int, slot: int) -> bool:
        holding = table.holdings[seat]
        return table.piles[slot].is_open and bool(holding.draw) and not holding.is_out

    def fitting(self, table: Table[OwnT] | Draft[OwnT], seat: int) -> Sequence[int]:
        holding = table.holdings[seat]
        if not holding.draw or holding.is_out:
            return ()
        return [slot for slot, pile in enumerate(table.piles) if pile.is_open]

    def fitted(self, table: Draft[OwnT], seat: int, change: Change) -> bool:
        return change.was_open and bool(table.holdings[seat].draw)

    def cover(self, draft: Draft[OwnT], seat: int, slot: int) -> Card:
        holding = draft.holdings[seat]
        draft.holdings[seat] = holding._replace(draw=holding.draw[1:])
        return holding.draw[0]

    def covered(self, draft: Draft[OwnT], seat: int, slot: int) -> None:
        """D-3: piles matched by the new top open."""
        pile = draft.piles[slot]
        rank = pile.cards[-1].rank
        same = [other for other, pile in enumerate(draft.piles) if pile.cards and pile.cards[-1].rank == rank]
        if len(same) > 1:
            for other in same:
                draft.piles[other] = draft.piles[other]._replace(is_open=True)
        elif self.doubles and is_double(pile):
            draft.piles[slot] = pile._replace(is_open=True)

    # What is the same wherever a row is dealt

    def clear_places(self, draft: Draft[OwnT]) -> None:
        """No pile lies anywhere: the table before the first card."""
        draft.piles = [Pile(()) for _ in range(self.layout.places)]

    def lay(self, draft: Draft[OwnT], seat: int, slot: int) -> None:
        """*seat* deals its next card face up onto the empty place *slot*, which becomes its own (D-1)."""
        holding = draft.holdings[seat]
        card = holding.draw[0]
        draft.holdings[seat] = holding._replace(draw=holding.draw[1:])
        draft.piles[slot] = Pile((card,), draft.changes, 0, draft.piles[slot].changes, seat)
        draft.events.append(Dealt(draft.at_ns, seat, slot, card))

    def open_matches(self, draft: Draft[OwnT]) -> None:
        """D-2: every pile of every match becomes open; those that are open stay so."""
        count = Counter(pile.cards[-1].rank for pile in draft.piles if pile.cards)
        for slot, pile in enumerate(draft.piles):
            if pile.cards and count[pile.cards[-1].rank] > 1 and not pile.is_open:
                draft.piles[slot] = pile._replace(is_open=True)

    def gather(self, draft: Draft[OwnT], seat: int) -> None:
        """*seat* takes its row under its draw pile: left pile first, bottom card first (D-5).

        A slot of a row is numbered as its owner sees it, so left to right is ascending. A frozen pile that
        is gathered is frozen no more (T-5).
        """
        holding = draft.holdings[seat]
        cards, slots = holding.draw, []
        for slot, pile in enumerate(draft.piles):
            if pile.owner == seat and pile.cards:
                slots.append(slot)
                cards += pile.cards
                change = Change(draft.at_ns, None, pile.top, pile.is_open)
                draft.piles[slot] = pile.taken(change, draft.changes, draft.options.grace_ms * NS_PER_MS)
        draft.holdings[seat] = holding._replace(draw=cards)
        draft.events.append(Gathered(draft.at_ns, seat, tuple(slots)))
        self.thaw(draft, slots)

    def thaw(self, draft: Draft[OwnT], slots: Sequence[int]) -> None:
        """The piles at *slots* are gone: none of them is frozen any more."""
        if draft.frozen:
            draft.events += [Thawed(draft.at_ns, slot) for slot, _ in draft.frozen if slot in slots]
            draft.frozen = tuple(frozen for frozen in draft.frozen if frozen[0] not in slots)

    # For whoever looks on

    def share(self, table: AnyRows, seat: int) -> int:
        """Cards in the draw pile and the own row of *seat* (F-2, D-7)."""
        own_row = sum(len(pile.cards) for pile in table.piles if pile.owner == seat)
        return len(table.holdings[seat].draw) + own_row

    def raised(self, table: Table[OwnT]) -> tuple[int, ...]:
        """The slots that may be shown open: all but those of live matches, which are for the players to find.

        A double is shown by the index of the card beneath (D-8), not raised.
        """
        count = Counter(pile.top.rank for pile in table.piles if pile.cards)
        return tuple(
            slot
            for slot, pile in enumerate(table.piles)
            if pile.is_open and count[pile.top.rank] < 2 and not (self.doubles and is_double(pile))
        )

    def own_status(self, table: Table[OwnT]) -> Status:
        found = Status.VALID
        for pile in table.piles:
            if pile.cards and pile.owner is None:
                found |= Status.PILE_WITHOUT_OWNER
        return found

    def has_closed_match(self, table: Table[OwnT]) -> bool:
        """Is there a live match or double that is not open, against D-2?"""
        count = Counter(pile.top.rank for pile in table.piles if pile.cards)
        return any(
            count[pile.top.rank] > 1 or (self.doubles and is_double(pile))
            for pile in table.piles
            if pile.cards and not pile.is_open
        )


def is_double(pile: Pile) -> bool:
    """Are the two upper cards of *pile* of equal rank (D-8)?"""
    return len(pile.cards) > 1 and pile.cards[-1].rank == pile.cards[-2].rank


def has_match(table: AnyRows) -> bool:
    """Are any two tops equal now? Open piles may be so for a match that has passed (D-2)."""
    ranks = [pile.cards[-1].rank for pile in table.piles if pile.cards]
    return len(set(ranks)) < len(ranks)
