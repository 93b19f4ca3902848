"""Whole passages at the table, through mock pins: what two people do, and what the box makes of it."""

from __future__ import annotations

from itertools import count, repeat
from typing import Any

import pytest

from firmware import rules
from firmware.clock import NS_PER_MS, NS_PER_S
from firmware.rules import Reason
from firmware.rules.events import (
    Beaten,
    Covered,
    DeadHeated,
    Ended,
    Excuse,
    Frozen,
    Ignored,
    Offence,
    Penalised,
    PutBack,
    Redealt,
    Stuck,
    Turned,
)
from firmware.rules.options import DeadHeatPolicy, Redeal
from firmware.session.records import Entered, HandBegan, HandEnded
from firmware.session.view import NoteKind, Stage
from firmware.touch.contact import START
from tests.cabinet import ScriptedCabinet, seed_where

SWAP = pytest.mark.parametrize("swap", [False, True], ids=["near", "far"])


def clashing_pile(table: rules.AnyTable) -> int | None:
    """A pile that both seats may cover, and that neither fits any more once the other's card lies there."""
    game = table.game
    for slot in set(game.legal_slots(table, 0)) & set(game.legal_slots(table, 1)):
        cards = [table.holdings[seat].active for seat in (0, 1)]
        assert cards[0] is not None
        assert cards[1] is not None
        if cards[0].rank != cards[1].rank and cards[0].suit != cards[1].suit:
            return slot
    return None


def contest(cabinets: Any, *, swap: bool, **play: Any) -> tuple[ScriptedCabinet, int]:
    """A cabinet in a hand where both may go for one pile, and that pile."""
    seed = seed_where("rank_or_suit", lambda table: clashing_pile(table) is not None)
    cabinet = cabinets("rank_or_suit", swap=swap, seeds=repeat(seed), **play)
    cabinet.to_go()
    slot = clashing_pile(cabinet.table)
    assert slot is not None
    return cabinet, slot


# Start and countdown


@SWAP
def test_start_waits_for_both_and_shows_who_is_there(cabinets: Any, swap: bool) -> None:
    cabinet = cabinets(swap=swap)
    assert cabinet.is_in(Stage.START)
    cabinet.tap(0, START)
    assert cabinet.is_in(Stage.START)
    assert cabinet.view.is_ready[cabinet.seat(0)]
    assert not cabinet.view.is_ready[cabinet.seat(1)]
    cabinet.tap(1, START)
    assert cabinet.is_in(Stage.COUNTDOWN)
    assert cabinet.view.go_at_ns is not None
    assert cabinet.view.table is not None
    assert not cabinet.view.table.piles, "no card lies before GO"


def test_start_pile_buttons_do_not_start_a_hand(cabinets: Any) -> None:
    cabinet = cabinets()
    for seat in (0, 1):
        for number in range(4):
            cabinet.tap(seat, number)
    assert cabinet.is_in(Stage.START)
    assert cabinet.view.is_ready == (False, False)


def test_start_a_seat_that_nobody_joins_is_forgotten(cabinets: Any) -> None:
    cabinet = cabinets()
    cabinet.tap(0, START)
    cabinet.wait_ms(61_000)
    assert cabinet.view.is_ready == (False, False)


def test_s1_go_deals_two_deep_and_turns_a_card_for_both(cabinets: Any) -> None:
    cabinet = cabinets()
    cabinet.start_both()
    cabinet.wait_until(cabinet.view.go_at_ns - 1)
    assert cabinet.is_in(Stage.COUNTDOWN)
    # A timer is let out once no touch before it can come any more.
    cabinet.wait_ms(5)
    assert cabinet.is_in(Stage.HAND)
    assert [len(pile.cards) for pile in cabinet.table.piles] == [2, 2, 2, 2]
    assert all(holding.active is None for holding in cabinet.table.holdings)
    cabinet.wait_ms(160)
    assert [len(holding.draw) for holding in cabinet.table.holdings] == [21, 21]
    assert len(cabinet.events(Turned)) == 2


@SWAP
def test_t7_false_start_is_penalised_from_go(cabinets: Any, swap: bool) -> None:
    cabinet = cabinets(swap=swap)
    cabinet.start_both()
    cabinet.tap(0, 2)
    note = cabinet.view.notes[cabinet.seat(0)]
    assert note is not None
    assert note.kind is NoteKind.FALSE_START
    go_ns = cabinet.view.go_at_ns
    cabinet.wait_until(go_ns + 300 * NS_PER_MS)
    holdings = cabinet.table.holdings
    assert holdings[cabinet.seat(0)].penalty_until_ns == go_ns + 500 * NS_PER_MS
    assert holdings[cabinet.seat(0)].active is None
    assert holdings[cabinet.seat(1)].active is not None
    cabinet.wait_until(go_ns + 510 * NS_PER_MS)
    assert cabinet.table.holdings[cabinet.seat(0)].active is not None


