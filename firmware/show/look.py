"""What people may choose about the picture, and what tells the players apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from firmware.seats import Both, Seat
from firmware.show import palette
from firmware.show.items import Figure, Player
from firmware.show.words import Words, words

PLAYERS = Both(
    Player(palette.AMBER, Figure.DISC, Figure.RING, Figure.ROUND_BAR, Figure.OPEN_ROUND_BAR),
    Player(palette.AZURE, Figure.DIAMOND, Figure.OPEN_DIAMOND, Figure.POINTED_BAR, Figure.OPEN_POINTED_BAR),
)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One choice; parts of pictures are kept for each, so make one and use it.

    ``words``: the language. ``reduced_motion``: cards appear instead of flying. ``four_colours``: clubs
    green and diamonds blue. ``players``: colour and shape of each side."""

    words: Words = field(default_factory=words)
    reduced_motion: bool = False
    four_colours: bool = False
    players: Both[Player] = PLAYERS

    def name(self, seat: Seat) -> str:
        """What *seat* is called."""
        return self.words("player.name", n=seat + 1)


@cache
def plain_look() -> Look:
    """English, two colours, cards fly."""
    return Look()
