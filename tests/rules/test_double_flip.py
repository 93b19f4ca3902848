"""Double flip and doubles (D-1 to D-8), with what T says about open piles."""

from __future__ import annotations

import pytest

from firmware.rules import (
    PACK,
    Card,
    Cover,
    DeadHeat,
    First,
    IllegalCommand,
    Options,
    Outcome,
    Reason,
    find,
    playable,
)
from firmware.rules.deal import shuffled
from firmware.rules.events import (
    Agreed,
    Beaten,
    Covered,
    Dealt,
    Ended,
    Excuse,
    Frozen,
    Gathered,
    Ignored,
    Offence,
    Penalised,
    Redealt,
    Stuck,
)
from firmware.rules.laid_rows import BARREN_ROWS, MOST_GATHERS
from firmware.rules.layout import Layout
from firmware.rules.options import DeadHeatPolicy, Redeal
from tests.rules.hands import MS, both_ways, swapped
from tests.rules.row_hands import LAY_NS, PAUSE_NS, RowHand, deal_hand, verdict

NEAR = "7h 2d 3d 4s"
FAR = "7c Jd Qd Ks"


def laid(
    near: str = f"{NEAR} 9c 8c 6c",
    far: str = f"{FAR} 9d 8d 6d",
    *,
    kind: str = "double_flip",
    options: Options | None = None,
    swap: bool = False,
) -> RowHand:
    """Both rows lie: told slots 0-3 are the first cards of *near*, 4-7 of *far*; 0 and 4 match by default."""
    hand = deal_hand(kind, near, far, options=options, swap=swap)
    hand.go()
    hand.wait(ns=3 * LAY_NS)
    return hand


def no_match(*, options: Options | None = None, swap: bool = False) -> RowHand:
    """Nobody can move, on this row and on all that follow: no two cards are equal."""
    return laid("Ac 2d 3d 4s 5c", "6c 7d 8d 9s Tc", options=options, swap=swap)


# D-1


def test_d1_each_seat_has_26_cards_and_a_row_of_four() -> None:
    game = find("double_flip").game
    table = game.start(Options(), 5)
    assert [len(holding.draw) for holding in table.holdings] == [26, 26]
    assert game.layout == Layout(4, 2)
    assert len(table.pack) == 52


@both_ways
def test_d1_rows_are_laid_one_card_at_a_time_by_both_at_once(swap: bool) -> None:
    hand = deal_hand("double_flip", f"{NEAR} 9c", f"{FAR} 9d", swap=swap)
    near, far = NEAR.split(), FAR.split()
    for nth in range(4):
        events = hand.go() if nth == 0 else hand.wait(ns=LAY_NS)
        dealt = [event for event in events if isinstance(event, Dealt)]
        assert sorted((event.seat, event.slot, str(event.card)) for event in dealt) == [
            (0, nth, near[nth]),
            (1, 4 + nth, far[nth]),
        ]
        assert all(event.at_ns == hand.now_ns for event in dealt)
    assert (hand.draw(0), hand.draw(1)) == ("9c", "9d")


@both_ways
def test_d1_nothing_may_be_covered_before_the_last_two_cards_lie(swap: bool) -> None:
    hand = deal_hand("double_flip", f"{NEAR} 9c", f"{FAR} 9d", swap=swap)
    hand.go()  # two sevens lie from now on
    hand.wait(ns=3 * LAY_NS - 1)
    assert hand.open() == []
    assert hand.legal(0) == hand.legal(1) == []
    assert hand.press(0, 0)[0] == Penalised(hand.now_ns, 0, 0, Offence.ILLEGAL, hand.now_ns + 500 * MS)
    hand.wait(ns=1)
    assert hand.open() == [0, 4]
    assert isinstance(hand.press(1, 0)[0], Covered)


@both_ways
def test_d1_press_on_a_place_not_dealt_yet_is_ignored(swap: bool) -> None:
    hand = deal_hand("double_flip", f"{NEAR} 9c", f"{FAR} 9d", swap=swap)
    hand.go()
    assert hand.press(0, 1) == (Ignored(hand.now_ns, 0, 1, Excuse.NO_PILE),)
    assert hand.press(0, 7) == (Ignored(hand.now_ns, 0, 7, Excuse.NO_PILE),)


def test_d1_rows_may_be_laid_in_one_moment() -> None:
    hand = deal_hand("double_flip", f"{NEAR} 9c", f"{FAR} 9d", options=Options(lay_ms=0))
    assert len(hand.go()) == 8
    assert hand.open() == [0, 4]


