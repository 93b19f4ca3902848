"""Whatever lies on the disk in place of what was kept: there is always a game, and always a message."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.commands.daemon import GOOD_SETTINGS, usual_settings
from firmware.keep import journal
from firmware.keep.keeper import HANDS, Keeper
from firmware.keep.ledger import NAME, Ledger, backup_of
from firmware.keep.restore import open_ledger
from firmware.rules import Match
from firmware.session.records import HandEnded
from firmware.settings import Settings, as_toml, defaults, load
from tests.keep.hands import Complaints, a_hand, hand, ledger_in

QUICK = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
RESULTS = 40
BACKED_UP = 25


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """A ledger of 40 results and its backup, which has 25 of them."""
    directory = tmp_path_factory.mktemp("kept")
    keeper = Keeper(directory, Complaints())
    for number in range(RESULTS):
        for record in hand(number, match=Match(3, (1, 0), 1)):
            keeper.write(record)
        if number == BACKED_UP - 1:
            keeper.calm()
    keeper.close()
    path = directory / NAME
    return path.read_bytes(), backup_of(path).read_bytes()


def laid(folder: Path, content: bytes, backup: bytes | None) -> Path:
    """A folder with these two files and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / NAME
    path.write_bytes(content)
    if backup is not None:
        backup_of(path).write_bytes(backup)
    return path


def numbers_after_a_start(folder: Path) -> tuple[list[int], Complaints]:
    """What a cabinet started here keeps, with one hand more, and what it says."""
    complaints = Complaints()
    saved: list[HandEnded] = []
    keeper = Keeper(folder, complaints, saved=saved.append)
    keeper.open()
    for record in hand(1000):
        keeper.write(record)
    keeper.close()
    assert len(saved) == 1
    with ledger_in(folder) as ledger:
        return [result.ended_ns for result in ledger.results(lambda bad: None)], complaints


@QUICK
@given(data=st.data())
def test_ledger_with_flipped_bytes_is_played_on_with(
    data: st.DataObject, tmp_path: Path, kept: tuple[bytes, bytes]
) -> None:
    content = bytearray(kept[0])
    length = data.draw(st.sampled_from([1, 1, 1, 2, 16, 512]))
    # Every other time in the first page, which says what all the others are.
    at = data.draw(st.integers(0, 4095) | st.integers(0, len(content) - length))
    for offset in range(length):
        content[at + offset] ^= data.draw(st.integers(1, 255)) if offset < 4 else 0xFF
    path = laid(tmp_path / "state", bytes(content), kept[1])
    numbers, complaints = numbers_after_a_start(path.parent)
    assert numbers[-1] == 1000
    if complaints.all:
        assert numbers[:-1] == list(range(BACKED_UP))
        assert str(path) in complaints.all[0]
        assert any(other.name.startswith("ledger.") for other in path.parent.glob("ledger.*-1*"))
    else:
        # A byte of a value: SQLite cannot know, and nothing else is touched by it.
        assert len(numbers) in (RESULTS, RESULTS + 1)


