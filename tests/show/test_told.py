"""Whatever happens is told to both players, in words, and in every language that there is."""

from __future__ import annotations

import string
from collections import Counter
from dataclasses import replace
from importlib import resources
from itertools import product

import pytest

from firmware.rules import GAMES, Abandon, Match, Outcome
from firmware.rules.events import Excuse, Ignored, Offence, Penalised, Reason
from firmware.seats import Seat
from firmware.session.view import Note, NoteKind, Stage, View
from firmware.show.items import Item, Pill, Shape, Text, Weight
from firmware.show.lettering import fitting_px
from firmware.show.look import Look
from firmware.show.scene import compose
from firmware.show.words import words
from firmware.touch.keyboard import key_names
from tests.show.hands import MS, Hand, S, start_view
from tests.show.moments import MOMENTS, agree, countdown, ended, frames, penalty, play, result, stuck
from tests.show.row_moments import ALL_MOMENTS

SIZE = (1280, 720)


def half(items: set[Item], seat: Seat) -> set[Item]:
    """The items that *seat* reads: its own half's, upright for it."""
    return {item for item in items if (item.box.y + item.box.h / 2 > SIZE[1] / 2) == (seat == 0)}


def read(view: View, now_ns: int, seat: Seat, look: Look | None = None) -> list[str]:
    """All texts that stand upright for *seat*."""
    items = compose(view, now_ns, SIZE, look).items
    return [item.text for item in items if isinstance(item, Text | Pill) and item.is_turned == (seat == 1)]


def is_seen_on_both_sides(view: View, without: View, now_ns: int) -> bool:
    changed = set(compose(view, now_ns, SIZE).items) - set(compose(without, now_ns, SIZE).items)
    said: set[Item] = {item for item in changed if isinstance(item, Text | Pill)}
    return bool(half(said, 0)) and bool(half(said, 1))


@pytest.mark.parametrize("stage", Stage)
def test_every_stage_says_something_to_both(stage: Stage) -> None:
    view, now_ns = {
        Stage.START: (start_view(), 0),
        Stage.COUNTDOWN: countdown(),
        Stage.HAND: penalty(),
        Stage.RESULT: result(),
        Stage.MATCH_END: MOMENTS["match_end"](),
    }[stage]
    assert view.stage is stage
    for seat in (0, 1):
        assert [text for text in read(view, now_ns, seat) if not text.isdigit()]


@pytest.mark.parametrize("kind", NoteKind)
@pytest.mark.parametrize("seat", [0, 1])
def test_every_note_is_seen_on_both_sides(kind: NoteKind, seat: Seat) -> None:
    view, now_ns = play()
    note = Note(kind, now_ns, 3.4)
    both = kind in (NoteKind.DEAD_HEAT, NoteKind.STILL_THERE)
    notes = (note, note) if both else (note, None) if seat == 0 else (None, note)
    if kind is NoteKind.AGREED:  # told from the table, for as long as it is true
        view, now_ns = agree()
        assert read(view, now_ns, 0) != read(replace(view, table=play()[0].table), now_ns, 0)
        assert any("nobody can move" in text for text in read(view, now_ns, 1))
        return
    assert is_seen_on_both_sides(replace(view, notes=notes), view, now_ns)


@pytest.mark.parametrize("excuse", Excuse)
@pytest.mark.parametrize("seat", [0, 1])
def test_every_press_that_counts_for_nothing_is_seen_on_both_sides(excuse: Excuse, seat: Seat) -> None:
    view, now_ns = play()
    ignored = replace(view, recent=(*view.recent, Ignored(now_ns, seat, 2, excuse)))
    assert is_seen_on_both_sides(ignored, view, now_ns)


