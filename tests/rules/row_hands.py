"""Small hands of the row games, told in seats that may be swapped: players and sides change places.

That slot i of one row is then slot i of the other is in RULES, "Places and buttons".

As in ``hands`` nothing reaches into a table: a hand is dealt from a deck of exactly the cards named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from firmware.rules import (
    Agree,
    Card,
    Command,
    Cover,
    DeadHeat,
    Event,
    First,
    Go,
    Options,
    Outcome,
    Status,
    Verdict,
    judge,
)
from firmware.rules.aggravation import Aggravation
from firmware.rules.double_flip import DoubleFlip
from firmware.rules.events import Covered, Dealt, Gathered, RoundDealt
from firmware.rules.frustration import Frustration
from firmware.rules.rows import Rows
from firmware.rules.table import Table
from tests.rules.hands import MS, ThingT, cards, swapped

LAY_NS = Options().lay_ms * MS
GROW_NS = Options().deal_interval_ms * MS
PAUSE_NS = Options().redeal_pause_ms * MS


def across(thing: ThingT, columns: int) -> ThingT:
    """A command or event of a row game of two with the seats, and so the two sides, exchanged."""
    places = 2 * columns

    def slot_across(slot: int) -> int:
        return (slot + columns) % places

    changed: dict[str, Any] = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if value is None:
            continue
        match field.name:
            case "seat" | "winner":
                changed[field.name] = 1 - value
            case "slot":
                changed["slot"] = slot_across(value)
            case "slots":
                changed["slots"] = tuple(map(slot_across, value))
            case "seats":
                changed["seats"] = tuple(sorted(1 - seat for seat in value))
            case "contestants":
                pairs = [(1 - seat, slot_across(slot)) for seat, slot in value]
                changed["contestants"] = tuple(sorted(pairs))
            case "index" if thing.what == "thaw":
                changed["index"] = slot_across(value)
            case "index" if thing.what in ("release", "chord"):
                changed["index"] = 1 - value
    image: ThingT = replace(thing, **changed)
    return image


class RowHand:
    """A hand that is being told: time passes, seats press, and every table on the way has to be sound.

    With ``swap`` the told seat 0 is the real seat 1, told slot 0 the first of the real seat 1's row.
    """

    def __init__(self, game: Rows[Any], table: Table[Any], *, swap: bool = False) -> None:
        self.game = game
        self.table = table
        self.swap = swap
        self.now_ns = table.at_ns
        self.log: list[Event] = []

    def real(self, thing: ThingT) -> ThingT:
        """A told command or event as it really is, and the reverse."""
        return across(thing, self.game.layout.columns) if self.swap else thing

    def seat(self, told: int) -> int:
        """The real seat of a told one, and the reverse."""
        return 1 - told if self.swap else told

    def slot(self, told: int) -> int:
        """The real slot of a told one, and the reverse."""
        layout = self.game.layout
        return (told + layout.columns) % layout.places if self.swap else told

    def do(self, command: Command) -> tuple[Event, ...]:
        """Apply a command given in told seats; what came of it, in told seats."""
        self.table, events = self.game.apply(self.table, self.real(command))
        assert self.game.status(self.table) is Status.VALID
        told = tuple(self.real(event) for event in events)
        self.log += told
        return told

    def wait(self, *, ms: int = 0, ns: int = 0) -> tuple[Event, ...]:
        """Let time pass; what came of the timers due by then, the last moment included."""
        self.now_ns += ms * MS + ns
        before = len(self.log)
        while (due := self.table.next_timer) is not None and due.at_ns <= self.now_ns:
            self.do(self.real(due))
        return tuple(self.log[before:])

    def go(self) -> tuple[Event, ...]:
        """GO now."""
        return self.do(Go(self.now_ns))

    def press(self, seat: int, slot: int, *, after_ms: int = 0, after_ns: int = 0) -> tuple[Event, ...]:
        """A press after some more time; what came of it alone."""
        self.wait(ms=after_ms, ns=after_ns)
        return self.do(Cover(self.now_ns, seat, slot))

    def cover(self, seat: int, slot: int) -> None:
        """A press that has to land."""
        events = self.press(seat, slot)
        assert isinstance(events[0], Covered), events

    def agree(self, seat: int) -> tuple[Event, ...]:
        """START in play (T-6)."""
        self.wait()
        return self.do(Agree(self.now_ns, seat))

    def dead_heat(self, *contestants: tuple[int, int], winner: int | None = None) -> tuple[Event, ...]:
        """A dead heat as the judge would send it (T-5)."""
        self.wait()
        return self.do(DeadHeat(self.now_ns, contestants, winner))

    def legal(self, seat: int) -> list[int]:
        """The told slots that a told seat may press."""
        return sorted(map(self.slot, self.game.legal_slots(self.table, self.seat(seat))))

    def open(self) -> list[int]:
        """The told slots of open piles."""
        return sorted(self.slot(slot) for slot, pile in enumerate(self.table.piles) if pile.is_open)

    def raised(self) -> list[int]:
        """The told slots that are shown open."""
        return sorted(map(self.slot, self.game.raised(self.table)))

    def row(self, seat: int) -> str:
        """The tops of the side of a told seat, ``-`` where no pile lies."""
        wide = self.game.layout.columns
        piles = [self.table.piles[self.slot(seat * wide + column)] for column in range(wide)]
        return " ".join(str(pile.top) if pile.cards else "-" for pile in piles)

    def share(self, seat: int) -> int:
        """Cards in the draw pile and the own row of a told seat."""
        return self.game.share(self.table, self.seat(seat))

    def draw(self, seat: int) -> str:
        """The draw pile of a told seat, the next card first."""
        return " ".join(map(str, self.table.holdings[self.seat(seat)].draw))

    @property
    def outcome(self) -> Outcome | None:
        """How the hand ended, in told seats."""
        outcome = self.table.outcome
        if outcome is None or outcome.winner is None:
            return outcome
        return replace(outcome, winner=self.seat(outcome.winner))


def deal_hand(
    kind: str, near: str, far: str, *, options: Options | None = None, swap: bool = False
) -> RowHand:
    """A hand of exactly these cards: seat 0 deals and draws *near* in this order, seat 1 *far*. Not begun.

    *kind*: ``double_flip``, ``doubles``, ``aggravation``, ``frustration``. Both have as many cards, or
    as many as the options' split says.
    """
    halves = [cards(near), cards(far)]
    deck = (*halves[swap], *halves[not swap])
    pack = tuple(sorted(deck))
    games: dict[str, Rows[Any]] = {
        "double_flip": DoubleFlip("double_flip", cards=pack),
        "doubles": DoubleFlip("doubles", doubles=True, cards=pack),
        "aggravation": Aggravation("aggravation", pack),
        "frustration": Frustration("frustration", pack),
    }
    given = options or Options()
    table = games[kind].start(swapped(given) if swap else given, 0, deck=deck)
    return RowHand(games[kind], table, swap=swap)


class OpenModel:
    """D-2 and D-8 told again, from events alone: which piles are open."""

    def __init__(self, *, doubles: bool) -> None:
        self.doubles = doubles
        self.piles: dict[int, list[Card]] = {}
        self.open: set[int] = set()

    def follow(self, events: Sequence[Event], *, is_laying: bool) -> None:
        """*events* of one command have happened; nothing opens while rows are being laid (D-1)."""
        for event in events:
            match event:
                case RoundDealt():
                    self.piles, self.open = {}, set()
                case Dealt(slot=slot, card=card):
                    self.piles[slot] = [card]
                case Covered(slot=slot, card=card):
                    self.piles[slot].append(card)
                    self.open.discard(slot)
                    self._open_matches()
                case Gathered(slots=slots):
                    for slot in slots:
                        del self.piles[slot]
                        self.open.discard(slot)
        if not is_laying:
            self._open_matches()

    def _open_matches(self) -> None:
        count = Counter(pile[-1].rank for pile in self.piles.values())
        for slot, pile in self.piles.items():
            is_double = self.doubles and len(pile) > 1 and pile[-1].rank == pile[-2].rank
            if count[pile[-1].rank] > 1 or is_double:
                self.open.add(slot)


def verdict(hand: RowHand, *covers: tuple[int, int, int]) -> Verdict:
    """The judge's word, in told seats, on presses given as (seat, slot, ns from now)."""
    given = [hand.real(Cover(hand.now_ns + ns, seat, slot)) for seat, slot, ns in covers]
    said = judge(hand.table, given)
    return First(hand.real(said.cover)) if isinstance(said, First) else hand.real(said)
