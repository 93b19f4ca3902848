"""Row games at the table, through mock pins: the second bank on START, calls by a chord of two buttons."""

from __future__ import annotations

from itertools import combinations, count
from typing import Any

import pytest

from firmware import rules
from firmware.profiles import PROFILES, profile
from firmware.rules import Outcome, Reason
from firmware.rules.events import Called, Covered, Offence, Penalised, Touched
from firmware.session.view import NoteKind, Stage
from firmware.settings import Play, Settings
from firmware.touch.contact import START
from tests.cabinet import ScriptedCabinet

SWAP = pytest.mark.parametrize("swap", [False, True], ids=["near", "far"])
BREAKS_US = [(60, 110), (500, 1400), (2600, 2620)]


def cabinet_for(name: str, game: str, **options: Any) -> Settings:
    """The named profile, set to play *game*."""
    return Settings(seat=profile(name).seat, play=Play(game=game, **options))


@pytest.fixture(name="cabinets")
def cabinets_of_settings(cabinets: Any) -> Any:
    """Cabinets of given settings, the seeds of their hands counted from *seed*."""

    def make(settings: Settings, *, swap: bool = False, seed: int = 1) -> Any:
        return cabinets(settings.play.game, settings=settings, swap=swap, seeds=count(seed))

    return make


def wait_for_legal(cabinet: ScriptedCabinet, seat: int) -> tuple[int, ...]:
    for _ in range(2000):
        slots = cabinet.legal(seat)
        if slots or not cabinet.is_in(Stage.HAND):
            return slots
        cabinet.wait_ms(20)
    raise AssertionError("nothing can be covered")


def press_slot(cabinet: ScriptedCabinet, seat: int, slot: int) -> None:
    """Touch the place of *slot*, with START held where it is in the second bank."""
    layout = cabinet.table.game.layout
    number, is_far = layout.button(cabinet.seat(seat), slot, cabinet.settings.buttons)
    if is_far:
        cabinet.press(seat, START)
        cabinet.wait_ms(40)
    cabinet.tap(seat, number)
    if is_far:
        cabinet.release(seat, START)
        cabinet.wait_ms(40)


# The second bank


@SWAP
def test_second_bank_start_held_makes_the_buttons_the_far_side(cabinets: Any, swap: bool) -> None:
    cabinet = cabinets(cabinet_for("4-buttons", "double_flip"), swap=swap)
    cabinet.to_go()
    seat, layout = cabinet.seat(0), cabinet.table.game.layout
    seen: set[bool] = set()
    for _ in range(60):
        slots = wait_for_legal(cabinet, 0)
        if not cabinet.is_in(Stage.HAND) or len(seen) == 2:
            break
        slot = next((s for s in slots if layout.button(seat, s, 4)[1] not in seen), slots[0])
        press_slot(cabinet, 0, slot)
        covered = cabinet.events(Covered)[-1]
        assert (covered.seat, covered.slot) == (seat, slot)
        seen.add(layout.button(seat, slot, 4)[1])
    assert seen == {True, False}


@SWAP
def test_second_bank_is_shown_while_start_is_held(cabinets: Any, swap: bool) -> None:
    cabinet = cabinets(cabinet_for("4-buttons", "double_flip"), swap=swap)
    cabinet.to_go()
    cabinet.press(0, START)
    cabinet.wait_ms(20)
    assert cabinet.view.has_second_bank[cabinet.seat(0)]
    assert not cabinet.view.has_second_bank[cabinet.seat(1)]
    cabinet.release(0, START)
    cabinet.wait_ms(40)
    assert cabinet.view.has_second_bank == (False, False)


@pytest.mark.parametrize("start_us", [-2900, -500, 500, 2900])
def test_second_bank_counts_as_held_if_closed_for_most_of_three_ms_around(
    cabinets: Any, start_us: int
) -> None:
    """START closes before or after the pile button: held if it was closed for more than 3 of the 6 ms."""
    cabinet = cabinets(cabinet_for("4-buttons", "double_flip"))
    cabinet.to_go()
    wait_for_legal(cabinet, 0)
    number, began_ns = 0, cabinet.now_ns
    if start_us < 0:
        cabinet.press(0, START)
        cabinet.wait_ms(-start_us / 1000)
        cabinet.press(0, number)
    else:
        cabinet.press(0, number)
        cabinet.wait_ms(start_us / 1000)
        cabinet.press(0, START)
    cabinet.wait_ms(20)
    layout = cabinet.table.game.layout
    commands = [command for command in cabinet.played()[1] if isinstance(command, rules.Cover)]
    assert [command.slot for command in commands] == [layout.slot(0, number, far=start_us < 0)]
    assert commands[0].at_ns == began_ns - min(0, start_us) * 1000, "the time is the pile button's"


