"""A line: the one wire end that a button or a lamp hangs on, and which of them may be used.

Written in settings as a number (``7``: line 7 of the Pi's 40-pin header, BCM numbering) or as
``"chip:line"`` (``"mcp23017:3"``). A chip is its label in the kernel, or its name (``"gpiochip5"``).
All chips of one type bear the same label; where there are two, the I²C address in hexadecimal tells
them apart: ``"mcp23017@21:3"``.
"""

from __future__ import annotations

import re
from typing import Final

from firmware.errors import LineError

HEADER_LINES: Final = (*range(4, 14), *range(16, 28))
"""The header lines without special duties (BCM numbers)."""

WRITTEN: Final = 'header lines 4 to 13 and 16 to 27, and "chip:line"'
"""What a line may look like, in words."""

HEADER_CHIPS: Final = ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1")
"""Labels of the header's own chip: on a Pi 3, 4 and 5."""

DUTIES: Final = {
    0: "the ID EEPROM",
    1: "the ID EEPROM",
    2: "I²C, with fixed pull-ups",
    3: "I²C, with fixed pull-ups",
    14: "the serial console",
    15: "the serial console",
}
"""Header lines that belong to something else (0 and 1: of add-on boards), and to what."""

_SIZES: Final = {"mcp23008": 8, "mcp23017": 16}
_WRITTEN: Final = re.compile(
    r"(?:(?P<chip>[a-z][\w.-]{0,31}(?:@[0-9a-f]{2})?):)?(?P<number>[0-9]{1,3})", re.ASCII | re.IGNORECASE
)


class Line:
    """Line *number* of *chip*; ``chip is None`` means the header. Frozen, hashable.

    ``Line.parse(str(line)) == line``. Raises :class:`LineError` for a line that may not be used.
    """

    # Not a dataclass: msgspec would read one from a table instead of handing it to us.
    __slots__ = ("_chip", "_number")

    def __init__(self, chip: str | None, number: int) -> None:
        self._chip = chip
        self._number = number
        reason = self._refusal()
        if reason is not None:
            found = repr(self.written) if number.bit_length() < 64 else "a far larger number"
            raise LineError(f"found {found}, {reason}; allowed are {WRITTEN}")

    @classmethod
    def parse(cls, text: str | int) -> Line:
        """The line written as *text*; raises :class:`LineError` that says what is allowed."""
        if isinstance(text, int):
            return cls(None, text)
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise LineError(f"found {text[:40]!r}, which is not a line; allowed are {WRITTEN}")
        return cls(match["chip"], int(match["number"]))

    @property
    def chip(self) -> str | None:
        """The chip's label, label and I²C address, or name; None for the header."""
        return self._chip

    @property
    def number(self) -> int:
        """The number within the chip; for the header the BCM number."""
        return self._number

    @property
    def label(self) -> str | None:
        """The chip without its address: two lines with equal labels hang on the same kind of chip."""
        return None if self._chip is None else self._chip.partition("@")[0]

    @property
    def address(self) -> int | None:
        """The chip's I²C address, where it was given."""
        _, at, address = (self._chip or "").partition("@")
        return int(address, 16) if at else None

    @property
    def written(self) -> int | str:
        """As it stands in a settings file."""
        return self._number if self._chip is None else f"{self._chip}:{self._number}"

    def _refusal(self) -> str | None:
        if self._chip is None:
            if self._number in HEADER_LINES:
                return None
            duty = DUTIES.get(self._number)
            return f"which serves {duty}" if duty else "which the header does not have"
        if self.label in HEADER_CHIPS:
            return "which is on the header, whose lines are written as plain numbers"
        size = _SIZES.get(self.label or "")
        if size is not None and self._number >= size:
            return f"but this chip has lines 0 to {size - 1}"
        return None

    def __str__(self) -> str:
        return str(self.written)

    def __repr__(self) -> str:
        return f"Line({self._chip!r}, {self._number})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self.written == other.written

    def __hash__(self) -> int:
        return hash(self.written)


def lines(*written: int | str) -> tuple[Line, ...]:
    """Several lines as they stand in a settings file."""
    return tuple(map(Line.parse, written))
