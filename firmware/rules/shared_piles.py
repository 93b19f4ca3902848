"""California Speed on shared piles: Classic and its variants (RULES S). Two seats.

Each seat turns one card at a time and covers any pile that it fits. Equal players are often stuck;
then both deal a fresh card onto each pile (S-5). Here is what makes one game of this file differ
from another: how many piles, what fits, and how many piles a redeal covers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from firmware.rules.cards import PACK, Card
from firmware.rules.commands import IllegalCommand, Timer
from firmware.rules.deal import top_owners
from firmware.rules.events import Dealt, Excuse, Reason, Redealt
from firmware.rules.game import Game
from firmware.rules.layout import Layout
from firmware.rules.options import Pace, Redeal, ShortRedeal
from firmware.rules.table import NS_PER_MS, Change, Draft, Phase, Pile, Status, Table


class Match(StrEnum):
    """Which card fits on which (S-3, S-9, S-10, S-14)."""

    RANK = "rank"
    SUIT = "suit"
    RANK_OR_SUIT = "rank_or_suit"
    NEXT_RANK = "next_rank"


_FITS: dict[Match, Callable[[Card, Card], bool]] = {
    Match.RANK: lambda card, top: card.rank == top.rank,
    Match.SUIT: lambda card, top: card.suit == top.suit,
    Match.RANK_OR_SUIT: lambda card, top: card.rank == top.rank or card.suit == top.suit,
    # One up or down, king and ace adjacent: 12 is one down from 0 in a ring of 13.
    Match.NEXT_RANK: lambda card, top: (card.rank - top.rank) % 13 in (1, 12),
}


@dataclass(frozen=True, slots=True)
class SharedOwn:
    """``top_owners``: whose card lies on top of each pile at the opening (S-1). ``deals``: deals made
    so far. ``rush_at_ns``: when S-15 redeals, None while nobody is kept waiting."""

    top_owners: tuple[int, ...]
    deals: int = 0
    rush_at_ns: int | None = None


@dataclass(frozen=True)
class SharedPiles(Game[SharedOwn]):
    """S with ``piles`` piles (S-1, S-11, S-12) and a ``match`` rule; ``draw_two``: S-13."""

    id: str
    piles: int = 4
    match: Match = Match.RANK
    draw_two: bool = False
    cards: tuple[Card, ...] = PACK

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        return Layout(self.piles)

    def pack(self, seats: int, seed: int) -> tuple[Card, ...]:
        return self.cards

    def own_start(self, seed: int, seats: int) -> SharedOwn:
        return SharedOwn(top_owners(self.piles, seed))

    # Dealing

    def deal(self, draft: Draft[SharedOwn]) -> None:
        draft.piles = [Pile(()) for _ in range(self.piles)]
        self._deal_onto(draft, range(self.piles))
        for seat, holding in enumerate(draft.holdings):
            draft.holdings[seat] = holding._replace(turns_at_ns=self._turn_time(draft))

    def _turn_time(self, draft: Draft[SharedOwn]) -> int:
        return draft.at_ns + draft.options.flip_ms * NS_PER_MS

    def _deal_onto(self, draft: Draft[SharedOwn], slots: Sequence[int]) -> None:
        """Both seats put one card onto each of *slots* at once (S-1, S-5)."""
        draft.changes += 1
        draws = [holding.draw for holding in draft.holdings]
        for nth, slot in enumerate(slots):
            upper = self._upper(draft.own, nth, slot)
            lower = 1 - upper
            self._lay(draft, slot, ((lower, draws[lower][nth]), (upper, draws[upper][nth])))
        for seat, holding in enumerate(draft.holdings):
            draft.holdings[seat] = holding._replace(draw=holding.draw[len(slots) :])
        own = draft.own
        draft.own = SharedOwn(own.top_owners, own.deals + 1, own.rush_at_ns)

    def _upper(self, own: SharedOwn, nth: int, slot: int) -> int:
        """The seat whose card lies on top; swapped at every deal. S-13: one each, of two piles."""
        if self.draw_two and own.deals:
            return (own.top_owners[0] + own.deals + nth) % 2
        return (own.top_owners[slot] + own.deals) % 2

    def _lay(self, draft: Draft[SharedOwn], slot: int, dealt: Sequence[tuple[int, Card]]) -> None:
        """Put both seats' cards on *slot* at once, bottom first: the lower one never was a top (T-4)."""
        if draft.piles[slot].cards:
            draft.put(None, slot, *(card for _, card in dealt))
        else:
            draft.piles[slot] = Pile(tuple(card for _, card in dealt), draft.changes)
        draft.events += [Dealt(draft.at_ns, seat, slot, card) for seat, card in dealt]

    # Playing

    def fits(
        self, table: Table[SharedOwn] | Draft[SharedOwn], seat: int, slot: int
    ) -> bool:
        active = table.holdings[seat].active
        return active is not None and _FITS[self.match](active, table.piles[slot].top)

    def fitting(self, table: Table[SharedOwn] | Draft[SharedOwn], seat: int) -> Sequence[int]:
        active = table.holdings[seat].active
        if active is None:
            return ()
        fits = _FITS[self.match]
        return [slot for slot, pile in enumerate(table.piles) if fits(active, pile.cards[-1])]

    def fitted(self, table: Draft[SharedOwn], seat: int, change: Change) -> bool:
        holding = table.holdings[seat]
        return (
            holding.active is not None
            and holding.active_since_ns <= change.at_ns
            and _FITS[self.match](holding.active, change.before)
        )

    def own_excuse(
        self, table: Table[SharedOwn] | Draft[SharedOwn], seat: int, slot: int
    ) -> Excuse | None:
        return Excuse.TURNING if table.holdings[seat].active is None else None  # S-2

    def cover(self, draft: Draft[SharedOwn], seat: int, slot: int) -> Card:
        holding = draft.holdings[seat]
        card = holding.active
        assert card is not None, "a cover is legal only with an active card"
        draft.holdings[seat] = holding._replace(
            active=None,
            playable_since_ns=None,
            turns_at_ns=self._turn_time(draft) if holding.draw else None,
        )
        return card

    def released(self, draft: Draft[SharedOwn], seat: int) -> None:
        if draft.holdings[seat].turns_at_ns is None:
            draft.turn(seat)  # S-7

    # What follows

    def settle(self, draft: Draft[SharedOwn]) -> None:
        if draft.phase is not Phase.PLAY:
            return
        for seat, holding in enumerate(draft.holdings):
            if not holding.left:
                draft.end(Reason.PLACED_LAST_CARD, seat)  # S-8
                return
        playable = [self._note_playable(draft, seat) for seat in (0, 1)]
        if any(playable) and any(holding.has_agreed for holding in draft.holdings):
            for seat, holding in enumerate(draft.holdings):
                draft.holdings[seat] = holding._replace(has_agreed=False)
        self._note_rush(draft)
        if not any(playable) and all(holding.active is not None for holding in draft.holdings):
            self.nobody_can_move(draft)  # S-5

    def _note_playable(self, draft: Draft[SharedOwn], seat: int) -> bool:
        holding = draft.holdings[seat]
        playable = bool(self.fitting(draft, seat))
        if playable != (holding.playable_since_ns is not None):
            since_ns = draft.at_ns if playable else None
            draft.holdings[seat] = holding._replace(playable_since_ns=since_ns)
        return playable

    def _note_rush(self, draft: Draft[SharedOwn]) -> None:
        """S-15: from when on one seat is stuck while the other sits on a playable card."""
        if draft.options.pace is not Pace.RUSH:
            return
        at_ns: int | None = None
        for seat, holding in enumerate(draft.holdings):
            since_ns = draft.holdings[1 - seat].playable_since_ns
            is_stuck = holding.active is not None and holding.playable_since_ns is None
            if is_stuck and since_ns is not None and self._has_full_sets(draft):
                at_ns = max(draft.at_ns, since_ns + draft.options.rush_ms * NS_PER_MS)
        if at_ns != draft.own.rush_at_ns:
            draft.own = replace(draft.own, rush_at_ns=at_ns)

    def own_timers(self, draft: Draft[SharedOwn]) -> Iterable[Timer]:
        at_ns = draft.own.rush_at_ns
        return () if at_ns is None else (Timer(at_ns, "rush", 0),)

    def own_due(self, draft: Draft[SharedOwn], timer: Timer) -> None:
        if timer.what != "rush":
            raise IllegalCommand(f"{self.id} has no timer {timer.what!r}")
        self._redeal_full(draft, is_rush=True)
        self.settle(draft)

    # Redealing

    def _redeal_slots(self, draft: Draft[SharedOwn]) -> list[int]:
        """The piles that a redeal covers: all, or the two most recently changed (S-13)."""
        slots = list(range(len(draft.piles)))
        if self.draw_two:
            slots.sort(key=lambda slot: (draft.piles[slot].changed, slot))
            slots = sorted(slots[-2:])
        return slots

    def _has_full_sets(self, draft: Draft[SharedOwn]) -> bool:
        needed = 2 if self.draw_two else self.piles
        return all(len(holding.draw) >= needed for holding in draft.holdings)

    def redeal(self, draft: Draft[SharedOwn]) -> None:
        if self._has_full_sets(draft):
            self._redeal_full(draft, is_rush=False)
        elif draft.options.short_redeal is ShortRedeal.DEADLOCK:
            draft.end_by_count(holding.left for holding in draft.holdings)  # S-6
        else:
            self._redeal_short(draft)

    def _redeal_full(self, draft: Draft[SharedOwn], *, is_rush: bool) -> None:
        self._begin_redeal(draft, is_rush=is_rush)
        self._deal_onto(draft, self._redeal_slots(draft))

    def _begin_redeal(self, draft: Draft[SharedOwn], *, is_rush: bool) -> None:
        draft.redeals += 1
        draft.events.append(Redealt(draft.at_ns, is_rush))
        for seat, holding in enumerate(draft.holdings):
            draft.holdings[seat] = holding._replace(has_agreed=False, playable_since_ns=None)

    def _redeal_short(self, draft: Draft[SharedOwn]) -> None:
        """S-6 ``deal_what_you_have``: each from its own left until out, the active card last."""
        self._begin_redeal(draft, is_rush=False)
        draft.changes += 1
        slots = self._redeal_slots(draft)
        laid: dict[int, list[tuple[int, Card]]] = {slot: [] for slot in slots}
        for seat, holding in enumerate(draft.holdings):
            own_left = slots if seat == 0 else slots[::-1]
            active = () if holding.active is None else (holding.active,)
            cards = (*holding.draw, *active)
            for slot, card in zip(own_left, cards, strict=False):
                laid[slot].append((seat, card))
            rest = cards[len(slots) :]
            draft.holdings[seat] = holding._replace(
                draw=rest[: len(rest) - len(active)], active=rest[-1] if active and rest else None
            )
        for nth, slot in enumerate(slots):
            upper = self._upper(draft.own, nth, slot)
            if laid[slot]:
                self._lay(draft, slot, sorted(laid[slot], key=lambda dealt: dealt[0] == upper))
        emptied = [seat for seat, holding in enumerate(draft.holdings) if not holding.left]
        if len(emptied) == 1:
            draft.end(Reason.PLACED_LAST_CARD, emptied[0])
        else:
            draft.end(Reason.TIE, None)

    def own_status(self, table: Table[SharedOwn]) -> Status:
        found = Status.VALID
        if not all(pile.cards for pile in table.piles):
            return Status.EMPTY_PILE
        if table.phase not in (Phase.PLAY, Phase.PAUSE):
            return found
        draft = Draft(table, table.at_ns)
        moves = self.has_move(draft)
        for holding in table.holdings:
            if not holding.left:
                found |= Status.EMPTY_SEAT_PLAYS_ON
            waits = holding.turns_at_ns is not None or holding.penalty_until_ns is not None
            if holding.active is None and holding.left and not waits:
                found |= Status.NOTHING_TO_TURN
        stuck = not moves and all(holding.active is not None for holding in table.holdings)
        if table.phase is Phase.PAUSE and not stuck:
            found |= Status.PAUSE_WITH_A_MOVE
        is_auto = table.options.redeal is Redeal.AUTO
        if table.phase is Phase.PLAY and stuck and is_auto:
            found |= Status.STUCK_UNNOTICED
        return found
