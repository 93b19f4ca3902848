"""Journals: written, read, played again, and refused with the line where they are wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware import rules
from firmware.errors import JournalError
from firmware.keep import journal
from firmware.keep.journal import EndedLine, EnteredLine, HandLine, encode, to_line
from firmware.rules import Options, Outcome, Reason
from firmware.rules.cards import cards_text
from firmware.rules.options import DeadHeatPolicy, Pace
from firmware.session.records import Entered, HandBegan, HandEnded, HandRecord, Shown
from tests.keep.hands import a_hand


def write(path: Path, records: list[HandRecord]) -> Path:
    path.write_bytes(b"".join(map(encode, records)))
    return path


@pytest.mark.parametrize("game", ["classic", "doubles", "aggravation"])
def test_journal_plays_again_to_the_same_outcome(game: str, tmp_path: Path) -> None:
    records = a_hand(game)
    read = journal.read(write(tmp_path / "hand.jsonl", records))
    steps = list(read.replay())
    assert [step.command for step in steps] == [r.command for r in records if isinstance(r, Entered)]
    assert steps[-1].table.outcome == read.outcome
    assert isinstance(records[-1], HandEnded)
    assert read.outcome == records[-1].outcome


def test_journal_keeps_every_option(tmp_path: Path) -> None:
    options = Options(
        penalty_ms=(250, 1000), dead_heat=DeadHeatPolicy.COIN, pace=Pace.RUSH, rush_ms=900, split=(20, 32)
    )
    began = HandBegan("suit", options, 7, 1_000, 5, (1, 2))
    hand = journal.read(write(tmp_path / "hand.jsonl", [began])).hand
    assert (hand.options, hand.best_of, hand.wins, hand.at_ns) == (options, 5, (1, 2), 1_000)


def test_journal_lines_are_plain_json_in_our_notation() -> None:
    entered = Entered(rules.Cover(1500, 0, 3), touched_ns=1400, is_late=True)
    assert json.loads(encode(entered)) == {
        "kind": "entered",
        "do": "1500 cover seat=0 slot=3",
        "touched_ns": 1400,
        "late": True,
    }
    assert json.loads(encode(Entered(rules.Go(5)))) == {"kind": "entered", "do": "5 go"}
    assert json.loads(encode(Shown(4, 99))) == {"kind": "shown", "state": 4, "at_ns": 99}
    ended = HandEnded(Outcome(Reason.TIE, None), 99, 98, (5, 5), (0, 1), rules.Match())
    assert json.loads(encode(ended)) == {"kind": "ended", "reason": "tie", "winner": None}


def test_journal_takes_a_deck_in_place_of_the_shuffle(tmp_path: Path) -> None:
    deck = rules.PACK[26:] + rules.PACK[:26]
    hand = HandLine("classic", 1, deck=cards_text(deck))
    path = tmp_path / "hand.jsonl"
    path.write_bytes(msgspec.json.encode(hand) + b"\n" + encode(Entered(rules.Go(5))))
    (step,) = journal.read(path).replay()
    assert step.table.holdings[0].draw == deck[4:26]


def test_journal_interrupted_by_the_plug_is_read_without_an_outcome(tmp_path: Path) -> None:
    read = journal.read(write(tmp_path / "hand.jsonl", a_hand()[:-5]))
    assert read.outcome is None
    assert list(read.replay())


HAND = a_hand("classic", 1)


def test_journal_cut_at_any_byte_plays_all_lines_that_are_whole(tmp_path: Path) -> None:
    whole = b"".join(map(encode, HAND))
    path = tmp_path / "hand.jsonl"
    first = whole.index(b"\n")
    all_steps = list(journal.read(write(path, HAND)).replay())
    # Every byte of the last lines, every third of the others.
    for cut in (*range(0, len(whole) - 200, 3), *range(len(whole) - 200, len(whole) + 1)):
        path.write_bytes(whole[:cut])
        if cut < first:
            with pytest.raises(JournalError, match="line 1: "):
                journal.read(path)
            continue
        lines = [line for line in whole[:cut].splitlines(keepends=True) if line.endswith((b"\n", b"}"))]
        is_torn = not whole[:cut].endswith((b"\n", b"}"))
        steps, told = [], None
        try:
            for step in journal.read(path).replay():
                steps.append(step)
        except JournalError as error:
            told = str(error)
        commands = sum(line.startswith(b'{"kind":"entered"') for line in lines)
        assert steps == all_steps[:commands]
        if is_torn:
            assert told is not None
            assert f"line {len(lines) + 1}: torn" in told
            assert f"the {len(lines)} lines before it are sound" in told
        else:
            assert told is None


GOOD = [
    to_line(HandBegan("classic", Options(), 1, 0, 3, (0, 0))),
    EnteredLine("3000000000 go"),
    EndedLine(Reason.TIE, None),
]


@pytest.mark.parametrize(
    ("lines", "number", "told"),
    [
        ([], 1, "empty"),
        (['{"kind":"entered","do":"5 go"}'], 1, "'hand', its first"),
        ([GOOD[0], GOOD[0]], 2, "'hand', its first"),
        (["not json"], 1, "not a line of a journal"),
        (['{"kind":"song"}'], 1, "song"),
        ([GOOD[0], GOOD[1], '{"kind":"entered","do":"5 g', ""], 3, "not a line"),
        ([GOOD[0], EnteredLine("5 jump seat=1")], 2, "'jump'"),
        ([GOOD[0], EnteredLine("5 cover seat=1")], 2, "cover takes seat= slot="),
        ([GOOD[0], GOOD[2], GOOD[1]], 3, "nothing may follow"),
        ([msgspec.structs.replace(GOOD[0], game="chess")], 1, "allowed are classic"),
        ([msgspec.structs.replace(GOOD[0], deck="7h7h")], 1, "deck"),
        ([msgspec.structs.replace(GOOD[0], deck="7x")], 1, "7x"),
        ([msgspec.structs.replace(GOOD[0], version=9)], 1, "found 9, allowed is 1"),
        ([msgspec.structs.replace(GOOD[0], seats=3)], 1, "3 seats"),
        (['{"kind":"hand","game":"classic","seed":1,"options":{"grace_ms":-1}}'], 1, "grace_ms: found -1"),
        (['{"kind":"hand","game":"classic","seed":1,"options":{"pace":"slow"}}'], 1, "slow"),
        (['{"kind":"hand","game":"classic","seed":1,"extra":1}'], 1, "extra"),
    ],
)
def test_journal_that_is_wrong_names_file_and_line(
    tmp_path: Path, lines: list[object], number: int, told: str
) -> None:
    path = tmp_path / "hand.jsonl"
    texts = [line.encode() if isinstance(line, str) else msgspec.json.encode(line) for line in lines]
    path.write_bytes(b"\n".join(texts))
    with pytest.raises(JournalError) as caught:
        journal.read(path)
    assert f"{path}, line {number}:" in str(caught.value)
    assert told in str(caught.value)


def test_journal_whose_command_cannot_be_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "hand.jsonl"
    lines = [GOOD[0], GOOD[1], EnteredLine("2 cover seat=0 slot=0")]
    path.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    with pytest.raises(JournalError, match=r"line 3: .*comes before"):
        list(journal.read(path).replay())


def test_journal_whose_outcome_was_changed_is_found_out(tmp_path: Path) -> None:
    records = a_hand()
    assert isinstance(records[-1], HandEnded)
    winner = records[-1].outcome.winner
    assert winner is not None
    records[-1] = replace(records[-1], outcome=Outcome(records[-1].outcome.reason, 1 - winner))
    path = write(tmp_path / "hand.jsonl", records)
    with pytest.raises(JournalError, match=f"line {len(records)}: the outcome found is"):
        list(journal.read(path).replay())


def test_journal_missing_or_a_folder_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(JournalError, match="cannot be read"):
            journal.read(path)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_journal_damaged_anywhere_raises_nothing_else(data: st.DataObject, tmp_path: Path) -> None:
    whole = bytearray(b"".join(map(encode, HAND)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "insert"])):
            case "flip":
                whole[at] ^= 1 << data.draw(st.integers(0, 7))
            case "cut":
                del whole[at : at + data.draw(st.integers(1, 40))]
            case _:
                whole[at:at] = data.draw(st.binary(min_size=1, max_size=8))
        if not whole:
            break
    path = tmp_path / "hand.jsonl"
    path.write_bytes(bytes(whole))
    with suppress(JournalError):
        list(journal.read(path).replay())
