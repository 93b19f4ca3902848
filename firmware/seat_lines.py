"""The lines of one player, and how cabinets ready to solder are wired, by pile buttons for each player.

Four buttons: everything on the header (the reference). From five on the header has no room for lamps
(22 usable lines, 12 buttons and 12 lamps): they hang on one MCP23017, player 1 on port A and player 2 on
port B; from eight on on two, one below each player.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from firmware.lines import HEADER_LINES, Line
from firmware.seats import Seat

LAMP_LINES_AFTER_BUTTON: Final = 12
"""On the header, the lamp of a button is on the button's line plus this: 4 → 16."""

EXPANDERS: Final = ("mcp23017@20", "mcp23017@21")
_PORT: Final = 8
"""Lines in one port of an MCP23017."""


class SeatLines(Struct, frozen=True, forbid_unknown_fields=True):
    """[[seat]]: the lines of one player.

    ``piles``: 3 to 10 buttons, leftmost first as their own player sees them; each button closes to
    ground. ``start``: the START button. ``lamps``: one for each pile button in the same order, or none.
    ``start_lamp``: the lamp of START, or none. Lamps light when their line is high.
    """

    piles: Annotated[tuple[Line, ...], Meta(min_length=3, max_length=10)]
    start: Line
    lamps: tuple[Line, ...] = ()
    start_lamp: Line | None = None


ProfileName = Literal["4-buttons", "5-buttons", "6-buttons", "7-buttons", "8-buttons", "10-buttons"]


def _button(seat: Seat, pair: int) -> Line:
    """The button line of *seat* in a *pair* of neighbouring lines.

    Both header drivers stamp simultaneous edges in ascending line number, so the lower one alternates by
    pair: in a line of any length each player has it in their own left half.
    """
    return Line(None, HEADER_LINES[2 * pair + (seat ^ pair & 1)])


def _lamp(seat: Seat, place: int, buttons: int) -> Line:
    """The lamp line of *seat* at *place* in a cabinet with lamps on expanders; START is the last place."""
    if buttons < _PORT:
        return Line(EXPANDERS[0].partition("@")[0], seat * _PORT + place)
    return Line(EXPANDERS[seat], place)


def _seat(seat: Seat, buttons: int) -> SeatLines:
    *piles, start = (_button(seat, pair) for pair in range(buttons + 1))
    if buttons <= 4:
        *lamps, start_lamp = (Line(None, line.number + LAMP_LINES_AFTER_BUTTON) for line in (*piles, start))
    else:
        *lamps, start_lamp = (_lamp(seat, place, buttons) for place in range(buttons + 1))
    return SeatLines(tuple(piles), start, tuple(lamps), start_lamp)


def _wired(name: str) -> tuple[SeatLines, SeatLines]:
    buttons = int(name.partition("-")[0])
    return _seat(0, buttons), _seat(1, buttons)


WIRED: Final = {name: _wired(name) for name in get_args(ProfileName)}
"""The near and the far player's lines, by the name of the profile, smallest first."""

REFERENCE: Final = WIRED["4-buttons"]
"""The reference cabinet's."""
