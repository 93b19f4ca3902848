"""The picture as a pure value: the same from both sides, legible, within the safe area, awake in time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise, product

import pygame
import pytest

from firmware.session.view import Stage, View
from firmware.show import active, block, buttons, card_art, operator, others, palette, piles, stages
from firmware.show.items import Back, Beneath, Box, Face, Item, Pill, Text
from firmware.show.look import PLAYERS, Look
from firmware.show.paint import Sprites, table_top
from firmware.show.places import SAFE, shared_places
from firmware.show.row_places import row_places
from firmware.show.scene import Scene, compose
from firmware.show.words import words
from tests.show.hands import MS, S, swapped
from tests.show.moments import Moment, flying, frames, opening, play
from tests.show.row_moments import ALL_MOMENTS, ROW_GAMES

SIZE = (1280, 720)
ALIKE = Look(
    words=words().changed({"player.name": "Player", "player.cpu": "Player"}), players=PLAYERS[:1] * 5
)
"""Two players that cannot be told apart: what is left is where things lie."""
NUMBERED = {(seat, button): "AQSDFGHZXCV"[button + 1] for seat in (0, 1) for button in range(-1, 10)}
KEYS = Look(words=ALIKE.words, players=ALIKE.players, keys=NUMBERED)
"""The same on a keyboard, with keys of the same names."""


@cache
def all_moments() -> tuple[Moment, ...]:
    hands = [frames(5), *(frames(5, game_id, seats=n, commands=40) for game_id, n in ROW_GAMES.items())]
    return (*(moment() for moment in ALL_MOMENTS.values()), *chain(*hands))


def turned(items: tuple[Item, ...]) -> Counter[Item]:
    return Counter(item.turned(SIZE) for item in items)


@pytest.mark.parametrize("look", [ALIKE, KEYS], ids=["buttons", "keys"])
@pytest.mark.parametrize("name", ALL_MOMENTS)
def test_swapping_the_seats_turns_every_moment(name: str, look: Look) -> None:
    view, now_ns = ALL_MOMENTS[name]()
    one, other = compose(view, now_ns, SIZE, look), compose(swapped(view), now_ns, SIZE, look)
    assert turned(one.items) == Counter(other.items)
    assert one.next_change_ns == other.next_change_ns


@pytest.mark.parametrize("name", ALL_MOMENTS)
def test_compose_is_a_function_of_its_arguments(name: str) -> None:
    view, now_ns = ALL_MOMENTS[name]()
    once = compose(view, now_ns, SIZE)
    for kept in (active, block, buttons, others, piles, stages, operator):
        for part in vars(kept).values():
            if hasattr(part, "cache_clear"):
                part.cache_clear()
    shared_places.cache_clear()
    row_places.cache_clear()
    assert compose(view, now_ns, SIZE) == once


def test_items_are_distinct_and_within_the_screen() -> None:
    screen = pygame.Rect(0, 0, *SIZE)
    for (view, now_ns), look in product(all_moments(), (None, KEYS)):
        items = compose(view, now_ns, SIZE, look).items
        assert len(set(items)) == len(items)
        for item in items:
            assert screen.contains(item.box), item


@pytest.mark.parametrize(
    ("game_id", "seats"),
    [("rank_or_suit", 2), ("quick", 2), ("long", 2), ("tournament", 3), *ROW_GAMES.items()],
)
def test_swapping_the_seats_turns_the_picture(game_id: str, seats: int) -> None:
    for view, now_ns in frames(9, game_id, seats=seats, commands=80):
        one = compose(view, now_ns, SIZE, ALIKE)
        other = compose(swapped(view), now_ns, SIZE, ALIKE)
        assert turned(one.items) == Counter(other.items)
        assert one.next_change_ns == other.next_change_ns


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1024, 768), (1280, 1024), (800, 480)])
def test_the_edges_stay_empty(size: tuple[int, int]) -> None:
    edge_x, edge_y = size[0] * SAFE, size[1] * SAFE
    for (view, now_ns), look in product(all_moments(), (None, KEYS)):
        for item in compose(view, now_ns, size, look).items:
            box = item.box
            if isinstance(item, Beneath):  # its shadow may fade out across the border, the cards may not
                box = box.centred(*item.card)
            assert box.x >= edge_x, item
            assert box.y >= edge_y, item
            assert box.right <= size[0] - edge_x, item
            assert box.bottom <= size[1] - edge_y, item


def inks(items: tuple[Item, ...]) -> list[tuple[Item, pygame.Rect]]:
    """What stands in letters, and where its ink is."""
    sprites = Sprites()
    words = [item for item in items if isinstance(item, Text | Pill)]
    return [(item, sprites.of(item).get_bounding_rect(min_alpha=64).move(item.box[:2])) for item in words]


@pytest.mark.parametrize(
    "size", [(1280, 720), (1920, 1080), (1280, 800), (1024, 768), (1280, 1024), (800, 480), (900, 1000)]
)
@pytest.mark.parametrize("faults", [(), ("no sound: the device is missing, trying again",)])
@pytest.mark.parametrize("look", [None, KEYS], ids=["buttons", "keys"])
def test_at_the_start_nothing_lies_on_anything(
    size: tuple[int, int], faults: tuple[str, ...], look: Look | None
) -> None:
    views = [moment()[0] for moment in ALL_MOMENTS.values()]
    views = [view for view in views if view.stage is Stage.START]
    assert len({view.game_id for view in views}) > 1
    views += [replace(view, stuck_buttons=((0, 1),)) for view in views if faults]
    for view in views:
        items = compose(replace(view, faults=faults, input_note="keyboard: ± 16 ms"), 0, size, look).items
        words = inks(items)
        for item, ink in words:
            over = [other for other, ground in words if other is not item and ink.colliderect(ground)]
            over += [card for card in items if isinstance(card, Face | Back) and ink.colliderect(card.box)]
            assert not over, (item, over)


@pytest.mark.parametrize("size", [(320, 320), (600, 500), (900, 900), (480, 960), (640, 320), (2560, 720)])
def test_a_window_of_any_shape_can_be_drawn(size: tuple[int, int]) -> None:
    sprites = Sprites()
    for moment in ALL_MOMENTS.values():
        view, now_ns = moment()
        for item in compose(replace(view, input_note="keyboard: ± 16 ms"), now_ns, size).items:
            assert sprites.of(item).get_size() == item.box[2:]


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1366, 768), (3840, 2160), (1024, 768)])
@pytest.mark.parametrize("columns", [3, 4])
def test_rank_figures_are_a_fourteenth_of_the_height(size: tuple[int, int], columns: int) -> None:
    places = shared_places(size, columns)
    for box in (places.active, *places.piles):
        for rank in range(1, 10):
            art, _ = card_art.rank_art(box.h, rank, palette.INK, box.w)
            assert art.get_bounding_rect(min_alpha=128).h >= size[1] / 14, (box, rank)


def test_rank_figures_of_six_piles_are_as_large() -> None:
    places = shared_places(SIZE, 6)
    assert places.piles[0].h == shared_places(SIZE, 4).piles[0].h


def luminance(colour: tuple[int, ...]) -> float:
    """WCAG 2.1, relative luminance."""
    parts = [part / 255 for part in colour[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("look", [None, KEYS], ids=["buttons", "keys"])
@pytest.mark.parametrize("name", ALL_MOMENTS)
def test_every_text_has_contrast(name: str, look: Look | None) -> None:
    view, now_ns = ALL_MOMENTS[name]()
    items = compose(view, now_ns, SIZE, look).items
    surface, sprites = table_top(SIZE).copy(), Sprites()
    for item in items:
        if isinstance(item, Pill):
            assert contrast(item.ink, item.fill) >= 4.5, item
        sprite = sprites.of(item)
        if isinstance(item, Text):
            ink = sprite.get_bounding_rect()
            for x in range(ink.x, ink.right, 4):
                for y in range(ink.y, ink.bottom, 4):
                    ground = surface.get_at((item.box.x + x, item.box.y + y))
                    assert contrast(item.colour, tuple(ground)) >= 4.5, (item, ground)
        surface.blit(sprite, item.box[:2])


@pytest.mark.parametrize("four_colours", [False, True])
def test_every_suit_has_contrast_on_its_card(four_colours: bool) -> None:
    for suit in range(4):
        assert contrast(palette.suit_colour(suit, four_colours=four_colours), palette.CARD) >= 4.5


def test_four_colours_differ() -> None:
    assert len({palette.suit_colour(suit, four_colours=True) for suit in range(4)}) == 4


def test_the_picture_stays_until_it_says_that_it_changes() -> None:
    for view, now_ns in all_moments():
        scene = compose(view, now_ns, SIZE)
        due_ns = scene.next_change_ns
        last_ns = now_ns + 1000 * S if due_ns is None else due_ns - 1
        if due_ns is not None:
            assert due_ns >= now_ns
        if last_ns > now_ns:
            assert compose(view, last_ns, SIZE).items == scene.items


def test_nothing_changes_for_ever_by_itself() -> None:
    for view, now_ns in all_moments():
        scene: Scene | None = None
        at_ns, steps = now_ns, 0
        while (scene := compose(view, at_ns, SIZE)).next_change_ns is not None:
            at_ns = max(scene.next_change_ns, at_ns + 5 * MS)
            steps += 1
            assert steps < 400
        if view.stage is Stage.START:
            assert steps == 0


def faces(view: View, now_ns: int, look: Look | None = None) -> set[Box]:
    return {item.box for item in compose(view, now_ns, SIZE, look).items if isinstance(item, Face)}


def test_a_card_flies_for_at_most_120_ms() -> None:
    view, now_ns = flying()
    settled = faces(view, now_ns + 120 * MS)
    assert faces(view, now_ns) != settled
    assert faces(view, view.at_ns + 120 * MS) == settled


def test_a_card_only_comes_nearer() -> None:
    view, _ = flying()
    settled = faces(view, view.at_ns + 120 * MS)
    ways: list[int] = []
    for at_ns in range(view.at_ns, view.at_ns + 120 * MS, 5 * MS):
        home = 0
        for moving in faces(view, at_ns) - settled:  # none once it is there to the pixel
            home = min(abs(moving.x - box.x) + abs(moving.y - box.y) for box in settled if box.h == moving.h)
        ways.append(home)
    assert ways == sorted(ways, reverse=True)
    steps = [one - other for one, other in pairwise(ways)]
    assert max(steps) == steps[0]


def test_with_reduced_motion_cards_appear() -> None:
    look = Look(reduced_motion=True)
    for view, now_ns in (flying(), opening()):
        assert faces(view, view.at_ns, look) == faces(view, view.at_ns + 120 * MS, look)
        due_ns = compose(view, now_ns, SIZE, look).next_change_ns
        assert due_ns is None or due_ns > now_ns


def test_a_pile_never_shows_a_second_card() -> None:
    view, now_ns = play()
    cards = [item.card for item in compose(view, now_ns, SIZE).items if isinstance(item, Face)]
    table = view.table
    assert table is not None
    shown = [pile.top for pile in table.piles] + [holding.active for holding in table.holdings]
    assert sorted(cards) == sorted(card for card in shown if card is not None)


def test_a_view_of_no_table_in_play_can_be_drawn() -> None:
    view, now_ns = play()
    for stage in Stage:
        assert compose(replace(view, stage=stage, table=None), now_ns, SIZE).items