@pytest.mark.parametrize("offence", Offence)
def test_every_offence_shows_that_the_seat_is_blocked(offence: Offence) -> None:
    view, now_ns = penalty()
    table = view.table
    assert table is not None
    until_ns = table.holdings[1].penalty_until_ns
    assert until_ns is not None
    bare = replace(view, notes=(None, None), recent=(Penalised(view.at_ns, 1, None, offence, until_ns),))
    assert words()("block.blocked") in read(bare, now_ns, 1)


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("game_over", [Stage.RESULT, Stage.MATCH_END])
def test_every_end_says_who_and_why_to_both(reason: Reason, game_over: Stage) -> None:
    if reason is Reason.ABANDONED:
        hand = Hand(seed=3).go()
        hand.apply(Abandon(hand.now_ns + S))
    elif reason in (Reason.PLACED_LAST_CARD, Reason.FEWER_CARDS, Reason.TIE):
        hand = ended(reason)
    else:  # of games without shared piles
        hand = ended(Reason.FEWER_CARDS)
        hand.table = replace(hand.table, outcome=Outcome(reason, 1))
    view, now_ns = replace(hand.view(), stage=game_over), hand.now_ns + 5 * S
    outcome = hand.table.outcome
    assert outcome is not None
    for seat in (0, 1):
        said = read(view, now_ns, seat)
        if outcome.winner is not None:
            assert any(text.startswith(f"Player {outcome.winner + 1} wins") for text in said)
        left = [holding.left for holding in hand.table.holdings]
        if reason is Reason.FEWER_CARDS:
            assert left[0] != left[1]
            assert any(text.endswith(f"{left[seat]} : {left[1 - seat]}") for text in said), "its own first"
        if reason in (Reason.TIE, Reason.ABANDONED):
            assert words()("result.replay") in said or reason is Reason.ABANDONED
        assert any("START" in text for text in said)
    assert read(view, now_ns, 0) != read(replace(view, table=replace(hand.table, outcome=None)), now_ns, 0)


@pytest.mark.parametrize("since_ns", [0, 5 * S])
def test_the_end_of_a_match_tells_each_its_own_hands_first(since_ns: int) -> None:
    hand = ended(Reason.PLACED_LAST_CARD, wins=(1, 1))
    winner = hand.match.winner
    assert winner is not None
    for seat in (0, 1):
        score = "2 : 1" if seat == winner else "1 : 2"
        said = read(hand.view(), hand.now_ns + since_ns, seat)
        assert f"Player {winner + 1} wins the match  ·  {score}" in said


@pytest.mark.parametrize("game_id", GAMES)
def test_every_game_says_its_rule(game_id: str) -> None:
    assert words()(f"rule.{game_id}") in read(start_view(game_id), 0, 0)
    assert any(text.startswith(words()(f"mode.{game_id}")) for text in read(start_view(game_id), 0, 1))


def test_the_seat_that_is_ready_and_the_one_that_is_not_read_different_things() -> None:
    view = start_view(is_ready=(False, True))
    assert "press START" in read(view, 0, 0)
    assert "Player 2 is ready" in read(view, 0, 0)
    assert "ready" in read(view, 0, 1)
    assert "waiting for Player 1" in read(view, 0, 1)


# The keys of a desktop


def with_keys(buttons: int) -> Look:
    return Look(keys={(b.seat, b.number): key.upper() for b, key in key_names(buttons).items()})


@pytest.mark.parametrize(
    ("game_id", "buttons", "near", "far"),
    [
        ("rank_or_suit", 4, "A  S  D  F", ";  L  K  J"),
        ("quick", 4, "A  S  D", ";  L  K"),
        ("double_flip", 4, "A  S  D  F", ";  L  K  J"),
        ("double_flip", 8, "Z  X  C  V   ·   far row:  A  S  D  F", ";  L  K  J   ·   far row:  /  .  ,  M"),
        ("aggravation", 7, "A  S  D  F  Z  X  C", "/  .  ,  ;  L  K  J"),
    ],
)
def test_the_start_names_the_keys_to_each_from_its_own_left(
    game_id: str, buttons: int, near: str, far: str
) -> None:
    view = start_view(game_id)
    for seat, (start, keys) in enumerate((("Q", near), ("P", far))):
        said = read(view, 0, seat, with_keys(buttons))
        assert f"press START ({start})" in said
        assert f"your keys:  {keys}" in said
        assert not any("key" in text or "(" in text for text in read(view, 0, seat)), "buttons have no keys"


