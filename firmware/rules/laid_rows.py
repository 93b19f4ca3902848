"""Rows that are laid whole, played until no pile is open, gathered and laid anew (D-1, D-4 to D-7).

A row is laid one card at a time, by all seats at once; nothing is open before the last cards lie.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TypeVar

from firmware.rules.commands import IllegalCommand, Timer
from firmware.rules.events import Excuse, Redealt
from firmware.rules.options import Redeal
from firmware.rules.rows import Rows
from firmware.rules.table import NS_PER_MS, Draft, Phase, Status, Table

BARREN_ROWS = 12
"""The 12th row running without a cover ends the hand (D-7)."""
MOST_GATHERS = 100
"""So does wanting to gather once more after 100 gathers (D-7)."""


@dataclass(frozen=True, slots=True)
class LaidOwn:
    """How far the laying is, and how the hand goes on.

    ``rows``: for each seat the slots of its row, leftmost for its owner first. ``laid``: cards of it laid
    so far by each seat. ``lays_at_ns``: when the next ones are laid, None once the rows are complete.
    ``barren``: rows running without a cover, this one counted. ``gathers``: since the cards were shuffled.
    """

    rows: tuple[tuple[int, ...], ...] = ()
    laid: int = 0
    lays_at_ns: int | None = None
    barren: int = 0
    gathers: int = 0


LaidT = TypeVar("LaidT", bound=LaidOwn)


class LaidRows(Rows[LaidT]):
    """A game whose rows are laid whole."""

    @abstractmethod
    def rows(self, draft: Draft[LaidT]) -> tuple[tuple[int, ...], ...]:
        """The slots of each seat's next row, leftmost for its owner first; it has the cards for them."""

    @abstractmethod
    def ran_out(self, draft: Draft[LaidT], seat: int) -> None:
        """*seat* has put down its last card."""

    @abstractmethod
    def cap(self, draft: Draft[LaidT]) -> None:
        """D-7: there will be no further row; what comes of that."""

    def lay_ms(self, draft: Draft[LaidT]) -> int:
        """From one card of a row to the next."""
        return draft.options.lay_ms

    # Laying

    def deal(self, draft: Draft[LaidT]) -> None:
        self.clear_places(draft)
        self.begin_rows(draft)

    def begin_rows(self, draft: Draft[LaidT]) -> None:
        """Lay the first card of each row; no pile lies anywhere."""
        rows = self.rows(draft)
        owners = {slot: seat for seat, row in enumerate(rows) for slot in row}
        for slot, pile in enumerate(draft.piles):
            draft.piles[slot] = pile._replace(owner=owners.get(slot))
        draft.own = replace(draft.own, rows=rows, laid=0, barren=draft.own.barren + 1)
        self._lay_next(draft)

    def _lay_next(self, draft: Draft[LaidT]) -> None:
        rows, laid = draft.own.rows, draft.own.laid
        longest = max(map(len, rows))
        interval_ns = self.lay_ms(draft) * NS_PER_MS
        while True:
            draft.changes += 1
            for seat, row in enumerate(rows):
                if laid < len(row):
                    self.lay(draft, seat, row[laid])
            laid += 1
            if interval_ns or laid == longest:
                break
        is_complete = laid == longest
        lays_at_ns = None if is_complete else draft.at_ns + interval_ns
        draft.own = replace(draft.own, laid=laid, lays_at_ns=lays_at_ns)
        if is_complete:
            self.open_matches(draft)

    def own_timers(self, draft: Draft[LaidT]) -> Iterable[Timer]:
        at_ns = draft.own.lays_at_ns
        return () if at_ns is None else (Timer(at_ns, "lay", 0),)

    def own_due(self, draft: Draft[LaidT], timer: Timer) -> None:
        if timer.what != "lay":
            raise IllegalCommand(f"{self.id} has no timer {timer.what!r}")
        self._lay_next(draft)
        self.settle(draft)

    # Playing

    def covered(self, draft: Draft[LaidT], seat: int, slot: int) -> None:
        super().covered(draft, seat, slot)
        if draft.own.barren:
            draft.own = replace(draft.own, barren=0)
        if not draft.holdings[seat].draw:
            self.ran_out(draft, seat)

    def settle(self, draft: Draft[LaidT]) -> None:
        """D-5: when no pile is open, nobody can move."""
        if draft.phase is not Phase.PLAY or draft.own.lays_at_ns is not None:
            return
        if not any(pile.is_open for pile in draft.piles):
            self.nobody_can_move(draft)

    def agree_excuse(self, draft: Draft[LaidT], seat: int) -> Excuse | None:
        excuse = super().agree_excuse(draft, seat)
        return Excuse.DEALING if excuse is None and draft.own.lays_at_ns is not None else excuse

    def redeal(self, draft: Draft[LaidT]) -> None:
        own = draft.own
        if own.barren >= BARREN_ROWS or own.gathers >= MOST_GATHERS:
            self.cap(draft)
            return
        draft.redeals += 1
        draft.changes += 1
        draft.own = replace(own, gathers=own.gathers + 1)
        draft.events.append(Redealt(draft.at_ns, False))
        for seat, holding in enumerate(draft.holdings):
            draft.holdings[seat] = holding._replace(has_agreed=False)
            if not holding.is_out:
                self.gather(draft, seat)
        self.begin_rows(draft)

    def own_status(self, table: Table[LaidT]) -> Status:
        found = super().own_status(table)
        if table.phase not in (Phase.PLAY, Phase.PAUSE):
            return found
        is_any_open = any(pile.is_open for pile in table.piles)
        for holding in table.holdings:
            if not holding.draw and not holding.is_out:
                found |= Status.EMPTY_SEAT_PLAYS_ON
        if table.own.lays_at_ns is not None:
            if is_any_open or table.phase is Phase.PAUSE:
                found |= Status.DEAL_DUE_WRONGLY
            return found
        if self.has_closed_match(table):
            found |= Status.MATCH_NOT_OPEN
        if table.phase is Phase.PAUSE and is_any_open:
            found |= Status.PAUSE_WITH_A_MOVE
        if table.phase is Phase.PLAY and not is_any_open and table.options.redeal is Redeal.AUTO:
            found |= Status.STUCK_UNNOTICED
        return found
