"""Places and buttons: each button is one place as its own player sees it."""

from __future__ import annotations

import pytest

from firmware.rules.layout import Layout

SHARED = [Layout(columns) for columns in (3, 4, 6)]
ROWS = [Layout(columns, 2) for columns in (4, 5, 7)]


@pytest.mark.parametrize("layout", SHARED, ids=str)
def test_places_shared_leftmost_button_is_leftmost_place_for_both(layout: Layout) -> None:
    last = layout.columns - 1
    assert [layout.slot(0, column) for column in range(layout.columns)] == list(range(layout.columns))
    assert (layout.slot(1, 0), layout.slot(1, last)) == (last, 0)


@pytest.mark.parametrize("layout", ROWS, ids=str)
def test_places_row_is_numbered_as_its_owner_sees_it(layout: Layout) -> None:
    wide = layout.columns
    assert layout.places == 2 * wide
    for seat in (0, 1):
        near = [layout.slot(seat, column) for column in range(wide)]
        assert near == [seat * wide + column for column in range(wide)]


@pytest.mark.parametrize("layout", ROWS, ids=str)
@pytest.mark.parametrize("seat", [0, 1])
def test_places_far_side_is_the_other_row_seen_from_here(layout: Layout, seat: int) -> None:
    # What lies across the table from my leftmost pile is the rightmost pile of the other seat.
    wide = layout.columns
    far = [layout.slot(seat, column, far=True) for column in range(wide)]
    assert far == [layout.slot(1 - seat, wide - 1 - column) for column in range(wide)]


@pytest.mark.parametrize("layout", SHARED + ROWS, ids=str)
@pytest.mark.parametrize("seat", [0, 1])
def test_places_every_slot_has_one_button_and_comes_back(layout: Layout, seat: int) -> None:
    sides = (False, True)[: layout.sides]
    buttons = [(column, far) for far in sides for column in range(layout.columns)]
    slots = [layout.slot(seat, column, far=far) for column, far in buttons]
    assert sorted(slot for slot in slots if slot is not None) == list(range(layout.places))
    assert [layout.place(seat, slot) for slot in slots if slot is not None] == buttons


@pytest.mark.parametrize("layout", SHARED + ROWS, ids=str)
@pytest.mark.parametrize("seat", [0, 1])
def test_places_beyond_the_layout_there_is_no_slot(layout: Layout, seat: int) -> None:
    assert layout.slot(seat, layout.columns) is None
    assert layout.slot(seat, -1) is None
    assert layout.slot(seat, layout.columns, far=True) is None


def test_places_shared_piles_have_no_far_side() -> None:
    assert Layout(4).slot(0, 1, far=True) is None


@pytest.mark.parametrize("layout", SHARED + ROWS, ids=str)
def test_places_as_many_buttons_as_columns_will_do_and_fewer_say_why(layout: Layout) -> None:
    assert layout.refusal(layout.columns) is None
    assert layout.refusal(layout.columns + 1) is None
    why = layout.refusal(layout.columns - 1)
    assert why is not None
    assert str(layout.columns) in why
    assert str(layout.columns - 1) in why


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("layout", "buttons"),
    [(Layout(4), 4), (Layout(3), 4), (Layout(6), 10), (Layout(4, 2), 8), (Layout(5, 2), 10)],
)
def test_places_with_a_button_each_need_no_second_bank(layout: Layout, buttons: int, seat: int) -> None:
    # The near side first, left to right, then the far side, left to right as this player sees it.
    assert not layout.needs_second_bank(buttons)
    sides = (False, True)[: layout.sides]
    expected = [layout.slot(seat, column, far=far) for far in sides for column in range(layout.columns)]
    pressed = [layout.pressed(seat, button, buttons) for button in range(buttons)]
    assert pressed == expected + [None] * (buttons - layout.places)
    assert [layout.pressed(seat, button, buttons, second_bank=True) for button in range(buttons)] == pressed


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("layout", "buttons"), [(Layout(4, 2), 4), (Layout(4, 2), 7), (Layout(5, 2), 5), (Layout(7, 2), 10)]
)
def test_places_with_fewer_buttons_are_far_with_start_held(layout: Layout, buttons: int, seat: int) -> None:
    assert layout.needs_second_bank(buttons)
    for is_far in (False, True):
        pressed = [layout.pressed(seat, button, buttons, second_bank=is_far) for button in range(buttons)]
        near = [layout.slot(seat, column, far=is_far) for column in range(layout.columns)]
        assert pressed == near + [None] * (buttons - layout.columns)


@pytest.mark.parametrize("layout", SHARED + ROWS, ids=str)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("more", [0, 1, 2, 20])
def test_places_every_slot_knows_its_button(layout: Layout, seat: int, more: int) -> None:
    buttons = layout.columns + more
    for slot in range(layout.places):
        button, is_second = layout.button(seat, slot, buttons)
        assert 0 <= button < buttons
        assert layout.pressed(seat, button, buttons, second_bank=is_second) == slot
