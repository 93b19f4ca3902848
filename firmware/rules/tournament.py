"""Rutter's tournament (RULES R): two to five seats, two packs, one seat fewer every round.

Where the rows lie. The table has two sides of five places, and of these the rows of all seats are made.
Seats 0 and 1, the two that have buttons, have theirs nearest to their player, from the left as that
player sees it; the other seats' rows fill what is between (numbers are seats, as seat 0 sees the table)::

    five  3 3 4 1 1    four  3 3 . 1 1    three  1 1 1 . 2    two  1 1 1 1 1
          0 0 4 2 2          0 0 . 2 2           0 0 0 2 2         0 0 0 0 0

Where seat 0 or 1 does not hold cards, the first other seat takes its place, the next one the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from firmware.rules.cards import PACK, Card
from firmware.rules.deal import hand_seeds, shuffled
from firmware.rules.events import Eliminated, RanOut, Reason, RoundDealt
from firmware.rules.laid_rows import LaidOwn, LaidRows
from firmware.rules.layout import Layout
from firmware.rules.table import NS_PER_MS, Draft, Phase, Pile, Status, Table, split

PLACES: dict[int, tuple[tuple[int, ...], ...]] = {
    5: ((0, 1), (5, 6), (3, 4), (8, 9), (2, 7)),
    4: ((0, 1), (5, 6), (3, 4), (8, 9)),
    3: ((0, 1, 2), (7, 8, 9), (3, 4, 5)),
    2: ((0, 1, 2, 3, 4), (5, 6, 7, 8, 9)),
}
"""The rows by how many seats hold cards (R-1, R-3): near seat 0, near seat 1, then the others'."""

HURRY = 8
"""How many times faster rows are laid while no human seat holds cards (R-4)."""


@dataclass(frozen=True, slots=True)
class TournamentOwn(LaidOwn):
    """``seated``: the seats still in the tournament. ``deals``: how often all cards were shuffled anew.

    ``is_round_over``: one seat has just been eliminated, the next round is due.
    """

    seated: tuple[int, ...] = ()
    deals: int = 0
    is_round_over: bool = False