# D-2, D-3


@both_ways
def test_d2_all_piles_of_a_match_open_wherever_they_lie(swap: bool) -> None:
    hand = laid("7h 7d 3d 4s 9c", "7c Jd 4d Ks 9d", swap=swap)
    assert hand.open() == [0, 1, 3, 4, 6]
    assert hand.legal(0) == hand.legal(1) == [0, 1, 3, 4, 6]


@both_ways
def test_d2_pile_stays_open_after_its_partner_was_covered(swap: bool) -> None:
    hand = laid(swap=swap)
    hand.press(0, 0)  # 9c on 7h: 7c is equal to nothing any more
    assert hand.open() == [4]
    assert isinstance(hand.press(1, 4)[0], Covered)  # the two seats share one match


@both_ways
def test_d2_live_match_is_not_shown_and_what_is_left_of_one_is(swap: bool) -> None:
    hand = laid(swap=swap)
    assert hand.raised() == []
    hand.press(0, 0)
    assert hand.raised() == [4]


@both_ways
def test_d2_covered_pile_is_closed(swap: bool) -> None:
    hand = laid(swap=swap)
    hand.press(0, 0)
    assert hand.press(1, 0, after_ms=300)[0] == Penalised(
        hand.now_ns, 1, 0, Offence.ILLEGAL, hand.now_ns + 500 * MS
    )


@both_ways
@pytest.mark.parametrize("slot", [0, 4])
def test_d3_either_row_may_be_covered_with_the_next_card(slot: int, swap: bool) -> None:
    hand = laid(swap=swap)
    assert hand.press(0, slot) == (Covered(hand.now_ns, 0, slot, Card.parse("9c")),)
    assert hand.draw(0) == "8c 6c"


@both_ways
def test_d3_piles_matched_by_the_new_top_open_too(swap: bool) -> None:
    hand = laid(f"{NEAR} Kd 8c", f"{FAR} 9d 6d", swap=swap)
    hand.press(0, 0)  # Kd matches Ks at 7; 4 is still open
    assert hand.open() == [0, 4, 7]


@both_ways
def test_d3_illegal_press_reveals_no_card(swap: bool) -> None:
    hand = laid(swap=swap)
    events = hand.press(0, 1)
    assert [type(event) for event in events] == [Penalised]
    assert hand.draw(0) == "9c 8c 6c"


# D-4, D-5


@both_ways
def test_d4_rows_are_not_gathered_while_a_pile_is_open(swap: bool) -> None:
    hand = laid(swap=swap)
    hand.press(0, 0)
    assert hand.wait(ms=60_000) == ()
    assert hand.open() == [4]


@both_ways
def test_d5_gathered_left_pile_first_bottom_card_first_under_the_draw_pile(swap: bool) -> None:
    hand = laid("7h 2d 3d 4s 9c 8c 6c", "7c Jd Qd Ks 5d 8d Td", swap=swap)
    hand.press(0, 4)  # 9c on 7c
    hand.press(1, 0)  # 5d on 7h, nothing is equal now
    assert hand.log[-1] == Stuck(hand.now_ns, hand.now_ns + PAUSE_NS)
    events = hand.wait(ns=PAUSE_NS)
    assert events[:3] == (
        Redealt(hand.now_ns, False),
        *sorted(
            (Gathered(hand.now_ns, 0, (0, 1, 2, 3)), Gathered(hand.now_ns, 1, (4, 5, 6, 7))),
            key=lambda event: hand.seat(event.seat),
        ),
    )
    hand.wait(ns=3 * LAY_NS)
    assert hand.row(0) == "8c 6c 7h 5d"
    assert hand.draw(0) == "2d 3d 4s"
    assert hand.row(1) == "8d Td 7c 9c"
    assert hand.draw(1) == "Jd Qd Ks"


@both_ways
def test_d5_press_in_the_pause_and_on_a_gathered_place_is_ignored(swap: bool) -> None:
    hand = no_match(swap=swap)
    assert hand.press(0, 0) == (Ignored(hand.now_ns, 0, 0, Excuse.PAUSE),)
    hand.wait(ns=PAUSE_NS)
    assert hand.row(0) == "5c - - -"
    assert hand.press(0, 3) == (Ignored(hand.now_ns, 0, 3, Excuse.NO_PILE),)


