"""A disk that is full, read-only, late or gone: play goes on, and nothing is lost that can be written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.keep.journals import Limits
from firmware.keep.keeper import BACKED_UP, Keeper
from firmware.keep.ledger import NAME, Ledger, backup_of
from firmware.rules import Match
from firmware.session.records import HandEnded
from tests.keep.disks import Disk, Mounted, a_disk
from tests.keep.hands import Complaints, hand, ledger_in

SMALL = Limits(in_all=64_000, one_hand=16_000, left_free=0)


@pytest.fixture(params=["small", "pretended"])
def disk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    with a_disk(tmp_path / "disk", monkeypatch, is_pretended=request.param == "pretended") as disk:
        yield disk


class Play:
    """A keeper on a disk, hands numbered on, and what came of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.complaints = Complaints()
        self.saved: list[HandEnded] = []
        self.keeper = Keeper(path, self.complaints, saved=self.saved.append, limits=SMALL)
        self.interrupted = self.keeper.open()

    def hands(self, first: int, last: int) -> None:
        for number in range(first, last + 1):
            for record in hand(number, match=Match(3, (0, 1), number)):
                self.keeper.write(record)

    def on_disk(self) -> list[int]:
        with ledger_in(self.path) as ledger:
            return [result.ended_ns for result in ledger.results()]

    def told_of(self, what: str) -> list[str]:
        return [told for told in self.complaints.now if told.startswith(what)]


def test_full_disk_is_told_once_and_what_waited_is_written_when_there_is_room(disk: Disk) -> None:
    play = Play(disk.path)
    play.hands(1, 3)
    assert not play.complaints.all
    disk.fill()
    play.hands(4, 60)
    on_disk = len(play.saved)
    assert on_disk < 60
    (told,) = play.told_of("results are kept in memory only")
    assert str(disk.path) in told
    assert play.complaints.all.count(told) == 1
    disk.make_room()
    play.keeper.calm()
    assert not play.told_of("results")
    assert [ended.at_ns for ended in play.saved] == list(range(1, 61))
    assert play.on_disk() == list(range(1, 61))
    play.hands(61, 61)
    assert not play.complaints.now
    play.keeper.close()


def test_backup_that_finds_no_room_leaves_none_taken_and_is_made_later(disk: Disk) -> None:
    play = Play(disk.path)
    play.hands(1, BACKED_UP)
    disk.fill()
    play.keeper.calm()
    (told,) = play.told_of("no backup of the results")
    assert str(disk.path) in told
    assert not list(disk.path.glob("*.new"))
    disk.make_room()
    play.hands(BACKED_UP + 1, 2 * BACKED_UP)
    play.keeper.calm()
    assert not play.complaints.now
    assert len(play.on_disk()) == 2 * BACKED_UP
    assert len(numbers_in(backup_of(disk.path / NAME))) == 2 * BACKED_UP
    play.keeper.close()


def numbers_in(path: Path) -> list[int]:
    ledger = Ledger(path, is_read_only=True)
    try:
        return [result.ended_ns for result in ledger.results()]
    finally:
        ledger.close()


def test_disk_that_is_full_at_the_start_is_used_once_it_is_not(disk: Disk) -> None:
    disk.fill()
    play = Play(disk.path)
    assert play.interrupted is None
    play.hands(1, 4)
    assert not play.saved
    assert play.told_of("results are kept in memory only")
    disk.make_room()
    play.hands(5, 5)
    assert play.on_disk() == [1, 2, 3, 4, 5]
    assert not play.complaints.now
    play.keeper.close()


def test_read_only_disk_still_offers_the_match_and_results_wait(disk: Disk) -> None:
    before = Play(disk.path)
    before.hands(1, 2)
    before.keeper.close()
    disk.protect(is_read_only=True)
    play = Play(disk.path)
    assert play.interrupted is not None
    assert play.interrupted.match == Match(3, (0, 1), 2)
    play.hands(3, 4)
    (told,) = play.told_of("results are kept in memory only")
    assert "readonly" in told
    if isinstance(disk, Mounted):
        (told,) = play.told_of("hands are not kept")
        assert "Read-only" in told
    assert play.on_disk() == [1, 2]
    disk.protect(is_read_only=False)
    play.hands(5, 5)
    assert play.on_disk() == [1, 2, 3, 4, 5]
    assert not play.complaints.now
    play.keeper.close()


def test_read_only_disk_with_a_damaged_ledger_is_played_on_from_memory(disk: Disk) -> None:
    (disk.path / NAME).write_bytes(b"noise" * 1000)
    disk.protect(is_read_only=True)
    play = Play(disk.path)
    play.hands(1, 2)
    if isinstance(disk, Mounted):
        assert not play.saved
        assert play.told_of("results are kept in memory only")
    disk.protect(is_read_only=False)
    play.hands(3, 3)
    assert play.on_disk() == [1, 2, 3]
    play.keeper.close()


def test_folder_that_goes_away_is_made_again(tmp_path: Path) -> None:
    play = Play(tmp_path / "state")
    play.hands(1, 2)
    shutil.rmtree(tmp_path / "state")
    play.hands(3, 4)
    play.keeper.calm()
    assert play.on_disk() == [3, 4]
    assert not play.complaints.now
    play.keeper.close()


def test_disk_that_comes_after_the_start_is_used_with_what_lies_on_it(tmp_path: Path) -> None:
    """The data partition is ``nofail``: the cabinet may be up before it."""
    before = Play(tmp_path / "later")
    before.hands(1, 2)
    before.keeper.close()
    (tmp_path / "state").touch()
    play = Play(tmp_path / "state")
    play.hands(3, 4)
    assert play.told_of("results are kept in memory only")
    (tmp_path / "state").unlink()
    (tmp_path / "later").rename(tmp_path / "state")
    play.keeper.calm()
    assert play.on_disk() == [1, 2, 3, 4]
    play.keeper.close()
