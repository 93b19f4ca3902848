"""Cards, drawn from curves and letters at any size.

A face is two halves, each upright for one player: rank, suit beside it, a thin line between. Everything is
drawn at three times its size and scaled down once; a card is then put together from those parts.
"""

from __future__ import annotations

from functools import lru_cache

import pygame

from firmware.rules import Card
from firmware.show import palette
from firmware.show.figures import FINE, Point, Size, clear, disc, filled, shape
from firmware.show.items import Player, Weight
from firmware.show.lettering import CAP_HEIGHT, font
from firmware.show.palette import Colour

RANK_EM = 0.44
"""Em of the rank in heights of the card: figures, 0.634 em tall, are 1/14 of the screen on an active card."""
SUIT = 0.175
UNDER = 0.62
"""The rank of the card beneath, where it shows, next to that of the top card."""
_SIDE_MARGIN = 0.058
_TOP_MARGIN = 0.075
_CORNER = 0.062
_UNDERLINED = (5, 8)
_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


def rank_name(rank: int) -> str:
    """What stands on a card of *rank* (0 to 12)."""
    return _NAMES[rank]


# Shapes in a unit square, y downwards.


def _curve(points: list[Point], steps: int = 24) -> list[Point]:
    """Cubic Bézier pieces: a first point, then three for each piece."""
    line = [points[0]]
    for nth in range(0, len(points) - 1, 3):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = points[nth : nth + 4]
        for step in range(1, steps + 1):
            t = step / steps
            s = 1 - t
            a, b, c, d = s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t
            line.append((a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy))
    return line


def _mirrored(half: list[Point]) -> list[Point]:
    """A closed shape from its right half, which runs from top to bottom."""
    return half + [(1 - x, y) for x, y in reversed(half)]


_HEART = _mirrored(
    _curve(
        [
            (0.5, 0.24), (0.56, 0.10), (0.66, 0.04), (0.76, 0.04),
            (0.92, 0.04), (1.0, 0.17), (1.0, 0.31),
            (1.0, 0.56), (0.70, 0.76), (0.5, 0.98),
        ]
    )
)  # fmt: skip
_DIAMOND = _mirrored(
    _curve([(0.5, -0.02), (0.61, 0.18), (0.75, 0.35), (0.92, 0.5), (0.75, 0.65), (0.61, 0.82), (0.5, 1.02)])
)
_SPADE = _mirrored(
    _curve(
        [
            (0.5, 0.0), (0.66, 0.22), (0.98, 0.38), (0.98, 0.62),
            (0.98, 0.76), (0.88, 0.83), (0.77, 0.83),
            (0.66, 0.83), (0.58, 0.77), (0.5, 0.66),
        ]
    )
)  # fmt: skip
_STEM = _mirrored(
    _curve([(0.535, 0.55), (0.535, 0.80), (0.60, 0.93), (0.70, 1.0), (0.62, 1.0), (0.56, 1.0), (0.5, 1.0)])
)
_CLUB = [disc(0.5, 0.235, 0.225), disc(0.235, 0.585, 0.225), disc(0.765, 0.585, 0.225)]
_HUB: list[Point] = [(0.41, 0.36), (0.59, 0.36), (0.63, 0.62), (0.37, 0.62)]

SUITS: tuple[list[list[Point]], ...] = ([*_CLUB, _HUB, _STEM], [_DIAMOND], [_HEART], [_SPADE, _STEM])
"""Outlines of each suit (c d h s): polygons to be filled."""


@lru_cache(maxsize=32)
def suit_art(side: int, suit: int, colour: Colour) -> pygame.Surface:
    """A suit (0 to 3) in a square of *side* pixels."""
    return filled((side, side), SUITS[suit], colour)


