"""Keys as buttons: where they lie, and how well they are timed."""

from __future__ import annotations

import pygame
import pytest

from firmware.lines import Line
from firmware.pins import PushPin, mock_pins
from firmware.profiles import PROFILES
from firmware.rules.layout import Layout
from firmware.settings import Play, SeatLines, Settings
from firmware.touch.contact import START, Button
from firmware.touch.keyboard import SCREEN_FRAME_NS, Keyboard, key_names
from tests.touch.wires import CLOSED, MS, OPEN, T0

KEYS = ("qwertyuiop", "asdfghjkl;", "zxcvbnm,./")
SIZES = range(3, 11)


def place(key: str) -> tuple[int, int]:
    """(row, column) of a key on the keyboard."""
    return next((row, keys.index(key)) for row, keys in enumerate(KEYS) if key in keys)


@pytest.mark.parametrize("buttons", SIZES)
def test_every_button_has_a_key_of_its_own_in_its_players_half(buttons: int) -> None:
    names = key_names(buttons)
    assert set(names) == {Button(seat, n) for seat in (0, 1) for n in (START, *range(buttons))}
    assert len(set(names.values())) == 2 * (buttons + 1)
    for button, key in names.items():
        assert (place(key)[1] >= 5) is (button.seat == 1)


@pytest.mark.parametrize("buttons", SIZES)
@pytest.mark.parametrize("seat", [0, 1])
def test_keys_lie_as_the_shared_piles_on_the_screen(buttons: int, seat: int) -> None:
    if buttons in (8, 10):
        return
    layout = Layout(buttons)
    names = key_names(buttons)
    slots = {place(names[Button(seat, n)]): layout.pressed(seat, n, buttons) for n in range(buttons)}
    assert [slots[where] for where in sorted(slots)] == list(range(buttons))


@pytest.mark.parametrize("seat", [0, 1])
def test_leftmost_key_is_the_leftmost_pile_on_the_screen(seat: int) -> None:
    names = key_names(4)
    leftmost = min(range(4), key=lambda n: place(names[Button(seat, n)]))
    assert Layout(4).pressed(seat, leftmost, 4) == 0
    assert leftmost == (0 if seat == 0 else 3), "the far player's own leftmost is right on the screen"


@pytest.mark.parametrize("buttons", [8, 10])
@pytest.mark.parametrize("seat", [0, 1])
def test_two_rows_of_keys_lie_as_the_two_sides_on_the_screen(buttons: int, seat: int) -> None:
    columns = buttons // 2
    layout = Layout(columns, 2)
    names = key_names(buttons)
    slots = {place(names[Button(seat, n)]): layout.pressed(seat, n, buttons) for n in range(buttons)}
    # The far player's row lies above the near player's; its first slot is its owner's leftmost.
    above, below = list(range(columns, 2 * columns))[::-1], list(range(columns))
    assert [slots[where] for where in sorted(slots)] == above + below


def cabinet_with(buttons: int) -> Settings:
    numbers = iter(f"gpiochip5:{number}" for number in range(40))
    seats = [
        SeatLines(tuple(Line.parse(next(numbers)) for _ in range(buttons)), Line.parse(next(numbers)))
        for _ in range(2)
    ]
    return Settings(seat=(seats[0], seats[1]), play=Play(game="quick"))


class Desk:
    """A keyboard whose keys push pins that remember."""

    def __init__(self, buttons: int = 4) -> None:
        self.pushes: list[tuple[Button, int, int, int]] = []
        pins = mock_pins()
        settings = cabinet_with(buttons)
        uses = {
            Button(use.seat, START if use.place is None else use.place): use.line
            for use in settings.uses()
            if use.seat is not None
        }
        desk = self

        class Pin(PushPin):
            button: Button

            def push(self, at_ns: int, level: int, uncertain_ns: int = 0) -> None:
                if self._state != bool(level):
                    desk.pushes.append((self.button, at_ns, level, uncertain_ns))
                super().push(at_ns, level, uncertain_ns)

        def pin(button: Button) -> PushPin:
            line = uses[button]
            made = Pin(pins.factory(line), pins.mock_pin(line).info)
            made.pull = "up"
            made.button = button
            return made

        self.keyboard = Keyboard(settings, pin)


def scancode(name: str) -> int:
    """SDL's own number for a key."""
    names = {";": "SEMICOLON", ",": "COMMA", ".": "PERIOD", "/": "SLASH"}
    return int(getattr(pygame, f"KSCAN_{names.get(name, name.upper())}"))


@pytest.mark.parametrize("buttons", SIZES)
def test_every_key_pushes_its_button_and_no_other(buttons: int) -> None:
    desk = Desk(buttons)
    desk.keyboard.pumped(T0)
    for button, key in key_names(buttons).items():
        assert desk.keyboard.key(scancode(key), is_down=True, at_ns=T0 + MS)
        assert desk.keyboard.key(scancode(key), is_down=False, at_ns=T0 + 2 * MS)
        assert desk.pushes == [(button, T0 + MS, CLOSED, MS), (button, T0 + 2 * MS, OPEN, 2 * MS)]
        desk.pushes.clear()


def test_unknown_keys_are_not_ours() -> None:
    desk = Desk()
    for code in (0, 41, pygame.KSCAN_W, 511, 10_000):
        assert not desk.keyboard.key(code, is_down=True, at_ns=T0)
    assert desk.pushes == []


def test_key_repeat_is_no_second_press() -> None:
    desk = Desk()
    for n in range(5):
        assert desk.keyboard.key(scancode("a"), is_down=True, at_ns=T0 + n * 30 * MS)
    assert [at_ns for _, at_ns, _, _ in desk.pushes] == [T0]


def test_uncertainty_is_the_time_since_the_queue_was_last_found_empty() -> None:
    desk = Desk()
    desk.keyboard.pumped(T0)
    desk.keyboard.pumped(T0 + 10 * MS)
    desk.keyboard.key(scancode("a"), is_down=True, at_ns=T0 + 13 * MS)
    desk.keyboard.key(scancode("j"), is_down=True, at_ns=T0 + 13 * MS)
    assert [span_ns for *_, span_ns in desk.pushes] == [3 * MS, 3 * MS]


def test_first_key_of_all_is_not_called_exact() -> None:
    desk = Desk()
    desk.keyboard.key(scancode("a"), is_down=True, at_ns=T0)
    assert desk.pushes[0][3] == SCREEN_FRAME_NS


def test_note_tells_the_worst_of_the_last_32() -> None:
    keyboard = Desk().keyboard
    assert keyboard.note() == "keyboard: ± 16 ms"
    keyboard.pumped(T0)
    keyboard.key(scancode("a"), is_down=True, at_ns=T0 + 40 * MS)
    assert keyboard.note() == "keyboard: ± 40 ms"
    for n in range(32):
        keyboard.pumped(T0 + n * 100 * MS)
        keyboard.key(scancode("a"), is_down=bool(n % 2), at_ns=T0 + n * 100 * MS + 2 * MS)
    assert keyboard.note() == "keyboard: ± 2 ms"


def test_profiles_have_keys_for_every_button() -> None:
    for settings in PROFILES.values():
        pins = mock_pins()
        Keyboard(settings, lambda button, pins=pins, s=settings: pins.mock_pin(s.seat[0].start))  # type: ignore[misc]
        pins.close()
