"""The plug is pulled in the midst of a match: it is offered again, and nobody has to take it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from firmware.clock import NS_PER_MS, NS_PER_S
from firmware.keep.keeper import Keeper
from firmware.rules import Match, Options
from firmware.session.records import HandBegan, HandEnded, Interrupted, MatchLeft
from firmware.session.view import Stage
from firmware.session.waiting import FORGOTTEN_NS, LEFT_ALONE_NS
from firmware.touch.contact import START
from tests.cabinet import ScriptedCabinet
from tests.keep.hands import OPTIONS, Complaints

BEGUN = Match(3, (0, 1), 1)
NEW = Match(3, (0, 0))
CLASSIC = Interrupted("classic", OPTIONS, 2, BEGUN)
SWAP = pytest.mark.parametrize("swap", [False, True], ids=["as is", "swapped"])

Cabinets = Callable[..., ScriptedCabinet]


def offered(cabinet: ScriptedCabinet) -> tuple[Match, Match | None]:
    assert cabinet.is_in(Stage.START)
    return cabinet.view.match, cabinet.view.other_match


def let_pass(cabinet: ScriptedCabinet, ns: int) -> None:
    """Nobody presses for so long: at once, since nothing happens meanwhile."""
    cabinet.clock.move_to(cabinet.now_ns + ns)
    cabinet.wait_ms(20)


def left(cabinet: ScriptedCabinet) -> int:
    return sum(isinstance(record, MatchLeft) for record in cabinet.records)


def test_interrupted_match_is_shown_at_the_start_and_goes_on_with_both_starts(cabinets: Cabinets) -> None:
    cabinet = cabinets(interrupted=CLASSIC)
    assert offered(cabinet) == (BEGUN, NEW)
    cabinet.start_both()
    assert cabinet.is_in(Stage.COUNTDOWN)
    assert cabinet.view.match == BEGUN
    assert cabinet.view.other_match is None
    (began,) = cabinet.records
    assert isinstance(began, HandBegan)
    assert (began.wins, began.best_of) == ((0, 1), 3)


@SWAP
def test_a_pile_button_changes_to_a_new_match_and_back(cabinets: Cabinets, swap: bool) -> None:
    cabinet = cabinets(interrupted=CLASSIC, swap=swap)
    cabinet.tap(0, START)
    assert any(cabinet.view.is_ready)
    cabinet.tap(1, 2)
    assert offered(cabinet) == (NEW, BEGUN)
    assert not any(cabinet.view.is_ready), "ready for the one is not ready for the other"
    cabinet.tap(0, 0)
    assert offered(cabinet) == (BEGUN, NEW)
    cabinet.tap(0, 0)
    assert not left(cabinet), "nothing is decided yet"
    cabinet.start_both()
    assert cabinet.view.match == NEW
    assert [type(record) for record in cabinet.records] == [MatchLeft, HandBegan]


def test_interrupted_match_is_forgotten_when_nobody_comes(cabinets: Cabinets) -> None:
    cabinet = cabinets(interrupted=CLASSIC)
    let_pass(cabinet, FORGOTTEN_NS - 100 * NS_PER_MS)
    assert offered(cabinet) == (BEGUN, NEW)
    cabinet.wait_ms(100)
    assert offered(cabinet) == (NEW, None)
    assert left(cabinet) == 1
    cabinet.tap(0, 1)
    assert offered(cabinet) == (NEW, None), "piles count for nothing again"


def test_one_who_is_ready_and_goes_leaves_the_offer_to_stand(cabinets: Cabinets) -> None:
    cabinet = cabinets(interrupted=CLASSIC)
    cabinet.tap(0, START)
    let_pass(cabinet, LEFT_ALONE_NS)
    assert offered(cabinet) == (BEGUN, NEW)
    assert not any(cabinet.view.is_ready)
    let_pass(cabinet, FORGOTTEN_NS)
    assert offered(cabinet) == (NEW, None)


@pytest.mark.parametrize(
    "other",
    [
        replace(CLASSIC, game_id="suit"),
        replace(CLASSIC, options=Options(grace_ms=100).for_seats(2)),
        replace(CLASSIC, match=Match(5, (0, 1), 1)),
        replace(CLASSIC, seats=3, match=Match(3, (0, 1, 0), 1)),
    ],
    ids=["game", "options", "best of", "seats"],
)
def test_a_match_of_other_settings_is_not_offered(cabinets: Cabinets, other: Interrupted) -> None:
    assert offered(cabinets(interrupted=other)) == (NEW, None)


def test_a_match_without_a_whole_hand_is_a_new_one(cabinets: Cabinets) -> None:
    assert offered(cabinets(interrupted=replace(CLASSIC, match=NEW))) == (NEW, None)
    tied = Match(3, (0, 0), 1)
    assert offered(cabinets(interrupted=replace(CLASSIC, match=tied))) == (tied, NEW)


def test_a_match_is_left_when_its_result_is_not_answered(cabinets: Cabinets) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(5))
    cabinet.to_go()
    play_out(cabinet)
    assert cabinet.is_in(Stage.RESULT)
    assert not left(cabinet)
    let_pass(cabinet, LEFT_ALONE_NS)
    assert cabinet.is_in(Stage.START)
    assert left(cabinet) == 1


def test_a_match_is_left_when_nobody_is_there_in_a_hand(cabinets: Cabinets) -> None:
    cabinet = cabinets(interrupted=CLASSIC)
    cabinet.to_go()
    cabinet.wait_ms(61_000)
    assert offered(cabinet) == (NEW, None)
    assert [type(record) for record in cabinet.records][-2:] == [HandEnded, MatchLeft]


def test_a_fault_of_the_program_offers_the_match_as_a_restart_does(
    cabinets: Cabinets, monkeypatch: pytest.MonkeyPatch
) -> None:
    cabinet = cabinets(interrupted=CLASSIC)
    cabinet.to_go()

    def broken(table: object, command: object) -> None:
        raise RuntimeError("a fault in the program")

    with monkeypatch.context() as patch:
        patch.setattr("firmware.session.hand.rules.apply", broken)
        cabinet.tap(0, 0)
        cabinet.wait_ms(2000)
    assert offered(cabinet) == (BEGUN, NEW)


def play_out(cabinet: ScriptedCabinet) -> None:
    """Both cover whatever they can until the hand is over."""
    for _ in range(400):
        if not cabinet.is_in(Stage.HAND):
            return
        legal = [(seat, slots) for seat in (0, 1) if (slots := cabinet.legal(seat))]
        if legal:
            cabinet.cover(legal[0][0], legal[0][1][0])
        cabinet.wait_ms(160)
    raise AssertionError("the hand does not end")


# Through the disk


@pytest.mark.parametrize("game", ["rank_or_suit", "doubles"])
def test_match_goes_on_after_the_plug_with_the_same_wins_to_its_end(
    cabinets: Cabinets, tmp_path: Path, game: str
) -> None:
    """The plug is pulled within every hand, and the hand is dealt anew."""
    seeds, offers = count(5), []
    for _ in range(12):
        keeper = Keeper(tmp_path, Complaints())
        cabinet = cabinets(game, seeds=seeds, interrupted=keeper.open(), best_of=3)
        offers.append(cabinet.view.match)
        cabinet.to_go()
        for record in cabinet.records:
            keeper.write(record)
        keeper.close()  # in the midst of a hand: as if it had not been
        keeper = Keeper(tmp_path, Complaints())
        cabinet = cabinets(game, seeds=seeds, interrupted=keeper.open(), best_of=3)
        assert cabinet.view.match == offers[-1]
        cabinet.to_go()
        play_out(cabinet)
        match = cabinet.view.match
        for record in cabinet.records:
            keeper.write(record)
        keeper.close()
        assert match.hands == offers[-1].hands + 1
        if match.winner is not None:
            break
    assert cabinet.is_in(Stage.MATCH_END)
    keeper = Keeper(tmp_path, Complaints())
    assert keeper.open() is None
    keeper.close()


# Saved


def test_result_says_that_it_is_saved_only_when_it_is(cabinets: Cabinets) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(5))
    cabinet.to_go()
    play_out(cabinet)
    assert not any(view.is_saved for view in cabinet.views)
    ended = cabinet.records[-1]
    assert isinstance(ended, HandEnded)
    cabinet.cabinet.saved(ended)
    cabinet.wait_ms(20)
    assert cabinet.view.is_saved
    assert cabinet.is_in(Stage.RESULT)
    cabinet.start_both()
    assert not cabinet.view.is_saved
    cabinet.wait_until(cabinet.now_ns + 4 * NS_PER_S)
    cabinet.cabinet.saved(ended)
    cabinet.wait_ms(20)
    assert not cabinet.view.is_saved, "that was the hand before"


# What is counted


@SWAP
def test_presses_and_faults_are_counted_for_each_button(cabinets: Cabinets, swap: bool) -> None:
    cabinet = cabinets(swap=swap)
    cabinet.tap(0, START)
    cabinet.tap(0, 2)
    cabinet.wait_ms(300)
    cabinet.tap(0, 2)
    cabinet.press(1, 0)
    cabinet.wait_ms(0.2)
    cabinet.release(1, 0)
    cabinet.wait_ms(50)
    near, far = cabinet.seat(0) + 1, cabinet.seat(1) + 1
    counted = cabinet.cabinet.session.counted()
    assert {key: n for key, n in counted.items() if n} == {
        ("touches", ""): 3,
        ("presses", f"player {near} START"): 1,
        ("presses", f"player {near}, place 3"): 2,
        ("spike", ""): 1,
        ("spike", f"player {far}, place 1"): 1,
    }
