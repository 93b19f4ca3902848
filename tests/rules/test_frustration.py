"""Frustration (F-1 to F-3): rows that grow and are gathered, and a share of the pack that shrinks."""

from __future__ import annotations

import pytest

from firmware.rules import (
    PACK,
    DeadHeat,
    IllegalCommand,
    Options,
    Outcome,
    Reason,
    find,
)
from firmware.rules.deal import shuffled
from firmware.rules.events import (
    Beaten,
    Covered,
    Dealt,
    Ended,
    Excuse,
    Frozen,
    Gathered,
    Ignored,
    Penalised,
    Thawed,
)
from firmware.rules.frustration import CAP_GATHER
from firmware.rules.layout import Layout
from firmware.rules.options import Redeal
from tests.rules.hands import MS, both_ways
from tests.rules.row_hands import GROW_NS, RowHand, deal_hand, verdict

RANKS = "A234568TJQK9"
NEAR = " ".join(["7h", *(rank + "c" for rank in RANKS[:11])])
FAR = " ".join(["7d", *(rank + "d" for rank in RANKS[:11])])


def begun(near: str, far: str, *, options: Options | None = None, swap: bool = False) -> RowHand:
    """Each seat has dealt its first card: told slot 0 and told slot 7."""
    hand = deal_hand("frustration", near, far, options=options, swap=swap)
    hand.go()
    return hand


def nearly_out(far: str = FAR, *, options: Options | None = None, swap: bool = False) -> RowHand:
    """Each seat has covered its own pile ten times over, equal on equal: seat 0 has one card left."""
    hand = begun(NEAR, far, options=options, swap=swap)
    for _ in range(10):
        hand.cover(0, 0)
        hand.cover(1, 7)
    assert hand.draw(0) == "Kc"
    assert hand.open() == [0, 7]
    return hand


# F-1


def test_f1_deals_as_aggravation_does() -> None:
    game = find("frustration").game
    assert [len(holding.draw) for holding in game.start(Options(), 5).holdings] == [26, 26]
    assert game.layout == Layout(7, 2)
    assert find("frustration").best_of == 1  # M-1


@both_ways
def test_f1_rows_grow_until_there_is_a_match(swap: bool) -> None:
    hand = begun("Ac 2c 3c 4c", "Kd Qd 3d Jd", swap=swap)
    hand.wait(ns=2 * GROW_NS)
    assert (hand.row(0), hand.row(1)) == ("Ac 2c 3c - - - -", "Kd Qd 3d - - - -")
    assert hand.wait(ms=60_000) == ()


@both_ways
def test_f1_seat_out_by_a_cover_has_both_gather_at_once_even_over_open_piles(swap: bool) -> None:
    hand = nearly_out(swap=swap)
    events = hand.press(0, 0)
    assert isinstance(events[0], Covered)
    assert sorted(events[1:], key=lambda event: event.seat) == [  # type: ignore[union-attr]
        Gathered(hand.now_ns, 0, (0,)),
        Gathered(hand.now_ns, 1, (7,)),
    ]
    assert hand.open() == []
    assert hand.draw(0) == NEAR  # bottom card first
    assert hand.draw(1) == f"Kd {FAR.removesuffix(' Kd')}"  # under what was left


@both_ways
def test_f1_both_start_anew_with_one_card_each(swap: bool) -> None:
    hand = nearly_out(swap=swap)
    hand.cover(0, 0)
    assert hand.wait(ns=GROW_NS - 1) == ()
    dealt = [event for event in hand.wait(ns=1) if isinstance(event, Dealt)]
    assert sorted((event.seat, event.slot, str(event.card)) for event in dealt) == [
        (0, 0, "7h"),
        (1, 7, "Kd"),
    ]


@both_ways
def test_f1_seat_out_by_a_deal_gathers_just_so(swap: bool) -> None:
    far = f"{FAR.removesuffix(' Kd')} 9s 7s 8h 2s"
    hand = nearly_out(far, options=Options(split=(12, 15)), swap=swap)
    hand.cover(1, 7)  # 9s
    hand.cover(1, 0)  # 7s
    assert hand.open() == []
    events = hand.wait(ns=GROW_NS)  # seat 0's last card, and 8h
    assert [type(event) for event in events] == [Dealt, Dealt, Gathered, Gathered]
    assert len(hand.draw(0).split()) == 13
    assert hand.draw(1).startswith("2s 7d")
    assert hand.draw(1).endswith("Qd 9s 8h")


@both_ways
def test_f1_press_just_after_the_gather_is_beaten_where_it_was_legal_and_else_ignored(swap: bool) -> None:
    hand = nearly_out(swap=swap)
    hand.cover(0, 0)
    assert hand.press(1, 7, after_ms=12) == (Beaten(hand.now_ns, 1, 7, 12 * MS),)
    assert hand.press(1, 3) == (Ignored(hand.now_ns, 1, 3, Excuse.NO_PILE),)
    assert hand.press(1, 7, after_ms=300) == (Ignored(hand.now_ns, 1, 7, Excuse.NO_PILE),)


