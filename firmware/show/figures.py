"""Simple shapes, drawn at three times their size and scaled down once: the players' signs, ticks, crosses."""

from __future__ import annotations

import math

import pygame

from firmware.show.items import Figure
from firmware.show.palette import Colour

FINE = 3
"""How much larger than seen things are drawn before they are scaled down."""

Point = tuple[float, float]
Size = tuple[int, int]


def disc(x: float, y: float, radius: float) -> list[Point]:
    """A round outline."""
    turns = [2 * math.pi * step / 72 for step in range(72)]
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def filled(size: Size, outlines: list[list[Point]], colour: Colour) -> pygame.Surface:
    """*outlines*, in a unit square, filling *size*."""
    big = clear((size[0] * FINE, size[1] * FINE), colour)
    for outline in outlines:
        points = [(x * (big.get_width() - 1), y * (big.get_height() - 1)) for x, y in outline]
        pygame.draw.polygon(big, colour, points)
    return pygame.transform.smoothscale(big, size)


def clear(size: Size, colour: Colour) -> pygame.Surface:
    """A surface all transparent, of *colour* nonetheless: scaled edges then do not turn dark."""
    surface = pygame.Surface(size, pygame.SRCALPHA)
    surface.fill((*colour, 0))
    return surface


_CROSS: list[Point] = [
    (0.0, 0.16), (0.16, 0.0), (0.5, 0.34), (0.84, 0.0), (1.0, 0.16), (0.66, 0.5),
    (1.0, 0.84), (0.84, 1.0), (0.5, 0.66), (0.16, 1.0), (0.0, 0.84), (0.34, 0.5),
]  # fmt: skip
_CHECK: list[Point] = [
    (0.0, 0.54), (0.15, 0.39), (0.37, 0.61), (0.85, 0.11), (1.0, 0.26), (0.37, 0.91),
]  # fmt: skip
_FILLED: dict[Figure, list[list[Point]]] = {
    Figure.DISC: [disc(0.5, 0.5, 0.5)],
    Figure.DIAMOND: [[(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)]],
    Figure.SQUARE: [[(0.06, 0.06), (0.94, 0.06), (0.94, 0.94), (0.06, 0.94)]],
    Figure.HOURGLASS: [[(0.0, 0.0), (1.0, 0.0), (0.57, 0.5), (1.0, 1.0), (0.0, 1.0), (0.43, 0.5)]],
    Figure.STRIPES: [
        [(0.0, top), (1.0, top), (1.0, top + 0.24), (0.0, top + 0.24)] for top in (0.0, 0.38, 0.76)
    ],
    Figure.CROSS: [_CROSS],
    Figure.CHECK: [_CHECK],
}
_HOLLOW = {Figure.RING: Figure.DISC, Figure.OPEN_DIAMOND: Figure.DIAMOND}


def shape(size: Size, figure: Figure, colour: Colour) -> pygame.Surface:
    """A simple shape filling *size*."""
    if figure in _FILLED:
        return filled(size, _FILLED[figure], colour)
    if figure in _HOLLOW:
        outline = _FILLED[_HOLLOW[figure]][0]
        hollow = 0.76 if figure is Figure.RING else 0.68
        return _without(size, outline, _shrunk(outline, hollow, hollow), colour)
    w, h = size
    slope = h / 2 if figure in (Figure.POINTED_BAR, Figure.OPEN_POINTED_BAR) else 0.0
    outline = _bar_outline(w, h, slope)
    if figure in (Figure.ROUND_BAR, Figure.POINTED_BAR):
        return filled(size, [outline], colour)
    thick = max(1.5, h / 4)
    return _without(size, outline, _shrunk(outline, 1 - 2 * thick / w, 1 - 2 * thick / h), colour)


def _shrunk(outline: list[Point], wide: float, tall: float) -> list[Point]:
    return [(0.5 + (x - 0.5) * wide, 0.5 + (y - 0.5) * tall) for x, y in outline]


def _bar_outline(w: int, h: int, slope: float) -> list[Point]:
    """A bar in unit coordinates: pointed ends if it has a slope, else round ones."""
    if slope:
        tip = min(0.5, 1.4 * slope / w)
        return [(0.0, 0.5), (tip, 0.0), (1 - tip, 0.0), (1.0, 0.5), (1 - tip, 1.0), (tip, 1.0)]
    radius = h / 2
    turns = [math.pi * step / 24 for step in range(25)]
    right = [((w - radius + radius * math.sin(t)) / w, (radius - radius * math.cos(t)) / h) for t in turns]
    return right + [(1 - x, 1 - y) for x, y in right]


def _without(size: Size, outline: list[Point], hole: list[Point], colour: Colour) -> pygame.Surface:
    big = clear((size[0] * FINE, size[1] * FINE), colour)
    w, h = big.get_width() - 1, big.get_height() - 1
    pygame.draw.polygon(big, colour, [(x * w, y * h) for x, y in outline])
    pygame.draw.polygon(big, (*colour, 0), [(x * w, y * h) for x, y in hole])
    return pygame.transform.smoothscale(big, size)
