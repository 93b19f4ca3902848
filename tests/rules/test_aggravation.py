"""Aggravation (A-1 to A-5): rows that grow, and the call."""

from __future__ import annotations

import pytest

from firmware.rules import (
    Card,
    Cover,
    DeadHeat,
    First,
    IllegalCommand,
    Options,
    Outcome,
    Reason,
    find,
)
from firmware.rules.events import (
    Beaten,
    Called,
    Covered,
    Dealt,
    Ended,
    Excuse,
    Frozen,
    Ignored,
    Offence,
    Penalised,
    RanOut,
    Touched,
)
from firmware.rules.layout import Layout
from firmware.rules.options import SECOND_BANK_CHORD_MS, DeadHeatPolicy, Redeal
from tests.rules.hands import MS, both_ways
from tests.rules.row_hands import GROW_NS, RowHand, deal_hand, verdict


def begun(near: str, far: str, *, options: Options | None = None, swap: bool = False) -> RowHand:
    """Each seat has dealt its first card: told slot 0 and told slot 7."""
    hand = deal_hand("aggravation", near, far, options=options, swap=swap)
    hand.go()
    return hand


def calling(*, options: Options | None = None, swap: bool = False) -> RowHand:
    """Seat 0 is out. Tops 9c at 0, 8c at 7 and, dealt by seat 1 alone, 8d at 8: seat 0 may call 7 and 8.

    Seat 1 has Qd and Jd left.
    """
    hand = begun("7h 7s 9c 8c", "7d 8d Qd Jd", options=options, swap=swap)
    hand.cover(0, 0)
    hand.cover(0, 0)
    hand.cover(0, 7)
    hand.wait(ns=GROW_NS)
    assert (hand.row(0), hand.row(1)) == ("9c - - - - - -", "8c 8d - - - - -")
    return hand


def both_calling(*, options: Options | None = None, swap: bool = False) -> RowHand:
    """Both seats ran out by the same deal, of 2c at 1 and 2d at 8: who calls them first?"""
    hand = begun("Ac 2c", "Kd 2d", options=options, swap=swap)
    hand.wait(ns=GROW_NS)
    return hand


#


def test_a1_each_seat_has_26_cards_and_seven_places() -> None:
    game = find("aggravation").game
    assert [len(holding.draw) for holding in game.start(Options(), 5).holdings] == [26, 26]
    assert game.layout == Layout(7, 2)


@both_ways
def test_a1_both_deal_one_card_and_another_each_until_there_is_a_match(swap: bool) -> None:
    hand = deal_hand("aggravation", "Ac 2c 3c 4c", "Kd Qd 3d Jd", swap=swap)
    for nth, (near, far) in enumerate((("Ac", "Kd"), ("2c", "Qd"), ("3c", "3d"))):
        events = hand.go() if nth == 0 else hand.wait(ns=GROW_NS)
        dealt = [(event.seat, event.slot, str(event.card)) for event in events if isinstance(event, Dealt)]
        assert sorted(dealt) == [(0, nth, near), (1, 7 + nth, far)]
        assert hand.wait(ns=GROW_NS - 1) == ()
        hand.now_ns -= GROW_NS - 1
    assert hand.wait(ms=60_000) == ()
    assert hand.open() == [2, 9]


@both_ways
def test_a1_press_on_a_place_not_dealt_yet_is_ignored(swap: bool) -> None:
    hand = begun("Ac 2c 3c", "Kd Qd Jd", swap=swap)
    assert hand.press(0, 3) == (Ignored(hand.now_ns, 0, 3, Excuse.NO_PILE),)
    assert isinstance(hand.press(0, 0)[0], Penalised)  # a card lies there, and it is not open


