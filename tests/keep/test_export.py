"""``speed-cabinet export``: the ledger as a table, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from firmware.cli import main
from firmware.keep import keeper
from firmware.keep.keeper import Keeper
from firmware.keep.ledger import NAME, Ledger
from firmware.rules import Match, Options, Outcome, Reason
from firmware.session.records import HandBegan, HandEnded
from tests.keep.hands import Complaints, hand


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a cabinet has kept three hands and some presses."""
    path = tmp_path / "state"
    monkeypatch.setenv("STATE_DIRECTORY", str(path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(keeper, "boot_id", lambda: "one")
    kept = Keeper(path, Complaints(), counts=lambda: {("presses", "player 2, place 1"): 12, ("late", ""): 0})
    for number, at in enumerate((None, None, 1_800_000_000)):
        monkeypatch.setattr(keeper, "wall_time", lambda at=at: at)
        for record in hand(number):
            kept.write(record)
    kept.close()
    return path


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["export", *words])
    out, err = capsys.readouterr()
    return code, out, err


FIRST = {
    "number": 1,
    "at": None,
    "game": "classic",
    "seed": 0,
    "reason": "placed_last_card",
    "winner": 2,
    "seconds": 41.5,
    "covers": [19, 26],
    "offences": [2, 0],
    "best_of": 3,
    "wins": [0, 1],
    "hands": 1,
}


def test_export_json_holds_all_results_and_counters(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = ran(capsys, "--json")
    assert (code, err) == (0, "")
    figures = json.loads(out)
    assert figures["results"][0] == FIRST
    assert [result["at"] for result in figures["results"]] == [None, None, "2027-01-15T08:00:00+00:00"]
    assert figures["counters"] == [
        {"counter": "power_ups", "button": None, "count": 1},
        {"counter": "presses", "button": "player 2, place 1", "count": 12},
    ]


def test_export_csv_is_one_table_of_both(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "--csv")
    assert code == 0
    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(out)))
    assert [row["kind"] for row in rows] == ["result"] * 3 + ["counter"] * 2
    assert (rows[0]["covers"], rows[0]["wins"], rows[0]["at"]) == ("19 26", "0 1", "")
    assert (rows[4]["button"], rows[4]["count"], rows[4]["game"]) == ("player 2, place 1", "12", "")


@pytest.mark.parametrize(
    ("words", "is_csv"),
    [
        (["out.csv"], True),
        (["out.json"], False),
        (["out.txt", "--csv"], True),
        (["out.csv", "--json"], False),
    ],
)
def test_export_to_a_file_goes_by_the_option_or_its_name(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], is_csv: bool
) -> None:
    path = tmp_path / words[0]
    code, out, _ = ran(capsys, str(path), *words[1:])
    assert (code, out) == (0, "")
    text = path.read_text()
    if is_csv:
        assert text.startswith("kind,number,at,game,")
    else:
        assert json.loads(text)["results"][0] == FIRST


@pytest.mark.parametrize("columns", [80, 120])
def test_export_alone_is_a_table_for_people(
    directory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    code, out, _ = ran(capsys)
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    played = f"{datetime.fromtimestamp(1_800_000_000):%Y-%m-%d %H:%M}"
    more = " 19:26 2:0" if columns > 80 else ""
    for number, when in ((2, "unknown"), (3, played)):
        assert f"{number} {when} Classic player 2 placed last card 0:1 41.5{more}" in lines
    assert "3 hands" in out
    assert "power ups" in out
    assert "when unknown: no clock" in out
    assert ("--csv" in out) == (columns == 80), "what is left out is said"


def test_export_of_five_seats_breaks_lines_between_words_only(
    directory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    kept = Keeper(directory, Complaints())
    kept.write(HandBegan("tournament", Options().for_seats(5), 9, 0, 1, (0,) * 5, 5))
    match = Match(1, (0, 0, 0, 0, 1), 1)
    outcome = Outcome(Reason.LAST_IN_HAND, 4)
    kept.write(HandEnded(outcome, 9, 141_500_000_000, (12, 13, 14, 15, 16), (0,) * 5, match))
    kept.close()
    _, out, _ = ran(capsys)
    assert "…" not in out
    assert all(len(line) <= 80 for line in out.splitlines())
    for word in ("Tournament", "player 5", "hand", "0:0:0:0:1", "141.5"):
        assert re.search(rf"\b{word}\b", out)


def test_export_before_the_first_hand_says_so(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = Ledger(directory / NAME)
    ledger._db.execute("DELETE FROM results")
    ledger.close()
    code, out, _ = ran(capsys)
    assert code == 0
    assert "no hands yet" in out
    assert "power ups" in out


def test_export_names_a_game_of_a_newer_program_by_its_id(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = Ledger(directory / NAME)
    ledger._db.execute("UPDATE results SET game = 'whist' WHERE id = 2")
    ledger.close()
    code, out, _ = ran(capsys)
    assert code == 0
    assert "whist" in out


def test_export_changes_nothing_and_runs_beside_the_cabinet(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (directory / NAME).read_bytes()
    kept = Keeper(directory, Complaints())
    kept.open()
    assert ran(capsys, "--json")[0] == 0
    assert (directory / NAME).read_bytes() == before
    kept.close()


def test_export_leaves_out_what_makes_no_sense_and_says_so(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = Ledger(directory / NAME)
    ledger._db.execute("UPDATE results SET match = '{' WHERE id = 2")
    ledger.close()
    code, out, err = ran(capsys, "--json")
    assert code == 0
    assert [result["number"] for result in json.loads(out)["results"]] == [1, 3]
    assert "left out" in err
    assert "result 2" in err


@pytest.mark.parametrize("what", ["nothing", "noise", "folder"])
def test_export_without_a_sound_ledger_says_why(
    directory: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    path = directory / NAME
    path.unlink()
    if what == "noise":
        path.write_bytes(b"noise" * 100)
    elif what == "folder":
        path.mkdir()
    code, out, err = ran(capsys, "--json")
    assert (code, out) == (2, "")
    assert str(path) in err
    assert "Traceback" not in err
    if what == "noise":
        assert path.read_bytes() == b"noise" * 100, "only the cabinet sets it aside"


def test_export_to_where_nothing_can_be_written_says_why(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = ran(capsys, str(tmp_path / "no" / "out.csv"))
    assert code == 2
    assert "out.csv" in err
