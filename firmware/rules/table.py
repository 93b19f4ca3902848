"""The table as a frozen value, and the draft of the next one: what all games play on (RULES T).

How a command changes it stands in :mod:`firmware.rules.game`. The table goes through four phases::

    READY ──Go──► PLAY ◄──redeal── PAUSE
      │            │ └───stuck───────▲
      └─Abandon────┴──────► OVER ◄──┘

READY: no card lies; a press is a false start (T-7). PLAY: presses count. PAUSE: nobody can move, the
redeal is due (T-6); presses count for nothing. OVER: there is an outcome, nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from firmware.rules.cards import Card
from firmware.rules.commands import Timer
from firmware.rules.events import (
    Ended,
    Event,
    Offence,
    Outcome,
    Penalised,
    PutBack,
    Reason,
    Turned,
)
from firmware.rules.options import Options

if TYPE_CHECKING:
    from firmware.rules.game import Game

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


AnyTable = Table[Any]