@both_ways
def test_a2_rows_grow_again_once_no_pile_is_open(swap: bool) -> None:
    hand = begun("7h 9c 2c 5c", "7d 8d 3d 6d", swap=swap)
    hand.wait(ms=5000)
    hand.cover(0, 0)
    assert hand.open() == [7]
    assert hand.wait(ms=5000) == ()  # D-4: one is still open
    hand.cover(1, 7)
    assert hand.wait(ns=GROW_NS - 1) == ()
    hand.wait(ns=1)
    assert (hand.row(0), hand.row(1)) == ("9c 2c - - - - -", "8d 3d - - - - -")


def test_a2_with_fourteen_tops_there_is_a_match() -> None:
    # Thirteen ranks differ; the fourteenth top cannot.
    hand = begun("Ac 2c 3c 4c 5c 6c 7c Ah", "8d 9d Td Jd Qd Kd Ad As")
    hand.wait(ns=6 * GROW_NS)
    assert "-" not in hand.row(0) + hand.row(1)
    assert hand.open() == [0, 13]
    assert hand.wait(ms=60_000) == ()


def test_a2_growing_is_no_redeal_and_nobody_is_asked_to_agree() -> None:
    hand = begun("Ac 2c 3c", "Kd Qd Jd", options=Options(redeal=Redeal.AGREE))
    assert hand.table.options.redeal is Redeal.AUTO
    with pytest.raises(IllegalCommand):
        hand.agree(0)


#


@both_ways
def test_a3_seat_without_cards_touches_a_pair_and_wins(swap: bool) -> None:
    for first, second in ((7, 8), (8, 7)):
        hand = calling(swap=swap)
        touched = hand.press(0, first, after_ms=300)
        assert touched == (Touched(hand.now_ns, 0, first, hand.now_ns + 400 * MS),)
        assert hand.press(0, second, after_ms=100) == (
            Called(hand.now_ns, 0, (first, second)),
            Ended(hand.now_ns, Reason.CALLED, 0),
        )
        assert hand.outcome == Outcome(Reason.CALLED, 0)


@both_ways
def test_a3_last_cover_is_told_as_running_out(swap: bool) -> None:
    hand = calling(swap=swap)
    assert [event.seat for event in hand.log if isinstance(event, RanOut)] == [0]
    assert hand.legal(0) == [7, 8]
    hand.press(0, 7)
    assert hand.legal(0) == [8]


@both_ways
@pytest.mark.parametrize(("late_ns", "is_call"), [(0, True), (1, False)])
def test_a3_second_touch_counts_within_the_chord_time(late_ns: int, is_call: bool, swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 7)
    events = hand.press(0, 8, after_ms=400, after_ns=late_ns)
    if is_call:
        assert hand.outcome == Outcome(Reason.CALLED, 0)
    else:  # it is a first touch again
        assert events == (Touched(hand.now_ns, 0, 8, hand.now_ns + 400 * MS),)


@both_ways
def test_a3_lone_first_touch_expires_without_penalty(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 0)
    assert hand.wait(ms=10_000) == ()
    hand.press(0, 7)
    hand.press(0, 8, after_ms=50)
    assert hand.outcome == Outcome(Reason.CALLED, 0)


@both_ways
def test_a3_one_place_touched_twice_is_no_pair_and_counts_from_the_second(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 7)
    assert hand.press(0, 7, after_ms=300) == (Touched(hand.now_ns, 0, 7, hand.now_ns + 400 * MS),)
    hand.press(0, 8, after_ms=300)
    assert hand.outcome == Outcome(Reason.CALLED, 0)


@both_ways
def test_a3_false_call_is_penalised_and_the_next_may_be_true(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 0)
    assert hand.press(0, 7, after_ms=20) == (
        Penalised(hand.now_ns, 0, 7, Offence.CALLED_WRONGLY, hand.now_ns + 500 * MS),
    )
    assert hand.press(0, 8, after_ms=20) == (Ignored(hand.now_ns, 0, 8, Excuse.PENALTY),)
    hand.press(0, 8, after_ms=480)
    hand.press(0, 7)
    assert hand.outcome == Outcome(Reason.CALLED, 0)