@both_ways
def test_f1_place_of_a_longer_row_before_is_awaited_again(swap: bool) -> None:
    hand = begun("Ac 2c 7h 3c 4c 5c 6c Tc Jc Qc Kc 9c", "9d 8s 7d 3d 4d 5d 6d Td Jd Qd Kd 8d", swap=swap)
    hand.wait(ns=2 * GROW_NS)
    for _ in range(8):
        hand.cover(0, 2)
        hand.cover(1, 9)
    hand.cover(0, 2)
    hand.wait(ns=GROW_NS)
    assert hand.row(0) == "Ac - - - - - -"
    assert hand.press(0, 2) == (Ignored(hand.now_ns, 0, 2, Excuse.NO_PILE),)


def test_f1_nobody_is_asked_to_agree() -> None:
    hand = begun(NEAR, FAR, options=Options(redeal=Redeal.AGREE))
    assert hand.table.options.redeal is Redeal.AUTO
    with pytest.raises(IllegalCommand):
        hand.agree(0)


# F-2


@both_ways
def test_f2_share_of_ten_wins_by_covering_the_other_side(swap: bool) -> None:
    hand = begun(NEAR.replace("Ac 2c", "7s Ac"), FAR, swap=swap)
    assert hand.share(0) == 12
    hand.cover(0, 7)  # 7s
    assert (hand.share(0), hand.share(1)) == (11, 13)
    assert not hand.table.is_over
    assert hand.press(0, 7)[-1] == Ended(hand.now_ns, Reason.SMALL_SHARE, 0)
    assert (hand.share(0), hand.share(1)) == (10, 14)


@both_ways
def test_f2_covering_the_own_side_changes_no_share(swap: bool) -> None:
    hand = begun(NEAR, FAR, swap=swap)
    hand.cover(0, 0)
    assert (hand.share(0), hand.share(1)) == (12, 12)


@both_ways
def test_f2_comes_before_the_gather(swap: bool) -> None:
    # The last card of seat 0 goes to the other side and makes ten: the hand is won, nothing is gathered.
    near = NEAR.removesuffix(" Kc").replace("7h", "7h 7s")
    hand = begun(near, FAR, swap=swap)
    hand.cover(0, 7)  # 7s on 7d: eleven
    for _ in range(9):
        hand.cover(0, 0)
        hand.cover(1, 7)
    assert len(hand.draw(0).split()) == 1
    assert hand.share(0) == 11
    assert 7 in hand.open()
    assert hand.press(0, 7)[-1] == Ended(hand.now_ns, Reason.SMALL_SHARE, 0)
    assert not any(isinstance(event, Gathered) for event in hand.log)


# F-3


@both_ways
@pytest.mark.parametrize(
    ("near", "outcome"), [(26, Outcome(Reason.TIE, None)), (24, Outcome(Reason.FEWER_CARDS, 0))]
)
def test_f3_fortieth_gather_is_not_made(near: int, outcome: Outcome, swap: bool) -> None:
    # Each seat covers its own row only, so that no card changes hands.
    deck = shuffled(PACK, 4)
    first, second = (" ".join(map(str, part)) for part in (deck[:near], deck[near:]))
    hand = begun(first, second, options=Options(split=(near, 52 - near)), swap=swap)
    while not hand.table.is_over:
        own = [(seat, slot) for seat in (0, 1) for slot in hand.legal(seat) if slot // 7 == seat]
        if own:
            hand.cover(*own[0])
        else:
            hand.wait(ns=GROW_NS)
    assert hand.outcome == outcome
    assert hand.table.redeals == CAP_GATHER - 1
    assert len([event for event in hand.log if isinstance(event, Gathered)]) == 2 * (CAP_GATHER - 1)


# T-5


@both_ways
def test_t5_cover_that_makes_both_gather_contests_with_one_it_keeps_from_landing(swap: bool) -> None:
    hand = nearly_out(swap=swap)
    assert verdict(hand, (0, 0, 0), (1, 7, 400)) == DeadHeat(hand.now_ns, ((0, 0), (1, 7)), None)


@both_ways
def test_t5_frozen_pile_that_is_gathered_is_frozen_no_more(swap: bool) -> None:
    hand = nearly_out(options=Options(deal_interval_ms=100), swap=swap)
    hand.dead_heat((0, 7), (1, 7))
    assert hand.log[-1] == Frozen(hand.now_ns, 7, hand.now_ns + 600 * MS)
    assert Thawed(hand.now_ns, 7) in hand.press(0, 0)
    assert isinstance(hand.press(1, 7, after_ms=250)[0], Penalised)  # Kd lies there, a pile like any other


# M-2


@both_ways
def test_m2_unequal_split_gives_one_seat_the_shorter_way(swap: bool) -> None:
    hand = begun(NEAR.replace("Ac", "7s"), f"{FAR} 9d 9s", options=Options(split=(12, 14)), swap=swap)
    assert (hand.share(0), hand.share(1)) == (12, 14)
    hand.cover(0, 7)
    hand.cover(0, 7)
    assert hand.outcome == Outcome(Reason.SMALL_SHARE, 0)
