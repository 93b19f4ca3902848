"""Keys push and release the mock pins, so that a desktop runs the whole path of a press.

Keys are named by their place on the keyboard (SDL scancodes), not by their letter. Both players
look at the keyboard from one side, so each one's keys lie as the piles lie on the screen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from firmware.pins import PushPin
from firmware.settings import Settings
from firmware.touch.contact import START, Button

# SDL scancodes are the USB usage numbers (HID Usage Tables, page 0x07).
_LETTER_A = 4
_OTHERS = {";": 51, ",": 54, ".": 55, "/": 56}


def _scancode(name: str) -> int:
    return _OTHERS[name] if name in _OTHERS else _LETTER_A + ord(name) - ord("a")


SCREEN_FRAME_NS = 16_000_000
"""What is assumed before the first key: that a frame was being drawn."""

_HALVES = (("asdfg", "zxcvb", "q"), ("hjkl;", "nm,./", "p"))
"""Of each player: home row, the row below, START."""


TWO_ROWS = (8, 10)
"""So many buttons are one for each place of two sides; any other number is one line of piles (RULES)."""


def key_names(buttons: int) -> Mapping[Button, str]:
    """The key (as on a US keyboard) of each button, for *buttons* pile buttons per seat, 3 to 10.

    Up to five lie in the home row, of more the second half in the row below. Where they are two sides,
    the upper row is the side that lies higher on the screen, the far player's. START is Q and P.
    """
    in_home = buttons if buttons <= 5 else (buttons + 1) // 2
    below = buttons - in_home
    half = buttons // 2 if buttons in TWO_ROWS else 0
    # As they lie on the screen, line by line: what the near player counts up, the far one counts down.
    numbers = [*range(half, buttons), *range(half)]
    (home, under, start), (home_1, under_1, start_1) = _HALVES
    keys = home[:in_home] + under[:below]
    keys_1 = home_1[5 - in_home :] + under_1[5 - below :]
    names = {Button(0, number): key for number, key in zip(numbers, keys, strict=True)}
    names |= {Button(1, number): key for number, key in zip(reversed(numbers), keys_1, strict=True)}
    return names | {Button(0, START): start, Button(1, START): start_1}


class Keyboard:
    """Turns keys into pushes of the pins of *settings*."""

    def __init__(self, settings: Settings, pin: Callable[[Button], PushPin]) -> None:
        self._pins = {_scancode(name): pin(button) for button, name in key_names(settings.buttons).items()}
        self._pumped_ns: int | None = None
        self._spans_ns: deque[int] = deque([SCREEN_FRAME_NS], maxlen=32)

    def pumped(self, at_ns: int) -> None:
        """The event queue was found empty at *at_ns*: a later key came after it."""
        self._pumped_ns = at_ns

    def key(self, scancode: int, *, is_down: bool, at_ns: int) -> bool:
        """A key went down or up, seen at *at_ns*; False if it belongs to no button.

        A key has no stamp: it may have moved at any time since the event queue was last found empty.
        """
        pin = self._pins.get(scancode)
        if pin is None:
            return False
        span_ns = SCREEN_FRAME_NS if self._pumped_ns is None else max(0, at_ns - self._pumped_ns)
        self._spans_ns.append(span_ns)
        pin.push(at_ns, 0 if is_down else 1, span_ns)
        return True

    def note(self) -> str:
        """How well keys are timed, for the screen: the worst of the last 32."""
        return f"keyboard: ± {max(self._spans_ns) / 1e6:.0f} ms"