@both_ways
def test_d5_where_players_agree_both_press_start(swap: bool) -> None:
    hand = no_match(options=Options(redeal=Redeal.AGREE), swap=swap)
    assert hand.wait(ms=60_000) == ()
    assert hand.agree(0) == (Agreed(hand.now_ns, 0),)
    events = hand.agree(1)
    assert events[0] == Agreed(hand.now_ns, 1)
    assert isinstance(events[1], Redealt)
    assert hand.agree(0) == (Ignored(hand.now_ns, 0, None, Excuse.DEALING),)
    assert not any(holding.has_agreed for holding in hand.table.holdings)


@both_ways
def test_d5_agreeing_while_a_pile_is_open_is_penalised(swap: bool) -> None:
    hand = laid(options=Options(redeal=Redeal.AGREE), swap=swap)
    hand.press(0, 0)
    assert hand.agree(1)[0] == Penalised(hand.now_ns, 1, None, Offence.AGREED_WRONGLY, hand.now_ns + 500 * MS)


# D-6


@both_ways
def test_d6_last_card_on_an_open_pile_wins_at_once(swap: bool) -> None:
    hand = laid(f"{NEAR} 9c", f"{FAR} 9d", swap=swap)
    assert hand.press(0, 4)[-1] == Ended(hand.now_ns, Reason.PLACED_LAST_CARD, 0)
    assert hand.outcome == Outcome(Reason.PLACED_LAST_CARD, 0)
    assert hand.press(1, 0) == (Ignored(hand.now_ns, 1, 0, Excuse.OVER),)


@both_ways
def test_d6_dealing_a_row_never_empties_a_seat(swap: bool) -> None:
    # Seat 0 puts one of two cards down, so that one in hand and four piles make five: a row and one card.
    hand = laid(f"{NEAR} 9c 8c", f"{FAR} Td 5d", swap=swap)
    hand.press(0, 0)
    hand.press(1, 4)
    hand.wait(ns=PAUSE_NS + 3 * LAY_NS)
    assert len(hand.draw(0).split()) == 2
    assert not hand.table.is_over


# D-7


@both_ways
def test_d7_twelfth_row_running_without_a_cover_ends_the_hand(swap: bool) -> None:
    hand = no_match(swap=swap)
    for _ in range(BARREN_ROWS - 1):
        assert not hand.table.is_over
        hand.wait(ns=PAUSE_NS)
        hand.wait(ns=3 * LAY_NS)
    assert hand.table.redeals == BARREN_ROWS - 1
    hand.wait(ns=PAUSE_NS)
    assert hand.outcome == Outcome(Reason.TIE, None)


@both_ways
def test_d7_fewer_cards_win_where_nobody_ever_finds_a_match(swap: bool) -> None:
    # Four cards running are always unequal, and the two seats have no rank in common.
    near, far = "Ac 2c 3c 4c 5c 6c Ad 2d 3d 4d 5d 6d", "7c 8c 9c Tc Jc Qc Kc 7d 8d 9d Td Jd Qd Kd"
    hand = laid(near, far, options=Options(split=(12, 14)), swap=swap)
    hand.wait(ms=60_000)
    assert hand.outcome == Outcome(Reason.FEWER_CARDS, 0)
    assert hand.table.redeals == BARREN_ROWS - 1


@both_ways
def test_d7_own_row_counts_with_the_draw_pile(swap: bool) -> None:
    hand = laid(swap=swap)
    hand.cover(0, 4)
    assert (hand.share(0), hand.share(1)) == (6, 8)
    hand.cover(0, 0)
    assert (hand.share(0), hand.share(1)) == (6, 8)


@both_ways
def test_d7_cover_begins_the_count_of_barren_rows_anew(swap: bool) -> None:
    hand = laid("7h 2d 3d 4s 9c 8c 6c", "7c Jd Qd Ks 5d Td Th", swap=swap)
    assert hand.table.own.barren == 1
    hand.cover(0, 4)
    assert hand.table.own.barren == 0
    hand.cover(1, 0)
    hand.wait(ns=PAUSE_NS)
    assert hand.table.own.barren == 1


def dullest(hand: RowHand) -> tuple[int, int] | None:
    """The move after which fewest piles are open: how players who never want to end a hand would play."""

    def liveliness(move: tuple[int, int]) -> tuple[bool, int, int, tuple[int, int]]:
        after, _ = hand.game.apply(hand.table, hand.real(Cover(hand.now_ns, *move)))
        still_open = sum(pile.is_open for pile in after.piles)
        return after.is_over, still_open, -after.holdings[hand.seat(move[0])].left, move

    moves = [(seat, slot) for seat in (0, 1) for slot in hand.legal(seat)]
    return min(moves, key=liveliness, default=None)


