"""A scripted cabinet: real rooms on mock pins and the manual clock, told what fingers do and when.

``press``, ``release``, ``bounce`` push pins at the present moment, ``wait_ms`` lets time pass, stepping at
every moment at which anything happens. Nothing sleeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from firmware import rules
from firmware.cabinet import Cabinet
from firmware.clock import NS_PER_MS, NS_PER_S, ManualClock
from firmware.pins import mock_pins
from firmware.rules import Card, Event
from firmware.rules.cards import parse_cards
from firmware.session.records import Entered, HandBegan, HandEnded, Interrupted, Record
from firmware.session.view import Stage, View
from firmware.settings import Play, Settings
from firmware.touch.contact import START, Button
from firmware.touch.edges import Edge


class ScriptedCabinet:
    """See the module. ``swap``: whoever is called seat 0 sits at seat 1, and the reverse."""

    def __init__(
        self,
        game: str = "classic",
        *,
        swap: bool = False,
        seeds: Iterator[int] | None = None,
        settings: Settings | None = None,
        interrupted: Interrupted | None = None,
        **play: Any,
    ) -> None:
        self.swap = swap
        self.clock = ManualClock(NS_PER_S)
        self.records: list[Record] = []
        self.views: list[View] = []
        self.edges: list[Edge] = []
        self.settings = settings or Settings(play=Play(game=game, **play))
        self.cabinet = Cabinet(
            self.settings,
            mock_pins(),
            self.clock,
            count(1) if seeds is None else seeds,
            keep=self.records.append,
            record=self.edges.append,
            interrupted=interrupted,
        )
        self.cabinet.listen(self.views.append)

    def close(self) -> None:
        """Let go of the pins."""
        self.cabinet.close()

    # What is to be seen

    @property
    def view(self) -> View:
        """What the screen shows."""
        return self.cabinet.view

    @property
    def table(self) -> rules.AnyTable:
        """The hand on the table."""
        assert self.view.table is not None, "no hand is on the table"
        return self.view.table

    @property
    def stage(self) -> Stage:
        """What the cabinet is doing."""
        return self.view.stage

    @property
    def now_ns(self) -> int:
        """The manual clock."""
        return self.clock.now_ns()

    def is_in(self, stage: Stage) -> bool:
        """Is the cabinet doing that?"""
        return self.view.stage is stage

    def seat(self, seat: int) -> int:
        """The seat at which whoever is called *seat* sits."""
        return 1 - seat if self.swap and seat < 2 else seat

    def events(self, kind: type[Any] | None = None) -> list[Any]:
        """The events of the hand that were last seen, of one *kind* or all."""
        return [event for event in self.view.recent if kind is None or isinstance(event, kind)]

    def is_lit(self, seat: int, number: int) -> bool:
        """Is the lamp of that button lit, read back from its pin?"""
        from firmware.cabinet import lamps_of

        line = lamps_of(self.settings)[self.seat(seat), number]
        return bool(self.cabinet.pins.mock_pin(line).state)

    # What fingers do

    def press(self, seat: int, number: int) -> None:
        """The button closes."""
        self._push(seat, number, 0)

    def release(self, seat: int, number: int) -> None:
        """The button opens."""
        self._push(seat, number, 1)

    def tap(self, seat: int, number: int, held_ms: float = 60) -> None:
        """Press, hold, release, and wait until the button can be pressed again."""
        self.press(seat, number)
        self.wait_ms(held_ms)
        self.release(seat, number)
        self.wait_ms(30)

    def bounce(self, seat: int, number: int, breaks_us: Iterable[tuple[int, int]]) -> None:
        """Press with breaks: (opens, closes again) in µs after now; time passes to the last of them."""
        began = self.now_ns
        self.press(seat, number)
        for opens, closes in breaks_us:
            self.wait_until(began + opens * 1000)
            self.release(seat, number)
            self.wait_until(began + closes * 1000)
            self.press(seat, number)

    def _push(self, seat: int, number: int, level: int) -> None:
        self.cabinet.push(Button(self.seat(seat), number), self.now_ns, level)
        self._step()

    def cover(self, seat: int, slot: int) -> None:
        """Tap the button of *seat* that addresses *slot*."""
        self.tap(seat, self.button(seat, slot))

    def button(self, seat: int, slot: int) -> int:
        """The button of *seat* that addresses *slot*."""
        layout = rules.find(self.settings.play.game).game.layout
        return layout.button(self.seat(seat), slot, self.settings.buttons)[0]

    # Time

    def wait_ms(self, ms: float) -> None:
        """Let *ms* pass."""
        self.wait_until(self.now_ns + round(ms * NS_PER_MS))

    def wait_until(self, until_ns: int) -> None:
        """Let time pass up to *until_ns*, with everything that happens on the way."""
        while self.now_ns < until_ns:
            self.clock.move_to(max(self.now_ns, min(until_ns, self.cabinet.referee.wake_at_ns())))
            self._step()

    def _step(self) -> None:
        self.cabinet.referee.step(self.cabinet.source.wait(0))
        self.cabinet.lamps.step()

    # Whole passages

    def start_both(self) -> None:
        """Both press START."""
        for seat in (0, 1):
            self.press(seat, START)
        self.wait_ms(60)
        for seat in (0, 1):
            self.release(seat, START)
        self.wait_ms(40)

    def to_go(self) -> None:
        """Both press START, and the countdown passes up to the first cards being turned."""
        self.start_both()
        assert self.stage is Stage.COUNTDOWN
        assert self.view.go_at_ns is not None
        self.wait_until(self.view.go_at_ns + 200 * NS_PER_MS)

    def legal(self, seat: int) -> tuple[int, ...]:
        """The slots that *seat* may cover now."""
        return self.table.game.legal_slots(self.table, self.seat(seat))

    def played(self) -> tuple[HandBegan, list[rules.Command], rules.Outcome | None]:
        """The last hand as it was kept."""
        last = max(n for n, record in enumerate(self.records) if isinstance(record, HandBegan))
        began = self.records[last]
        assert isinstance(began, HandBegan)
        rest = self.records[last:]
        outcomes = [record.outcome for record in rest if isinstance(record, HandEnded)]
        commands = [record.command for record in rest if isinstance(record, Entered)]
        return began, commands, outcomes[0] if outcomes else None


def cards(text: str) -> tuple[Card, ...]:
    """``cards("7hQs")``."""
    return parse_cards(text)


def seed_where(game: str, wanted: Any, *, options: rules.Options | None = None) -> int:
    """The first seed whose table, once the first cards are turned, satisfies *wanted*."""
    for seed in count(1):
        table = rules.find(game).game.start(options or rules.Options(), seed)
        table, _ = rules.apply(table, rules.Go(0))
        for _ in range(2):
            assert table.next_timer is not None
            table, _ = rules.apply(table, table.next_timer)
        if wanted(table):
            return seed
    raise AssertionError


def happened(events: Iterable[Event], kind: type[Any]) -> bool:
    """Is there an event of *kind*?"""
    return any(isinstance(event, kind) for event in events)
