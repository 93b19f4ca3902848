"""Cabinets ready to solder, by the number of pile buttons for each player.

Four buttons: everything on the header (the reference). From five on the header has no room for lamps
(22 usable lines, 12 buttons and 12 lamps): they hang on one MCP23017, player 1 on port A and player 2 on
port B; from eight on on two, one below each player.
"""

from __future__ import annotations

from typing import Final

from firmware.errors import SettingsError
from firmware.lines import HEADER_LINES, Line
from firmware.rules.layout import Layout
from firmware.seats import Seat
from firmware.settings import SeatLines, Settings

LAMP_LINES_AFTER_BUTTON: Final = 12
"""On the header, the lamp of a button is on the button's line plus this: 4 → 16."""

EXPANDERS: Final = ("mcp23017@20", "mcp23017@21")
_PORT: Final = 8
"""Lines in one port of an MCP23017."""


def _button(seat: Seat, pair: int) -> Line:
    """The button line of *seat* in a *pair* of neighbouring lines, the lower one alternating by pair."""
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


PROFILES: Final = {
    f"{buttons}-buttons": Settings(seat=(_seat(0, buttons), _seat(1, buttons)))
    for buttons in (4, 5, 6, 7, 8, 10)
}
"""Smallest first. 4 play S-1's games and D; 5 add R, 6 S-12, 7 A and F; 8 play D and 10 R without START."""


def profile(name: str) -> Settings:
    """The settings of the profile *name*; raises :class:`SettingsError` that names those there are."""
    try:
        return PROFILES[name]
    except KeyError:
        raise SettingsError(f"profile {name!r}: allowed are {', '.join(PROFILES)}") from None


def smallest_profile(layout: Layout) -> Settings:
    """The smallest profile that can address *layout*; raises :class:`SettingsError` if none can."""
    for settings in PROFILES.values():
        if layout.refusal(settings.buttons) is None:
            return settings
    raise SettingsError(f"no profile can play this game: the largest {layout.refusal(settings.buttons)}")