def test_whoever_waits_is_told_the_others_key() -> None:
    assert "waiting for Player 2: key P" in read(start_view(is_ready=(True, False)), 0, 0, with_keys(4))
    assert "waiting for Player 1: key Q" in read(start_view(is_ready=(False, True)), 0, 1, with_keys(4))


@pytest.mark.parametrize("name", ALL_MOMENTS)
def test_wherever_start_is_spoken_of_its_key_is_named(name: str) -> None:
    view, now_ns = ALL_MOMENTS[name]()
    for seat, key in enumerate("QP"):
        said = read(replace(view, stuck_buttons=()), now_ns, seat, with_keys(4))
        for text in said:
            assert "START" not in text or f"START ({key})" in text


@pytest.mark.parametrize("seat", [0, 1])
def test_each_tick_bears_the_name_of_its_key(seat: Seat) -> None:
    view, now_ns = play()
    said = read(view, now_ns, seat, with_keys(4))
    assert [text for text in said if len(text) == 1 and not text.isdigit()] == list(("ASDF", "JKL;")[seat])
    rows, now_ns = ALL_MOMENTS["second_bank"]()
    for held in (False, True):
        held_by = (held, False) if seat == 0 else (False, held)
        table = read(replace(rows, has_second_bank=held_by), now_ns, seat, with_keys(4))
        letters = sorted(text for text in table if len(text) == 1 and not text.isdigit())
        assert letters == sorted(("ASDF", "JKL;")[seat]), "one row of keys, wherever they lead"


@pytest.mark.parametrize("ready", [(False, False), (True, False), (False, True)])
def test_an_interrupted_match_is_offered_to_each_with_its_own_hands_first(ready: tuple[bool, bool]) -> None:
    view = replace(start_view(is_ready=ready), match=Match(5, (2, 1), 4), other_match=Match(5))
    for seat, score in enumerate(("go on with 2 : 1", "go on with 1 : 2")):
        said = read(view, 0, seat)
        assert (score if ready[seat] else f"START: {score}") in said
        assert "a pile button: new match" in said
        assert ("waiting for Player 2" in said) == (seat == 0 and ready[0])
        assert ("Player 1 is ready" in said) == (seat == 1 and ready[0])
    signs = [item for item in compose(view, 0, SIZE).items if isinstance(item, Shape)]
    for seat, filled in enumerate((2, 1)):
        player = Look().players[seat]
        assert sum(item.figure is player.sign for item in signs) == filled
        assert sum(item.figure is player.open_sign for item in signs) == 3 - filled


def test_a_match_whose_hands_were_all_tied_is_gone_on_with() -> None:
    view = replace(start_view(), match=Match(3, (0, 0), 1), other_match=Match())
    for seat in (0, 1):
        assert "START: go on with 0 : 0" in read(view, 0, seat)


def test_a_new_match_in_place_of_an_interrupted_one_says_how_to_go_back() -> None:
    view = replace(start_view(), other_match=Match(3, (0, 1), 1))
    for seat, score in enumerate(("0 : 1", "1 : 0")):
        said = read(view, 0, seat)
        assert "START: new match" in said
        assert f"a pile button: go on with {score}" in said


def test_where_there_is_no_choice_no_pile_button_is_spoken_of() -> None:
    view = replace(start_view(), match=Match(3, (1, 0), 1))
    for seat, score in enumerate(("1 : 0", "0 : 1")):
        assert f"START: go on with {score}" in read(view, 0, seat)
        for shown in (view, start_view()):
            assert not any("pile button" in text for text in read(shown, 0, seat))


