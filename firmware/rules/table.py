"""What every game has in common: the table as a frozen value, and how a command changes it (RULES T).

A game is an object without state (:class:`Game`): it says how cards are dealt, what is legal and what
follows from a change. Everything about touches, penalties, dead heats and timers is decided here,
once, so that it is the same in every game.

The table goes through four phases::

    READY ──Go──► PLAY ◄──redeal── PAUSE
      │            │ └───stuck───────▲
      └─Abandon────┴──────► OVER ◄──┘

READY: no card lies; a press is a false start (T-7). PLAY: presses count. PAUSE: nobody can move, the
redeal is due (T-6); presses count for nothing. OVER: there is an outcome, nothing changes any more.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, Flag, auto
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

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
    Ended,
    Event,
    Excuse,
    FalseStarted,
    Frozen,
    Ignored,
    Offence,
    Outcome,
    Penalised,
    PutBack,
    Reason,
    Released,
    Stuck,
    Thawed,
    Turned,
)
from firmware.rules.layout import Layout
from firmware.rules.options import Options, Redeal

NS_PER_MS = 1_000_000


class Phase(Enum):
    """Where a hand is; see the module's picture."""

    READY = "ready"
    PLAY = "play"
    PAUSE = "pause"
    OVER = "over"


class Holding(NamedTuple):
    """What one seat has.

    ``draw``: its draw pile, the next card first. ``active``: its face-up card, up since
    ``active_since_ns``. ``turns_at_ns``: when the next card turns. ``playable_since_ns``: since when its
    active card fits somewhere without a break (S-15). ``is_out``: it takes no part just now; the cards it
    holds are laid aside (R-3). ``covers``, ``offences``: counted for the result.
    """

    draw: tuple[Card, ...]
    active: Card | None = None
    active_since_ns: int = 0
    turns_at_ns: int | None = None
    penalty_until_ns: int | None = None
    playable_since_ns: int | None = None
    has_false_start: bool = False
    has_agreed: bool = False
    is_out: bool = False
    covers: int = 0
    offences: int = 0

    @property
    def left(self) -> int:
        """Cards not yet placed, the active one counted (S-6); none for a seat that is out (R-3)."""
        return 0 if self.is_out else len(self.draw) + (self.active is not None)


class Change(NamedTuple):
    """A pile's top changed at ``at_ns`` by ``seat`` (None: by all, at a deal or gather).

    ``before`` lay on top until then; ``was_open``: it might be covered, in a game with open piles (D-2).
    """

    at_ns: int
    seat: int | None
    before: Card
    was_open: bool = False


class Pile(NamedTuple):
    """A face-up stack in the layout, bottom first; without cards: a place where none lies now.

    ``changed``: the number of the table's change that last touched it, 0 before the first (S-13).
    ``dead_heats``: how many in a row without a cover (T-5). ``changes``: those within the grace time
    (T-4). ``owner``: the seat whose row it belongs to, None for shared piles and places outside all
    rows. ``is_open``: it may be covered now; only games with open piles use it (D-2).
    """

    cards: tuple[Card, ...]
    changed: int = 0
    dead_heats: int = 0
    changes: tuple[Change, ...] = ()
    owner: int | None = None
    is_open: bool = False

    @property
    def top(self) -> Card:
        """The only card that counts."""
        return self.cards[-1]

    def put(self, cards: tuple[Card, ...], change: Change, nth: int, grace_ns: int) -> Pile:
        """This pile with *cards* on top, laid as one change; not open."""
        return Pile(self.cards + cards, nth, 0, self._recent(change, grace_ns), self.owner)

    def taken(self, change: Change, nth: int, grace_ns: int) -> Pile:
        """The place of this pile once its cards have been gathered (D-5)."""
        return Pile((), nth, 0, self._recent(change, grace_ns), self.owner)

    def _recent(self, change: Change, grace_ns: int) -> tuple[Change, ...]:
        since = change.at_ns - grace_ns
        if not self.changes or self.changes[-1].at_ns < since:
            return (change,)
        return (*(old for old in self.changes if old.at_ns >= since), change)