@SWAP
def test_t7_button_held_since_before_go_counts_for_nothing(cabinets: Any, swap: bool) -> None:
    seed = seed_where("rank_or_suit", lambda table: all(table.game.legal_slots(table, s) for s in (0, 1)))
    cabinet = cabinets("rank_or_suit", swap=swap, seeds=repeat(seed), penalty_ms=0)
    cabinet.start_both()
    slot = 1
    cabinet.press(0, cabinet.button(0, slot))
    cabinet.wait_until(cabinet.view.go_at_ns + NS_PER_S)
    assert not cabinet.events(Covered)
    assert not [event for event in cabinet.events(Penalised) if event.offence is Offence.ILLEGAL]


# Play


@SWAP
def test_s3_cover_lands_and_its_lamp_flashes(cabinets: Any, swap: bool) -> None:
    seed = seed_where("rank_or_suit", lambda table: all(table.game.legal_slots(table, s) for s in (0, 1)))
    cabinet = cabinets("rank_or_suit", swap=swap, seeds=repeat(seed))
    cabinet.to_go()
    slot = cabinet.legal(0)[0]
    card = cabinet.table.holdings[cabinet.seat(0)].active
    touched_ns = cabinet.now_ns
    button = cabinet.button(0, slot)
    assert cabinet.is_lit(0, button)
    cabinet.press(0, button)
    cabinet.wait_ms(cabinet.cabinet.hold_back_ns / NS_PER_MS)
    assert cabinet.table.piles[slot].top == card
    assert cabinet.events(Covered)[0].at_ns == touched_ns, "the time of the touch, not of the verdict"
    assert not cabinet.is_lit(0, button)
    assert cabinet.is_lit(1, cabinet.button(1, slot))
    cabinet.wait_ms(130)
    assert cabinet.is_lit(0, button)


def test_s3_a_bouncing_touch_is_one_touch_at_its_first_moment(cabinets: Any) -> None:
    seed = seed_where("rank_or_suit", lambda table: bool(table.game.legal_slots(table, 0)))
    cabinet = cabinets("rank_or_suit", seeds=repeat(seed))
    cabinet.to_go()
    slot = cabinet.legal(0)[0]
    touched_ns = cabinet.now_ns
    cabinet.bounce(0, cabinet.button(0, slot), [(40, 90), (300, 700), (1200, 1210), (4000, 6200)])
    cabinet.wait_ms(200)
    assert [event.at_ns for event in cabinet.events(Covered)] == [touched_ns]
    assert not cabinet.events(Penalised)


def test_spike_on_a_long_wire_is_no_touch(cabinets: Any) -> None:
    cabinet = cabinets("rank_or_suit")
    cabinet.to_go()
    before = cabinet.table
    cabinet.press(0, 0)
    cabinet.wait_ms(0.02)
    cabinet.release(0, 0)
    cabinet.wait_ms(50)
    assert cabinet.table.holdings == before.holdings
    assert cabinet.cabinet.session.counts["spike"] == 1


@SWAP
def test_t3_wrong_pile_puts_the_card_back_and_darkens_that_seat(cabinets: Any, swap: bool) -> None:
    seed = seed_where("classic", lambda table: any(table.game.legal_slots(table, s) for s in (0, 1)))
    cabinet = cabinets(swap=swap, seeds=repeat(seed))
    cabinet.to_go()
    wrong = next(slot for slot in range(4) if slot not in cabinet.legal(0))
    card = cabinet.table.holdings[cabinet.seat(0)].active
    cabinet.press(0, cabinet.button(0, wrong))
    cabinet.wait_ms(6)
    assert [type(event) for event in cabinet.events()[-2:]] == [Penalised, PutBack]
    assert cabinet.table.holdings[cabinet.seat(0)].active is None
    assert cabinet.table.holdings[cabinet.seat(0)].draw[0] == card
    assert not any(cabinet.is_lit(0, button) for button in range(4))
    assert all(cabinet.is_lit(1, button) for button in range(4))
    note = cabinet.view.notes[cabinet.seat(0)]
    assert note is not None
    assert note.kind is NoteKind.WRONG_PILE
    cabinet.wait_ms(500)
    assert cabinet.table.holdings[cabinet.seat(0)].active == card
    assert all(cabinet.is_lit(0, button) for button in range(4))


