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

_HOME_ROWS = (("asdfg", "zxcvb", "q"), ("hjkl;", "nm,./", "p"))


def key_names(buttons: int) -> Mapping[Button, str]:
    """The key (as on a US keyboard) of each button, for *buttons* pile buttons per seat, 3 to 10.

    Up to five lie in the home row, the others in the row below; START is Q and P.
    """
    names: dict[Button, str] = {}
    for seat, (home, below, start) in enumerate(_HOME_ROWS):
        near, beyond = min(buttons, 5), max(0, buttons - 5)
        # Seat 0 counts its keys from the outer end, seat 1 too: both hands keep to their own half.
        keys = home[:near] + below[:beyond] if seat == 0 else home[5 - near :] + below[5 - beyond :]
        for place, key in enumerate(keys):
            names[Button(seat, place if seat == 0 else buttons - 1 - place)] = key
        names[Button(seat, START)] = start
    return names


class Keyboard:
    """Turns keys into pushes of the pins of *settings*."""

    def __init__(self, settings: Settings, pin: Callable[[Button], PushPin]) -> None:
        self._pins = {
            _scancode(name): pin(button) for button, name in key_names(settings.buttons).items()
        }
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
        span_ns = 0 if self._pumped_ns is None else at_ns - self._pumped_ns
        self._spans_ns.append(span_ns)
        pin.push(at_ns, 0 if is_down else 1, span_ns)
        return True

    def note(self) -> str:
        """How well keys are timed, for the screen: the worst of the last 32."""
        return f"keyboard: ± {max(self._spans_ns) / 1e6:.0f} ms"
