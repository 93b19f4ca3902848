"""What every game has in common (T-1 to T-4, T-6 to T-8), told on shared piles. T-5 is in test_dead_heat."""

from __future__ import annotations

import pytest

from firmware.rules import (
    Abandon,
    Agree,
    Card,
    Command,
    Cover,
    DeadHeat,
    Go,
    IllegalCommand,
    Options,
    Outcome,
    Phase,
    Reason,
    Timer,
    find,
)
from firmware.rules.events import (
    Agreed,
    Beaten,
    Covered,
    Dealt,
    Ended,
    Excuse,
    FalseStarted,
    Ignored,
    Offence,
    Penalised,
    PutBack,
    Redealt,
    Released,
    Stuck,
    Turned,
)
from firmware.rules.options import PENALTIES_MS, Pace, Redeal
from firmware.rules.shared_piles import Match
from tests.rules.hands import FLIP_NS, MS, Hand, both_ways, lay


def race(
    options: Options | None = None, *, swap: bool = False, near: str = "7c 9c 9s", far: str = "Kh Jh Js"
) -> Hand:
    """Both seats can cover slot 0 and nothing else; whoever does takes it from the other."""
    return lay("7h 2d 3d 4s", near, far, match=Match.RANK_OR_SUIT, options=options, swap=swap)


def nobody_fits(options: Options | None = None, *, swap: bool = False) -> Hand:
    """Stuck from the first cards on; the redeal shows Kd Tc Ac 8c, Kd over 9h (S-5), and seat 1 can move."""
    return lay("2h 3h 4h 5h", "9c 9h Tc Jc 8c 6c", "8d Kd Ad Ac Kc 6d", options=options, swap=swap)


def assert_refused(hand: Hand, command: Command, match: str) -> None:
    before = hand.table
    with pytest.raises(IllegalCommand, match=match):
        hand.do(command)
    assert hand.table is before
    assert hand.table == before


# T-1, T-2


def test_t1_hand_follows_from_game_options_seed_and_commands_alone() -> None:
    def play() -> list[object]:
        game = find("rank_or_suit").game
        table = game.start(Options(), 11)
        tables: list[object] = [table]
        table, _ = game.apply(table, Go(5))
        while not table.is_over and len(tables) < 60:
            legal = [(seat, slot) for seat in (0, 1) for slot in game.legal_slots(table, seat)]
            due = table.next_timer
            if due is not None and (not legal or due.at_ns <= table.at_ns):
                table, _ = game.apply(table, due)
            else:
                table, _ = game.apply(table, Cover(table.at_ns, *legal[0]))
            tables.append(table)
        return tables

    assert play() == play()


def test_t1_deck_has_to_be_the_games_cards_each_once() -> None:
    game = find("classic").game
    deck = tuple(sorted(game.pack(2, 0)))
    assert game.start(Options(), 0, deck=deck).holdings[0].draw == deck[:26]
    for wrong in (deck[1:], (*deck[1:], deck[1]), (*deck, Card(0, 0))):
        with pytest.raises(ValueError, match="52 cards, each once"):
            game.start(Options(), 0, deck=wrong)


@pytest.mark.parametrize("seats", [0, 1, 3])
def test_t1_shared_piles_are_for_two(seats: int) -> None:
    with pytest.raises(ValueError, match=f"{seats} seats, 2 to 2 can play"):
        find("classic").game.start(Options(), 0, seats=seats)


