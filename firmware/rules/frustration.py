"""Frustration (RULES F): rows that grow; who gets down to a small share of the pack wins. Two seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmware.rules.cards import PACK, Card
from firmware.rules.events import Reason
from firmware.rules.growing_rows import GrowingOwn, GrowingRows
from firmware.rules.table import Draft, Phase, Status, Table

SMALL_SHARE = 10
"""So many cards, or fewer, win (F-2)."""
CAP_GATHER = 40
"""This gather is not made, the smaller share wins (F-3)."""


@dataclass(frozen=True)
class Frustration(GrowingRows[GrowingOwn]):
    """F."""

    id: str
    cards: tuple[Card, ...] = PACK

    def own_start(self, seed: int, seats: int) -> GrowingOwn:
        return GrowingOwn()

    def is_growing(self, table: Table[GrowingOwn] | Draft[GrowingOwn]) -> bool:
        return not any(pile.is_open for pile in table.piles)

    def covered(self, draft: Draft[GrowingOwn], seat: int, slot: int) -> None:
        if self.share(draft, seat) <= SMALL_SHARE:  # F-2, before F-1
            draft.end(Reason.SMALL_SHARE, seat)
        super().covered(draft, seat, slot)

    def ran_out(self, draft: Draft[GrowingOwn], seats: Sequence[int]) -> None:
        """F-1: at once, even over open piles, both gather their rows and start anew."""
        if draft.phase is Phase.OVER:
            return
        if draft.redeals + 1 == CAP_GATHER:
            draft.end_by_count(self.share(draft, seat) for seat in (0, 1))
            return
        draft.redeals += 1
        draft.changes += 1
        for seat in (0, 1):
            self.gather(draft, seat)

    def own_status(self, table: Table[GrowingOwn]) -> Status:
        found = super().own_status(table)
        if table.phase is Phase.PLAY and not all(holding.draw for holding in table.holdings):
            found |= Status.EMPTY_SEAT_PLAYS_ON
        return found