@both_ways
def test_a3_touch_of_a_place_without_a_pile_is_ignored(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 7)
    assert hand.press(0, 5) == (Ignored(hand.now_ns, 0, 5, Excuse.NO_PILE),)
    hand.press(0, 8)  # the first touch is still waiting
    assert hand.outcome == Outcome(Reason.CALLED, 0)


@both_ways
def test_a3_the_other_seat_may_still_cover_and_so_break_the_pair(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 7)
    assert hand.press(1, 8, after_ms=100)[0] == Covered(hand.now_ns, 1, 8, Card.parse("Qd"))
    assert hand.press(0, 8, after_ms=12) == (Beaten(hand.now_ns, 0, 8, 12 * MS),)


@both_ways
@pytest.mark.parametrize("covered", [7, 8])
@pytest.mark.parametrize(("after_ms", "is_beaten"), [(0, True), (200, True), (201, False)])
def test_t4_call_broken_by_a_cover_is_beaten(
    covered: int, after_ms: int, is_beaten: bool, swap: bool
) -> None:
    hand = calling(swap=swap)
    hand.cover(1, covered)
    hand.press(0, 7)
    events = hand.press(0, 8, after_ms=after_ms)
    if is_beaten:
        assert events == (Beaten(hand.now_ns, 0, 8, after_ms * MS),)
    else:
        assert isinstance(events[0], Penalised)


@both_ways
def test_t4_call_is_beaten_by_the_first_of_two_covers_that_took_the_pair_away(swap: bool) -> None:
    hand = begun("7h 7s 7c 9c 8c", "7d 8d Qd Jd Kd", swap=swap)
    for slot in (0, 0, 0, 7):
        hand.cover(0, slot)
    hand.wait(ns=GROW_NS)
    hand.cover(1, 7)
    hand.press(1, 8, after_ms=20)
    hand.press(0, 7)
    assert hand.press(0, 8, after_ms=10) == (Beaten(hand.now_ns, 0, 8, 30 * MS),)


