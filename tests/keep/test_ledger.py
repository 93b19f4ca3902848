"""The ledger's file: how it is written, how an older one becomes one of today, what it makes of nonsense."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.errors import DiskError, LedgerError
from firmware.keep import ledger as ledger_room
from firmware.keep.ledger import MATCH, NAME, Ledger, backup_of, match_text
from firmware.keep.restore import KEPT_ASIDE, open_ledger, replace_ledger
from firmware.keep.results import Result
from firmware.keep.schema import STEPS, NewerLedger, Step
from firmware.rules import Match
from firmware.session.records import HandBegan, HandEnded, Interrupted
from tests.keep.hands import OPTIONS, hand


def result(number: int, run: int = 1) -> Result:
    began, ended = hand(number)
    assert isinstance(began, HandBegan)
    assert isinstance(ended, HandEnded)
    return Result.of(began, ended, run, None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / NAME


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    opened, told = open_ledger(path)
    assert told is None
    yield opened
    opened.close()


def numbers(ledger: Ledger) -> list[int]:
    return [result.ended_ns for result in ledger.results()]


# Written so that it lasts


def test_every_save_is_synced_and_leaves_one_file(ledger: Ledger, path: Path) -> None:
    ledger.save([result(1)])
    (mode,) = ledger._db.execute("PRAGMA journal_mode").fetchone()
    (synchronous,) = ledger._db.execute("PRAGMA synchronous").fetchone()
    assert (mode, synchronous) == ("delete", 3), "EXTRA"
    assert [other.name for other in path.parent.iterdir()] == [NAME]


def test_a_save_is_whole_or_not_at_all(ledger: Ledger) -> None:
    ledger.save([result(1)], {("spike", ""): 1})
    with pytest.raises(LedgerError):
        ledger.save([result(2)], {("spike", ""): 1}, {"match": b"no text"})  # type: ignore[dict-item]
    assert numbers(ledger) == [1]
    assert ledger.counters() == {("spike", ""): 1}
    ledger.save([result(2)])
    assert numbers(ledger) == [1, 2]


def test_a_hand_is_in_once_whoever_says_it_again(ledger: Ledger) -> None:
    ledger.save([result(1), result(2), result(1)])
    ledger.save([result(2), result(1, run=2)])
    assert [(kept.run, kept.ended_ns) for kept in ledger.results()] == [(1, 1), (1, 2), (2, 1)]


def test_results_beyond_the_limit_are_removed_the_oldest_first(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_room, "KEPT_RESULTS", 5)
    for number in range(9):
        ledger.save([result(number)])
    assert numbers(ledger) == [4, 5, 6, 7, 8]
    assert next(ledger.results()).number == 5, "numbers are never given twice"


def test_who_reads_meanwhile_sees_whole_saves_and_changes_nothing(ledger: Ledger, path: Path) -> None:
    ledger.save([result(1)])
    reader = Ledger(path, is_read_only=True)
    assert numbers(reader) == [1]
    ledger.save([result(2)])
    assert numbers(reader) == [1, 2]
    with pytest.raises(DiskError):
        reader.save([result(3)])
    reader.close()


def test_somebody_who_holds_the_file_is_the_disk_being_busy(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_room, "BUSY_S", 0)
    impatient = Ledger(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DiskError, match="locked"):
        impatient.save([result(1)])
    other.close()
    impatient.save([result(1)])
    impatient.close()


def test_a_path_with_signs_of_its_own_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "50 % of it?" / "#1" / NAME
    ledger, _ = open_ledger(path)
    ledger.close()
    assert path.is_file()


# Older and newer files


NEXT: tuple[Step, ...] = (
    *STEPS,
    ("ALTER TABLE results ADD COLUMN median_ms REAL", "CREATE TABLE initials (who TEXT NOT NULL) STRICT"),
)


def test_an_older_file_gets_the_steps_that_it_has_not_had_and_keeps_what_it_holds(
    ledger: Ledger, path: Path
) -> None:
    ledger.save([result(1)], {("spike", ""): 2})
    ledger.close()
    grown = Ledger(path, steps=NEXT)
    assert numbers(grown) == [1]
    assert grown.counters() == {("spike", ""): 2}
    assert grown._db.execute("SELECT count(*) FROM initials").fetchone() == (0,)
    grown.close()
    Ledger(path, steps=NEXT).close()


def test_a_step_that_fails_leaves_the_file_as_it_was(ledger: Ledger, path: Path) -> None:
    ledger.save([result(1)])
    ledger.close()
    broken = (*STEPS, ("CREATE TABLE initials (who TEXT) STRICT", "CREATE NONSENSE"))
    with pytest.raises(LedgerError):
        Ledger(path, steps=broken)
    again = Ledger(path)
    assert numbers(again) == [1]
    again.close()


def test_a_file_of_a_newer_program_is_kept_untouched_beside_a_new_one(ledger: Ledger, path: Path) -> None:
    ledger.close()
    newer = Ledger(path, steps=NEXT)
    newer.save([result(1)])
    newer.close()
    content = path.read_bytes()
    with pytest.raises(NewerLedger, match="version 2, known are up to 1"):
        Ledger(path)
    fresh, told = open_ledger(path)
    assert told is not None
    assert "written by a newer program" in told
    assert "ledger.newer-1.sqlite" in told
    assert numbers(fresh) == []
    fresh.close()
    assert path.with_name("ledger.newer-1.sqlite").read_bytes() == content


def test_somebody_elses_database_is_not_written_to(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE results (song TEXT)")
    other.commit()
    other.close()
    content = path.read_bytes()
    ledger, told = open_ledger(path)
    ledger.save([result(1)])
    ledger.close()
    assert told is not None
    assert "not a ledger of this cabinet" in told
    assert path.with_name("ledger.damaged-1.sqlite").read_bytes() == content


# Set aside, and the backup


def test_a_backup_is_a_sound_copy_and_takes_the_place_of_a_damaged_file(ledger: Ledger, path: Path) -> None:
    ledger.save([result(1)], {("spike", ""): 2})
    ledger.back_up()
    ledger.save([result(2)])
    ledger.close()
    path.write_bytes(b"SQLite format 3\0" + bytes(5000))
    again, told = open_ledger(path)
    assert told is not None
    assert str(path) in told
    assert "set aside as ledger.damaged-1.sqlite; the last backup takes its place" in told
    assert (numbers(again), again.counters()) == ([1], {("spike", ""): 2})
    again.close()
    once_more, told = open_ledger(path)
    once_more.close()
    assert told is None


@pytest.mark.parametrize("is_there", [True, False], ids=["empty", "missing"])
def test_an_empty_or_missing_file_is_the_backup_where_there_is_one(
    ledger: Ledger, path: Path, is_there: bool
) -> None:
    ledger.save([result(1)])
    ledger.back_up()
    ledger.close()
    path.unlink()
    if is_there:
        path.touch()
    again, told = open_ledger(path)
    assert told == f"{path}: missing; the last backup takes its place"
    assert numbers(again) == [1]
    again.close()


def test_a_journal_that_lies_beside_is_never_played_into_another_file(ledger: Ledger, path: Path) -> None:
    """As a plug leaves it in the midst of a save, if then the file itself is lost."""
    ledger.save([result(1)])
    ledger.back_up()
    companion = path.with_name(NAME + "-journal")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA cache_size = 1")
    other.execute("BEGIN IMMEDIATE")
    for number in range(200):
        other.execute("INSERT INTO now VALUES (?, ?)", (str(number), "x" * 500))
    hot = companion.read_bytes()
    other.execute("ROLLBACK")
    other.close()
    ledger.close()
    assert len(hot) > 1000
    path.unlink()
    companion.write_bytes(hot)
    again, told = open_ledger(path)
    assert told == f"{path}: missing; the last backup takes its place"
    assert numbers(again) == [1]
    again.close()
    assert not companion.exists()


def test_a_damaged_backup_does_not_take_a_sound_ones_place(ledger: Ledger, path: Path) -> None:
    for number in range(100):
        ledger.save([result(number)])
    ledger.back_up()
    before = backup_of(path).read_bytes()
    content = bytearray(path.read_bytes())
    content[-4096:] = b"\xa5" * 4096
    path.write_bytes(content)
    ledger._db.execute("PRAGMA shrink_memory")  # or the copy would be made of pages still in memory
    with pytest.raises(LedgerError):
        ledger.back_up()
    assert backup_of(path).read_bytes() == before
    again, told = replace_ledger(ledger, LedgerError("found damaged"))
    assert told is not None
    assert numbers(again) == list(range(100))
    again.close()


def test_both_damaged_is_an_empty_ledger_and_both_are_set_aside(path: Path) -> None:
    path.write_bytes(b"one")
    backup_of(path).write_bytes(b"two")
    ledger, told = open_ledger(path)
    assert told is not None
    assert told.endswith("set aside as ledger.backup.damaged-1.sqlite; counting begins anew")
    assert numbers(ledger) == []
    ledger.close()
    assert path.with_name("ledger.damaged-1.sqlite").read_bytes() == b"one"
    assert path.with_name("ledger.backup.damaged-1.sqlite").read_bytes() == b"two"


def test_files_set_aside_do_not_fill_the_disk(path: Path) -> None:
    for number in range(KEPT_ASIDE + 3):
        path.write_bytes(b"damaged %d" % number)
        ledger, _ = open_ledger(path)
        ledger.close()
    aside = sorted(path.parent.glob("ledger.damaged-*"), key=lambda other: other.stat().st_mtime_ns)
    assert [other.read_bytes() for other in aside] == [
        b"damaged %d" % number for number in range(3, KEPT_ASIDE + 3)
    ]


# What stands now


def test_a_match_comes_back_as_it_was(ledger: Ledger) -> None:
    match = Interrupted("classic", OPTIONS, 2, Match(5, (2, 1), 4))
    ledger.save(now={MATCH: match_text(match)})
    assert ledger.interrupted() == match
    ledger.save(now={MATCH: None})
    assert ledger.interrupted() is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1],
        lambda text: text.replace("[2,1]", "[2]"),
        lambda text: text.replace("[2,1]", "[-2,1]"),
        lambda text: text.replace("[2,1]", "[5,1]"),
        lambda text: text.replace("[2,1]", "[3,1]"),
        lambda text: text.replace('"best_of":5', '"best_of":4'),
        lambda text: text.replace('"penalty_ms":[', '"penalty_ms":[7,'),
        lambda text: "",
    ],
)
def test_a_match_that_makes_no_sense_is_not_offered(ledger: Ledger, change: object) -> None:
    text = match_text(Interrupted("classic", OPTIONS, 2, Match(5, (2, 1), 4)))
    assert callable(change)
    assert text is not None
    changed = change(text)
    assert changed != text
    ledger.save(now={MATCH: changed})
    assert ledger.interrupted() is None


def test_a_result_that_makes_no_sense_is_named_and_the_others_are_read(ledger: Ledger) -> None:
    ledger.save([result(number) for number in range(4)])
    ledger._db.execute("UPDATE results SET reason = 'rain' WHERE id = 2")
    ledger._db.execute("UPDATE results SET covers = CAST(x'ff' AS TEXT) WHERE id = 3")
    with pytest.raises(LedgerError, match="result 2: "):
        list(ledger.results())
    bad: list[LedgerError] = []
    assert [kept.number for kept in ledger.results(bad.append)] == [1, 4]
    assert len(bad) == 2