@SWAP
def test_t4_beaten_is_no_offence_and_both_are_told_by_how_much(cabinets: Any, swap: bool) -> None:
    cabinet, slot = contest(cabinets, swap=swap)
    cabinet.press(0, cabinet.button(0, slot))
    cabinet.wait_ms(12.3)
    cabinet.press(1, cabinet.button(1, slot))
    cabinet.wait_ms(10)
    assert [event.lead_ns for event in cabinet.events(Beaten)] == [12_300_000]
    first, second = (cabinet.view.notes[cabinet.seat(seat)] for seat in (0, 1))
    assert first is not None
    assert second is not None
    assert (first.kind, first.ms) == (NoteKind.FIRST, 12.3)
    assert (second.kind, second.ms) == (NoteKind.BEATEN, 12.3)
    assert not cabinet.events(Penalised)


@SWAP
def test_t4_order_is_by_touch_even_if_the_earlier_switch_settles_later(cabinets: Any, swap: bool) -> None:
    cabinet, slot = contest(cabinets, swap=swap)
    touched_ns = cabinet.now_ns
    # The first to touch bounces for 6 ms; the second, 1.5 ms later, closes at once and is confirmed sooner.
    cabinet.press(0, cabinet.button(0, slot))
    cabinet.wait_ms(1.5)
    cabinet.release(0, cabinet.button(0, slot))
    cabinet.press(1, cabinet.button(1, slot))
    for _ in range(3):
        cabinet.wait_ms(0.75)
        cabinet.press(0, cabinet.button(0, slot))
        cabinet.wait_ms(0.75)
        cabinet.release(0, cabinet.button(0, slot))
    cabinet.press(0, cabinet.button(0, slot))
    cabinet.wait_ms(20)
    covered = cabinet.events(Covered)
    assert [(event.seat, event.at_ns) for event in covered] == [(cabinet.seat(0), touched_ns)]
    assert [event.seat for event in cabinet.events(Beaten)] == [cabinet.seat(1)]


@SWAP
@pytest.mark.parametrize("gap_us", [0, 400, 999])
def test_t5_dead_heat_freezes_the_pile_then_both_go_again(cabinets: Any, swap: bool, gap_us: int) -> None:
    cabinet, slot = contest(cabinets, swap=swap)
    before = cabinet.table
    touched_ns = cabinet.now_ns
    cabinet.press(0, cabinet.button(0, slot))
    if gap_us:
        cabinet.wait_ms(gap_us / 1000)
    cabinet.press(1, cabinet.button(1, slot))
    cabinet.wait_ms(20)
    assert [event.winner for event in cabinet.events(DeadHeated)] == [None]
    assert [event.slot for event in cabinet.events(Frozen)] == [slot]
    assert cabinet.table.piles[slot].cards == before.piles[slot].cards
    assert [note and note.kind for note in cabinet.view.notes] == [NoteKind.DEAD_HEAT] * 2
    for seat in (0, 1):
        cabinet.release(seat, cabinet.button(seat, slot))
        assert not cabinet.is_lit(seat, cabinet.button(seat, slot))
    cabinet.wait_ms(100)
    cabinet.cover(0, slot)
    ignored = cabinet.events(Ignored)
    assert [event.excuse for event in ignored] == [Excuse.FROZEN]
    cabinet.wait_until(touched_ns + 620 * NS_PER_MS)
    assert all(cabinet.is_lit(seat, cabinet.button(seat, slot)) for seat in (0, 1))
    cabinet.cover(0, slot)
    assert len(cabinet.events(Covered)) == 1


@SWAP
def test_t5_outside_the_window_the_stamps_decide(cabinets: Any, swap: bool) -> None:
    cabinet, slot = contest(cabinets, swap=swap)
    cabinet.press(0, cabinet.button(0, slot))
    cabinet.wait_ms(1)
    cabinet.press(1, cabinet.button(1, slot))
    cabinet.wait_ms(20)
    assert [event.seat for event in cabinet.events(Covered)] == [cabinet.seat(0)]
    assert not cabinet.events(DeadHeated)