OwnT = TypeVar("OwnT")


def split(deck: tuple[Card, ...], options: Options, seats: int) -> tuple[tuple[Card, ...], ...]:
    """The draw pile of each of *seats*, the next card first: equal parts, or as M-2's handicap says.

    Raises :class:`ValueError` for a handicap that is not for this many seats and cards.
    """
    sizes = options.split or (len(deck) // seats,) * seats
    if len(sizes) != seats or sum(sizes) != len(deck):
        raise ValueError(f"split: found {sizes}, allowed are {seats} numbers that add up to {len(deck)}")
    ends = tuple(accumulate(sizes))
    return tuple(deck[end - size : end] for size, end in zip(sizes, ends, strict=True))


@dataclass(frozen=True, slots=True)
class Table(Generic[OwnT]):
    """A hand at one moment. A value: keep it, compare it, apply commands to it as often as you like.

    ``own``: what only this game has. ``frozen``: (slot, until_ns) of piles frozen by a dead heat.
    ``next_timer``: what is due next; it must be applied before any command of its time or later.
    """

    game: Game[OwnT]
    options: Options
    seed: int
    own: OwnT
    at_ns: int
    phase: Phase
    holdings: tuple[Holding, ...]
    piles: tuple[Pile, ...] = ()
    frozen: tuple[tuple[int, int], ...] = ()
    pause_until_ns: int | None = None
    changes: int = 0
    redeals: int = 0
    tosses: int = 0
    outcome: Outcome | None = None
    next_timer: Timer | None = None
    pack: tuple[Card, ...] = field(default=(), repr=False)

    @property
    def is_over(self) -> bool:
        """True once there is an outcome."""
        return self.outcome is not None


class Draft(Generic[OwnT]):
    """A working copy of a table, alive only within one ``apply``; see :class:`Table` for its fields."""

    __slots__ = (
        "at_ns", "changes", "events", "frozen", "game", "holdings", "options", "outcome", "own",
        "pack", "pause_until_ns", "phase", "piles", "redeals", "seed", "tosses",
    )  # fmt: skip

    def __init__(self, table: Table[OwnT], at_ns: int) -> None:
        self.game = table.game
        self.options = table.options
        self.seed = table.seed
        self.own = table.own
        self.at_ns = at_ns
        self.phase = table.phase
        self.holdings = list(table.holdings)
        self.piles = list(table.piles)
        self.frozen = table.frozen
        self.pause_until_ns = table.pause_until_ns
        self.changes = table.changes
        self.redeals = table.redeals
        self.tosses = table.tosses
        self.outcome = table.outcome
        self.pack = table.pack
        self.events: list[Event] = []

    def freeze(self) -> Table[OwnT]:
        """The table as it is now."""
        return Table(
            self.game,
            self.options,
            self.seed,
            self.own,
            self.at_ns,
            self.phase,
            tuple(self.holdings),
            tuple(self.piles),
            self.frozen,
            self.pause_until_ns,
            self.changes,
            self.redeals,
            self.tosses,
            self.outcome,
            None if self.outcome is not None else self._next_timer(),
            self.pack,
        )

    def _next_timer(self) -> Timer | None:
        # Timers due at the same moment: what gives comes before what takes (a penalty's end, a card that
        # turns, then the redeal); between the seats the order makes no difference.
        due: list[tuple[int, int, int, str]] = []
        for seat, holding in enumerate(self.holdings):
            if holding.penalty_until_ns is not None:
                due.append((holding.penalty_until_ns, 0, seat, "release"))
            if holding.turns_at_ns is not None:
                due.append((holding.turns_at_ns, 1, seat, "turn"))
        for slot, until_ns in self.frozen:
            due.append((until_ns, 2, slot, "thaw"))
        if self.pause_until_ns is not None:
            due.append((self.pause_until_ns, 3, 0, "redeal"))
        for timer in self.game.own_timers(self):
            due.append((timer.at_ns, 4, timer.index, timer.what))
        if not due:
            return None
        at_ns, _, index, what = min(due)
        return Timer(at_ns, what, index)

    def put(self, seat: int | None, slot: int, *cards: Card) -> None:
        """Lay *cards* on the pile at *slot*; ``seat`` None: a deal, which is everybody's doing (T-4)."""
        pile = self.piles[slot]
        change = Change(self.at_ns, seat, pile.top, pile.is_open)
        self.piles[slot] = pile.put(cards, change, self.changes, self.options.grace_ms * NS_PER_MS)

    def turn(self, seat: int) -> None:
        """Turn the next card of *seat*, if it has one and none is active (S-2)."""
        holding = self.holdings[seat]
        if holding.active is None and holding.draw:
            card = holding.draw[0]
            self.holdings[seat] = holding._replace(
                draw=holding.draw[1:], active=card, active_since_ns=self.at_ns, turns_at_ns=None
            )
            self.events.append(Turned(self.at_ns, seat, card))

    def penalise(self, seat: int, slot: int | None, offence: Offence, *, counts: bool = True) -> None:
        """Put the active card of *seat* back and make its pile buttons dead for a while (T-3, S-7)."""
        holding = self.holdings[seat]
        until_ns = self.at_ns + self.options.penalty_ms[seat] * NS_PER_MS
        self.events.append(Penalised(self.at_ns, seat, slot, offence, until_ns))
        draw = holding.draw
        if holding.active is not None:
            draw = (holding.active, *draw)
            self.events.append(PutBack(self.at_ns, seat))
        # A card that would turn later than the penalty ends keeps its time: an offence never hastens it.
        turns_at_ns = holding.turns_at_ns
        self.holdings[seat] = holding._replace(
            draw=draw,
            active=None,
            turns_at_ns=turns_at_ns if turns_at_ns is not None and turns_at_ns > until_ns else None,
            playable_since_ns=None,
            penalty_until_ns=until_ns,
            offences=holding.offences + counts,
        )

    def end(self, reason: Reason, winner: int | None) -> None:
        """End the hand (T-8). Nothing is due any more."""
        self.phase = Phase.OVER
        self.outcome = Outcome(reason, winner)
        self.frozen = ()
        self.pause_until_ns = None
        for seat, holding in enumerate(self.holdings):
            self.holdings[seat] = holding._replace(turns_at_ns=None, penalty_until_ns=None)
        self.events.append(Ended(self.at_ns, reason, winner))

    def end_by_count(self, left: Iterable[int]) -> None:
        """End the hand in favour of the seat with fewest cards *left*; a tie where two have as few (S-6)."""
        counts = list(left)
        fewest = min(counts)
        if counts.count(fewest) > 1:
            self.end(Reason.TIE, None)
        else:
            self.end(Reason.FEWER_CARDS, counts.index(fewest))


class Status(Flag):
    """What is wrong with a table; ``VALID`` (nothing) is the only value that play can reach."""

    VALID = 0
    CARDS_LOST_OR_DOUBLED = auto()
    EMPTY_PILE = auto()
    TIMER_IN_THE_PAST = auto()
    ACTIVE_DURING_PENALTY = auto()
    ACTIVE_AND_TURNING = auto()
    NOTHING_TO_TURN = auto()
    EMPTY_SEAT_PLAYS_ON = auto()
    PAUSE_WITHOUT_END = auto()
    PHASE_AGAINST_OUTCOME = auto()
    STUCK_UNNOTICED = auto()
    PAUSE_WITH_A_MOVE = auto()
    OPEN_WITHOUT_CARDS = auto()
    PILE_WITHOUT_OWNER = auto()
    MATCH_NOT_OPEN = auto()
    DEAL_NOT_DUE = auto()
    DEAL_DUE_WRONGLY = auto()
    OUT_WITH_A_ROW = auto()
    TOO_FEW_PLAY = auto()


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


AnyTable = Table[Any]
