"""Row games: what the picture shows of piles that are open, gathered, called, and of whose they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware import rules
from firmware.rules.layout import Layout
from firmware.rules.rows import Rows
from firmware.rules.table import AnyTable
from firmware.seats import Seat
from firmware.session.view import View
from firmware.show import card_art, palette
from firmware.show.items import Back, Beneath, Box, Face, Figure, Item, Panel, Pill, Seal, Shape, Text, Under
from firmware.show.look import PLAYERS, Look
from firmware.show.row_places import row_places
from firmware.show.scene import compose, places_of
from firmware.show.words import words
from tests.show.hands import MS, Hand, S
from tests.show.moments import frames
from tests.show.row_moments import ROW_GAMES, ROW_MOMENTS
from tests.show.test_told import read

SIZE = (1280, 720)
WIDE = [(1280, 720), (1920, 1080), (1366, 768), (3840, 2160), (1280, 800)]
NARROW = [(1024, 768), (1280, 1024)]
ROWS = [(4, 0), (5, 3), (7, 0)]
"""Columns, and seats without buttons."""


def table_of(view: View) -> AnyTable:
    assert view.table is not None
    return view.table


def share(table: AnyTable, seat: Seat) -> int:
    assert isinstance(table.game, Rows)
    return table.game.share(table, seat)


def items_of(view: View, now_ns: int, look: Look | None = None) -> tuple[Item, ...]:
    return compose(view, now_ns, SIZE, look).items


def box_of(view: View, slot: int) -> Box:
    places = places_of(table_of(view).game, SIZE)
    return places.piles[places.nth(0, slot)]


def is_within(item: Item, box: Box) -> bool:
    x, y = item.box.x + item.box.w / 2, item.box.y + item.box.h / 2
    return box.x <= x < box.right and box.y <= y < box.bottom


# Where things lie


@pytest.mark.parametrize("size", WIDE + NARROW)
@pytest.mark.parametrize(("columns", "others"), ROWS)
def test_rank_figures_are_a_fourteenth_of_the_height(
    size: tuple[int, int], columns: int, others: int
) -> None:
    box = row_places(size, columns, others).piles[0]
    for rank in range(1, 10):
        art, _ = card_art.rank_art(box.h, rank, palette.INK, box.w)
        assert art.get_bounding_rect(min_alpha=128).h >= size[1] / 14, (box, rank)


@pytest.mark.parametrize("size", WIDE)
@pytest.mark.parametrize(("columns", "others"), ROWS)
def test_piles_are_29_percent_of_the_height(size: tuple[int, int], columns: int, others: int) -> None:
    box = row_places(size, columns, others).piles[0]
    assert box.h / size[1] == pytest.approx(0.29, abs=0.002)
    if size[0] / size[1] > 1.7:  # where the screen is narrower, seven cards are
        assert box.w / box.h == pytest.approx(5 / 7, abs=0.01)


@pytest.mark.parametrize("size", WIDE + NARROW + [(800, 480)])
@pytest.mark.parametrize(("columns", "others"), ROWS)
def test_nothing_lies_on_anything_else(size: tuple[int, int], columns: int, others: int) -> None:
    places = row_places(size, columns, others)
    lines = places.line._replace(h=places.sub.bottom - places.line.y)
    boxes = [*places.piles, places.draw, places.name, lines, *places.others]
    boxes += [box.turned(places.size) for box in boxes[len(places.piles) :]]
    for nth, box in enumerate(boxes):
        for other in boxes[:nth]:
            apart = box.right <= other.x or other.right <= box.x
            assert apart or box.bottom <= other.y or other.bottom <= box.y, (box, other)


def test_the_leftmost_tick_is_the_leftmost_pile_for_both() -> None:
    places, layout = row_places(SIZE, 4, 0), Layout(4, 2)
    for seat in (0, 1):
        for far in (False, True):
            slot = layout.slot(seat, 0, far=far)
            assert slot is not None
            tick, pile = places.ticks[places.nth(seat, slot)], places.piles[places.nth(0, slot)]
            if seat == 1:
                tick = tick.turned(places.size)
            assert pile.x < tick.x < tick.right < pile.right
            assert min(abs(tick.y - pile.bottom), abs(pile.y - tick.bottom)) < 20


# Open piles (D-2, D-8)


@pytest.mark.parametrize(("game_id", "seats"), ROW_GAMES.items())
def test_d2_a_live_match_is_never_marked(game_id: str, seats: int) -> None:
    """The picture is the same whether the tops that match are open, as the rules have them, or closed."""
    matches = 0
    for view, now_ns in frames(3, game_id, seats=seats, commands=70):
        table = view.table
        if table is None or not table.piles:
            continue
        assert isinstance(table.game, Rows)
        raised = table.game.raised(table)
        closed = tuple(
            pile if slot in raised else pile._replace(is_open=False) for slot, pile in enumerate(table.piles)
        )
        matches += closed != table.piles
        assert items_of(replace(view, table=replace(table, piles=closed)), now_ns) == items_of(view, now_ns)
    assert matches > 5


def test_d2_a_pile_of_a_match_already_begun_is_raised_by_shape() -> None:
    view, now_ns = ROW_MOMENTS["double_flip"]()
    table = table_of(view)
    assert isinstance(table.game, Rows)
    raised = table.game.raised(table)
    assert raised
    items = items_of(view, now_ns)
    rings = [item for item in items if isinstance(item, Panel)]
    faces = {item.card: item.box for item in items if isinstance(item, Face)}
    assert len(rings) == len(raised)
    for slot, pile in enumerate(table.piles):
        box = box_of(view, slot)
        assert any(is_within(ring, box) for ring in rings) == (slot in raised)
        assert (faces[pile.top].h > box.h) == (slot in raised)


@pytest.mark.parametrize("game_id", ["doubles", "double_flip"])
def test_d8_the_index_of_the_card_beneath_shows(game_id: str) -> None:
    view, now_ns = ROW_MOMENTS[game_id]()
    shown = sorted(item.card for item in items_of(view, now_ns) if isinstance(item, Under))
    below = sorted(pile.cards[-2] for pile in table_of(view).piles if len(pile.cards) > 1)
    assert below
    assert shown == (below if game_id == "doubles" else [])


def test_an_index_does_not_reach_the_next_pile() -> None:
    view, _ = ROW_MOMENTS["five_seats"]()
    places = places_of(table_of(view).game, SIZE)
    for item in items_of(view, view.at_ns + 5 * S):
        if isinstance(item, Under):
            inside = [box for box in places.piles if box.x < item.box.right and item.box.x < box.right]
            assert len({box.x for box in inside}) == 1


# Whose is what


def seals(view: View, now_ns: int) -> dict[int, Seat]:
    found = {}
    for item in items_of(view, now_ns):
        if isinstance(item, Seal):
            slot = next(
                s for s in range(table_of(view).game.layout.places) if is_within(item, box_of(view, s))
            )
            found[slot] = PLAYERS.index(item.player)
    return found


@pytest.mark.parametrize("name", ["five_seats", "three_seats", "safe", "eliminated"])
def test_every_pile_of_a_tournament_says_whose_it_is(name: str) -> None:
    view, _ = ROW_MOMENTS[name]()
    owners = {slot: pile.owner for slot, pile in enumerate(table_of(view).piles) if pile.cards}
    assert owners
    assert seals(view, view.at_ns + 5 * S) == owners


def test_a5_only_a_pile_on_the_other_side_says_whose_it_is() -> None:
    view, now_ns = ROW_MOMENTS["lone_dealer"]()
    piles = table_of(view).piles
    strangers = {
        slot: pile.owner for slot, pile in enumerate(piles) if pile.cards and pile.owner != slot // 7
    }
    assert strangers
    assert seals(view, now_ns) == strangers


def test_five_players_differ_in_colour_and_in_shape() -> None:
    assert len({player.colour for player in PLAYERS}) == len({player.sign for player in PLAYERS}) == 5


def test_both_players_read_the_cards_of_the_seats_without_buttons() -> None:
    view, now_ns = ROW_MOMENTS["five_seats"]()
    for reader in (0, 1):
        said = read(view, now_ns, reader)
        for seat in (2, 3, 4):
            assert words()("player.cpu", n=seat + 1) in said
            assert str(len(table_of(view).holdings[seat].draw)) in said


# Buttons and the second bank


def bars(view: View, now_ns: int, seat: Seat) -> dict[tuple[int, bool], bool]:
    """By (column, is far) as *seat* sees it: is the tick full?"""
    places, player = places_of(table_of(view).game, SIZE), PLAYERS[seat]
    found = {}
    for item in items_of(view, now_ns):
        if isinstance(item, Shape) and item.figure in (player.bar, player.open_bar):
            box = item.box if seat == 0 else item.box.turned(SIZE)
            nth = next(
                n for n, tick in enumerate(places.ticks) if tick.y == box.y and abs(tick.x - box.x) < 20
            )
            far, column = divmod(nth, places.layout.columns)
            found[column, bool(far)] = item.figure is player.bar
    return found


def test_with_a_button_for_every_place_all_places_have_a_tick() -> None:
    view, now_ns = ROW_MOMENTS["double_flip"]()
    for seat in (0, 1):
        assert bars(view, now_ns, seat) == {
            (column, far): True for column in range(4) for far in (False, True)
        }


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_ticks_are_where_the_buttons_lead(seat: Seat, held: bool) -> None:
    view, now_ns = ROW_MOMENTS["double_flip"]()
    banks = (held, False) if seat == 0 else (False, held)
    view = replace(view, needs_second_bank=True, has_second_bank=banks)
    near = {(column, False): not held for column in range(4)}
    far = {(column, True): True for column in range(4)}
    assert bars(view, now_ns, seat) == ({**near, **far} if held else near)
    assert bars(view, now_ns, 1 - seat) == {(column, False): True for column in range(4)}
    hint, told = words()("bank.hint", start="START"), words()("bank.held", start="START")
    said = read(view, now_ns, seat)
    assert (told in said, hint in said) == (held, not held)
    assert hint not in read(replace(view, needs_second_bank=False), now_ns, seat)


def test_a_stuck_button_is_crossed_out_where_it_leads() -> None:
    view, now_ns = ROW_MOMENTS["double_flip"]()
    view = replace(view, stuck_buttons=((0, 1),))
    assert (1, False) not in bars(view, now_ns, 0)
    assert (1, True) in bars(view, now_ns, 0)
    view = replace(view, needs_second_bank=True, has_second_bank=(True, False))
    assert not {(1, False), (1, True)} & set(bars(view, now_ns, 0))


def test_a_dead_draw_pile_is_crossed_out() -> None:
    view, now_ns = ROW_MOMENTS["rows_beaten"]()
    crosses = [i for i in items_of(view, now_ns) if isinstance(i, Shape) and i.figure is Figure.CROSS]
    assert [is_within(cross, places_of(table_of(view).game, SIZE).draw) for cross in crosses] == [True]


def test_between_the_rows_a_player_reads_their_own_verdict() -> None:
    view, now_ns = ROW_MOMENTS["rows_beaten"]()
    said = {(item.text, item.is_turned) for item in items_of(view, now_ns) if isinstance(item, Pill)}
    assert {text for text, is_turned in said if not is_turned} == {"wrong", "−12.3 ms"}
    assert {text for text, is_turned in said if is_turned} == {"+12.3 ms"}


# What moves


def backs(view: View, now_ns: int, look: Look | None = None) -> list[Back]:
    pile = row_places(SIZE, table_of(view).game.layout.columns, 0).piles[0]
    return [i for i in items_of(view, now_ns, look) if isinstance(i, Back) and i.box.h == pile.h]


def test_d5_rows_slide_to_their_owners_in_120_ms() -> None:
    view, _ = ROW_MOMENTS["gathering"]()
    for after_ns in range(0, 130 * MS, 10 * MS):
        moving = backs(view, view.at_ns + after_ns)
        assert len(moving) == (8 if after_ns < 120 * MS else 0)
        assert {back.player for back in moving} <= set(PLAYERS[:2])
    assert not backs(view, view.at_ns, Look(reduced_motion=True))


def test_f1_the_last_card_lands_before_the_rows_slide() -> None:
    view, _ = ROW_MOMENTS["new_start"]()
    lying = {back.box for back in backs(view, view.at_ns)}
    assert lying == {back.box for back in backs(view, view.at_ns + 110 * MS)}
    assert lying <= set(places_of(table_of(view).game, SIZE).piles)
    assert lying != {back.box for back in backs(view, view.at_ns + 150 * MS)}
    assert not backs(view, view.at_ns + 240 * MS)


def test_cards_of_seats_without_buttons_come_from_where_they_are_told() -> None:
    hand = Hand("tournament", seed=1, seats=5)
    hand.apply(rules.Go(hand.go_at_ns))
    view = hand.view()
    faces = [item for item in items_of(view, view.at_ns) if isinstance(item, Face)]
    assert len(faces) == 5
    assert all(face.box.x >= 39 and face.box.right <= 1241 for face in faces)
    assert {face.box for face in faces if face.box.right == 1241}, "from beside the near row"
    assert {face.box for face in faces if face.box.x == 39}, "and from beside the far one"


def test_the_seats_without_buttons_have_no_signs_of_their_own() -> None:
    view, now_ns = ROW_MOMENTS["five_seats"]()
    table = table_of(view)
    hit = rules.events.Beaten(now_ns, 3, 2, 5 * MS)
    assert not [i for i in items_of(replace(view, recent=(hit,)), now_ns) if isinstance(i, Pill)]
    own = replace(hit, seat=1)
    pills = [i for i in items_of(replace(view, recent=(own,)), now_ns) if isinstance(i, Pill)]
    assert [pill.is_turned for pill in pills] == [True]
    assert table.holdings[3].draw


def test_what_stays_is_not_made_anew() -> None:
    view, now_ns = ROW_MOMENTS["double_flip"]()
    once, again = items_of(view, now_ns), items_of(replace(view, state_id=99), now_ns)
    pairs = zip(once, again, strict=True)
    assert all(one is other for one, other in pairs if isinstance(one, Face | Beneath | Text))
