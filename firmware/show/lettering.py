"""Letters: Source Sans Pro, from the files that its package ships; no system font is asked for."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache, lru_cache
from importlib import resources

import pygame

from firmware.errors import ScreenError
from firmware.show.items import Align, Weight
from firmware.show.palette import Colour

CAP_HEIGHT = 0.65
"""Height of a capital letter in em (read from the files; figures: 0.634 to 0.646)."""
_PACKAGE = "font_source_sans_pro"
_files = ExitStack()


@cache
def _path(weight: Weight) -> str:
    try:
        found = resources.files(_PACKAGE) / "files" / f"SourceSansPro-{weight.value}.ttf"
    except ModuleNotFoundError:
        raise ScreenError(
            "the typeface is missing: found no package font-source-sans-pro, install it with pip"
        ) from None
    # Where the package is a zip the file has to exist as long as the process does.
    return str(_files.enter_context(resources.as_file(found)))


@lru_cache(maxsize=48)
def font(weight: Weight, px: int) -> pygame.font.Font:
    """The font with an em of *px* pixels; raises :class:`ScreenError` if its files are missing."""
    if not pygame.font.get_init():
        pygame.font.init()
    try:
        return pygame.font.Font(_path(weight), px)
    except (FileNotFoundError, pygame.error) as error:
        raise ScreenError(f"the typeface cannot be read: {error}") from error


def fitting_px(text: str, weight: Weight, px: int, width: int) -> int:
    """The largest em up to *px* at which *text* is no wider than *width* pixels; at least 6."""
    while px > 6:
        found = font(weight, px).size(text)[0]
        if found <= width:
            break
        px = max(6, min(px - 1, px * width // found))
    return px


def letters(
    size: tuple[int, int], text: str, weight: Weight, px: int, colour: Colour, align: Align
) -> pygame.Surface:
    """*text* on a transparent surface of *size*, capitals centred in its height."""
    surface = pygame.Surface(size, pygame.SRCALPHA)
    px = fitting_px(text, weight, px, size[0])
    face = font(weight, px)
    drawn = face.render(text, True, colour)
    baseline = (size[1] + round(CAP_HEIGHT * px)) // 2
    left = (size[0] - drawn.get_width()) * align.value // 2
    surface.blit(drawn, (left, baseline - face.get_ascent()))
    return surface


def forget() -> None:
    """Close the fonts: they do not outlive ``pygame.font.quit``."""
    font.cache_clear()
