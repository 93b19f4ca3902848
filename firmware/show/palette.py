"""The colours, as (red, green, blue). Every text on its ground has a contrast of 4.5:1 or more."""

from __future__ import annotations

Colour = tuple[int, int, int]

TABLE_EDGE: Colour = (13, 38, 41)
TABLE_MIDDLE: Colour = (18, 52, 55)
PANEL: Colour = (9, 27, 30)
PLACE: Colour = (40, 78, 80)
"""The outline of a place where no card lies."""

CARD: Colour = (250, 246, 236)
CARD_RIM: Colour = (214, 207, 190)
CARD_LINE: Colour = (205, 199, 184)
CARD_BENEATH: Colour = (196, 189, 172)
CARD_UNDER: Colour = (224, 217, 200)
"""The card beneath, where its index shows."""
INK: Colour = (24, 26, 30)
RED: Colour = (200, 36, 44)
CLUBS: Colour = (20, 110, 60)
DIAMONDS: Colour = (30, 90, 200)

CREAM: Colour = (250, 246, 236)
SOFT: Colour = (168, 188, 186)
AMBER: Colour = (255, 176, 32)
AZURE: Colour = (70, 180, 255)
GREEN: Colour = (142, 212, 92)
VIOLET: Colour = (188, 158, 255)
ROSE: Colour = (255, 160, 212)
PENALTY: Colour = (255, 96, 80)
PENALTY_TEXT: Colour = (255, 134, 118)
"""For letters a little lighter: on the table's lightest part the plain one has 4.48:1."""
PENALTY_TRACK: Colour = (74, 32, 34)
TRACK: Colour = (34, 66, 68)


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """*share* (0 to 1) of *one*, the rest *other*."""
    return (
        round(one[0] * share + other[0] * (1 - share)),
        round(one[1] * share + other[1] * (1 - share)),
        round(one[2] * share + other[2] * (1 - share)),
    )


def suit_colour(suit: int, *, four_colours: bool) -> Colour:
    """Ink of a suit (0 to 3: c d h s)."""
    if four_colours:
        return (CLUBS, DIAMONDS, RED, INK)[suit]
    return (INK, RED, RED, INK)[suit]