@lru_cache(maxsize=64)
def rank_art(height: int, rank: int, colour: Colour, width: int) -> tuple[pygame.Surface, int]:
    """The rank for a card *height* pixels tall, at most *width* wide, and its rows above the baseline.

    Cropped to its ink: what lines up on a card are strokes, not the type's side bearings.
    """
    face = font(Weight.BLACK, round(RANK_EM * height * FINE))
    name = rank_name(rank)
    inks = []
    for letter in name:
        drawn = clear(face.size(letter), colour)
        drawn.blit(face.render(letter, True, colour), (0, 0))
        inks.append(drawn.subsurface(drawn.get_bounding_rect()))
    tops = [face.render(letter, True, colour).get_bounding_rect().top for letter in name]
    top = min(tops)
    gap = round(0.022 * height * FINE)
    bottom = max(above + ink.get_height() for above, ink in zip(tops, inks, strict=True))
    whole = clear((sum(ink.get_width() for ink in inks) + gap * (len(inks) - 1), bottom - top), colour)
    x = 0
    for above, ink in zip(tops, inks, strict=True):
        whole.blit(ink, (x, above - top))
        x += ink.get_width() + gap
    size = (min(width, round(whole.get_width() / FINE)), round(whole.get_height() / FINE))
    return pygame.transform.smoothscale(whole, size), round((face.get_ascent() - top) / FINE)


@lru_cache(maxsize=8)
def blank(size: Size) -> pygame.Surface:
    """A card with nothing on it."""
    w, h = size[0] * FINE, size[1] * FINE
    big = clear((w, h), palette.CARD_RIM)
    radius = round(_CORNER * h)
    pygame.draw.rect(big, palette.CARD_RIM, (0, 0, w, h), border_radius=radius)
    rim = FINE
    pygame.draw.rect(big, palette.CARD, (rim, rim, w - 2 * rim, h - 2 * rim), border_radius=radius - rim)
    surface = pygame.transform.smoothscale(big, size)
    # Scaling leaves the ground a shade darker and not quite opaque: what lies beneath would shine through.
    inner = clear((w, h), palette.CARD)
    pygame.draw.rect(inner, palette.CARD, (rim, rim, w - 2 * rim, h - 2 * rim), border_radius=radius - rim)
    ground = pygame.mask.from_surface(pygame.transform.smoothscale(inner, size), 248)
    ground.to_surface(surface, setcolor=(*palette.CARD, 255), unsetcolor=None)
    return surface


def corner_radius(height: int) -> int:
    """Radius of the corners of a card *height* pixels tall."""
    return round(_CORNER * height)