def test_ledger_cut_at_any_length_is_the_backup_or_whole(tmp_path: Path, kept: tuple[bytes, bytes]) -> None:
    whole = len(kept[0])
    cuts = {0, 1, 15, 16, 99, 100, 101, whole - 1, whole}
    cuts |= {page * 4096 + more for page in range(1, whole // 4096) for more in (-1, 0, 1)}
    for cut in sorted(cuts):
        path = laid(tmp_path / "state", kept[0][:cut], kept[1])
        numbers, complaints = numbers_after_a_start(path.parent)
        rows = RESULTS if cut == whole else BACKED_UP
        assert numbers == [*range(rows), 1000], cut
        assert bool(complaints.all) == (cut < whole), cut


def other_database(path: Path) -> None:
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE t (x); VACUUM")
    db.close()


@pytest.mark.parametrize("with_backup", [True, False])
@pytest.mark.parametrize("what", ["text", "zeros", "noise", "folder", "full folder", "another database"])
def test_ledger_that_is_something_else_is_set_aside(
    tmp_path: Path, kept: tuple[bytes, bytes], what: str, with_backup: bool
) -> None:
    path = laid(tmp_path / "state", b"", kept[1] if with_backup else None)
    path.unlink()
    lay: dict[str, Callable[[], object]] = {
        "text": lambda: path.write_text("a list of songs\n" * 1000),
        "zeros": lambda: path.write_bytes(bytes(len(kept[0]))),
        "noise": lambda: path.write_bytes(bytes(n * n % 251 for n in range(9000))),
        "folder": path.mkdir,
        "full folder": lambda: (path / "in" / "it").mkdir(parents=True),
        "another database": lambda: other_database(path),
    }
    lay[what]()
    numbers, complaints = numbers_after_a_start(path.parent)
    assert numbers == [*(range(BACKED_UP) if with_backup else ()), 1000]
    assert len(complaints.all) == 1
    assert str(path) in complaints.all[0]
    assert "set aside as ledger.damaged-1.sqlite" in complaints.all[0]


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("what", ["noise", "folder"])
def test_what_lies_beside_a_ledger_never_stops_the_game(
    tmp_path: Path, kept: tuple[bytes, bytes], end: str, what: str
) -> None:
    path = laid(tmp_path / "state", *kept)
    beside = path.with_name(path.name + end)
    if what == "folder":
        beside.mkdir()
    else:
        beside.write_bytes(bytes(n * n % 251 for n in range(9000)))
    complaints = Complaints()
    keeper = Keeper(path.parent, complaints)
    keeper.open()
    for record in hand(1000):
        keeper.write(record)
    beside.rmdir() if beside.is_dir() else None
    keeper.close()
    with ledger_in(path.parent) as ledger:
        assert [result.ended_ns for result in ledger.results()] == [*range(RESULTS), 1000]


def test_ledger_that_breaks_while_it_is_in_use_gives_way_to_the_backup(
    tmp_path: Path, kept: tuple[bytes, bytes]
) -> None:
    path = laid(tmp_path / "state", *kept)
    complaints = Complaints()
    keeper = Keeper(path.parent, complaints)
    keeper.open()
    path.write_bytes(kept[0][:4096] + b"\xa5" * (len(kept[0]) - 4096))
    assert keeper._ledger is not None
    keeper._ledger._db.execute("PRAGMA shrink_memory")  # or it is written from memory, and found next time
    for record in hand(1000):
        keeper.write(record)
    keeper.close()
    assert len(complaints.all) == 1
    assert "the last backup takes its place" in complaints.all[0]
    with ledger_in(path.parent) as ledger:
        assert [result.ended_ns for result in ledger.results()] == [*range(BACKED_UP), 1000]


def test_no_start_ever_opens_a_ledger_that_sqlite_calls_unsound(
    tmp_path: Path, kept: tuple[bytes, bytes]
) -> None:
    for at in range(0, len(kept[0]), 509):
        content = bytearray(kept[0])
        content[at] ^= 0xFF
        path = laid(tmp_path / "state", bytes(content), kept[1])
        ledger, _ = open_ledger(path)
        ledger.save(counts={("spike", ""): 1})
        ledger.close()
        Ledger(path, is_read_only=True).close()


# Settings


GOOD = as_toml(defaults()).encode()


def played_with(tmp_path: Path, path: Path) -> tuple[Settings, list[str]]:
    faults: list[str] = []
    return usual_settings(path, tmp_path, faults), faults


@QUICK
@given(data=st.data())
def test_settings_damaged_in_any_way_are_played_without(data: st.DataObject, tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    content = bytearray(GOOD)
    match data.draw(st.sampled_from(["flip", "cut", "noise"])):
        case "flip":
            content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        case "cut":
            del content[data.draw(st.integers(0, len(content))) :]
        case _:
            content = bytearray(data.draw(st.binary(max_size=200)))
    path.write_bytes(content)
    good = tmp_path / GOOD_SETTINGS
    good.write_bytes(GOOD)
    found, faults = played_with(tmp_path, path)
    if faults:
        assert found == defaults()
        assert str(path) in faults[0]
    else:
        assert found == load(path)


@pytest.mark.parametrize("what", ["missing", "empty", "folder", "noise", "cut"])
def test_last_good_settings_that_are_damaged_too_leave_the_reference_cabinet(
    tmp_path: Path, what: str
) -> None:
    path, good = tmp_path / "settings.toml", tmp_path / GOOD_SETTINGS
    path.write_text("[play]\ngame = 'chess'\n")
    if what == "folder":
        good.mkdir()
    elif what != "missing":
        good.write_bytes({"empty": b"", "noise": b"\xff\0" * 50, "cut": GOOD[:70]}[what])
    found, faults = played_with(tmp_path, path)
    assert found == defaults()
    assert len(faults) == 1
    assert "chess" in faults[0]


def test_settings_that_are_a_folder_are_told(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.mkdir()
    found, faults = played_with(tmp_path, path)
    assert found == defaults()
    assert str(path) in faults[0]


# Journals


@QUICK
@given(cut=st.integers(0, 400), noise=st.binary(max_size=50))
def test_journals_left_damaged_never_stop_the_next_hand(cut: int, noise: bytes, tmp_path: Path) -> None:
    folder = tmp_path / HANDS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "hand-000004.jsonl").write_bytes(b"".join(map(journal.encode, HAND))[:cut] + noise)
    (folder / "hand-000005.jsonl").mkdir()
    complaints = Complaints()
    keeper = Keeper(tmp_path, complaints)
    for record in HAND:
        keeper.write(record)
    keeper.close()
    assert not complaints.all
    assert journal.read(folder / "hand-000006.jsonl").outcome is not None


def test_hands_folder_that_is_a_link_to_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / HANDS).symlink_to(tmp_path / "nowhere" / "at all")
    complaints = Complaints()
    keeper = Keeper(tmp_path, complaints)
    for record in HAND:
        keeper.write(record)
    keeper.close()
    assert len(complaints.now) == 1
    assert complaints.now[0].startswith("hands are not kept: ")


HAND = a_hand("classic", 1)
