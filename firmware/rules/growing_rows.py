"""Rows that grow: both seats deal one more card each until there is a match (A-1, A-2).

With 14 tops a match is certain, for there are 13 ranks, and a match is always open: so two sides of 7
places are enough for any hand.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from firmware.rules.cards import PACK, Card
from firmware.rules.commands import IllegalCommand, Timer
from firmware.rules.layout import Layout
from firmware.rules.rows import Rows
from firmware.rules.table import NS_PER_MS, Draft, Phase, Status, Table

COLUMNS = 7


@dataclass(frozen=True, slots=True)
class GrowingOwn:
    """``grows_at_ns``: when the next cards are dealt, None while something else has to come first."""

    grows_at_ns: int | None = None


GrowingT = TypeVar("GrowingT", bound=GrowingOwn)


class GrowingRows(Rows[GrowingT]):
    """A game whose rows grow. Nobody is ever stuck: where nothing may be covered, cards are dealt (T-6)."""

    layout = Layout(COLUMNS, 2)
    has_redeal = False
    cards: tuple[Card, ...] = PACK

    def pack(self, seats: int, seed: int) -> tuple[Card, ...]:
        return self.cards

    @abstractmethod
    def is_growing(self, table: Table[GrowingT] | Draft[GrowingT]) -> bool:
        """Are cards to be dealt now, rather than piles to be covered?"""

    @abstractmethod
    def ran_out(self, draft: Draft[GrowingT], seats: Sequence[int]) -> None:
        """The draw piles of *seats* have just become empty, by cover or by deal."""

    def deal(self, draft: Draft[GrowingT]) -> None:
        self.clear_places(draft)
        self._grow(draft)

    def own_timers(self, draft: Draft[GrowingT]) -> Iterable[Timer]:
        at_ns = draft.own.grows_at_ns
        return () if at_ns is None else (Timer(at_ns, "grow", 0),)

    def own_due(self, draft: Draft[GrowingT], timer: Timer) -> None:
        if timer.what != "grow":
            raise IllegalCommand(f"{self.id} has no timer {timer.what!r}")
        draft.own = replace(draft.own, grows_at_ns=None)
        self._grow(draft)
        self.settle(draft)

    def _grow(self, draft: Draft[GrowingT]) -> None:
        """Every seat that has a card deals it onto the next place of its row."""
        draft.changes += 1
        dealers = [seat for seat, holding in enumerate(draft.holdings) if holding.draw]
        for seat in dealers:
            self.lay(draft, seat, self._next_place(draft, seat))
        self.open_matches(draft)
        emptied = [seat for seat in dealers if not draft.holdings[seat].draw]
        if emptied:
            self.ran_out(draft, emptied)

    def _next_place(self, draft: Draft[GrowingT], seat: int) -> int:
        """The first free place of the own side, then of the other, which a lone dealer may need (A-5)."""
        near = range(seat * COLUMNS, (seat + 1) * COLUMNS)
        far = range((1 - seat) * COLUMNS, (2 - seat) * COLUMNS)
        return next(slot for side in (near, far) for slot in side if not draft.piles[slot].cards)

    def covered(self, draft: Draft[GrowingT], seat: int, slot: int) -> None:
        super().covered(draft, seat, slot)
        if not draft.holdings[seat].draw:
            self.ran_out(draft, (seat,))

    def settle(self, draft: Draft[GrowingT]) -> None:
        """From the moment on at which cards are to be dealt, the time until they are runs."""
        if draft.phase is not Phase.PLAY:
            return
        grows_at_ns = draft.own.grows_at_ns
        if not self.is_growing(draft):
            if grows_at_ns is not None:
                draft.own = replace(draft.own, grows_at_ns=None)
        elif grows_at_ns is None:
            at_ns = draft.at_ns + draft.options.deal_interval_ms * NS_PER_MS
            draft.own = replace(draft.own, grows_at_ns=at_ns)

    def own_status(self, table: Table[GrowingT]) -> Status:
        found = super().own_status(table)
        if self.has_closed_match(table):
            found |= Status.MATCH_NOT_OPEN
        if table.phase is Phase.PLAY:
            is_growing, is_due = self.is_growing(table), table.own.grows_at_ns is not None
            if is_growing and not is_due:
                found |= Status.DEAL_NOT_DUE
            if is_due and not is_growing:
                found |= Status.DEAL_DUE_WRONGLY
        return found