def face(size: Size, card: Card, *, four_colours: bool = False) -> pygame.Surface:
    """*card*, face up, with transparent corners."""
    w, h = size
    colour = palette.suit_colour(card.suit, four_colours=four_colours)
    half = pygame.Surface((w, h), pygame.SRCALPHA)
    margin, cap = round(_SIDE_MARGIN * h), round(CAP_HEIGHT * RANK_EM * h)
    side = round(SUIT * h)
    suit = suit_art(side, card.suit, colour)
    widest = w - 2 * margin - side - round(0.05 * h)
    rank, above = rank_art(h, card.rank, colour, widest)
    baseline = round(_TOP_MARGIN * h) + cap
    left = margin + round(0.006 * h)
    half.blit(rank, (left, baseline - above))
    # The suit's middle is a little above the rank's: it reads as an index, not as a second figure.
    half.blit(suit, (w - margin - side, baseline - cap + (cap - side) // 2 - round(0.02 * h)))
    if card.rank in _UNDERLINED:
        thick, gap = max(2, round(0.02 * h)), round(0.03 * h)
        half.fill(colour, (left, baseline + gap, rank.get_width(), thick))
    surface = blank(size).copy()
    surface.blit(half, (0, 0))
    surface.blit(pygame.transform.rotate(half, 180), (0, 0))
    line = max(2, 2 * round(h / 460))
    inset = round(0.085 * h)
    surface.fill(palette.CARD_LINE, (inset, (h - line) // 2, w - 2 * inset, line))
    return surface


@lru_cache(maxsize=16)
def back(size: Size, player: Player) -> pygame.Surface:
    """A card of *player*, face down: diagonal lines in its colour, its sign in the middle."""
    w, h = size[0] * FINE, size[1] * FINE
    radius, edge = round(_CORNER * h), round(0.036 * h)
    lined = clear((w, h), player.colour)
    inner = pygame.Rect(edge, edge, w - 2 * edge, h - 2 * edge)
    mask = clear((w, h), player.colour)
    pygame.draw.rect(mask, (255, 255, 255, 255), inner, border_radius=radius - edge // 2)
    lined.fill((*player.colour, 255))
    dark = palette.mixed(player.colour, palette.INK, 0.78)
    pitch, thick = max(9, round(0.075 * h)), max(3, round(0.016 * h))
    for x in range(-h + (w - h) // 2 % pitch, w + h, pitch):
        pygame.draw.line(lined, dark, (x, 0), (x + h, h), thick)
    lined.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MULT)
    big = pygame.transform.smoothscale(blank(size), (w, h))
    big.blit(lined, (0, 0))
    surface = pygame.transform.smoothscale(big, size)
    sign = round(0.27 * size[1])
    plate = shape((sign, sign), player.sign, palette.CARD)
    surface.blit(plate, ((size[0] - sign) // 2, (size[1] - sign) // 2))
    core = round(0.15 * size[1])
    mark = shape((core, core), player.sign, player.colour)
    surface.blit(mark, ((size[0] - core) // 2, (size[1] - core) // 2))
    return surface


def under(size: Size, top: Size, card: Card, *, four_colours: bool = False) -> pygame.Surface:
    """The index of *card* on tabs that stick out, under a card of size *top*, at both its sides.

    The right one is upright for the near player, at the upper end, where cards have their index too.
    """
    w, h = size
    tab, inner = (w - top[0]) // 2, round(0.025 * h)
    radius = corner_radius(h)
    tall = h // 2 - radius - 1
    colour = palette.suit_colour(card.suit, four_colours=four_colours)
    surface = pygame.Surface(size, pygame.SRCALPHA)
    big = clear(((tab + radius) * FINE, tall * FINE), palette.CARD_RIM)
    whole = big.get_rect()
    pygame.draw.rect(big, palette.INK, whole, border_radius=radius * FINE)
    inside = whole.inflate(-2 * FINE, -2 * FINE)
    pygame.draw.rect(big, palette.CARD_UNDER, inside, border_radius=radius * FINE)
    surface.blit(pygame.transform.smoothscale(big, (tab + radius, tall)), (w - tab - radius, radius))
    rank, above = rank_art(round(UNDER * h), card.rank, colour, tab - 2 * inner)
    cap = round(CAP_HEIGHT * RANK_EM * UNDER * h)
    side = round(0.13 * h)
    middle = w - tab // 2
    free = (tall - cap - side - round(0.09 * h)) // 2
    baseline = radius + free + cap
    surface.blit(rank, (middle - rank.get_width() // 2, baseline - above))
    if card.rank in _UNDERLINED:
        thick = max(2, round(0.014 * h))
        left = middle - rank.get_width() // 2
        surface.fill(colour, (left, baseline + thick + 1, rank.get_width(), thick))
    surface.blit(suit_art(side, card.suit, colour), (middle - side // 2, baseline + round(0.075 * h)))
    # Added, not blended, which would round: both ends are to be the same.
    surface.blit(pygame.transform.rotate(surface, 180), (0, 0), special_flags=pygame.BLEND_RGBA_ADD)
    return surface


def seal(size: Size, player: Player) -> pygame.Surface:
    """The sign of *player* on a dark ground, the same from both sides."""
    w, h = size
    big = clear((w * FINE, h * FINE), palette.PANEL)
    pygame.draw.rect(big, palette.PANEL, big.get_rect(), border_radius=h * FINE // 2)
    side = 2 * FINE * round(0.34 * h)
    sign = shape((side, side), player.sign, player.colour)
    big.blit(sign, ((w * FINE - side) // 2, (h * FINE - side) // 2))
    big.blit(pygame.transform.rotate(big, 180), (0, 0))
    surface = pygame.transform.smoothscale(big, size)
    half = surface.subsurface((0, h // 2, w, h - h // 2)).copy()
    surface.fill((0, 0, 0, 0), (0, 0, w, h // 2))
    surface.blit(pygame.transform.rotate(half, 180), (0, 0), special_flags=pygame.BLEND_RGBA_ADD)
    return surface


def forget() -> None:
    """Drop all parts, which were made for a size that is no longer used."""
    for part in (suit_art, rank_art, blank, back):
        part.cache_clear()
