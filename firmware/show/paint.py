"""An item to a sprite, each drawn once and kept while there is room."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pygame

from firmware.show import card_art, palette
from firmware.show.figures import FINE, clear, shape
from firmware.show.items import Align as _Align
from firmware.show.items import (
    Back,
    Bar,
    Beneath,
    Face,
    Frame,
    Item,
    Panel,
    Pill,
    Place,
    Rule,
    Seal,
    Shape,
    Text,
    Under,
    Weight,
)
from firmware.show.lettering import letters

ROOM = 32 << 20
"""Bytes kept for sprites: all faces of both sizes at 1920×1080 take 29 MB."""
Size = tuple[int, int]


def _rounded(
    size: Size, fill: palette.Colour | None, rim: palette.Colour, thick: int, radius: int
) -> pygame.Surface:
    """A rounded rectangle; ``fill`` None: only its rim.

    Only as much as holds the corners is drawn large and scaled down; the sides between are stretched.
    """
    core = 2 * (max(radius, thick) + 2)
    w, h = min(size[0], core), min(size[1], core)
    whole = (0, 0, w * FINE, h * FINE)
    big = clear((w * FINE, h * FINE), fill or rim)
    if fill is not None:
        pygame.draw.rect(big, fill, whole, border_radius=radius * FINE)
    if thick:
        pygame.draw.rect(big, rim, whole, width=thick * FINE, border_radius=radius * FINE)
    return _stretched(pygame.transform.smoothscale(big, (w, h)), size)


def _stretched(tile: pygame.Surface, size: Size) -> pygame.Surface:
    """*tile* made as large as *size* by repeating its middle column and row."""
    w, h = tile.get_size()
    if w < size[0]:
        wide = pygame.Surface((size[0], h), pygame.SRCALPHA)
        column = tile.subsurface((w // 2, 0, 1, h))
        wide.blit(pygame.transform.scale(column, (size[0], h)), (0, 0))
        _put(wide, tile, (0, 0, w // 2, h), (0, 0))
        _put(wide, tile, (w // 2, 0, w - w // 2, h), (size[0] - (w - w // 2), 0))
        tile = wide
    if h < size[1]:
        tall = pygame.Surface(size, pygame.SRCALPHA)
        row = tile.subsurface((0, h // 2, size[0], 1))
        tall.blit(pygame.transform.scale(row, size), (0, 0))
        _put(tall, tile, (0, 0, size[0], h // 2), (0, 0))
        _put(tall, tile, (0, h // 2, size[0], h - h // 2), (0, size[1] - (h - h // 2)))
        tile = tall
    return tile


def _put(
    target: pygame.Surface, source: pygame.Surface, area: tuple[int, int, int, int], at: tuple[int, int]
) -> None:
    """Copy, transparency included."""
    target.fill((0, 0, 0, 0), (*at, area[2], area[3]))
    target.blit(source, at, area)


def _face(item: Face) -> pygame.Surface:
    return card_art.face(item.box[2:], item.card, four_colours=item.four_colours)


def _back(item: Back) -> pygame.Surface:
    return card_art.back(item.box[2:], item.player)


def _beneath(item: Beneath) -> pygame.Surface:
    size, (w, h) = item.box[2:], item.card
    surface = pygame.Surface(size, pygame.SRCALPHA)
    # A soft shadow, even all around, for the light hangs over the middle: rings that add up, darkest inside.
    spread = (size[0] - w) // 2
    x, y = spread, (size[1] - h) // 2
    for ring in range(spread):
        near = (ring + 1) / spread
        inner = (ring, ring, size[0] - 2 * ring, size[1] - 2 * ring)
        radius = card_art.corner_radius(h) + spread - ring
        pygame.draw.rect(surface, (0, 0, 0, round(88 * near * near)), inner, border_radius=radius)
    for layer in range(item.layers, 0, -1):
        colour = palette.mixed(palette.CARD_BENEATH, palette.INK, 1 - 0.13 * (layer - 1))
        shift = layer * item.step
        line = palette.mixed(colour, palette.INK, 0.55)
        edge = _rounded((w, h + 2 * shift), colour, line, 1, card_art.corner_radius(h))
        surface.blit(edge, (x, y - shift))
    # What the card on top hides is left out, so that it need not be drawn.
    corner = card_art.corner_radius(h)
    surface.fill((0, 0, 0, 0), (x + corner, y + 2, w - 2 * corner, h - 4))
    surface.fill((0, 0, 0, 0), (x + 2, y + corner, w - 4, h - 2 * corner))
    return surface


def _place(item: Place) -> pygame.Surface:
    radius = card_art.corner_radius(item.box.h)
    return _rounded(item.box[2:], None, item.colour, item.thick, radius)


def _frame(item: Frame) -> pygame.Surface:
    w, h = item.box[2:]
    radius = card_art.corner_radius(item.card[1]) + item.thick
    surface = _rounded((w, h), None, item.colour, item.thick, radius)
    if item.veil:
        veil = _rounded(item.card, palette.TABLE_EDGE, palette.TABLE_EDGE, 0, radius - item.thick)
        veil.set_alpha(item.veil)
        surface.blit(veil, ((w - item.card[0]) // 2, (h - item.card[1]) // 2))
    return surface


def _text(item: Text) -> pygame.Surface:
    return letters(item.box[2:], item.text, item.weight, item.px, item.colour, item.align)


def _pill(item: Pill) -> pygame.Surface:
    w, h = item.box[2:]
    thick = max(2, h // 14) if item.rim else 0
    surface = _rounded((w, h), item.fill, item.rim or item.fill, thick, h // 2)
    inside = w - h * 3 // 4
    word = letters((inside, h), item.text, Weight.BLACK, item.px, item.ink, _Align.CENTRE)
    surface.blit(word, ((w - inside) // 2, 0))
    return surface


def _bar(item: Bar) -> pygame.Surface:
    w, h = item.box[2:]
    surface = _rounded((w, h), item.track, item.track, 0, h // 2)
    if item.filled > 0:
        surface.blit(_rounded((max(h, item.filled), h), item.colour, item.colour, 0, h // 2), (0, 0))
    return surface


def _shape(item: Shape) -> pygame.Surface:
    return shape(item.box[2:], item.figure, item.colour)


def _under(item: Under) -> pygame.Surface:
    return card_art.under(item.box[2:], item.top, item.card, four_colours=item.four_colours)


def _seal(item: Seal) -> pygame.Surface:
    return card_art.seal(item.box[2:], item.player)


def _panel(item: Panel) -> pygame.Surface:
    return _rounded(item.box[2:], item.fill, item.rim, item.thick, item.radius)


def _rule(item: Rule) -> pygame.Surface:
    surface = pygame.Surface(item.box[2:])
    surface.fill(item.colour)
    return surface


_PAINTERS: dict[type[Item], Callable[[Any], pygame.Surface]] = {
    Face: _face,
    Back: _back,
    Beneath: _beneath,
    Place: _place,
    Frame: _frame,
    Text: _text,
    Pill: _pill,
    Bar: _bar,
    Shape: _shape,
    Panel: _panel,
    Rule: _rule,
    Under: _under,
    Seal: _seal,
}


NEARLY = 247
"""Alpha above which nothing of what lies beneath is seen."""


def _solid(sprite: pygame.Surface) -> pygame.Surface:
    """*sprite*, opaque where it is nearly so.

    Scaling leaves 253 of 255 of a solid ground, which would be blended pixel by pixel: four times the time of
    a copy.
    """
    if sprite.get_flags() & pygame.SRCALPHA:
        ground = pygame.mask.from_surface(sprite, NEARLY)
        more = ground.to_surface(setcolor=(0, 0, 0, 255), unsetcolor=(0, 0, 0, 0))
        sprite.blit(more, (0, 0), special_flags=pygame.BLEND_RGBA_ADD)
    return sprite


class Sprites:
    """Pictures of items by their likeness; the ones not used for longest go when they take too much room."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._taken = 0
        self._kept: OrderedDict[tuple[Any, ...], pygame.Surface] = OrderedDict()

    @property
    def taken(self) -> int:
        """Bytes taken."""
        return self._taken

    def __len__(self) -> int:
        return len(self._kept)

    def has(self, item: Item) -> bool:
        """Is the picture of *item* there already?"""
        return item.likeness in self._kept

    def of(self, item: Item) -> pygame.Surface:
        """The picture of *item*, of the size of its box."""
        likeness = item.likeness
        sprite = self._kept.get(likeness)
        if sprite is None:
            sprite = _solid(_PAINTERS[type(item)](item))
            if item.is_turned:
                sprite = pygame.transform.rotate(sprite, 180)
            # Opaque runs, which is most of a card, are copied instead of blended: half the time.
            sprite.set_alpha(255, pygame.RLEACCEL)
            self._kept[likeness] = sprite
            self._taken += _bytes(sprite)
            while self._taken > self._room and len(self._kept) > 1:
                _, old = self._kept.popitem(last=False)
                self._taken -= _bytes(old)
        else:
            self._kept.move_to_end(likeness)
        return sprite

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._taken = 0


