"""Looking at the screen from outside: is it the game's picture, and are there cards on its piles?"""

from __future__ import annotations

import pygame

from firmware import rules
from firmware.show import palette
from firmware.show.items import Box
from firmware.show.places import shared_places
from tests.vm.guest.trial import Trial

CARD_SHARE = 0.4
"""Of a face-up card at least so much is plain card, between rank and suit."""
TABLE_SHARE = 0.25
"""Of every picture of the game at least so much is plain table; of a console's, or a black one, nothing."""
NEAR = (12, 12, 12, 255)


FEWEST_COLOURS = 20


def seen(trial: Trial, name: str) -> pygame.Surface:
    """What the screen shows now, kept as *name*; that it is none of the game's pictures is a problem."""
    picture = pygame.image.load(trial.screendump(name))
    width, height = picture.get_size()
    colours = {tuple(picture.get_at((x, y)))[:3] for x in range(0, width, 8) for y in range(0, height, 8)}
    table = share_of(picture, Box(0, 0, width, height), palette.TABLE_MIDDLE)
    trial.say(f"{name}: {width} x {height}, {len(colours)} colours, {table:.0%} plain table")
    trial.expect(len(colours) > FEWEST_COLOURS, f"{name}: only {len(colours)} colours")
    trial.expect(table > TABLE_SHARE, f"{name}: {table:.0%} of it is the game's table")
    return picture


def share_of(picture: pygame.Surface, box: Box, colour: tuple[int, int, int]) -> float:
    """How much of *box* has *colour*."""
    part = picture.subsurface(pygame.Rect(box))
    return pygame.mask.from_threshold(part, (*colour, 255), NEAR).count() / (box.w * box.h)


def expect_piles(trial: Trial, picture: pygame.Surface, table: rules.AnyTable) -> None:
    """Where the piles of *table* lie there are cards, and none between the first two."""
    piles = shared_places(picture.get_size(), len(table.piles)).piles
    shares = [share_of(picture, box, palette.CARD) for box in piles]
    trial.figure("plain card at the piles", [round(share, 2) for share in shares])
    for nth, share in enumerate(shares):
        trial.expect(share >= CARD_SHARE, f"pile {nth}: {share:.0%} of it has the colour of a card")
    between = Box(piles[0].right + 6, piles[0].y, piles[1].x - piles[0].right - 12, piles[0].h)
    share = share_of(picture, between, palette.CARD)
    trial.expect(share < 0.05, f"between two piles {share:.0%} has the colour of a card")
