"""What people may choose about the picture, and what tells the players apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from firmware.seats import SIDES, Seat
from firmware.show import palette
from firmware.show.items import Figure, Player
from firmware.show.words import Words, words

PLAYERS = (
    Player(palette.AMBER, Figure.DISC, Figure.RING, Figure.ROUND_BAR, Figure.OPEN_ROUND_BAR),
    Player(palette.AZURE, Figure.DIAMOND, Figure.OPEN_DIAMOND, Figure.POINTED_BAR, Figure.OPEN_POINTED_BAR),
    *(
        Player(colour, sign, sign, Figure.ROUND_BAR, Figure.OPEN_ROUND_BAR)
        for colour, sign in (
            (palette.GREEN, Figure.SQUARE),
            (palette.VIOLET, Figure.HOURGLASS),
            (palette.ROSE, Figure.STRIPES),
        )
    ),
)
"""By seat. The seats after the second have no buttons (R), and so no bars."""


START = -1
"""The number of the START button, as in :class:`~firmware.session.view.View`."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One choice; parts of pictures are kept for each, so make one and use it.

    ``words``: the language. ``reduced_motion``: cards appear instead of flying. ``four_colours``: clubs
    green and diamonds blue. ``players``: colour and shape of each seat. ``keys``: what each button is called
    on the keyboard, by (seat, button); empty where there are real buttons.
    """

    words: Words = field(default_factory=words)
    reduced_motion: bool = False
    four_colours: bool = False
    players: tuple[Player, ...] = PLAYERS
    keys: Mapping[tuple[Seat, int], str] = field(default_factory=dict)

    def name(self, seat: Seat) -> str:
        """What *seat* is called."""
        return self.words("player.name" if seat < SIDES else "player.cpu", n=seat + 1)

    def start(self, seat: Seat) -> str:
        """What the START of *seat* is called."""
        key = self.keys.get((seat, START))
        return self.words("start.button") if key is None else self.words("start.button_key", key=key)


@cache
def plain_look() -> Look:
    """English, two colours, cards fly."""
    return Look()