def _bytes(surface: pygame.Surface) -> int:
    return surface.get_pitch() * surface.get_height()


_BAYER = (0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)


def table_top(size: Size) -> pygame.Surface:
    """The empty table: lighter towards the middle, the same for both sides."""
    w, h = size
    ground = pygame.Surface(size, 0, 32)
    # The two colours are 5 to 14 steps apart, which shows as bands. So the light is laid out sixteen times
    # as strong, a pattern of 0 to 15 is added, and all is divided by sixteen: the bands dissolve.
    coarse_w, coarse_h = 64, 36
    coarse = pygame.Surface((coarse_w, coarse_h), 0, 32)
    span = [16 * (high - low) for high, low in zip(palette.TABLE_MIDDLE, palette.TABLE_EDGE, strict=True)]
    for y in range(coarse_h):
        for x in range(coarse_w):
            dx, dy = (x + 0.5) / coarse_w * 2 - 1, (y + 0.5) / coarse_h * 2 - 1
            light = math.exp(-1.7 * (dx * dx * 0.9 + dy * dy * 0.7))
            coarse.set_at((x, y), tuple(round(part * light) for part in span))
    pygame.transform.smoothscale(coarse, size, ground)
    tile = pygame.Surface((4, 4), 0, 32)
    for nth, threshold in enumerate(_BAYER):
        tile.set_at((nth % 4, nth // 4), (threshold,) * 3)
    pattern = pygame.Surface((w, 4), 0, 32)
    for x in range(0, w, 4):
        pattern.blit(tile, (x, 0))
    for y in range(0, h, 4):
        ground.blit(pattern, (0, y), special_flags=pygame.BLEND_RGB_ADD)
    ground.fill((16, 16, 16), special_flags=pygame.BLEND_RGB_MULT)
    ground.fill(palette.TABLE_EDGE, special_flags=pygame.BLEND_RGB_ADD)
    # Scaling is not quite the same from both ends: the near half is turned to be the far one.
    half = ground.subsurface((0, h - h // 2, w, h // 2)).copy()
    ground.blit(pygame.transform.rotate(half, 180), (0, 0))
    # A column to the right, so that source and target never both lie on 16-byte borders: SDL 2.32 on x86
    # would copy past the cache, and short rows would take 1.1 ns a pixel instead of 0.17 (measured).
    wide = pygame.Surface((w + 1, h), 0, 32)
    shifted = wide.subsurface((1, 0, w, h))
    shifted.blit(ground, (0, 0))
    return shifted