def test_second_bank_no_agreement_by_start_where_it_is_one() -> None:
    from firmware.rules.options import Redeal

    settings = cabinet_for("4-buttons", "double_flip", redeal=Redeal.AGREE)
    cabinet = ScriptedCabinet(settings=settings)
    cabinet.to_go()
    assert cabinet.table.options.redeal is Redeal.AUTO
    assert cabinet.table.options.chord_ms == 1500
    cabinet.close()


def test_every_place_has_its_button_where_there_are_enough(cabinets: Any) -> None:
    cabinet = cabinets(cabinet_for("8-buttons", "double_flip"))
    cabinet.to_go()
    slots = wait_for_legal(cabinet, 0)
    press_slot(cabinet, 0, slots[-1])
    assert cabinet.events(Covered)[-1].slot == slots[-1]
    cabinet.press(0, START)
    cabinet.wait_ms(20)
    assert cabinet.view.has_second_bank == (False, False)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_plays_every_game_it_says_it_can(cabinets: Any, name: str) -> None:
    buttons = profile(name).buttons
    for game in rules.playable(buttons):
        cabinet = cabinets(cabinet_for(name, game))
        cabinet.to_go()
        while not (seats := [seat for seat in (0, 1) if cabinet.legal(seat)]):
            cabinet.wait_ms(20)
        slot = cabinet.legal(seats[0])[-1]
        press_slot(cabinet, seats[0], slot)
        covered = cabinet.events(Covered)[-1]
        assert (covered.seat, covered.slot) == (seats[0], slot)


# Calls


def to_a_call(cabinet: ScriptedCabinet) -> None:
    """Seat 0 alone covers whatever it can, until it has no card left and has to call."""
    cabinet.to_go()
    for _ in range(300):
        holding = cabinet.table.holdings[cabinet.seat(0)]
        if not holding.draw:
            return
        press_slot(cabinet, 0, wait_for_legal(cabinet, 0)[0])
    raise AssertionError("seat 0 does not run out")


def pairs(cabinet: ScriptedCabinet, *, are_equal: bool) -> list[tuple[int, int]]:
    """Two different places whose tops are equal now, or are not; both on the near side of seat 0."""
    piles = cabinet.table.piles
    seat, layout = cabinet.seat(0), cabinet.table.game.layout
    near = [s for s, pile in enumerate(piles) if pile.cards and not layout.place(seat, s)[1]]
    return [
        (one, other)
        for one, other in combinations(near, 2)
        if (piles[one].top.rank == piles[other].top.rank) == are_equal
    ]


@SWAP
@pytest.mark.parametrize("are_equal", [True, False])
def test_a3_chord_with_bounce_on_both_buttons_wins_exactly_with_a_true_pair(
    cabinets: Any, swap: bool, are_equal: bool
) -> None:
    for seed in count(1):
        cabinet = cabinets(cabinet_for("7-buttons", "aggravation"), swap=swap, seed=seed)
        to_a_call(cabinet)
        found = pairs(cabinet, are_equal=are_equal)
        if cabinet.is_in(Stage.HAND) and found:
            break
    one, other = (cabinet.button(0, slot) for slot in found[0])
    cabinet.bounce(0, one, BREAKS_US)
    cabinet.wait_ms(9)
    second_ns = cabinet.now_ns
    cabinet.bounce(0, other, BREAKS_US)
    cabinet.wait_ms(20)
    assert len(cabinet.events(Touched)) == 1
    if are_equal:
        assert [event.at_ns for event in cabinet.events(Called)] == [second_ns], "judged at the second touch"
        assert cabinet.table.outcome == Outcome(Reason.CALLED, cabinet.seat(0))
        return
    offences = [(event.seat, event.offence) for event in cabinet.events(Penalised)]
    assert offences == [(cabinet.seat(0), Offence.CALLED_WRONGLY)]
    note = cabinet.view.notes[cabinet.seat(0)]
    assert note is not None
    assert note.kind is NoteKind.CALLED_WRONGLY
    assert cabinet.table.outcome is None


# More seats than sides


def test_tournament_cpu_seats_take_the_same_way_as_buttons(cabinets: Any) -> None:
    from firmware.touch.contact import Button

    cabinet = cabinets(cabinet_for("5-buttons", "tournament", seats=4))
    cabinet.to_go()
    assert len(cabinet.table.holdings) == 4
    slots = wait_for_legal(cabinet, 2)
    button = Button(2, slots[0])
    cabinet.cabinet.push(button, cabinet.now_ns, 0)
    cabinet.wait_ms(20)
    assert [(event.seat, event.slot) for event in cabinet.events(Covered)] == [(2, slots[0])]
    assert "cpu3:" in cabinet.edges[-1].line