def test_t5_coin_tosses_fairly_whoever_touched_first(cabinets: Any) -> None:
    wins = [0, 0]
    for seed in range(150):
        table = rules.find("rank_or_suit").game.start(rules.Options(), seed)
        table, _ = rules.apply(table, rules.Go(0))
        for _ in range(2):
            assert table.next_timer is not None
            table, _ = rules.apply(table, table.next_timer)
        if clashing_pile(table) is None:
            continue
        cabinet = cabinets("rank_or_suit", seeds=repeat(seed), dead_heat=DeadHeatPolicy.COIN)
        cabinet.to_go()
        slot = clashing_pile(cabinet.table)
        for seat in (0, 1):
            cabinet.press(seat, cabinet.button(seat, slot))
        cabinet.wait_ms(20)
        winner = cabinet.events(DeadHeated)[0].winner
        assert [event.seat for event in cabinet.events(Covered)] == [winner]
        kinds = {seat: cabinet.view.notes[seat].kind for seat in (0, 1)}
        assert kinds == {winner: NoteKind.TOSS_WON, 1 - winner: NoteKind.TOSS_LOST}
        wins[winner] += 1
    assert min(wins) >= 3, wins


# Stuck


def stuck_from_the_start(table: rules.AnyTable) -> bool:
    return table.phase is rules.Phase.PAUSE


def test_s5_stuck_pauses_then_both_deal_and_presses_in_the_pause_count_for_nothing(cabinets: Any) -> None:
    cabinet = cabinets(seeds=repeat(seed_where("classic", stuck_from_the_start)))
    cabinet.to_go()
    assert len(cabinet.events(Stuck)) == 1
    assert not any(cabinet.is_lit(seat, button) for seat in (0, 1) for button in range(4))
    cabinet.tap(0, 0)
    assert [event.excuse for event in cabinet.events(Ignored)] == [Excuse.PAUSE]
    cabinet.wait_until(cabinet.table.pause_until_ns + 5 * NS_PER_MS)
    assert len(cabinet.events(Redealt)) == 1
    assert [len(pile.cards) for pile in cabinet.table.piles] == [4, 4, 4, 4]


@SWAP
def test_t6_agree_both_press_start_to_deal_again(cabinets: Any, swap: bool) -> None:
    seed = seed_where("classic", stuck_from_the_start)
    cabinet = cabinets(swap=swap, seeds=repeat(seed), redeal=Redeal.AGREE)
    cabinet.to_go()
    assert not cabinet.events(Stuck), "who says so is the players"
    cabinet.tap(0, START)
    note = cabinet.view.notes[cabinet.seat(0)]
    assert note is not None
    assert note.kind is NoteKind.AGREED
    assert not cabinet.events(Redealt)
    cabinet.tap(1, START)
    assert len(cabinet.events(Redealt)) == 1


@SWAP
def test_t6_agree_wrongly_is_penalised(cabinets: Any, swap: bool) -> None:
    seed = seed_where("classic", lambda table: any(table.game.legal_slots(table, s) for s in (0, 1)))
    cabinet = cabinets(swap=swap, seeds=repeat(seed), redeal=Redeal.AGREE)
    cabinet.to_go()
    cabinet.tap(0, START)
    assert [event.offence for event in cabinet.events(Penalised)] == [Offence.AGREED_WRONGLY]


# The end of a hand, and of a match


def play_out(cabinet: ScriptedCabinet) -> None:
    """Both cover whatever they can until the hand is over, seat 0 first."""
    for _ in range(400):
        if not cabinet.is_in(Stage.HAND):
            return
        legal = [(seat, slots) for seat in (0, 1) if (slots := cabinet.legal(seat))]
        if legal:
            seat, slots = legal[0]
            cabinet.cover(seat, slots[0])
        cabinet.wait_ms(160)
    raise AssertionError("the hand does not end")


def test_m1_a_match_goes_on_until_somebody_has_won_two_hands(cabinets: Any) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(5))
    stages = []
    for _ in range(12):
        cabinet.to_go()
        play_out(cabinet)
        stages.append(cabinet.stage)
        began, commands, outcome = cabinet.played()
        assert outcome == cabinet.table.outcome
        assert commands, began
        if cabinet.is_in(Stage.MATCH_END):
            break
        assert cabinet.is_in(Stage.RESULT)
        assert cabinet.view.match.winner is None
        cabinet.wait_ms(500)
    assert stages[-1] is Stage.MATCH_END
    assert max(cabinet.view.match.wins) == 2
    cabinet.wait_ms(500)
    cabinet.start_both()
    assert cabinet.is_in(Stage.COUNTDOWN)
    assert cabinet.view.match.wins == (0, 0), "a new match"