@dataclass(frozen=True)
class Tournament(LaidRows[TournamentOwn]):
    """R. A seat without cards waits for the next round; one that alone still has some is eliminated."""

    id: str
    layout = Layout(5, 2)
    seats = range(2, 6)
    has_handicap = False
    doubles = True

    def pack(self, seats: int, seed: int) -> tuple[Card, ...]:
        """Two packs; of one rank five seats leave out one card of each suit, three seats all eight (R-1)."""
        removed = _removed_rank(seats, seed)
        of_removed = {5: 1, 3: 0}.get(seats, 2)
        return tuple(card for card in PACK for _ in range(of_removed if card.rank == removed else 2))

    def own_start(self, seed: int, seats: int) -> TournamentOwn:
        return TournamentOwn(seated=tuple(range(seats)))

    # Rows

    def rows(self, draft: Draft[TournamentOwn]) -> tuple[tuple[int, ...], ...]:
        """R-1's width for the seats still holding cards, each keeping at least one in hand (R-3)."""
        holders = [seat for seat, holding in enumerate(draft.holdings) if not holding.is_out]
        free = list(PLACES[len(holders)])
        near = {seat: free[seat] for seat in holders if seat < 2}
        rest = iter([place for place in free if place not in near.values()])
        rows = {seat: near[seat] if seat in near else next(rest) for seat in holders}
        return tuple(
            rows[seat][: len(holding.draw) - 1] if seat in rows else ()
            for seat, holding in enumerate(draft.holdings)
        )

    def lay_ms(self, draft: Draft[TournamentOwn]) -> int:
        return draft.options.lay_ms // (HURRY if self.is_hurried(draft) else 1)

    def pause_ms(self, draft: Draft[TournamentOwn]) -> int:
        return draft.options.redeal_pause_ms // (HURRY if self.is_hurried(draft) else 1)

    def is_hurried(self, table: Table[TournamentOwn] | Draft[TournamentOwn]) -> bool:
        """R-4: does no human seat hold cards?"""
        seats = range(len(table.holdings))
        return all(table.holdings[seat].is_out for seat in table.options.human_seats if seat in seats)

    # Running out

    def ran_out(self, draft: Draft[TournamentOwn], seat: int) -> None:
        """R-3, R-4."""
        if len(draft.own.seated) == 2:
            draft.end(Reason.PLACED_LAST_CARD, seat)
            return
        draft.events.append(RanOut(draft.at_ns, seat))
        self.gather(draft, seat)
        draft.holdings[seat] = draft.holdings[seat]._replace(is_out=True)
        holders = self._holders(draft)
        if len(holders) == 1:
            self._eliminate(draft, holders[0], Reason.LAST_IN_HAND)

    def cap(self, draft: Draft[TournamentOwn]) -> None:
        """The seat with most cards is out; where two have as many, the round is dealt anew (R-3)."""
        shares = {seat: self.share(draft, seat) for seat in self._holders(draft)}
        most = max(shares.values())
        with_most = [seat for seat, share in shares.items() if share == most]
        if len(with_most) == 1:
            self._eliminate(draft, with_most[0], Reason.MOST_CARDS)
        else:
            self._deal_round(draft)

    def _holders(self, draft: Draft[TournamentOwn]) -> list[int]:
        return [seat for seat in draft.own.seated if not draft.holdings[seat].is_out]

    def _eliminate(self, draft: Draft[TournamentOwn], seat: int, reason: Reason) -> None:
        seated = tuple(other for other in draft.own.seated if other != seat)
        if len(seated) == 1:
            draft.end(reason, seated[0])
            return
        is_watched = any(human in seated for human in draft.options.human_seats)
        pause_ms = draft.options.redeal_pause_ms // (1 if is_watched else HURRY)
        draft.phase = Phase.PAUSE
        draft.pause_until_ns = draft.at_ns + pause_ms * NS_PER_MS
        draft.own = replace(draft.own, seated=seated, is_round_over=True)
        draft.events.append(Eliminated(draft.at_ns, seat, reason, draft.pause_until_ns))

    # The next round

    def deal(self, draft: Draft[TournamentOwn]) -> None:
        seated = draft.own.seated
        draft.events.append(RoundDealt(draft.at_ns, seated, _removed_rank(len(seated), draft.seed)))
        super().deal(draft)

    def redeal(self, draft: Draft[TournamentOwn]) -> None:
        if draft.own.is_round_over:
            self._deal_round(draft)
        else:
            super().redeal(draft)

    def _deal_round(self, draft: Draft[TournamentOwn]) -> None:
        """All cards are collected, shuffled and dealt to the seats still in the tournament (R-3)."""
        seated, deals = draft.own.seated, draft.own.deals + 1
        seed = next(islice(hand_seeds(draft.seed), deals, None))
        pack = self.pack(len(seated), seed)
        parts = dict(zip(seated, split(shuffled(pack, seed), draft.options, len(seated)), strict=True))
        draft.pack = pack
        draft.own = TournamentOwn(seated=seated, deals=deals)
        draft.changes += 1
        for seat, holding in enumerate(draft.holdings):
            draft.holdings[seat] = holding._replace(
                draw=parts.get(seat, ()), is_out=seat not in parts, has_agreed=False
            )
        self.thaw(draft, range(self.layout.places))
        draft.piles = [Pile((), pile.changed) for pile in draft.piles]
        draft.events.append(RoundDealt(draft.at_ns, seated, _removed_rank(len(seated), seed)))
        self.begin_rows(draft)

    def own_status(self, table: Table[TournamentOwn]) -> Status:
        found = super().own_status(table)
        if table.own.is_round_over:
            found &= ~Status.PAUSE_WITH_A_MOVE  # what is open does not matter to the next round
        out = [seat for seat, holding in enumerate(table.holdings) if holding.is_out]
        if any(pile.cards and pile.owner in out for pile in table.piles):
            found |= Status.OUT_WITH_A_ROW
        is_on = table.phase in (Phase.PLAY, Phase.PAUSE)
        if is_on and not table.own.is_round_over and len(table.holdings) - len(out) < 2:
            found |= Status.TOO_FEW_PLAY
        return found


def _removed_rank(seats: int, seed: int) -> int | None:
    """The rank that a round leaves out (R-1), None where it needs all cards."""
    if seats not in (3, 5):
        return None
    # A seed of its own, so that the rank says nothing about the shuffle.
    return shuffled(range(13), next(hand_seeds(seed)))[0]