@pytest.mark.parametrize("name", ["result", "match_end", "tie", "tournament_end"])
def test_an_end_says_to_both_that_it_is_saved_once_it_is(name: str) -> None:
    view, now_ns = ALL_MOMENTS[name]()
    for seat in (0, 1):
        before = read(replace(view, is_saved=False), now_ns, seat)
        after = read(replace(view, is_saved=True), now_ns, seat)
        assert Counter(after) - Counter(before) == Counter([words()("result.saved")])
        assert not Counter(before) - Counter(after), "nothing gives way to it"


def test_the_countdown_counts() -> None:
    hand = Hand()
    digits = [read(hand.view(), at_ns, 1) for at_ns in (0, S, S + 1, 2 * S, 3 * S - 1)]
    assert [next(text for text in said if len(text) == 1) for said in digits] == ["3", "2", "2", "1", "1"]
    assert compose(hand.view(), 0, SIZE).next_change_ns == S


def test_t7_a_false_start_says_for_how_long() -> None:
    view, now_ns = countdown()
    assert "blocked for 0.5 s after GO" in read(view, now_ns, 1)
    assert "Player 2: too early" in read(view, now_ns, 0)


def test_t5_a_toss_is_told_at_the_pile_as_a_toss() -> None:
    view, now_ns = MOMENTS["toss"]()
    said = [read(view, now_ns, seat) for seat in (0, 1)]
    assert sorted(said, key=lambda texts: texts.count("toss won"), reverse=True)[0].count("toss won") == 2
    assert sorted(said, key=lambda texts: texts.count("toss lost"), reverse=True)[0].count("toss lost") == 2
    assert not any(" ms" in text for texts in said for text in texts)


def test_t6_a_stuck_table_says_what_comes() -> None:
    view, now_ns = stuck()
    table = view.table
    assert table is not None
    for seat in (0, 1):
        assert words()("stuck.line") in read(view, now_ns, seat)
    few = min(len(holding.draw) for holding in table.holdings) < 4
    assert words()("stuck.count" if few else "stuck.redeal") in read(view, now_ns, 0)


def test_a_penalty_bar_runs_out_in_calm_steps() -> None:
    view, _ = penalty()
    steps = 0
    until_ns = view.at_ns + 500 * MS
    at_ns = view.at_ns + 130 * MS
    while (due_ns := compose(view, at_ns, SIZE).next_change_ns) is not None and due_ns < until_ns:
        assert due_ns - at_ns >= 0
        at_ns = max(due_ns, at_ns + 16 * MS)
        steps += 1
    assert 5 <= steps <= 30


def test_what_the_operator_has_to_know_stands_on_both_sides() -> None:
    view, now_ns = MOMENTS["faults"]()
    for seat in (0, 1):
        said = " ".join(read(view, now_ns, seat))
        assert "Player 1: button 2 stuck" in said
        assert "Player 2: START stuck" in said
        assert "no sound" in said
        assert "keyboard: ± 8 ms" in said


# Words


LANGUAGES = [
    file.name.removesuffix(".toml")
    for file in resources.files("firmware.show.words").iterdir()
    if file.name.endswith(".toml")
]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_complete(language: str) -> None:
    english, other = words("en"), words(language)
    assert set(other.keys()) == set(english.keys())
    for key in list(english.keys()):
        assert fields(other(key)) == fields(english(key)), key
        assert other(key).strip(), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_set_much_smaller_than_meant(language: str) -> None:
    looks = [Look(words=words(language), keys=keys) for keys in ({}, with_keys(10).keys)]
    moments = [moment() for moment in ALL_MOMENTS.values()] + list(frames(2, commands=60))
    moments += [(start_view(game_id), 0) for game_id in GAMES]
    for (view, now_ns), look in product(moments, looks):
        for item in compose(view, now_ns, SIZE, look).items:
            if isinstance(item, Text):
                assert fitting_px(item.text, item.weight, item.px, item.box.w) >= item.px * 0.7, item
            if isinstance(item, Pill):
                width = item.box.w - item.box.h * 3 // 4
                assert fitting_px(item.text, Weight.BLACK, item.px, width) >= item.px * 0.7, item


def test_a_missing_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        words()("no.such.key")


def test_a_missing_language_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        words("xx")
