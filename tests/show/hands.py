"""Real hands, played with the rules, as views of the moments that the screen has to show."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TypeVar

from firmware import rules
from firmware.rules.aggravation import CallingOwn
from firmware.rules.events import Covered, Event
from firmware.rules.layout import Layout
from firmware.rules.tournament import TournamentOwn
from firmware.session.view import Note, NoteKind, Stage, View

MS = 1_000_000
S = 1_000_000_000
RECENT_NS = 2 * S
ThingT = TypeVar("ThingT")


class Hand:
    """A hand in play: commands go in, views come out."""

    def __init__(
        self,
        game_id: str = "classic",
        seed: int = 7,
        options: rules.Options | None = None,
        seats: int = 2,
        deck: tuple[rules.Card, ...] | None = None,
    ) -> None:
        self.game_id = game_id
        self.game = rules.find(game_id).game
        self.table = self.game.start(options or rules.Options(), seed, seats=seats, deck=deck)
        self.events: list[Event] = []
        self.stage = Stage.COUNTDOWN
        self.stage_since_ns = 0
        self.match = rules.Match(3, (1, 0), 1)
        if rules.find(game_id).best_of == 1:
            self.match = rules.Match(1, (0,) * seats)
        self.notes: list[Note | None] = [None] * seats
        self.needs_second_bank = False
        self.has_second_bank = (False, False)
        self.go_at_ns = 3 * S
        self.is_ready = (False, False)
        self.number = 0

    @property
    def now_ns(self) -> int:
        """Where the hand is."""
        return self.table.at_ns

    def apply(self, command: rules.Command) -> tuple[Event, ...]:
        """Enter *command*."""
        self.table, events = rules.apply(self.table, command)
        self.events += events
        self.number += 1
        if isinstance(command, rules.Go):
            self.stage, self.stage_since_ns = Stage.HAND, command.at_ns
        if self.table.outcome is not None and self.stage is Stage.HAND:
            self.match = self.match.after(self.table.outcome)
            self.stage = Stage.RESULT if self.match.winner is None else Stage.MATCH_END
            self.stage_since_ns = self.now_ns
        return events

    def go(self) -> Hand:
        """Past GO, both first cards turned."""
        self.apply(rules.Go(self.go_at_ns))
        return self.until(self.go_at_ns + 150 * MS)

    def until(self, at_ns: int) -> Hand:
        """All that is due up to *at_ns*."""
        while (due := self.table.next_timer) is not None and due.at_ns <= at_ns:
            self.apply(due)
        return self

    def press(self, seat: int, slot: int, at_ns: int | None = None) -> tuple[Event, ...]:
        """A touch; the present unless *at_ns* is given."""
        at_ns = self.now_ns if at_ns is None else at_ns
        self.until(at_ns)
        return self.apply(rules.Cover(at_ns, seat, slot))

    def note(self, seat: int, kind: NoteKind, ms: float | None = None) -> None:
        """Tell *seat* something now."""
        self.notes[seat] = Note(kind, self.now_ns, ms)

    def legal(self) -> list[tuple[int, int]]:
        """(seat, slot) of all that may be covered."""
        seats = range(len(self.table.holdings))
        return [(seat, slot) for seat in seats for slot in self.game.legal_slots(self.table, seat)]

    def step(self, chance: Random, gap_ns: int = 300 * MS) -> tuple[Event, ...]:
        """One move of a row game, or what is due before anybody has had *gap_ns* for one."""
        legal, due = self.legal(), self.table.next_timer
        if legal and (due is None or due.at_ns > self.now_ns + gap_ns or due.what == "chord"):
            gap_ns = 90 * MS if due is not None and due.what == "chord" else gap_ns
            return self.press(*chance.choice(legal), self.now_ns + gap_ns)
        assert due is not None, "rows are always dealt on"
        return self.apply(due)

    def row(self, covers: int = 99, seed: int = 1) -> Hand:
        """On, in a row game, until *covers* more cards lie or the hand ends."""
        chance = Random(seed)
        while covers and self.table.outcome is None:
            events = self.step(chance)
            covers -= bool(events) and isinstance(events[0], Covered)
        return self

    def play(self, covers: int, seed: int = 1) -> Hand:
        """On until *covers* more cards lie, or the hand ends."""
        chance = Random(seed)
        while covers and self.table.outcome is None:
            legal = self.legal()
            if legal and self.table.next_timer is None:
                self.press(*chance.choice(legal))
                covers -= 1
            elif self.table.next_timer is not None:
                self.apply(self.table.next_timer)
            else:
                seat = int(self.table.holdings[0].has_agreed)
                self.apply(rules.Agree(self.now_ns, seat))
        return self

    def settled(self) -> Hand:
        """On until nothing is due."""
        while (due := self.table.next_timer) is not None and due.what != "redeal":
            self.apply(due)
        return self

    def view(self) -> View:
        """What there is to see now."""
        since_ns = self.now_ns - RECENT_NS
        return View(
            state_id=self.number,
            at_ns=self.now_ns,
            stage=self.stage,
            stage_since_ns=self.stage_since_ns,
            game_id=self.game_id,
            match=self.match,
            is_ready=self.is_ready,
            go_at_ns=self.go_at_ns,
            table=self.table,
            recent=tuple(event for event in self.events if event.at_ns >= since_ns),
            notes=tuple(self.notes),
            needs_second_bank=self.needs_second_bank,
            has_second_bank=self.has_second_bank,
        )


def start_view(game_id: str = "rank_or_suit", is_ready: tuple[bool, bool] = (False, False)) -> View:
    """Before the first hand."""
    return View(0, 0, Stage.START, 0, game_id, rules.Match(), is_ready)


def swapped(view: View) -> View:
    """*view* with the players exchanged: what the one saw the other sees now."""
    layout = rules.find(view.game_id).game.layout
    table = view.table
    if table is not None:
        outcome = table.outcome
        if outcome is not None:
            outcome = replace(outcome, winner=_seat(outcome.winner))
        piles = table.piles[::-1]
        if layout.sides == 2:
            sides = (*table.piles[layout.columns :], *table.piles[: layout.columns])
            piles = tuple(pile._replace(owner=_seat(pile.owner)) for pile in sides)
        table = replace(
            table,
            own=_swapped_own(layout, table.own),
            options=replace(table.options, penalty_ms=_pair_swapped(table.options.penalty_ms)),
            holdings=_pair_swapped(table.holdings),
            piles=piles,
            frozen=tuple((_slot(layout, slot), until_ns) for slot, until_ns in table.frozen),
            outcome=outcome,
        )
    other = view.other_match
    return replace(
        view,
        table=table,
        match=_match_swapped(view.match),
        other_match=None if other is None else _match_swapped(other),
        is_ready=view.is_ready[::-1],
        notes=_pair_swapped(view.notes),
        has_second_bank=view.has_second_bank[::-1],
        recent=tuple(_swapped_event(layout, event) for event in view.recent),
        stuck_buttons=tuple((1 - seat, button) for seat, button in view.stuck_buttons),
    )


def _pair_swapped(things: tuple[ThingT, ...]) -> tuple[ThingT, ...]:
    """What the two players have, exchanged; the seats without buttons keep theirs."""
    return (things[1], things[0], *things[2:])


def _match_swapped(match: rules.Match) -> rules.Match:
    return replace(match, wins=_pair_swapped(match.wins))


def _seat(seat: int | None) -> int | None:
    return 1 - seat if seat in (0, 1) else seat


def _swapped_own(layout: Layout, own: object) -> object:
    match own:
        case CallingOwn(firsts=firsts):
            moved = (first and (_slot(layout, first[0]), first[1]) for first in firsts)
            return replace(own, firsts=_pair_swapped(tuple(moved)))
        case TournamentOwn(seated=seated):
            return replace(own, seated=tuple(sorted(_seat(seat) or 0 for seat in seated)))
    return own


def _slot(layout: Layout, slot: int) -> int:
    if layout.sides == 2:
        return (slot + layout.columns) % layout.places
    swapped = layout.slot(1, slot)
    assert swapped is not None, "a slot of the layout has its opposite"
    return swapped


def _swapped_event(layout: Layout, event: Event) -> Event:
    changed: dict[str, object] = {}
    if getattr(event, "seat", None) is not None:
        changed["seat"] = _seat(event.seat)  # type: ignore[union-attr]
    if getattr(event, "slot", None) is not None:
        changed["slot"] = _slot(layout, event.slot)  # type: ignore[union-attr, arg-type]
    if getattr(event, "winner", None) is not None:
        changed["winner"] = _seat(event.winner)  # type: ignore[union-attr]
    if hasattr(event, "seats"):
        changed["seats"] = tuple(_seat(seat) for seat in event.seats)
    if hasattr(event, "slots"):
        changed["slots"] = tuple(_slot(layout, slot) for slot in event.slots)
    return replace(event, **changed)  # type: ignore[arg-type]