@both_ways
def test_t2_order_of_touch_decides_and_no_turn_is_waited_for(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 2c 3c", "7s", swap=swap)
    assert hand.press(0, 0) == (Covered(hand.now_ns, 0, 0, Card.parse("7c")),)
    hand.wait(ms=150)
    assert isinstance(hand.press(0, 1)[0], Covered)  # twice running, the other seat has not moved
    assert isinstance(hand.press(1, 0)[0], Covered)
    assert hand.tops() == "7s 2c 3d 4s"


def test_t2_command_from_before_the_last_one_is_refused() -> None:
    hand = race()
    hand.press(0, 0, after_ms=10)
    assert_refused(hand, Cover(hand.now_ns - 1, 1, 0), "comes before")
    assert_refused(hand, Abandon(hand.now_ns - 1), "comes before")


def test_t2_timer_due_comes_before_a_command_of_its_time_and_not_before_its_turn() -> None:
    hand = race()
    hand.press(0, 0)
    due = hand.table.next_timer
    assert due == Timer(hand.now_ns + FLIP_NS, "turn", 0)
    assert_refused(hand, Cover(due.at_ns, 1, 0), "has to be applied before")
    assert_refused(hand, Timer(due.at_ns, "turn", 1), "not the next timer")
    assert_refused(hand, Timer(due.at_ns - 1, "turn", 0), "not the next timer")
    hand.do(Cover(due.at_ns - 1, 1, 1))


@pytest.mark.parametrize(
    ("command", "match"),
    [
        (Cover(FLIP_NS, 2, 0), "seat 2: there are seats 0 to 1"),
        (Cover(FLIP_NS, -1, 0), "seat -1"),
        (Cover(FLIP_NS, 0, 4), "slot 4: there are slots 0 to 3"),
        (Cover(FLIP_NS, 0, -1), "slot -1"),
        (Go(FLIP_NS), "GO in the phase play"),
        (Agree(FLIP_NS, 0), "nobody is asked to agree"),
        (Timer(FLIP_NS, "redeal", 0), "not the next timer"),
    ],
)
def test_t2_what_cannot_be_here_is_refused_and_changes_nothing(command: Command, match: str) -> None:
    assert_refused(race(), command, match)


# T-3


@both_ways
@pytest.mark.parametrize("penalty_ms", PENALTIES_MS)
def test_t3_illegal_press_makes_the_buttons_dead_for_the_penalty(penalty_ms: int, swap: bool) -> None:
    hand = race(Options(penalty_ms=(penalty_ms,)), swap=swap)
    until_ns = hand.now_ns + penalty_ms * MS
    assert hand.press(0, 1) == (
        Penalised(hand.now_ns, 0, 1, Offence.ILLEGAL, until_ns),
        PutBack(hand.now_ns, 0),
    )
    assert hand.active(0) is None
    assert hand.tops() == "7h 2d 3d 4s"
    assert hand.wait(ms=penalty_ms) == (Released(until_ns, 0), Turned(until_ns, 0, Card.parse("7c")))
    assert isinstance(hand.press(0, 0)[0], Covered)


@both_ways
def test_t3_penalty_is_over_at_its_last_moment_and_not_before(swap: bool) -> None:
    hand = race(swap=swap)
    hand.press(0, 1)
    ignored = hand.press(0, 0, after_ns=500 * MS - 1)
    assert ignored == (Ignored(hand.now_ns, 0, 0, Excuse.PENALTY),)
    assert isinstance(hand.press(0, 0, after_ns=1)[0], Covered)


@both_ways
def test_t3_presses_in_a_penalty_are_ignored_and_do_not_extend_it(swap: bool) -> None:
    hand = race(swap=swap)
    hand.press(0, 1)
    until_ns = hand.now_ns + 500 * MS
    for slot in (0, 1, 2, 3, 1, 1):
        assert hand.press(0, slot, after_ms=70) == (Ignored(hand.now_ns, 0, slot, Excuse.PENALTY),)
    assert Released(until_ns, 0) in hand.wait(ms=200)
    assert hand.table.holdings[hand.seat(0)].offences == 1


@both_ways
def test_t3_every_illegal_press_has_a_penalty_of_its_own(swap: bool) -> None:
    hand = race(swap=swap)
    for nth in (1, 2, 3):
        assert isinstance(hand.press(0, nth)[0], Penalised)
        assert isinstance(hand.press(0, nth, after_ms=1)[0], Ignored)
        hand.wait(ms=499)
        assert hand.table.holdings[hand.seat(0)].offences == nth
    assert hand.active(0) == "7c"


@both_ways
@pytest.mark.parametrize("penalty_ms", PENALTIES_MS)
def test_t3_illegal_press_never_reveals_a_card(penalty_ms: int, swap: bool) -> None:
    hand = race(Options(penalty_ms=(penalty_ms,)), swap=swap, near="7c 9d Td", far="Kh")
    seen = len(hand.log)
    for slot in (1, 2, 3):
        hand.press(0, slot)
        hand.wait(ms=1000)
    assert {event.card for event in hand.log[seen:] if isinstance(event, Turned)} == {Card.parse("7c")}
    assert hand.left(0) == 3


@both_ways
def test_t3_the_other_seat_plays_on(swap: bool) -> None:
    hand = race(swap=swap)
    hand.press(0, 1)
    assert isinstance(hand.press(1, 0, after_ms=1)[0], Covered)


@both_ways
def test_t3_a_card_put_back_may_still_be_a_move_so_nobody_is_stuck(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "9d", swap=swap)  # only seat 0 can move
    hand.press(0, 1)
    assert hand.wait(ms=499) == ()
    assert hand.table.phase is Phase.PLAY
    hand.wait(ms=1)
    assert hand.legal(0) == (0,)


@both_ways
def test_m2_penalties_may_differ_by_seat(swap: bool) -> None:
    hand = race(Options(penalty_ms=(250, 1000)), swap=swap)
    hand.press(0, 1)
    hand.press(1, 1)
    start_ns = hand.now_ns
    released = [event for event in hand.wait(ms=2000) if isinstance(event, Released)]
    assert released == [Released(start_ns + 250 * MS, 0), Released(start_ns + 1000 * MS, 1)]


# T-4


@both_ways
def test_t4_who_comes_just_too_late_is_told_by_how_much(swap: bool) -> None:
    hand = race(swap=swap)
    hand.press(0, 0)
    assert hand.press(1, 0, after_ns=12_300_000) == (Beaten(hand.now_ns, 1, 0, 12_300_000),)
    assert hand.active(1) == "Kh"
    assert hand.table.holdings[hand.seat(1)].offences == 0
    assert hand.table.holdings[hand.seat(1)].penalty_until_ns is None


@both_ways
@pytest.mark.parametrize("grace_ms", [0, 200, 1000])
def test_t4_grace_lasts_to_its_last_nanosecond(grace_ms: int, swap: bool) -> None:
    # The pause is told apart from the end of the grace: seat 0's next card fits somewhere.
    for late_ns in (0, 1):
        hand = race(Options(grace_ms=grace_ms), swap=swap, near="7c 9c 9s")
        hand.press(0, 0)
        (event, *_) = hand.press(1, 0, after_ns=grace_ms * MS + late_ns)
        assert isinstance(event, Penalised if late_ns else Beaten)


@both_ways
def test_t4_a_press_that_never_was_legal_is_not_excused(swap: bool) -> None:
    hand = race(swap=swap, far="5c")
    hand.press(0, 0)
    assert isinstance(hand.press(1, 1, after_ms=1)[0], Penalised)  # 5c fits 7c, but not this pile
    hand = race(swap=swap, far="Ks")
    hand.press(0, 0)
    assert isinstance(hand.press(1, 0, after_ms=1)[0], Penalised)  # Ks did not fit 7h either


@both_ways
def test_t4_a_card_that_came_up_after_the_change_is_not_excused(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "3c Kh", match=Match.RANK_OR_SUIT, swap=swap)
    hand.press(1, 2)
    hand.press(0, 0, after_ms=100)
    hand.wait(ms=50)
    assert hand.active(1) == "Kh"  # it would have fitted 7h, 50 ms ago
    assert isinstance(hand.press(1, 0)[0], Penalised)


@both_ways
def test_t4_a_card_that_came_up_at_the_moment_of_the_change_is_excused(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "3c Kh", match=Match.RANK_OR_SUIT, swap=swap)
    hand.press(1, 2)
    hand.press(0, 0, after_ms=150)
    assert isinstance(hand.press(1, 0, after_ms=10)[0], Beaten)


@both_ways
def test_t4_ones_own_card_is_no_excuse(swap: bool) -> None:
    hand = race(Options(flip_ms=0), swap=swap, near="7c Ah 9s", far="4h")
    hand.press(0, 0)
    hand.wait()
    assert hand.active(0) == "Ah"  # fitted the 7h that this seat has just covered itself
    assert isinstance(hand.press(0, 0, after_ms=1)[0], Penalised)


@both_ways
def test_t4_the_lead_is_from_the_change_that_took_the_pile(swap: bool) -> None:
    hand = race(swap=swap)
    hand.press(0, 0)
    hand.press(0, 0, after_ms=150)
    assert hand.tops() == "9c 2d 3d 4s"
    assert hand.press(1, 0, after_ms=30) == (Beaten(hand.now_ns, 1, 0, 180 * MS),)


@both_ways
def test_t4_a_rush_redeal_beats_too(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c Ad Ac As 9h", "9d Td Tc Ts Th", swap=swap, options=Options(pace=Pace.RUSH))
    hand.wait(ms=3000)
    assert Redealt(hand.now_ns, True) in hand.log
    assert hand.press(0, 0, after_ms=5) == (Beaten(hand.now_ns, 0, 0, 5 * MS),)


@both_ways
def test_t4_the_lower_of_two_cards_dealt_at_once_was_never_a_top(swap: bool) -> None:
    hand = nobody_fits(swap=swap)
    hand.wait(ms=1200)
    assert [str(card) for card in hand.table.piles[0].cards[-2:]] == ["9h", "Kd"]
    assert hand.active(0) == "9c"
    assert isinstance(hand.press(0, 0, after_ms=1)[0], Penalised)


@both_ways
def test_t4_the_lower_card_of_the_opening_was_never_a_top(swap: bool) -> None:
    hand = lay("2h 3h 4h 5h", "9c", "2d", under="9d 9h", options=Options(flip_ms=0), swap=swap)
    assert isinstance(hand.press(0, 0, after_ms=1)[0], Penalised)


@both_ways
def test_t4_a_press_in_the_grace_on_a_pile_that_still_fits_covers_it(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "7s 9s", swap=swap)
    hand.press(0, 0)
    assert isinstance(hand.press(1, 0, after_ms=1)[0], Covered)


# T-6


@both_ways
def test_t6_auto_pauses_for_all_to_see_then_both_deal_at_once(swap: bool) -> None:
    hand = nobody_fits(swap=swap)
    until_ns = hand.now_ns + 1200 * MS
    assert hand.log[-1] == Stuck(hand.now_ns, until_ns)
    assert hand.table.phase is Phase.PAUSE
    assert hand.wait(ms=1199) == ()
    redealt, *dealt = hand.wait(ms=1)
    assert redealt == Redealt(until_ns, False)
    assert [type(event) for event in dealt] == [Dealt] * 8
    assert {event.at_ns for event in dealt} == {until_ns}
    assert hand.table.redeals == 1


@both_ways
def test_t6_auto_presses_in_the_pause_are_ignored(swap: bool) -> None:
    hand = nobody_fits(swap=swap)
    for seat in (0, 1):
        assert hand.press(seat, 1, after_ms=100) == (Ignored(hand.now_ns, seat, 1, Excuse.PAUSE),)
    assert hand.legal(0) == hand.legal(1) == ()
    hand.wait(ns=1000 * MS - 1)
    assert hand.table.phase is Phase.PAUSE
    assert isinstance(hand.press(0, 1, after_ns=1)[0], Penalised)  # the last moment is after the redeal


@both_ways
@pytest.mark.parametrize("pause_ms", [0, 1200, 10_000])
def test_t6_auto_pause_is_as_long_as_set(pause_ms: int, swap: bool) -> None:
    hand = nobody_fits(Options(redeal_pause_ms=pause_ms), swap=swap)
    start_ns = hand.now_ns
    if pause_ms:
        hand.wait(ns=pause_ms * MS - 1)
        assert hand.table.redeals == 0
    hand.wait(ns=1)
    assert Redealt(start_ns + pause_ms * MS, False) in hand.log


AGREE = Options(redeal=Redeal.AGREE)


@both_ways
def test_t6_agree_waits_for_every_seat_and_redeals_at_the_last_one(swap: bool) -> None:
    hand = nobody_fits(AGREE, swap=swap)
    assert hand.wait(ms=60_000) == ()
    assert hand.agree(1) == (Agreed(hand.now_ns, 1),)
    assert hand.agree(1) == ()  # twice is not two
    hand.wait(ms=5000)
    assert hand.table.redeals == 0
    agreed, redealt, *dealt = hand.agree(0)
    assert (agreed, redealt) == (Agreed(hand.now_ns, 0), Redealt(hand.now_ns, False))
    assert len(dealt) == 8
    assert hand.active(0) == "9c"
    assert not any(holding.has_agreed for holding in hand.table.holdings)


@both_ways
def test_t6_agree_counts_for_one_redeal_only(swap: bool) -> None:
    hand = lay("7h 2d 3h 4s", "9c Ac Jc Qc Kc", "8d Td Ad Jd Qd", options=AGREE, swap=swap)
    hand.agree(0)
    hand.agree(1)
    assert (hand.table.redeals, hand.outcome) == (1, None)  # stuck again, and nothing lies beneath
    hand.agree(1)
    assert hand.outcome is None
    assert hand.agree(0)[-1] == Ended(hand.now_ns, Reason.TIE, None)


@both_ways
@pytest.mark.parametrize("penalty_ms", PENALTIES_MS)
def test_t6_agree_wrongly_is_refused_and_penalised(penalty_ms: int, swap: bool) -> None:
    hand = race(Options(redeal=Redeal.AGREE, penalty_ms=(penalty_ms,)), swap=swap)
    assert hand.agree(0) == (
        Penalised(hand.now_ns, 0, None, Offence.AGREED_WRONGLY, hand.now_ns + penalty_ms * MS),
        PutBack(hand.now_ns, 0),
    )
    assert not hand.table.holdings[hand.seat(0)].has_agreed
    assert hand.wait(ms=penalty_ms)[-1] == Turned(hand.now_ns, 0, Card.parse("7c"))


@both_ways
def test_t6_agree_wrongly_though_only_the_other_could_move(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c", "7c", options=AGREE, swap=swap)
    assert isinstance(hand.agree(0)[0], Penalised)


@both_ways
def test_t6_agree_wrongly_in_a_penalty_is_ignored(swap: bool) -> None:
    hand = race(AGREE, swap=swap)
    hand.press(0, 1)
    hand.wait(ms=100)
    assert hand.agree(0) == (Ignored(hand.now_ns, 0, None, Excuse.PENALTY),)
    assert isinstance(hand.wait(ms=400)[0], Released)


@both_ways
def test_t6_agreement_is_dropped_when_a_move_appears(swap: bool) -> None:
    # Seat 1 places a card; until its next one turns, nobody can move and seat 0 may say so. Then one can.
    hand = lay("7h 2d 3d 4s", "9c", "7c 2c Ks", options=AGREE, swap=swap)
    hand.press(1, 0)
    assert hand.agree(0) == (Agreed(hand.now_ns, 0),)
    hand.wait(ms=150)
    assert hand.active(1) == "2c"
    assert not hand.table.holdings[hand.seat(0)].has_agreed
    hand.press(1, 1)
    hand.wait(ms=150)
    assert hand.active(1) == "Ks"
    hand.agree(1)
    assert hand.outcome is None  # stuck now, but seat 0's word of before does not count
    assert isinstance(hand.agree(0)[-1], Ended)


@both_ways
def test_t6_agreement_given_while_a_card_turns_holds_if_it_fits_nowhere(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c 9d 9h 9s Th", "7c Kc Kd Kh Ks Tc", options=AGREE, swap=swap)
    hand.press(1, 0)
    hand.agree(0)
    hand.agree(1)
    assert hand.table.redeals == 0
    hand.wait(ms=150)
    assert hand.table.redeals == 1


@both_ways
def test_t6_agreeing_wrongly_never_hastens_a_card(swap: bool) -> None:
    # No penalty, seat 1 can move, seat 0's next card is still turning: it turns when it was to turn.
    hand = lay("7h 2d 3d 4s", "7c 9c", "2c", options=Options(redeal=Redeal.AGREE, penalty_ms=(0,)), swap=swap)
    hand.press(0, 0)
    turns_ns = hand.now_ns + FLIP_NS
    hand.wait(ms=20)
    assert isinstance(hand.agree(0)[0], Penalised)
    assert hand.wait(ms=200)[-1] == Turned(turns_ns, 0, Card.parse("9c"))


@both_ways
@pytest.mark.parametrize("penalty_ms", [250, 500, 1000])
def test_t6_agreeing_wrongly_while_a_card_turns_costs_the_penalty(penalty_ms: int, swap: bool) -> None:
    options = Options(redeal=Redeal.AGREE, penalty_ms=(penalty_ms,))
    hand = lay("7h 2d 3d 4s", "7c 9c", "2c", options=options, swap=swap)
    hand.press(0, 0)
    hand.agree(0)
    hand.wait(ms=penalty_ms)
    assert hand.log[-1] == Turned(hand.now_ns, 0, Card.parse("9c"))


def test_t6_agree_is_not_asked_before_go_nor_where_the_engine_redeals() -> None:
    assert_refused(lay("7h 2d 3d 4s", "7c", "9d", options=AGREE, go=False), Agree(0, 0), "nobody is asked")
    hand = nobody_fits()
    assert_refused(hand, Agree(hand.now_ns, 0), "nobody is asked")
    hand = nobody_fits(AGREE)
    assert_refused(hand, Agree(hand.now_ns, 2), "seat 2")


# T-7


@both_ways
@pytest.mark.parametrize("penalty_ms", PENALTIES_MS)
def test_t7_false_start_is_penalised_from_go(penalty_ms: int, swap: bool) -> None:
    options = Options(penalty_ms=(penalty_ms,))
    hand = lay("7h 2d 3d 4s", "7c", "7s", options=options, swap=swap, go=False)
    assert hand.press(0, 2) == (FalseStarted(0, 0, 2),)
    assert hand.wait(ms=3000) == ()  # nothing is due before GO
    go_ns = hand.now_ns
    assert hand.go()[-1] == Penalised(go_ns, 0, None, Offence.FALSE_START, go_ns + penalty_ms * MS)
    turned = {event.seat: event.at_ns for event in hand.wait(ms=2000) if isinstance(event, Turned)}
    # The card comes with the penalty's end, but never before the other seat's.
    assert turned == {1: go_ns + FLIP_NS, 0: go_ns + max(FLIP_NS, penalty_ms * MS)}


@both_ways
def test_t7_mashing_before_go_is_one_false_start(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "7s", swap=swap, go=False)
    hand.press(0, 0)
    for slot in (0, 1, 2, 3):
        assert hand.press(0, slot, after_ms=10) == ()
    hand.go()
    assert sum(isinstance(event, Penalised) for event in hand.log) == 1
    assert hand.table.holdings[hand.seat(0)].offences == 1


@both_ways
def test_t7_presses_until_the_penalty_ends_are_ignored_and_the_other_plays(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "7s 9s", swap=swap, go=False)
    hand.press(0, 0)
    hand.go()
    assert hand.press(0, 0, after_ms=499) == (Ignored(hand.now_ns, 0, 0, Excuse.PENALTY),)
    assert isinstance(hand.press(1, 0)[0], Covered)
    assert isinstance(hand.press(0, 0, after_ms=1)[0], Covered)


@both_ways
def test_t7_both_may_start_falsely(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "7s", swap=swap, go=False)
    hand.press(1, 0)
    hand.press(0, 0)
    hand.go()
    released = [event for event in hand.wait(ms=500) if isinstance(event, Released)]
    assert {event.seat for event in released} == {0, 1}
    assert hand.legal(0) == hand.legal(1) == (0,)


# T-8


@pytest.mark.parametrize("phase", [Phase.READY, Phase.PLAY, Phase.PAUSE])
def test_t8_hand_may_be_abandoned_in_every_phase(phase: Phase) -> None:
    hand = nobody_fits() if phase is Phase.PAUSE else lay("7h 2d 3d 4s", "7c", "7s", go=phase is Phase.PLAY)
    assert hand.table.phase is phase
    hand.do(Abandon(hand.now_ns))
    assert hand.outcome == Outcome(Reason.ABANDONED, None)
    assert hand.table.next_timer is None


@both_ways
def test_t8_over_is_over(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "9d", swap=swap)
    assert hand.press(0, 0)[-1] == Ended(hand.now_ns, Reason.PLACED_LAST_CARD, 0)
    assert hand.press(1, 0, after_ms=1) == (Ignored(hand.now_ns, 1, 0, Excuse.OVER),)
    ended = hand.table
    for command in (
        Go(hand.now_ns),
        Abandon(hand.now_ns),
        Agree(hand.now_ns, 1),
        Timer(hand.now_ns, "turn", 0),
        DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None),
    ):
        assert_refused(hand, command, "over|is not the next timer|phase over|nobody|not legal")
    assert hand.table is ended
    assert hand.legal(1) == ()


@both_ways
def test_t8_a_penalty_or_a_freeze_still_running_ends_with_the_hand(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "7s 9d", swap=swap)
    hand.press(1, 1)
    hand.wait(ms=1)
    hand.press(0, 0)
    hand.wait(ms=150)
    hand.press(0, 3)
    hand.do(Abandon(hand.now_ns))
    assert hand.table.next_timer is None
    assert hand.wait(ms=5000) == ()
