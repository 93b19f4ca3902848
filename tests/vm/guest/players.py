"""Two players at the buttons, who see the lamps, read the hand in its journal, and do one thing at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from firmware import rules
from firmware.cabinet import buttons_of, lamps_of
from firmware.clock import NS_PER_MS
from firmware.seats import SIDES
from firmware.settings import Settings
from firmware.touch.contact import START, Button
from tests.vm.guest.followed import Followed
from tests.vm.guest.trial import Impossible
from tests.vm.guest.wires import Span, Wires

HOLD_NS = 300 * NS_PER_MS
"""Long for a finger; but an emulated processor may stand still for 100 ms, and merge what comes meanwhile."""
APART_NS = 150 * NS_PER_MS
"""From letting a button go to pressing it again: a quick finger."""


class Cabinet(Protocol):
    """What is played on: a process, or the service. ``hands``: the journals kept so far, in order."""

    settings: Settings

    @property
    def hands(self) -> list[Path]: ...

    @property
    def is_on(self) -> bool:
        """Has it its screen?"""

    def check(self) -> None:
        """Raises :class:`Impossible` if it is no longer there."""


@dataclass(frozen=True, slots=True)
class Press:
    """A pile pressed: by whom, where, and when it was."""

    seat: int
    slot: int
    span: Span


class Players:
    """See the module. Every wait ends with :class:`Impossible` after a minute."""

    def __init__(self, cabinet: Cabinet, wires: Wires) -> None:
        self.cabinet = cabinet
        self.settings = cabinet.settings
        self.wires = wires
        self.presses: list[Press] = []
        self._lines = {button: line for line, button in buttons_of(self.settings).items()}
        self._lamps = lamps_of(self.settings)
        self._open_since_ns = dict.fromkeys(self._lines, 0)
        self._begun = len(cabinet.hands)

    def wait_until_on(self) -> None:
        """Wait until the cabinet asks for START and has its screen."""
        self.wait("a START lamp", lambda: self.is_lit(0, START) or self.is_lit(1, START), 90)
        self.wait("the screen", lambda: self.cabinet.is_on, 90)

    # Eyes

    def is_lit(self, seat: int, number: int) -> bool:
        """Is that lamp lit?"""
        return self.wires.is_high(self._lamps[seat, number])

    def lit_piles(self, seat: int) -> int:
        """How many pile lamps of *seat* are lit."""
        return sum(self.is_lit(seat, number) for number in range(self.settings.buttons))

    def changes(self, seat: int, number: int, seconds: float) -> int:
        """How often that lamp changes within *seconds*."""
        was, changes, until = self.is_lit(seat, number), 0, time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(0.005)
            if self.is_lit(seat, number) != was:
                was, changes = not was, changes + 1
        return changes

    def within(self, seconds: float, is_so: Callable[[], bool]) -> bool:
        """Wait until *is_so*, *seconds* at most; False if it never was."""
        until = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True

    def wait(self, what: str, is_so: Callable[[], bool], seconds: float = 60) -> None:
        """Wait until *is_so*; raises :class:`Impossible` that says *what* was waited for."""
        until = time.monotonic() + seconds
        while not self.within(0.5, is_so):
            self.cabinet.check()
            if time.monotonic() > until:
                raise Impossible(f"{what}: not within {seconds} s")

    def until_lamp(self, seat: int, number: int, *, lit: bool, longest_ms: float) -> float | None:
        """Wait until that lamp is *lit*, *longest_ms* at most; how many ms it took, None if it did not."""
        began = time.monotonic_ns()
        while (waited_ns := time.monotonic_ns() - began) < longest_ms * NS_PER_MS:
            if self.is_lit(seat, number) == lit:
                return waited_ns / NS_PER_MS
            time.sleep(0.0005)
        return None

    # Fingers

    def press(self, seat: int, number: int) -> Span:
        """Close a contact."""
        button = Button(seat, number)
        until_ns = self._open_since_ns[button] + APART_NS
        time.sleep(max(0, until_ns - time.monotonic_ns()) / 1e9)
        return self.wires.set(self._lines[button], 0)

    def release(self, seat: int, number: int) -> None:
        """Open a contact."""
        button = Button(seat, number)
        self._open_since_ns[button] = self.wires.set(self._lines[button], 1).to_ns

    def tap(self, seat: int, number: int) -> Span:
        """Press, hold a little, let go."""
        span = self.press(seat, number)
        time.sleep(HOLD_NS / 1e9)
        self.release(seat, number)
        return span

    # The hand

    def start_hand(self) -> None:
        """Both press START; wait until the hand has begun."""
        for seat in range(SIDES):
            self.tap(seat, START)
        self.begin()

    def begin(self) -> None:
        """Both have pressed START: wait for the hand's journal."""
        self.wait("the journal of a new hand", lambda: len(self.cabinet.hands) > self._begun, 20)
        self._begun = len(self.cabinet.hands)
        self.presses.clear()
        self.followed = Followed(self.cabinet.hands[-1])
        self.wait("the journal's first line", lambda: self.followed.read() is not None, 10)

    @property
    def table(self) -> rules.AnyTable:
        """The table as the journal has it now."""
        table = self.followed.read()
        assert table is not None, "the journal has its first line"
        return table

    def settle(self) -> rules.AnyTable:
        """Wait until something can be pressed and nothing is due, or the hand is over."""
        self.wait("a moment to press", lambda: self.table.is_over or is_quiet(self.table), 30)
        return self.table

    def cover(self, move: tuple[int, int]) -> None:
        """Press for (seat, slot), wait until that has entered the rules, and let go."""
        seat, slot = move
        self.press_pile(seat, slot)
        self.wait_entered()
        self.release(seat, self.button(seat, slot))

    def press_pile(self, seat: int, slot: int) -> None:
        """Press and hold the button of *seat* for *slot*."""
        self.presses.append(Press(seat, slot, self.press(seat, self.button(seat, slot))))

    def wait_entered(self) -> None:
        """Wait until all that was pressed has entered the rules; it has to be that."""

        def is_in() -> bool:
            self.followed.read()
            return len(self.followed.covers) >= len(self.presses)

        self.wait(f"{self.presses[-1]} in the journal", is_in, 5)
        cover = self.followed.covers[-1].command
        press = self.presses[-1]
        if (cover.seat, cover.slot) != (press.seat, press.slot):
            raise Impossible(f"pressed {press}, in the journal {cover}")

    def button(self, seat: int, slot: int) -> int:
        """The button of *seat* for *slot*."""
        return self.table.game.layout.button(seat, slot, self.settings.buttons)[0]

    def moves(self) -> list[tuple[int, int]]:
        """(seat, slot) of all that can be covered now."""
        table = self.table
        return [(seat, slot) for seat in range(SIDES) for slot in table.game.legal_slots(table, seat)]

    def offence(self, seat: int) -> int | None:
        """A slot that *seat* can only press wrongly now; None if there is none."""
        table = self.table
        wrong = set(range(table.game.layout.places)) - set(table.game.legal_slots(table, seat))
        return min((slot for slot in wrong if table.game.excuse(table, seat, slot) is None), default=None)


def is_quiet(table: rules.AnyTable) -> bool:
    """In play, both have their card up, and nothing is due."""
    return table.phase is rules.Phase.PLAY and table.next_timer is None
