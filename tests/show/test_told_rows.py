"""What is told in row games: dealing, gathering, calling, who is safe, out or has won."""

from __future__ import annotations

from dataclasses import replace

from firmware import rules
from firmware.rules.rows import Rows
from firmware.rules.table import AnyTable
from firmware.seats import Seat
from firmware.session.view import View
from firmware.show.words import words
from tests.show.hands import MS, Hand, S
from tests.show.row_moments import ROW_MOMENTS
from tests.show.test_told import read


def table_of(view: View) -> AnyTable:
    assert view.table is not None
    return view.table


def share(table: AnyTable, seat: Seat) -> int:
    assert isinstance(table.game, Rows)
    return table.game.share(table, seat)


def test_the_words_of_dealing_and_gathering() -> None:
    for name, key in (
        ("no_match", "rows.no_match"),
        ("no_match", "rows.gathered"),
        ("gathering", "rows.new"),
        ("growing", "rows.grow"),
        ("new_start", "rows.gathered"),
        ("to_call", "call.line"),
        ("call", "call.second"),
        ("safe", "standing.safe_why"),
    ):
        view, now_ns = ROW_MOMENTS[name]()
        assert words()(key) in read(view, now_ns, 0), key


def test_that_rows_grow_does_not_tell_whether_there_is_a_match() -> None:
    """For a second after a deal the words are the same, whatever was dealt."""
    hand = Hand("aggravation", seed=4).go()
    while not hand.legal():
        view = hand.view()
        at_ns = max(view.at_ns + 200 * MS, hand.go_at_ns + S - 1)  # GO is told before
        assert words()("rows.grow") in read(view, at_ns, 1)
        assert hand.table.next_timer is not None
        hand.apply(hand.table.next_timer)
    view = hand.view()
    assert words()("rows.grow") in read(view, view.at_ns + 999 * MS, 1)


def test_a3_a_call_is_told_to_both() -> None:
    view, now_ns = ROW_MOMENTS["to_call"]()
    assert words()("call.bank", start="START") in read(view, now_ns, 0)
    assert words()("call.other", player="Player 1") in read(view, now_ns, 1)
    for name, key in (
        ("call", "sign.touched"),
        ("called", "sign.called"),
        ("wrong_call", "sign.called_wrongly"),
    ):
        view, now_ns = ROW_MOMENTS[name]()
        for seat in (0, 1):
            assert words()(key) in read(view, now_ns, seat)


def test_r3_who_is_out_and_why_is_told_to_both() -> None:
    view, now_ns = ROW_MOMENTS["eliminated"]()
    for seat in (0, 1):
        said = read(view, now_ns, seat)
        assert words()("rows.eliminated", player="Player 1") in said
        assert words()("eliminated.last_in_hand") in said


def test_r4_a_winner_without_buttons_is_named() -> None:
    view, now_ns = ROW_MOMENTS["tournament_end"]()
    outcome = rules.Outcome(rules.Reason.MOST_CARDS, 3)
    table = table_of(view)
    table = replace(table, outcome=outcome, own=replace(table.own, seated=(1, 3)))
    for seat, (own, other) in enumerate(((3, 1), (1, 3))):  # who is out reads the winner's first
        said = read(replace(view, table=table), now_ns, seat)
        assert words()("result.tournament", player="CPU 4") in said
        assert words()("reason.most_cards", own=share(table, own), other=share(table, other)) in said


def test_a_tournament_given_up_is_told_to_who_is_out() -> None:
    view, now_ns = ROW_MOMENTS["tournament_end"]()
    table = table_of(view)
    table = replace(
        table, outcome=rules.Outcome(rules.Reason.ABANDONED, None), own=replace(table.own, seated=(1, 3))
    )
    assert words()("reason.abandoned") in read(replace(view, table=table), now_ns, 0)


def test_f2_both_shares_are_shown() -> None:
    view, now_ns = ROW_MOMENTS["frustration"]()
    table = table_of(view)
    for seat in (0, 1):
        said = read(view, now_ns, seat)
        assert str(share(table, seat)) in said
        assert str(len(table.holdings[seat].draw)) in said
