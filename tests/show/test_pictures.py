"""The pictures as they are meant to be, in ``tests/pictures``.

After a change that is meant, look at them all: ``REDRAW_PICTURES=1 pytest tests/show/test_pictures.py``
writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pygame
import pytest

from firmware.show.look import Look
from firmware.show.screen import Screen
from firmware.touch.keyboard import key_names
from tests.show.moments import MOMENTS
from tests.show.row_moments import ALL_MOMENTS

FOLDER = Path(__file__).parent.parent / "pictures"
HOW = "If that is meant: REDRAW_PICTURES=1 pytest tests/show/test_pictures.py, then look at the picture."
MEAN = 0.35
"""Mean difference of a channel (0 to 255) that another version of the font's rasteriser may make."""
DIFFERENT = 0.002
"""Share of pixels that may differ clearly: the edges of letters."""

KEYS = Look(keys={(b.seat, b.number): key.upper() for b, key in key_names(4).items()})
ROWS = (
    "rows_start", "rows_laying", "double_flip", "no_match", "gathering", "second_bank", "rows_beaten",
    "five_seats", "eliminated", "tournament_end", "growing", "call", "called", "lone_dealer", "frustration",
    "new_start",
)  # fmt: skip
LARGE = ("play", "doubles", "five_seats", "full_rows")
PICTURES: dict[str, tuple[str, tuple[int, int], Look]] = {
    **{name: (name, (1280, 720), Look()) for name in (*MOMENTS, *ROWS)},
    **{f"{name}_1080": (name, (1920, 1080), Look()) for name in LARGE},
    "go_on_rows_5_4": ("go_on_rows", (1280, 1024), Look()),
    **{f"{name}_keys": (name, (1280, 720), KEYS) for name in ("start", "play")},
    "play_four_colours": ("play", (1280, 720), Look(four_colours=True)),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_as_it_was(name: str, tmp_path: Path) -> None:
    moment, size, look = PICTURES[name]
    screen = Screen.off_display(size, look=look)
    screen.draw(*ALL_MOMENTS[moment]())
    path = FOLDER / f"{name}.png"
    if os.environ.get("REDRAW_PICTURES"):
        screen.save(path)
    assert path.exists(), f"{path.name} is missing. {HOW}"
    wanted = pygame.image.load(path)
    assert wanted.get_size() == size
    mean, share = difference(screen.surface, wanted)
    if mean > MEAN or share > DIFFERENT:
        screen.save(tmp_path / f"{name}.png")
        pytest.fail(f"{path.name}: mean {mean:.2f}, {share:.2%} differ; now {tmp_path / path.name}. {HOW}")


def difference(one: pygame.Surface, other: pygame.Surface) -> tuple[float, float]:
    """Mean difference of a channel, and the share of pixels that differ by more than 40."""
    apart = pygame.Surface(one.get_size(), 0, 32)
    apart.blit(one, (0, 0))
    apart.blit(other, (0, 0), special_flags=pygame.BLEND_RGB_SUB)
    back = pygame.Surface(one.get_size(), 0, 32)
    back.blit(other, (0, 0))
    back.blit(one, (0, 0), special_flags=pygame.BLEND_RGB_SUB)
    apart.blit(back, (0, 0), special_flags=pygame.BLEND_RGB_ADD)
    channels = pygame.image.tobytes(apart, "RGB")
    near = pygame.mask.from_threshold(apart, (0, 0, 0), (41, 41, 41, 255)).count()
    return sum(channels) / len(channels), 1 - near / (one.get_width() * one.get_height())


def test_a_word_more_is_noticed() -> None:
    one, other = Screen.off_display((1280, 720)), Screen.off_display((1280, 720))
    one.draw(*MOMENTS["play"]())
    other.draw(*MOMENTS["faults"]())
    mean, share = difference(one.surface, other.surface)
    assert mean > MEAN or share > DIFFERENT
