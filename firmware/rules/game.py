"""What every game does alike with a command (RULES T), and what a game must say for itself.

A game is an object without state: it says how cards are dealt, what is legal and what follows from a
change. Everything about touches, penalties, dead heats and timers is decided here, once, so that it is
the same in every game.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Generic

from firmware.rules.cards import Card
from firmware.rules.commands import (
    Abandon,
    Agree,
    Command,
    Cover,
    DeadHeat,
    Go,
    IllegalCommand,
    Timer,
)
from firmware.rules.deal import shuffled
from firmware.rules.events import (
    Agreed,
    Beaten,
    Covered,
    DeadHeated,
    Event,
    Excuse,
    FalseStarted,
    Frozen,
    Ignored,
    Offence,
    Reason,
    Released,
    Stuck,
    Thawed,
)
from firmware.rules.layout import Layout
from firmware.rules.options import Options, Redeal
from firmware.rules.table import (
    NS_PER_MS,
    Change,
    Draft,
    Holding,
    OwnT,
    Phase,
    Status,
    Table,
    split,
)


class Game(ABC, Generic[OwnT]):
    """The rules of one game. Holds no state of a hand; equal games are equal values.

    ``id``: its name in the catalogue, settings and journals. ``seats``: how many may play.
    """

    id: str
    layout: Layout
    seats: range = range(2, 3)
    has_handicap: bool = True
    """May one seat be given an easier hand (M-2)?"""
    has_redeal: bool = True
    """Is there a moment at which nobody can move (T-6)?"""

    def start(
        self,
        options: Options,
        seed: int,
        *,
        seats: int = 2,
        at_ns: int = 0,
        deck: tuple[Card, ...] | None = None,
    ) -> Table[OwnT]:
        """A table in READY. *deck*: the order of cards to use instead of the seed's (first card first).

        Raises :class:`ValueError` for a number of seats, a deck or a handicap that the game does not have.
        """
        if seats not in self.seats:
            raise ValueError(f"{self.id}: {seats} seats, {self.seats[0]} to {self.seats[-1]} can play")
        options = options.for_seats(seats)
        if not self.has_handicap and (options.split or len(set(options.penalty_ms)) > 1):
            raise ValueError(f"split, penalty_ms: {self.id} has no handicap, all seats have to have the same")
        if not self.has_redeal:
            options = replace(options, redeal=Redeal.AUTO)
        pack = self.pack(seats, seed)
        if deck is not None and sorted(deck) != sorted(pack):
            raise ValueError(f"{self.id}: the deck has to hold the game's {len(pack)} cards, each once")
        order = shuffled(pack, seed) if deck is None else deck
        holdings = tuple(Holding(draw) for draw in split(order, options, seats))
        own = self.own_start(seed, seats)
        return Table(self, options, seed, own, at_ns, Phase.READY, holdings, pack=pack)

    # What a game must say.

    @abstractmethod
    def pack(self, seats: int, seed: int) -> tuple[Card, ...]:
        """The cards the game is played with, in any order (T-1)."""

    @abstractmethod
    def own_start(self, seed: int, seats: int) -> OwnT:
        """What only this game has, at the start."""

    @abstractmethod
    def deal(self, draft: Draft[OwnT]) -> None:
        """GO: lay the first cards."""

    @abstractmethod
    def fits(self, table: Table[OwnT] | Draft[OwnT], seat: int, slot: int) -> bool:
        """May *seat* cover *slot* with what it has now, penalties and freezes aside?"""

    @abstractmethod
    def fitted(self, table: Draft[OwnT], seat: int, change: Change) -> bool:
        """Would *seat*'s press have been legal just before *change* (T-4)?"""

    @abstractmethod
    def cover(self, draft: Draft[OwnT], seat: int, slot: int) -> Card:
        """Take the card that *seat* lays on *slot*; the press is known to be legal. Returns the card."""

    @abstractmethod
    def settle(self, draft: Draft[OwnT]) -> None:
        """What follows from the change just made: a win, being stuck, open piles."""

    def redeal(self, draft: Draft[OwnT]) -> None:
        """The pause is over: redeal, gather, or end the hand. Only where :attr:`has_redeal`."""
        raise IllegalCommand(f"{self.id} has no redeal")

    def own_timers(self, draft: Draft[OwnT]) -> Iterable[Timer]:
        """Timers that only this game has."""
        return ()

    def own_due(self, draft: Draft[OwnT], timer: Timer) -> None:
        """One of :meth:`own_timers` is due."""
        raise IllegalCommand(f"{self.id} has no timer {timer.what!r}")

    def covered(self, draft: Draft[OwnT], seat: int, slot: int) -> None:
        """The card of *seat* lies on *slot*: what follows from this one, before :meth:`settle`."""

    def withdraw(self, draft: Draft[OwnT], seat: int, slot: int) -> Iterable[int]:
        """A press of *seat* on *slot* does not count after all (T-5). Returns the slots that it was about."""
        return (slot,)

    def agree_excuse(self, draft: Draft[OwnT], seat: int) -> Excuse | None:
        """Why it counts for nothing that *seat* agrees now; None if it counts."""
        return Excuse.OUT if draft.holdings[seat].is_out else None

    def pause_ms(self, draft: Draft[OwnT]) -> int:
        """How long everybody sees that nobody can move (T-6)."""
        return draft.options.redeal_pause_ms

    def own_status(self, table: Table[OwnT]) -> Status:
        """What is wrong with *table* that only this game can tell."""
        return Status.VALID

    # What is the same in all games.

    def excuse(self, table: Table[OwnT] | Draft[OwnT], seat: int, slot: int) -> Excuse | None:
        """Why a press of *seat* on *slot* would count for nothing now; None if it counts."""
        if table.phase is Phase.OVER:
            return Excuse.OVER
        holding = table.holdings[seat]
        if holding.penalty_until_ns is not None:
            return Excuse.PENALTY
        if table.phase is Phase.PAUSE:
            return Excuse.PAUSE
        if holding.is_out:
            return Excuse.OUT
        if table.frozen and any(slot == frozen for frozen, _ in table.frozen):
            return Excuse.FROZEN
        return self.own_excuse(table, seat, slot)

    def own_excuse(self, table: Table[OwnT] | Draft[OwnT], seat: int, slot: int) -> Excuse | None:
        """As :meth:`excuse`, for what only this game knows."""
        return None

    def legal_slots(self, table: Table[OwnT], seat: int) -> tuple[int, ...]:
        """The slots that *seat* may cover right now, in ascending order."""
        if table.phase is not Phase.PLAY:
            return ()
        return tuple(
            slot for slot in self.fitting(table, seat) if self.excuse(table, seat, slot) is None
        )

    def fitting(self, table: Table[OwnT] | Draft[OwnT], seat: int) -> Sequence[int]:
        """The slots that *seat* may cover, penalties and freezes aside, in ascending order."""
        return [slot for slot in range(len(table.piles)) if self.fits(table, seat, slot)]

    def apply(
        self, table: Table[OwnT], command: Command
    ) -> tuple[Table[OwnT], tuple[Event, ...]]:
        """*table* after *command*, and what happened.

        Raises :class:`IllegalCommand` for a command that cannot be here: of an earlier time, after
        a timer that is due first, of a seat or slot that does not exist, in the wrong phase.
        """
        due = table.next_timer
        if isinstance(command, Timer):
            if command != due:
                raise IllegalCommand(f"{command} is not the next timer, that is {due}")
        elif command.at_ns < table.at_ns:
            raise IllegalCommand(f"{command} comes before {table.at_ns} ns, where the table is")
        elif due is not None and due.at_ns <= command.at_ns:
            raise IllegalCommand(f"{due} has to be applied before {command}")
        draft = Draft(table, command.at_ns)
        match command:
            case Cover(seat=seat, slot=slot):
                self._press(draft, seat, slot)
            case Timer():
                self._due(draft, command)
            case DeadHeat():
                self._dead_heat(draft, command)
            case Go():
                self._go(draft)
            case Agree(seat=seat):
                self._agree(draft, seat)
            case Abandon():
                if draft.phase is Phase.OVER:
                    raise IllegalCommand("the hand is over, it cannot be abandoned")
                draft.end(Reason.ABANDONED, None)
        return draft.freeze(), tuple(draft.events)

    def _go(self, draft: Draft[OwnT]) -> None:
        if draft.phase is not Phase.READY:
            raise IllegalCommand(f"GO in the phase {draft.phase.value}")
        draft.phase = Phase.PLAY
        self.deal(draft)
        for seat, holding in enumerate(draft.holdings):
            if holding.has_false_start:
                draft.penalise(seat, None, Offence.FALSE_START, counts=False)
        self.settle(draft)

    def _press(self, draft: Draft[OwnT], seat: int, slot: int) -> None:
        if not 0 <= seat < len(draft.holdings):
            raise IllegalCommand(f"seat {seat}: there are seats 0 to {len(draft.holdings) - 1}")
        if not 0 <= slot < self.layout.places:
            raise IllegalCommand(f"slot {slot}: there are slots 0 to {self.layout.places - 1}")
        if draft.phase is Phase.READY:
            holding = draft.holdings[seat]
            if not holding.has_false_start:
                draft.holdings[seat] = holding._replace(
                    has_false_start=True, offences=holding.offences + 1
                )
                draft.events.append(FalseStarted(draft.at_ns, seat, slot))
            return
        excuse = self.excuse(draft, seat, slot)
        if excuse is not None:
            draft.events.append(Ignored(draft.at_ns, seat, slot, excuse))
        else:
            self.press(draft, seat, slot)

    def press(self, draft: Draft[OwnT], seat: int, slot: int) -> None:
        """A press that counts: a cover, beaten to it (T-4), or illegal (T-3)."""
        if self.fits(draft, seat, slot):
            self._cover(draft, seat, slot)
            return
        lead_ns = self._beaten_by(draft, seat, slot)
        if lead_ns is not None:
            draft.events.append(Beaten(draft.at_ns, seat, slot, lead_ns))
        elif self.is_awaited(draft, slot):
            draft.events.append(Ignored(draft.at_ns, seat, slot, Excuse.NO_PILE))
        else:
            draft.penalise(seat, slot, Offence.ILLEGAL)
            self.settle(draft)

    def is_awaited(self, draft: Draft[OwnT], slot: int) -> bool:
        """No pile lies on *slot*, for it was never dealt or its row has been gathered (T-3)."""
        pile = draft.piles[slot]
        return not pile.cards and (pile.owner is not None or not pile.changed)

    def _cover(self, draft: Draft[OwnT], seat: int, slot: int) -> None:
        draft.changes += 1
        card = self.cover(draft, seat, slot)
        draft.put(seat, slot, card)
        holding = draft.holdings[seat]
        draft.holdings[seat] = holding._replace(covers=holding.covers + 1)
        draft.events.append(Covered(draft.at_ns, seat, slot, card))
        self.covered(draft, seat, slot)
        self.settle(draft)

    def _beaten_by(self, draft: Draft[OwnT], seat: int, slot: int) -> int | None:
        """How long before this press somebody else made it illegal; None if it always was (T-4)."""
        for change in reversed(draft.piles[slot].changes):
            lead_ns = draft.at_ns - change.at_ns
            if lead_ns > draft.options.grace_ms * NS_PER_MS:
                return None
            if change.seat != seat and self.fitted(draft, seat, change):
                return lead_ns
        return None

    def _due(self, draft: Draft[OwnT], timer: Timer) -> None:
        match timer.what:
            case "turn":
                draft.turn(timer.index)
                self.settle(draft)
            case "release":
                seat = timer.index
                draft.holdings[seat] = draft.holdings[seat]._replace(penalty_until_ns=None)
                draft.events.append(Released(draft.at_ns, seat))
                self.released(draft, seat)
                self.settle(draft)
            case "thaw":
                draft.frozen = tuple(f for f in draft.frozen if f[0] != timer.index)
                draft.events.append(Thawed(draft.at_ns, timer.index))
            case "redeal":
                draft.pause_until_ns = None
                draft.phase = Phase.PLAY
                self.redeal(draft)
                self.settle(draft)
            case _:
                self.own_due(draft, timer)

    def is_hurried(self, table: Table[OwnT] | Draft[OwnT]) -> bool:
        """Does nothing concern a human seat, so that all may run fast (R-4)?"""
        return False

    def released(self, draft: Draft[OwnT], seat: int) -> None:
        """The penalty of *seat* is over."""

    def _agree(self, draft: Draft[OwnT], seat: int) -> None:
        if not 0 <= seat < len(draft.holdings):
            raise IllegalCommand(f"seat {seat}: there are seats 0 to {len(draft.holdings) - 1}")
        if draft.options.redeal is not Redeal.AGREE or draft.phase is not Phase.PLAY:
            raise IllegalCommand("nobody is asked to agree to a redeal here")
        holding = draft.holdings[seat]
        excuse = self.agree_excuse(draft, seat)
        if excuse is not None:
            draft.events.append(Ignored(draft.at_ns, seat, None, excuse))
        elif self.has_move(draft):
            if holding.penalty_until_ns is None:
                draft.penalise(seat, None, Offence.AGREED_WRONGLY)
                self.settle(draft)
            else:
                draft.events.append(Ignored(draft.at_ns, seat, None, Excuse.PENALTY))
        elif not holding.has_agreed:
            draft.holdings[seat] = holding._replace(has_agreed=True)
            draft.events.append(Agreed(draft.at_ns, seat))
            self.settle(draft)

    def has_move(self, draft: Draft[OwnT]) -> bool:
        """Can any seat cover any pile? A move on a frozen pile counts (T-5)."""
        return any(self.fitting(draft, seat) for seat in range(len(draft.holdings)))

    def nobody_can_move(self, draft: Draft[OwnT]) -> None:
        """T-6. The engine pauses for all to see; where the players have to agree, it waits for them."""
        if draft.options.redeal is Redeal.AUTO:
            until_ns = draft.at_ns + self.pause_ms(draft) * NS_PER_MS
            draft.phase = Phase.PAUSE
            draft.pause_until_ns = until_ns
            draft.events.append(Stuck(draft.at_ns, until_ns))
        elif all(holding.has_agreed or holding.is_out for holding in draft.holdings):
            self.redeal(draft)
            self.settle(draft)

    def _dead_heat(self, draft: Draft[OwnT], heat: DeadHeat) -> None:
        seats = tuple(seat for seat, _ in heat.contestants)
        if len(set(seats)) != len(seats) or len(seats) < 2:
            raise IllegalCommand(f"{heat}: two or more different seats are needed")
        if heat.winner is not None and heat.winner not in seats:
            raise IllegalCommand(f"{heat}: the winner has to be one of the seats")
        for seat, slot in heat.contestants:
            if not (0 <= seat < len(draft.holdings) and 0 <= slot < len(draft.piles)):
                raise IllegalCommand(f"{heat}: seat {seat} or slot {slot} does not exist")
            legal = self.excuse(draft, seat, slot) is None and self.fits(draft, seat, slot)
            if not legal:
                raise IllegalCommand(f"{heat}: the press of seat {seat} on {slot} is not legal")
        draft.events.append(DeadHeated(draft.at_ns, seats, heat.winner))
        if heat.winner is None:
            until_ns = draft.at_ns + draft.options.freeze_ms * NS_PER_MS
            slots = {about for seat, slot in heat.contestants for about in self.withdraw(draft, seat, slot)}
            for slot in sorted(slots):
                pile = draft.piles[slot]
                draft.piles[slot] = pile._replace(dead_heats=pile.dead_heats + 1)
                draft.frozen = (*draft.frozen, (slot, until_ns))
                draft.events.append(Frozen(draft.at_ns, slot, until_ns))
        else:
            draft.tosses += 1
            for seat, slot in sorted(heat.contestants, key=lambda c: c[0] != heat.winner):
                self._press(draft, seat, slot)

    def status(self, table: Table[OwnT]) -> Status:
        """Every broken invariant of *table*; :attr:`Status.VALID` if it is sound."""
        found = Status.VALID
        cards: list[Card] = []
        for holding in table.holdings:
            cards += holding.draw
            if holding.active is not None:
                cards.append(holding.active)
                if holding.penalty_until_ns is not None and table.phase is not Phase.OVER:
                    found |= Status.ACTIVE_DURING_PENALTY
                if holding.turns_at_ns is not None:
                    found |= Status.ACTIVE_AND_TURNING
            if holding.turns_at_ns is not None and not holding.draw:
                found |= Status.NOTHING_TO_TURN
        for pile in table.piles:
            cards += pile.cards
            if pile.is_open and not pile.cards:
                found |= Status.OPEN_WITHOUT_CARDS
        if sorted(cards) != sorted(table.pack):
            found |= Status.CARDS_LOST_OR_DOUBLED
        if table.next_timer is not None and table.next_timer.at_ns < table.at_ns:
            found |= Status.TIMER_IN_THE_PAST
        if (table.phase is Phase.PAUSE) != (table.pause_until_ns is not None):
            found |= Status.PAUSE_WITHOUT_END
        if (table.phase is Phase.OVER) != (table.outcome is not None):
            found |= Status.PHASE_AGAINST_OUTCOME
        return found | self.own_status(table)