@both_ways
@pytest.mark.parametrize(
    ("seed", "outcome"), [(0, Outcome(Reason.FEWER_CARDS, 0)), (1, Outcome(Reason.TIE, None))]
)
def test_d7_hundred_gathers_in_all_end_the_hand(seed: int, outcome: Outcome, swap: bool) -> None:
    deck = shuffled(PACK, seed)
    near, far = (" ".join(map(str, half)) for half in (deck[:26], deck[26:]))
    hand = deal_hand("double_flip", near, far, options=Options(lay_ms=0), swap=swap)
    hand.go()
    while not hand.table.is_over:
        move = dullest(hand)
        if move is None:
            hand.wait(ns=PAUSE_NS)
        else:
            hand.cover(*move)
    assert hand.table.redeals == MOST_GATHERS
    assert hand.outcome == outcome
    assert (hand.share(0) < hand.share(1)) == (outcome.winner == 0)


# D-8


@both_ways
def test_d8_pile_whose_two_upper_cards_are_equal_is_open_too(swap: bool) -> None:
    near, far = "7h 2d 3d 4s 9c 9h 5c 5h", "7c Jd Qd Ks Td 6s Ad 8s"
    plain = laid(near, far, swap=swap)
    doubled = laid(near, far, kind="doubles", swap=swap)
    for hand in (plain, doubled):
        hand.cover(0, 0)  # 9c
        hand.cover(1, 4)  # Td: nothing is equal any more
    assert plain.open() == doubled.open() == []

    for hand, still_open in ((plain, []), (doubled, [4])):
        hand = laid("7h 2d 3d 4s 9c 7s 5c 5h", far, kind=hand.game.id, swap=swap)
        hand.cover(0, 0)  # 9c on 7h
        hand.cover(0, 4)  # 7s on 7c
        assert hand.open() == still_open
        assert hand.raised() == []  # the index of the card beneath shows it


@both_ways
def test_d8_double_stays_open_until_covered(swap: bool) -> None:
    hand = laid("7h 2d 3d 4s 9c 7s 5c 5h", "7c Jd Qd Ks Td 6s Ad 8s", kind="doubles", swap=swap)
    hand.cover(0, 0)
    hand.cover(0, 4)
    hand.cover(1, 4)  # Td on 7s on 7c
    assert hand.open() == []


def test_d8_dealt_card_on_a_bare_place_is_no_double() -> None:
    hand = laid("Ac 2d 3d 4s 5c", "6c 7d 8d 9s Tc", kind="doubles")
    assert hand.open() == []


# T-4, T-5 with open piles


@both_ways
@pytest.mark.parametrize(("after_ms", "is_beaten"), [(0, True), (12, True), (200, True), (201, False)])
def test_t4_press_on_a_pile_just_covered_is_beaten(after_ms: int, is_beaten: bool, swap: bool) -> None:
    hand = laid(swap=swap)
    hand.cover(0, 0)
    events = hand.press(1, 0, after_ms=after_ms)
    if is_beaten:
        assert events == (Beaten(hand.now_ns, 1, 0, after_ms * MS),)
    else:
        assert isinstance(events[0], Penalised)


@both_ways
def test_t4_own_cover_beats_nobody(swap: bool) -> None:
    hand = laid(swap=swap)
    hand.cover(0, 0)
    assert isinstance(hand.press(0, 0)[0], Penalised)


@both_ways
def test_t4_pile_that_was_not_open_before_is_no_excuse(swap: bool) -> None:
    hand = laid(swap=swap)
    hand.cover(0, 0)
    assert isinstance(hand.press(1, 1, after_ms=5)[0], Penalised)


@both_ways
def test_t5_one_open_pile_and_two_hands_is_a_dead_heat(swap: bool) -> None:
    hand = laid(swap=swap)
    assert verdict(hand, (0, 0, 0), (1, 0, 900)) == DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None)
    hand.dead_heat((0, 0), (1, 0))
    assert hand.log[-1] == Frozen(hand.now_ns, 0, hand.now_ns + 600 * MS)
    assert hand.press(1, 0) == (Ignored(hand.now_ns, 1, 0, Excuse.FROZEN),)
    assert hand.press(1, 4, after_ms=10)[0] == Covered(hand.now_ns, 1, 4, Card.parse("9d"))
    assert not any(isinstance(event, Stuck) for event in hand.log)  # the frozen pile is still a move
    assert isinstance(hand.press(0, 0, after_ms=590)[0], Covered)


