"""The folder of journals: one file for each hand, within its limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.keep import journal
from firmware.keep.journals import Limits
from firmware.keep.keeper import HANDS, Keeper
from firmware.session.records import HandBegan, HandRecord
from tests.keep.hands import Complaints, a_hand, ledger_in

HAND = a_hand("rank_or_suit", 3)


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


def played(kept: Keeper, records: list[HandRecord]) -> None:
    for record in records:
        kept.write(record)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_keeper_writes_a_file_for_each_hand_and_counts_on(tmp_path: Path, complaints: Complaints) -> None:
    for hands in (2, 1):
        kept = Keeper(tmp_path, complaints)
        for _ in range(hands):
            played(kept, HAND)
        kept.close()
    folder = tmp_path / HANDS
    assert names(folder) == ["hand-000001.jsonl", "hand-000002.jsonl", "hand-000003.jsonl"]
    assert journal.read(folder / "hand-000002.jsonl").outcome is not None
    assert not complaints.all


def test_keeper_that_is_killed_in_a_hand_has_handed_over_every_line(
    tmp_path: Path, complaints: Complaints
) -> None:
    kept = Keeper(tmp_path, complaints)
    played(kept, HAND[:-3])
    read = journal.read(tmp_path / HANDS / "hand-000001.jsonl")
    assert len(list(read.replay())) == sum(1 for r in HAND[:-3] if not isinstance(r, HandBegan))
    kept.close()


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (Limits(hands=3, left_free=0), 3),
        (Limits(in_all=12_000, one_hand=4_000, left_free=0), 3),
        (Limits(in_all=1, one_hand=4_000, left_free=0), 1),
    ],
)
def test_journals_beyond_a_limit_are_removed_the_oldest_first(
    tmp_path: Path, complaints: Complaints, limits: Limits, left: int
) -> None:
    size = sum(len(journal.encode(record)) for record in HAND)
    assert 3_000 < size < 4_000
    kept = Keeper(tmp_path, complaints, limits=limits)
    for _ in range(6):
        played(kept, HAND)
    kept.close()
    assert names(tmp_path / HANDS) == [f"hand-{n:06}.jsonl" for n in range(7 - left, 7)]
    assert not complaints.all


def test_journals_never_take_more_than_the_limit_whatever_their_sizes(
    tmp_path: Path, complaints: Complaints
) -> None:
    limits = Limits(in_all=9_000, one_hand=4_000, left_free=0)
    folder = tmp_path / HANDS
    folder.mkdir()
    (folder / "hand-000007.jsonl").write_bytes(b"x" * 100_000)
    kept = Keeper(tmp_path, complaints, limits=limits)
    for length in (2, 40, len(HAND), 7, len(HAND), len(HAND)):
        played(kept, HAND[:length])
        assert sum(path.stat().st_size for path in folder.iterdir()) <= limits.in_all
    kept.close()


def test_journals_are_numbered_on_beyond_six_digits_and_past_what_is_not_theirs(
    tmp_path: Path, complaints: Complaints
) -> None:
    folder = tmp_path / HANDS
    (folder / "hand-1000000.jsonl").mkdir(parents=True)
    (folder / "hand-999999.jsonl").touch()
    (folder / "hand-two.jsonl").touch()
    kept = Keeper(tmp_path, complaints, limits=Limits(hands=1, left_free=0))
    played(kept, HAND)
    kept.close()
    assert names(folder) == ["hand-1000000.jsonl", "hand-1000001.jsonl", "hand-two.jsonl"]


def test_a_hand_without_end_is_cut_off_at_its_limit(tmp_path: Path, complaints: Complaints) -> None:
    kept = Keeper(tmp_path, complaints, limits=Limits(one_hand=2_000, left_free=0))
    played(kept, HAND)
    kept.close()
    path = tmp_path / HANDS / "hand-000001.jsonl"
    assert 1_900 < path.stat().st_size <= 2_000
    read = journal.read(path)
    assert read.outcome is None
    assert list(read.replay())
    with ledger_in(tmp_path) as ledger:
        assert len(list(ledger.results())) == 1


def test_a_disk_that_is_nearly_full_is_left_to_the_results(tmp_path: Path, complaints: Complaints) -> None:
    kept = Keeper(tmp_path, complaints, limits=Limits(left_free=1 << 60))
    played(kept, HAND)
    kept.close()
    assert complaints.now == [f"hands are not kept: {tmp_path / HANDS}: the disk is nearly full"]
    with ledger_in(tmp_path) as ledger:
        assert len(list(ledger.results())) == 1
