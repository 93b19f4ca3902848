"""The screen draws what changed, all of it, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pygame
import pytest

from firmware import rules
from firmware.errors import ScreenError
from firmware.session.view import Stage, View
from firmware.show import card_art
from firmware.show import screen as screen_module
from firmware.show.items import Box, Face, Seal, Under
from firmware.show.paint import NEARLY, Sprites
from firmware.show.scene import compose
from firmware.show.screen import Screen, changes, merged
from tests.show.hands import S, start_view, swapped
from tests.show.moments import flying, frames, play
from tests.show.row_moments import ALL_MOMENTS
from tests.show.test_scene import ALIKE

SIZE = (1280, 720)


def pixels(screen: Screen) -> bytes:
    return pygame.image.tobytes(screen.surface, "RGB")


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """No display is open, before and after."""
    pygame.display.quit()
    yield monkeypatch
    pygame.display.quit()


@pytest.mark.parametrize(("seed", "game_id", "seats", "size"), [
    (1, "rank_or_suit", 2, SIZE),
    (2, "quick", 2, (960, 540)),
    (3, "long", 2, (1000, 701)),
    (4, "speed", 2, (1024, 768)),
    (5, "double_flip", 2, SIZE),
    (6, "doubles", 2, (960, 540)),
    (7, "tournament", 5, SIZE),
    (8, "tournament", 3, (1000, 701)),
    (9, "aggravation", 2, (1024, 768)),
    (10, "frustration", 2, SIZE),
])  # fmt: skip
def test_drawing_changes_equals_drawing_everything(
    seed: int, game_id: str, seats: int, size: tuple[int, int]
) -> None:
    screen, anew = Screen.off_display(size), Screen.off_display(size)
    chance = Random(seed)
    for view, now_ns in frames(seed, game_id, seats=seats, commands=110):
        screen.draw(view, now_ns)
        if chance.random() < 0.5:
            anew.redraw()
            anew.draw(view, now_ns)
            assert pixels(screen) == pixels(anew)


@pytest.mark.parametrize("name", ALL_MOMENTS)
def test_swapping_the_seats_turns_every_pixel(name: str) -> None:
    view, now_ns = ALL_MOMENTS[name]()
    one, other = Screen.off_display(SIZE, look=ALIKE), Screen.off_display(SIZE, look=ALIKE)
    one.draw(view, now_ns)
    other.draw(swapped(view), now_ns)
    turned = pygame.transform.rotate(one.surface, 180)
    assert pygame.image.tobytes(turned, "RGB") == pixels(other)


def test_a_card_looks_the_same_from_both_sides() -> None:
    pygame.font.init()
    for card in (*compose(*play(), SIZE).items, *compose(*ALL_MOMENTS["five_seats"](), SIZE).items):
        sprite = Sprites().of(card)
        if isinstance(card, Face | Under | Seal):
            turned = pygame.transform.rotate(sprite, 180)
            assert pygame.image.tobytes(turned, "RGBA") == pygame.image.tobytes(sprite, "RGBA")


def test_nothing_is_drawn_when_nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    view, now_ns = play()
    screen = Screen.off_display(SIZE)
    assert screen.draw(view, now_ns)
    screen.surface.fill((1, 2, 3))
    before = pixels(screen)
    assert not screen.draw(view, now_ns)
    assert not screen.draw(view, now_ns + S)
    assert not screen.draw(replace(view, state_id=view.state_id + 1), now_ns + S)
    assert pixels(screen) == before


def test_only_what_moves_is_drawn() -> None:
    view, now_ns = flying()
    screen = Screen.off_display(SIZE)
    screen.draw(view, now_ns)
    screen.surface.fill((1, 2, 3))
    screen.draw(view, now_ns + 16_000_000)
    kept = pygame.mask.from_threshold(screen.surface, (1, 2, 3), (1, 1, 1, 255)).count()
    assert kept > 0.75 * SIZE[0] * SIZE[1]


def test_redraw_draws_everything() -> None:
    view, now_ns = play()
    screen = Screen.off_display(SIZE)
    screen.draw(view, now_ns)
    before = pixels(screen)
    screen.surface.fill((1, 2, 3))
    screen.redraw()
    assert screen.draw(view, now_ns)
    assert pixels(screen) == before


def test_painting_and_presenting_are_two_steps() -> None:
    view, now_ns = play()
    screen = Screen.off_display(SIZE)
    assert screen.paint(view, now_ns)
    assert screen.paint(view, now_ns), "not yet presented"
    screen.present()
    assert not screen.paint(view, now_ns)


def test_next_change_is_that_of_the_picture() -> None:
    screen = Screen.off_display(SIZE)
    assert screen.next_change_ns is None
    view, now_ns = flying()
    screen.draw(view, now_ns)
    assert screen.next_change_ns == now_ns


def test_changes_of_order_count() -> None:
    items = compose(*play(), SIZE).items
    assert changes(items, items) == []
    boxes = changes(items, (items[1], items[0], *items[2:]))
    assert set(boxes) == {items[0].box, items[1].box}


def test_merged_rectangles_cover_the_same_area_within_bounds() -> None:
    chance = Random(8)
    within = pygame.Rect(0, 0, 60, 40)
    for _ in range(60):
        boxes = [
            Box(*(chance.randrange(low, high) for low, high in ((-9, 60), (-9, 40), (0, 30), (0, 30))))
            for _ in range(chance.randrange(7))
        ]
        rects = merged(boxes, within)
        covered = {(x, y) for r in rects for x in range(r.x, r.right) for y in range(r.y, r.bottom)}
        for box in boxes:
            rect = pygame.Rect(box).clip(within)
            assert {(x, y) for x in range(rect.x, rect.right) for y in range(rect.y, rect.bottom)} <= covered
        assert all(within.contains(rect) for rect in rects)


def test_sprites_stay_within_their_room() -> None:
    pygame.font.init()
    sprites = Sprites(room=600_000)
    items = [item for moment in ALL_MOMENTS.values() for item in compose(*moment(), SIZE).items]
    for item in items:
        assert sprites.of(item).get_size() == item.box[2:]
        assert sprites.taken <= 600_000 or len(sprites) == 1


@pytest.mark.parametrize("name", ALL_MOMENTS)
def test_what_looks_solid_is_copied_and_not_blended(name: str) -> None:
    pygame.font.init()
    for item in compose(*ALL_MOMENTS[name](), (1920, 1080)).items:
        sprite = Sprites().of(item)
        alphas = set(pygame.image.tobytes(sprite, "RGBA")[3::4])
        assert not alphas & set(range(NEARLY + 1, 255)), item


def test_save_writes_a_picture(tmp_path: Path) -> None:
    screen = Screen.off_display((640, 360))
    screen.draw(start_view(), 0)
    screen.save(tmp_path / "start.png")
    assert pygame.image.load(tmp_path / "start.png").get_size() == (640, 360)


def test_save_says_which_file_it_cannot_write(tmp_path: Path) -> None:
    screen = Screen.off_display((640, 360))
    with pytest.raises(ScreenError, match="no_such_folder"):
        screen.save(tmp_path / "no_such_folder" / "start.png")


def test_an_invisible_display_is_none(no_display: pytest.MonkeyPatch) -> None:
    no_display.setenv("SDL_VIDEODRIVER", "offscreen")
    with pytest.raises(ScreenError, match="no display"):
        Screen((640, 360))
    Screen((640, 360), allow_offscreen=True).close()


def test_an_unknown_display_is_named(no_display: pytest.MonkeyPatch) -> None:
    no_display.setenv("SDL_VIDEODRIVER", "nosuchdriver")
    with pytest.raises(ScreenError, match="nosuchdriver"):
        Screen((640, 360))


def test_a_window_follows_its_size_and_closes_once(no_display: pytest.MonkeyPatch) -> None:
    no_display.setenv("SDL_VIDEODRIVER", "dummy")
    view, now_ns = play()
    screen = Screen((640, 360))
    assert screen.draw(view, now_ns)
    pygame.display.set_mode((960, 540), pygame.RESIZABLE)
    assert screen.draw(view, now_ns)
    assert screen.size == (960, 540)
    fresh = Screen.off_display((960, 540))
    fresh.draw(view, now_ns)
    assert pixels(screen) == pixels(fresh)
    assert not pygame.mouse.get_visible()
    screen.close()
    screen.close()


def test_the_parts_of_a_size_no_longer_used_are_dropped() -> None:
    pygame.font.init()
    card_art.blank((100, 140))
    card_art.forget()
    assert card_art.blank.cache_info().currsize == 0


def test_a_large_screen_stays_small_in_memory() -> None:
    code = (
        "from firmware.show.screen import Screen\n"
        "from firmware.bench.show import resident_mb\n"
        "from tests.show.moments import frames\n"
        "screen = Screen((1920, 1080))\n"
        "for seed, game_id in enumerate(('rank_or_suit', 'doubles', 'aggravation')):\n"
        "    for view, now_ns in frames(seed, game_id):\n"
        "        screen.draw(view, now_ns)\n"
        "assert resident_mb() < 150, resident_mb()\n"
    )
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=120)


@pytest.mark.parametrize("game_id", ["rank_or_suit", "double_flip"])
def test_cards_are_drawn_ahead_once_each_and_play_draws_none(
    game_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = Screen.off_display(SIZE)
    view = View(0, 0, Stage.START, 0, game_id, rules.Match())
    drawn = 0
    while screen.ahead(view):
        drawn += 1
    assert drawn == 52 * (2 if game_id == "rank_or_suit" else 1)
    assert not screen.ahead(view)

    def not_again(*args: object, **options: object) -> None:
        raise AssertionError("a card at rest was drawn in play")

    table = rules.find(game_id).game.start(rules.Options(), 1)
    table, _ = rules.apply(table, rules.Go(0))
    for _ in range(8):
        if table.next_timer is not None:
            table, _ = rules.apply(table, table.next_timer)
    monkeypatch.setattr(card_art, "face", not_again)
    screen.draw(View(1, 0, Stage.HAND, 0, game_id, rules.Match(), go_at_ns=0, table=table), 10**10)
    screen.close()


@pytest.mark.parametrize(("driver", "is_whole"), [("KMSDRM", True), ("kmsdrm", True), ("x11", False)])
def test_without_a_desktop_the_whole_screen_is_taken_however_sdl_writes_its_driver(
    driver: str, is_whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def set_mode(size: object, flags: int, **options: object) -> pygame.Surface:
        asked.append(flags)
        return pygame.Surface((4, 4))

    monkeypatch.setattr(pygame.display, "set_mode", set_mode)
    monkeypatch.setattr(pygame.display, "get_desktop_sizes", lambda: [(1920, 1080)])
    screen_module._set_mode(driver, None)
    assert bool(asked[0] & pygame.FULLSCREEN) == is_whole