@both_ways
def test_t5_two_piles_of_one_match_are_no_contest(swap: bool) -> None:
    hand = laid(swap=swap)
    assert verdict(hand, (0, 0, 700), (1, 4, 0)) == First(Cover(hand.now_ns, 1, 4))


@both_ways
def test_t5_card_that_leaves_the_pile_open_contests_with_one_that_closes_it(swap: bool) -> None:
    # 4h on the pile matches 4s, so that seat 1's card would land too; the other way round it would not.
    hand = laid(f"{NEAR} 4h 8c", f"{FAR} 9d 6d", swap=swap)
    assert verdict(hand, (0, 0, 0), (1, 0, 0)) == DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None)


@both_ways
def test_t5_last_card_that_wins_in_any_order_is_no_contest(swap: bool) -> None:
    hand = laid("7h 7d 3d 4s 9c 5c", "7c Jd Qd Ks 9d 6d", swap=swap)
    hand.cover(0, 0)
    assert verdict(hand, (0, 1, 900), (1, 4, 0)) == First(Cover(hand.now_ns, 1, 4))
    assert verdict(hand, (0, 1, 0), (1, 4, 900)) == First(Cover(hand.now_ns, 0, 1))


@both_ways
def test_t5_two_last_cards_on_two_piles_decide_the_hand_so_they_contest(swap: bool) -> None:
    hand = laid(f"{NEAR} 9c", f"{FAR} 9d", options=Options(dead_heat=DeadHeatPolicy.COIN), swap=swap)
    said = verdict(hand, (0, 0, 0), (1, 4, 0))
    assert isinstance(said, DeadHeat)
    assert said.winner in (0, 1)
    hand.dead_heat(*said.contestants, winner=said.winner)
    assert hand.outcome == Outcome(Reason.PLACED_LAST_CARD, said.winner)


# M-2


@both_ways
def test_m2_unequal_split_deals_as_many_cards_as_named(swap: bool) -> None:
    options = Options(split=(30, 22))
    game = find("double_flip").game
    table = game.start(swapped(options) if swap else options, 1)
    assert [len(table.holdings[seat].draw) for seat in ((1, 0) if swap else (0, 1))] == [30, 22]


@both_ways
def test_m2_unequal_penalty_is_each_seats_own(swap: bool) -> None:
    hand = laid(options=Options(penalty_ms=(250, 1000)), swap=swap)
    for seat, ms in ((0, 250), (1, 1000)):
        penalised = hand.press(seat, 1)[0]
        assert isinstance(penalised, Penalised)
        assert penalised.until_ns == hand.now_ns + ms * MS


@pytest.mark.parametrize("split", [(11, 41), (41, 11), (26, 41)])
def test_m2_split_is_12_to_40_cards(split: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"split: found .* allowed are 12 to 40"):
        Options(split=split)


@pytest.mark.parametrize("game_id", ["classic", "long", "double_flip", "aggravation", "frustration"])
def test_m2_split_has_to_add_up_to_the_pack(game_id: str) -> None:
    game = find(game_id).game
    table = game.start(Options(split=(12, 40)), 3)
    assert [len(holding.draw) for holding in table.holdings] == [12, 40]
    for wrong in ((26, 25), (20, 20, 12)):
        with pytest.raises(ValueError, match="2 numbers that add up to 52"):
            game.start(Options(split=wrong), 3)


# Places and buttons

ROW_GAMES = {"double_flip": 4, "doubles": 4, "tournament": 5, "aggravation": 7, "frustration": 7}


@pytest.mark.parametrize("buttons", range(1, 15))
@pytest.mark.parametrize(("game_id", "columns"), ROW_GAMES.items())
def test_places_buttons_decide_which_row_games_a_cabinet_plays(
    game_id: str, columns: int, buttons: int
) -> None:
    layout = find(game_id).game.layout
    assert (game_id in playable(buttons)) == (buttons >= columns)
    assert layout.needs_second_bank(buttons) == (columns <= buttons < 2 * columns)
    assert (layout.refusal(buttons) is None) == (buttons >= columns)


# The commands as a whole


def test_d_slot_beyond_the_rows_is_refused_and_changes_nothing() -> None:
    hand = laid()
    before = hand.table
    with pytest.raises(IllegalCommand, match="slot 8"):
        hand.press(0, 8)
    assert hand.table == before