def test_m1_a_tied_hand_scores_nothing(cabinets: Any) -> None:
    from firmware.session.simulation import play_hand

    seed = next(seed for seed in count(1) if play_hand("classic", seed).reason is Reason.TIE)
    cabinet = cabinets(seeds=count(seed))
    ties = 0
    for _ in range(30):
        before = cabinet.view.match.wins
        cabinet.to_go()
        play_out(cabinet)
        assert cabinet.table.outcome is not None
        if cabinet.table.outcome.reason is Reason.TIE:
            ties += 1
            assert cabinet.view.match.wins == (before if cabinet.view.match.hands > 1 else (0, 0))
            assert cabinet.is_in(Stage.RESULT)
            break
        cabinet.wait_ms(300)
    assert ties, "one hand in five is tied"


def test_result_shows_the_table_until_both_go_on_or_nobody_does(cabinets: Any) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(5))
    cabinet.to_go()
    play_out(cabinet)
    assert cabinet.is_in(Stage.RESULT)
    assert cabinet.events(Ended)
    assert cabinet.table.outcome is not None
    cabinet.wait_ms(61_000)
    assert cabinet.is_in(Stage.START)
    assert cabinet.view.table is None


# What must not stop the game


def test_nobody_there_is_asked_then_the_hand_is_abandoned(cabinets: Any) -> None:
    seed = seed_where("classic", lambda table: bool(table.game.legal_slots(table, 0)))
    cabinet = cabinets(seeds=repeat(seed))
    cabinet.to_go()
    cabinet.wait_until(cabinet.view.go_at_ns + 45 * NS_PER_S + 10 * NS_PER_MS)
    assert [note and note.kind for note in cabinet.view.notes] == [NoteKind.STILL_THERE] * 2
    cabinet.tap(1, START)
    assert cabinet.view.notes == (None, None)
    cabinet.wait_ms(62_000)
    assert cabinet.is_in(Stage.START)
    _, _, outcome = cabinet.played()
    assert outcome == rules.Outcome(Reason.ABANDONED, None)


@SWAP
def test_stuck_button_is_out_of_play_until_it_opens(cabinets: Any, swap: bool) -> None:
    cabinet = cabinets(swap=swap)
    cabinet.press(0, 3)
    cabinet.wait_ms(10_100)
    assert cabinet.view.stuck_buttons == ((cabinet.seat(0), 3),)
    cabinet.release(0, 3)
    cabinet.wait_ms(30)
    assert cabinet.view.stuck_buttons == ()
    assert cabinet.cabinet.session.counts["stuck"] == 1


def test_fault_in_the_rules_gives_the_hand_up_and_the_box_goes_on(
    cabinets: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cabinet = cabinets()
    cabinet.to_go()

    def broken(table: object, command: object) -> None:
        raise RuntimeError("a fault in the program")

    with monkeypatch.context() as patch:
        patch.setattr("firmware.session.hand.rules.apply", broken)
        cabinet.tap(0, 0)
        cabinet.wait_ms(2000)
    assert cabinet.is_in(Stage.START)
    assert "given up" in cabinet.view.faults[0]
    assert cabinet.cabinet.session.counts["given_up"] >= 1
    cabinet.to_go()
    assert cabinet.is_in(Stage.HAND)


def test_journal_holds_what_entered_in_order_and_plays_again(cabinets: Any) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(11))
    cabinet.to_go()
    play_out(cabinet)
    began, commands, outcome = cabinet.played()
    table = rules.find(began.game_id).game.start(began.options, began.seed, at_ns=began.at_ns)
    for command in commands:
        table, _ = rules.apply(table, command)
    assert table.outcome == outcome
    assert table == cabinet.table
    kinds = [type(record) for record in cabinet.records]
    assert kinds[0] is HandBegan
    assert kinds[-1] is HandEnded
    assert set(kinds[1:-1]) == {Entered}


def test_view_numbers_grow_and_views_never_go_back_in_time(cabinets: Any) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(3))
    cabinet.to_go()
    play_out(cabinet)
    numbers = [view.state_id for view in cabinet.views]
    assert numbers == sorted(set(numbers))
    times = [view.at_ns for view in cabinet.views]
    assert times == sorted(times)


def test_show_that_fails_does_not_undo_what_was_decided(cabinets: Any) -> None:
    cabinet = cabinets("rank_or_suit", seeds=count(3))
    seen: list[Any] = []

    def broken(view: object) -> None:
        raise RuntimeError("no picture")

    cabinet.cabinet.listen(broken)
    cabinet.cabinet.listen(seen.append)
    cabinet.to_go()
    assert cabinet.is_in(Stage.HAND)
    assert seen
    assert cabinet.cabinet.show_faults == len(seen)
    assert not cabinet.view.faults