@both_ways
def test_t4_call_that_was_no_pair_before_the_cover_either_is_penalised(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.cover(1, 8)
    hand.press(0, 0)
    assert isinstance(hand.press(0, 8, after_ms=5)[0], Penalised)


@both_ways
def test_a3_running_out_by_dealing_counts_the_same(swap: bool) -> None:
    hand = both_calling(swap=swap)
    assert sorted(event.seat for event in hand.log if isinstance(event, RanOut)) == [0, 1]
    hand.press(0, 1)
    hand.press(1, 8, after_ms=10)
    hand.press(1, 1, after_ms=10)
    assert hand.outcome == Outcome(Reason.CALLED, 1)


def test_a3_where_a_second_bank_is_needed_the_second_touch_has_more_time() -> None:
    layout = find("aggravation").game.layout
    assert layout.needs_second_bank(7)
    assert not layout.needs_second_bank(14)
    options = Options(redeal=Redeal.AGREE).with_second_bank()
    assert (options.chord_ms, options.redeal) == (SECOND_BANK_CHORD_MS, Redeal.AUTO)
    hand = calling(options=options)
    hand.press(0, 7)
    hand.press(0, 8, after_ms=SECOND_BANK_CHORD_MS)
    assert hand.outcome == Outcome(Reason.CALLED, 0)


#


@both_ways
def test_a4_after_the_last_card_another_match_is_needed_and_open_is_not_enough(swap: bool) -> None:
    hand = begun("7h 9c", "7d 9d", swap=swap)
    hand.cover(0, 0)  # 9c: what is left of the sevens is open, and equal to nothing
    assert not hand.table.is_over
    assert hand.open() == [7]
    assert hand.legal(0) == []
    hand.press(0, 0, after_ms=5)
    # Its own card broke the pair: nobody beat it to it.
    assert hand.press(0, 7)[0] == Penalised(hand.now_ns, 0, 7, Offence.CALLED_WRONGLY, hand.now_ns + 500 * MS)
    hand.wait(ns=GROW_NS)  # 9d
    hand.press(0, 0)
    hand.press(0, 8)
    assert hand.outcome == Outcome(Reason.CALLED, 0)


#


@both_ways
def test_a5_the_other_deals_alone_until_two_tops_are_equal(swap: bool) -> None:
    hand = begun("7h 7s 9c 8c", "7d Kd 9d Jd", swap=swap)
    hand.cover(0, 0)
    hand.cover(0, 0)
    hand.cover(0, 7)
    hand.wait(ns=GROW_NS)
    assert (hand.row(0), hand.row(1)) == ("9c - - - - - -", "8c Kd - - - - -")
    hand.wait(ns=GROW_NS)
    assert hand.row(1) == "8c Kd 9d - - - -"
    assert hand.wait(ms=60_000) == ()
    assert hand.legal(0) == [0, 9]


@both_ways
def test_a5_open_piles_do_not_stop_the_lone_dealer_and_may_still_be_covered(swap: bool) -> None:
    hand = begun("7h 9c", "7d 9d", swap=swap)
    hand.cover(0, 0)
    assert hand.legal(1) == [7]
    hand.wait(ns=GROW_NS)
    assert hand.row(1) == "7d 9d - - - - -"

    hand = begun("7h 9c", "7d 9d", swap=swap)
    hand.cover(0, 0)
    hand.cover(1, 7)  # 9d on 7d, and it matches 9c
    assert hand.legal(1) == hand.legal(0) == [0, 7]
    hand.press(1, 0)
    hand.press(1, 7)
    assert hand.outcome == Outcome(Reason.CALLED, 1)


@both_ways
def test_a5_lone_dealer_fills_its_side_then_free_places_of_the_other_and_owns_them(swap: bool) -> None:
    near = "7h Kc Ks Qc Qs Jc Js Tc Ts 6c 6s 9c 8c"
    far = "7d Ad 2d 3d 4d 5d 6d Jd Qd Kd Td 7c 9d"
    hand = begun(near, far, swap=swap)
    for _ in range(6):
        hand.cover(0, 0)
        hand.cover(0, 7)
    hand.wait(ns=6 * GROW_NS)
    assert (hand.row(0), hand.row(1)) == ("9c - - - - - -", "8c Ad 2d 3d 4d 5d 6d")
    hand.wait(ns=3 * GROW_NS)
    assert hand.row(0) == "9c Jd Qd Kd - - -"
    hand.wait(ns=3 * GROW_NS)
    assert hand.row(0) == "9c Jd Qd Kd Td 7c 9d"
    owners = [hand.seat(hand.table.piles[hand.slot(slot)].owner or 0) for slot in range(7)]
    assert owners == [0, 1, 1, 1, 1, 1, 1]
    assert hand.legal(0) == [0, 6]  # fourteen tops; both seats are out
    assert not hand.table.is_over


@both_ways
def test_a5_both_out_and_no_match_is_a_tie(swap: bool) -> None:
    hand = calling(swap=swap)
    hand.cover(1, 8)
    hand.wait(ns=GROW_NS)  # Jd, the last card of all
    assert hand.outcome == Outcome(Reason.TIE, None)


# T-5


@both_ways
@pytest.mark.parametrize("covered", [7, 8])
def test_t5_call_against_the_cover_that_breaks_it_is_a_dead_heat(covered: int, swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 7)
    hand.wait(ms=100)  # the call's time is its second touch
    said = verdict(hand, (0, 8, 400), (1, covered, 0))
    assert said == DeadHeat(hand.now_ns, ((0, 8), (1, covered)), None)
    events = hand.dead_heat((0, 8), (1, covered))
    frozen = {event.slot for event in events if isinstance(event, Frozen)}
    assert frozen == {7, 8}
    assert hand.press(1, covered) == (Ignored(hand.now_ns, 1, covered, Excuse.FROZEN),)
    hand.press(0, 7, after_ms=600)  # both go again
    hand.press(0, 8)
    assert hand.outcome == Outcome(Reason.CALLED, 0)


@both_ways
def test_t5_call_that_wins_in_any_order_is_no_contest(swap: bool) -> None:
    hand = begun("7h 7s 8c", "7d 8d Qd", swap=swap)
    hand.cover(0, 0)
    hand.cover(0, 7)  # 8c; 7s at 0 stays open
    hand.wait(ns=GROW_NS)
    hand.press(0, 7)
    assert verdict(hand, (0, 8, 500), (1, 0, 0)) == First(Cover(hand.now_ns, 1, 0))
    assert verdict(hand, (0, 8, 0), (1, 0, 500)) == First(Cover(hand.now_ns, 0, 8))


@both_ways
def test_t5_first_touch_contests_with_nothing(swap: bool) -> None:
    hand = calling(swap=swap)
    assert verdict(hand, (0, 7, 500), (1, 7, 0)) == First(Cover(hand.now_ns, 1, 7))
    assert verdict(hand, (0, 7, 0), (1, 7, 500)) == First(Cover(hand.now_ns, 0, 7))


@both_ways
def test_t5_two_calls_of_one_pair_are_a_dead_heat(swap: bool) -> None:
    hand = both_calling(options=Options(dead_heat=DeadHeatPolicy.COIN), swap=swap)
    hand.press(0, 1)
    hand.press(1, 1)
    said = verdict(hand, (0, 8, 0), (1, 8, 0))
    assert isinstance(said, DeadHeat)
    assert said.contestants == ((0, 8), (1, 8))
    hand.dead_heat(*said.contestants, winner=said.winner)
    assert hand.outcome == Outcome(Reason.CALLED, said.winner)


@both_ways
@pytest.mark.parametrize("winner", [0, 1])
def test_t5_tossed_call_wins_or_is_beaten(winner: int, swap: bool) -> None:
    hand = calling(swap=swap)
    hand.press(0, 7)
    events = hand.dead_heat((0, 8), (1, 7), winner=winner)
    if winner == 0:
        assert hand.outcome == Outcome(Reason.CALLED, 0)
    else:
        assert isinstance(events[1], Covered)
        assert events[-1] == Beaten(hand.now_ns, 0, 8, 0)


@both_ways
def test_t5_third_dead_heat_running_is_tossed(swap: bool) -> None:
    hand = calling(swap=swap)
    for _ in range(2):
        hand.press(0, 7)
        said = verdict(hand, (0, 8, 0), (1, 7, 0))
        assert isinstance(said, DeadHeat)
        assert said.winner is None
        hand.dead_heat(*said.contestants)
        hand.wait(ms=600)
    hand.press(0, 7)
    said = verdict(hand, (0, 8, 0), (1, 7, 0))
    assert isinstance(said, DeadHeat)
    assert said.winner in (0, 1)


# M-2


@both_ways
def test_m2_unequal_split_still_grows_equal_rows_until_one_seat_is_out(swap: bool) -> None:
    near = "Ac 2c 3c 4c 5c 6c 8c Ah 2h 3h 4h 5h"
    far = "9d Td Jd Qd Kd 7d 8d 9s Ts Js Qs Ks 7s 8s"
    hand = begun(near, far, options=Options(split=(12, 14)), swap=swap)
    hand.wait(ns=6 * GROW_NS)
    assert (hand.row(0), hand.row(1)) == ("Ac 2c 3c 4c 5c 6c 8c", "9d Td Jd Qd Kd 7d 8d")
    assert [len(hand.draw(seat).split()) for seat in (0, 1)] == [5, 7]
