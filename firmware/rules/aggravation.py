"""Aggravation (RULES A): rows that grow, and who has no cards left calls a pair to win. Two seats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firmware.rules.cards import PACK, Card
from firmware.rules.commands import Timer
from firmware.rules.events import Beaten, Called, Excuse, Ignored, Offence, RanOut, Reason, Touched
from firmware.rules.growing_rows import GrowingOwn, GrowingRows
from firmware.rules.rows import has_match
from firmware.rules.table import NS_PER_MS, Draft, Phase, Pile, Status, Table


@dataclass(frozen=True, slots=True)
class CallingOwn(GrowingOwn):
    """``firsts``: for each seat the first touch of its call, as (slot, until_ns); None without one (A-3)."""

    firsts: tuple[tuple[int, int] | None, ...] = (None, None)


@dataclass(frozen=True)
class Aggravation(GrowingRows[CallingOwn]):
    """A. A press of a seat without cards is one of the two touches of its call."""

    id: str
    cards: tuple[Card, ...] = PACK

    def own_start(self, seed: int, seats: int) -> CallingOwn:
        return CallingOwn()

    # Growing

    def is_growing(self, table: Table[CallingOwn] | Draft[CallingOwn]) -> bool:
        """A-2; with one seat out the other deals alone until two tops are equal (A-5)."""
        dealers = sum(bool(holding.draw) for holding in table.holdings)
        if dealers == 2:
            return not any(pile.is_open for pile in table.piles)
        return dealers == 1 and not has_match(table)

    def ran_out(self, draft: Draft[CallingOwn], seats: Sequence[int]) -> None:
        draft.events += [RanOut(draft.at_ns, seat) for seat in seats]

    def settle(self, draft: Draft[CallingOwn]) -> None:
        is_dealt_out = not any(holding.draw for holding in draft.holdings)
        if draft.phase is Phase.PLAY and is_dealt_out and not has_match(draft):
            draft.end(Reason.TIE, None)
            return
        super().settle(draft)

    # Calling

    def fits(self, table: Table[CallingOwn] | Draft[CallingOwn], seat: int, slot: int) -> bool:
        """For a seat that has to call: may touching *slot* make, or begin, a true call?"""
        if table.holdings[seat].draw:
            return super().fits(table, seat, slot)
        return slot in self.fitting(table, seat)

    def fitting(self, table: Table[CallingOwn] | Draft[CallingOwn], seat: int) -> Sequence[int]:
        if table.holdings[seat].draw:
            return super().fitting(table, seat)
        tops = [(slot, pile.top.rank) for slot, pile in enumerate(table.piles) if pile.cards]
        first = table.own.firsts[seat]
        if first is not None:
            wanted = table.piles[first[0]].top.rank
            return [slot for slot, rank in tops if rank == wanted and slot != first[0]]
        count = Counter(rank for _, rank in tops)
        return [slot for slot, rank in tops if count[rank] > 1]

    def press(self, draft: Draft[CallingOwn], seat: int, slot: int) -> None:
        if draft.holdings[seat].draw:
            super().press(draft, seat, slot)
            return
        first = draft.own.firsts[seat]
        if self.is_awaited(draft, slot):
            draft.events.append(Ignored(draft.at_ns, seat, slot, Excuse.NO_PILE))
        elif first is None or first[0] == slot:
            until_ns = draft.at_ns + draft.options.chord_ms * NS_PER_MS
            self._note_first(draft, seat, (slot, until_ns))
            draft.events.append(Touched(draft.at_ns, seat, slot, until_ns))
        else:
            self._note_first(draft, seat, None)
            self._call(draft, seat, first[0], slot)

    def _note_first(self, draft: Draft[CallingOwn], seat: int, first: tuple[int, int] | None) -> None:
        firsts = draft.own.firsts
        draft.own = replace(draft.own, firsts=(*firsts[:seat], first, *firsts[seat + 1 :]))

    def _call(self, draft: Draft[CallingOwn], seat: int, first: int, second: int) -> None:
        """A-3: judged at the second touch. A pile's being open is not enough (A-4)."""
        if draft.piles[first].top.rank == draft.piles[second].top.rank:
            draft.events.append(Called(draft.at_ns, seat, (first, second)))
            draft.end(Reason.CALLED, seat)
            return
        lead_ns = self._broken_by(draft, seat, draft.piles[first], draft.piles[second])
        if lead_ns is not None:
            draft.events.append(Beaten(draft.at_ns, seat, second, lead_ns))
        else:
            draft.penalise(seat, second, Offence.CALLED_WRONGLY)
            self.settle(draft)

    def _broken_by(self, draft: Draft[CallingOwn], seat: int, first: Pile, second: Pile) -> int | None:
        """How long before this call somebody else's cover broke the pair; None if it was no pair (T-4)."""
        since_ns = draft.at_ns - draft.options.grace_ms * NS_PER_MS
        changes = [
            (change, other)
            for pile, other in ((first, second), (second, first))
            for change in pile.changes
            if change.at_ns >= since_ns and change.seat != seat
        ]
        for change, other in sorted(changes, key=lambda pair: -pair[0].at_ns):
            later = [after.before for after in other.changes if after.at_ns >= change.at_ns]
            beside = later[0] if later else other.top
            if beside.rank == change.before.rank:
                return draft.at_ns - change.at_ns
        return None

    def withdraw(self, draft: Draft[CallingOwn], seat: int, slot: int) -> Iterable[int]:
        """A dead heat with a call is about both places of the pair."""
        first = draft.own.firsts[seat]
        if draft.holdings[seat].draw or first is None:
            return (slot,)
        self._note_first(draft, seat, None)
        return (first[0], slot)

    def own_timers(self, draft: Draft[CallingOwn]) -> Iterable[Timer]:
        yield from super().own_timers(draft)
        for seat, first in enumerate(draft.own.firsts):
            if first is not None:
                # The last moment of the chord still counts, so it is over a nanosecond later.
                yield Timer(first[1] + 1, "chord", seat)

    def own_due(self, draft: Draft[CallingOwn], timer: Timer) -> None:
        """A lone first touch expires without penalty (A-3)."""
        if timer.what == "chord":
            self._note_first(draft, timer.index, None)
        else:
            super().own_due(draft, timer)

    def own_status(self, table: Table[CallingOwn]) -> Status:
        found = super().own_status(table)
        if table.phase is Phase.PLAY and not any(holding.draw for holding in table.holdings):
            found |= Status.VALID if has_match(table) else Status.EMPTY_SEAT_PLAYS_ON
        return found
