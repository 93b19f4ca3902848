"""The keeper: what it writes, when, and what it does while the disk will not have it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firmware.clock import NS_PER_S, ManualClock
from firmware.errors import DiskError
from firmware.keep import journal, keeper
from firmware.keep.keeper import BACKED_UP, HANDS, UNSAVED, Keeper, state_directory
from firmware.keep.ledger import NAME, Ledger, backup_of
from firmware.rules import Match, Outcome, Reason
from firmware.session.records import HandBegan, HandEnded, HandRecord, MatchLeft
from tests.keep.hands import Complaints, a_hand, hand, ledger_in

HAND = a_hand("rank_or_suit", 3)


@pytest.fixture
def complaints() -> Complaints:
    return Complaints()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NS_PER_S)


def played(kept: Keeper, records: list[HandRecord]) -> None:
    for record in records:
        kept.write(record)


# The thread


def test_keeper_thread_writes_what_it_is_given_and_says_so(tmp_path: Path, complaints: Complaints) -> None:
    saved: list[HandEnded] = []
    kept = Keeper(tmp_path, complaints, saved=saved.append)
    assert kept.open() is None
    kept.start()
    for record in HAND:
        kept.keep(record)
    kept.close()
    kept.close()
    assert saved == [HAND[-1]]
    assert journal.read(tmp_path / HANDS / "hand-000001.jsonl").outcome is not None
    assert not complaints.all


def test_keeper_thread_survives_a_fault_of_its_own(tmp_path: Path, complaints: Complaints) -> None:
    kept = Keeper(tmp_path, complaints)
    kept.start()
    kept.keep("no record")  # type: ignore[arg-type]
    for record in HAND:
        kept.keep(record)
    kept.close()
    with ledger_in(tmp_path) as ledger:
        assert len(list(ledger.results())) == 1


# Results and counters


def test_a_result_is_on_disk_with_all_of_it_when_it_is_said_to_be(
    tmp_path: Path, complaints: Complaints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "wall_time", lambda: 1_800_000_000)
    seen = []

    def saved(ended: HandEnded) -> None:
        with ledger_in(tmp_path) as ledger:
            seen.append((ended, list(ledger.results())))

    kept = Keeper(tmp_path, complaints, saved=saved)
    began, ended = HAND[0], HAND[-1]
    assert isinstance(began, HandBegan)
    assert isinstance(ended, HandEnded)
    played(kept, HAND)
    ((told, (result,)),) = seen
    assert told is ended
    assert (result.game_id, result.seed, result.options) == ("rank_or_suit", began.seed, began.options)
    assert (result.outcome, result.match, result.covers) == (ended.outcome, ended.match, ended.covers)
    assert (result.ended_ns, result.played_ns) == (ended.at_ns, ended.played_ns)
    assert (result.number, result.at_s) == (1, 1_800_000_000)
    kept.close()


def test_results_say_how_long_was_played_and_what_each_seat_did(tmp_path: Path) -> None:
    ended = HAND[-1]
    assert isinstance(ended, HandEnded)
    assert 5 * NS_PER_S < ended.played_ns < 600 * NS_PER_S
    assert len(ended.covers) == len(ended.offences) == 2
    assert min(ended.covers) > 3
    assert sum(ended.match.wins) <= ended.match.hands == 1


def test_counters_grow_from_run_to_run_and_only_by_what_is_new(
    tmp_path: Path, complaints: Complaints, clock: ManualClock
) -> None:
    counts: dict[tuple[str, str], int] = {}
    for run in range(3):
        counts = {("spike", ""): 1, ("presses", "player 1, place 3"): 10}
        kept = Keeper(tmp_path, complaints, clock=clock, counts=lambda: counts)  # noqa: B023
        kept.open()
        played(kept, hand(2 * run))
        counts["presses", "player 1, place 3"] += 5
        played(kept, hand(2 * run + 1))
        clock.move_to(clock.now_ns() + 125 * NS_PER_S)
        kept.close()
    with ledger_in(tmp_path) as ledger:
        counted = ledger.counters()
    starts = counted.pop(("power_ups", ""), 0) + counted.pop(("restarts", ""))
    assert starts == 3
    assert counted == {("spike", ""): 3, ("presses", "player 1, place 3"): 45, ("minutes", ""): 6}


def test_a_start_in_another_boot_is_a_power_up(
    tmp_path: Path, complaints: Complaints, monkeypatch: pytest.MonkeyPatch
) -> None:
    for boot in ("one", "one", "two", "three", "three", None):
        monkeypatch.setattr(keeper, "boot_id", lambda boot=boot: boot)
        Keeper(tmp_path, complaints).close()
    with ledger_in(tmp_path) as ledger:
        assert ledger.counters() == {("power_ups", ""): 3, ("restarts", ""): 3}


def test_counters_are_saved_in_calm_moments_but_not_in_each(
    tmp_path: Path, complaints: Complaints, clock: ManualClock
) -> None:
    spikes = 0
    kept = Keeper(tmp_path, complaints, clock=clock, counts=lambda: {("spike", ""): spikes})

    def on_disk() -> int:
        with ledger_in(tmp_path) as ledger:
            return ledger.counters().get(("spike", ""), 0)

    kept.calm()
    spikes = 4
    clock.move_to(clock.now_ns() + 500 * NS_PER_S)
    kept.calm()
    assert on_disk() == 0
    clock.move_to(clock.now_ns() + 101 * NS_PER_S)
    kept.calm()
    assert on_disk() == 4
    kept.close()


# The match that goes on


def test_the_match_that_goes_on_is_there_after_a_restart(tmp_path: Path, complaints: Complaints) -> None:
    kept = Keeper(tmp_path, complaints)
    played(kept, hand(1, match=Match(3, (0, 1), 1)))
    kept.write(hand(2)[0])  # and then somebody pulls the plug
    again = Keeper(tmp_path, complaints)
    found = again.open()
    assert found is not None
    assert (found.game_id, found.seats, found.match) == ("classic", 2, Match(3, (0, 1), 1))
    again.close()
    kept.close()


@pytest.mark.parametrize("how", ["won", "left"])
def test_a_match_that_is_over_is_not(tmp_path: Path, complaints: Complaints, how: str) -> None:
    kept = Keeper(tmp_path, complaints)
    played(kept, hand(1, match=Match(3, (0, 1), 1)))
    if how == "won":
        played(kept, hand(2, match=Match(3, (0, 2), 2)))
    else:
        kept.write(MatchLeft())
    kept.close()
    again = Keeper(tmp_path, complaints)
    assert again.open() is None
    again.close()


# Backups


def test_a_backup_is_made_at_the_start_and_after_enough_results_outside_of_hands(
    tmp_path: Path, complaints: Complaints
) -> None:
    backup = backup_of(tmp_path / NAME)

    def backed_up() -> int:
        ledger = Ledger(backup, is_read_only=True)
        try:
            return len(list(ledger.results()))
        finally:
            ledger.close()

    kept = Keeper(tmp_path, complaints)
    kept.calm()
    assert backed_up() == 0
    for number in range(BACKED_UP):
        played(kept, hand(number))
        if number < BACKED_UP - 1:
            kept.calm()
            assert backed_up() == 0
    kept.write(hand(99)[0])
    kept.calm()
    assert backed_up() == 0, "a hand is in play"
    kept.write(hand(99)[-1])
    kept.calm()
    assert backed_up() == BACKED_UP + 1
    kept.close()


def test_a_backup_that_cannot_be_made_is_told_and_harms_nothing(
    tmp_path: Path, complaints: Complaints
) -> None:
    kept = Keeper(tmp_path, complaints)
    kept.open()
    blocked = backup_of(tmp_path / NAME)
    (blocked / "full").mkdir(parents=True)
    kept.calm()
    played(kept, hand(1))
    kept.close()
    (told,) = complaints.now
    assert told.startswith("no backup of the results: ")
    assert str(blocked) in told
    with ledger_in(tmp_path) as ledger:
        assert len(list(ledger.results())) == 1


# A disk that will not have it


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """A folder that cannot be made because a file is in its place."""
    path = tmp_path / "state"
    path.write_text("a file where the folder should be")
    return path


def test_without_a_disk_it_is_told_once_and_all_is_written_when_it_is_back(
    blocked: Path, complaints: Complaints
) -> None:
    saved: list[HandEnded] = []
    spikes = {("spike", ""): 3}
    kept = Keeper(blocked, complaints, counts=lambda: spikes, saved=saved.append)
    assert kept.open() is None
    for number in range(5):
        played(kept, hand(number))
        kept.calm()
    assert not saved
    told = sorted(complaints.now)
    assert len(told) == 2
    assert told[0].startswith("hands are not kept: ")
    assert told[1].startswith("results are kept in memory only: ")
    assert all(str(blocked) in one for one in told)
    assert len(complaints.all) == 2, "each once"
    blocked.unlink()
    kept.calm()
    played(kept, hand(5))
    assert not complaints.now
    assert [ended.at_ns for ended in saved] == list(range(6))
    with ledger_in(blocked) as ledger:
        assert [result.ended_ns for result in ledger.results()] == list(range(6))
        assert ledger.counters()["spike", ""] == 3
    kept.close()
    assert journal.read(blocked / HANDS / "hand-000001.jsonl").outcome is not None


def test_without_a_disk_the_oldest_results_are_let_go_before_memory_is(
    blocked: Path, complaints: Complaints
) -> None:
    kept = Keeper(blocked, complaints)
    began, ended = hand(0)
    assert isinstance(ended, HandEnded)
    for number in range(UNSAVED + 2):
        kept.write(began)
        kept.write(replace(ended, at_ns=number))
    blocked.unlink()
    kept.close()
    with ledger_in(blocked) as ledger:
        numbers = [result.ended_ns for result in ledger.results()]
    assert numbers == list(range(2, UNSAVED + 2))


def test_a_result_that_may_have_been_written_is_not_kept_twice(
    tmp_path: Path, complaints: Complaints, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Ledger.save

    def unsure(self: Ledger, *what: object) -> None:
        whole(self, *what)  # type: ignore[arg-type]
        raise DiskError("the folder could not be synced")

    kept = Keeper(tmp_path, complaints)
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "save", unsure)
        played(kept, hand(1))
    assert complaints.now == ["results are kept in memory only: the folder could not be synced"]
    played(kept, hand(2))
    assert not complaints.now
    kept.close()
    with ledger_in(tmp_path) as ledger:
        assert [result.ended_ns for result in ledger.results()] == [1, 2]


def test_a_tied_hand_and_one_of_five_seats_are_kept_as_they_are(
    tmp_path: Path, complaints: Complaints
) -> None:
    kept = Keeper(tmp_path, complaints)
    began, ended = hand(1)
    assert isinstance(began, HandBegan)
    assert isinstance(ended, HandEnded)
    five = Match(1, (0,) * 5, 1)
    kept.write(replace(began, game_id="tournament", seats=5))
    kept.write(
        replace(
            ended,
            outcome=Outcome(Reason.TIE, None),
            covers=(1, 2, 3, 4, 5),
            offences=(0,) * 5,
            match=five,
        )
    )
    kept.close()
    with ledger_in(tmp_path) as ledger:
        (result,) = ledger.results()
        interrupted = ledger.interrupted()
    assert (result.outcome, result.covers) == (Outcome(Reason.TIE, None), (1, 2, 3, 4, 5))
    assert interrupted is not None
    assert (interrupted.seats, interrupted.match) == (5, five)


def test_state_directory_is_systemds_then_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/cabinet")
    assert state_directory() == Path("/var/lib/cabinet")
    monkeypatch.delenv("STATE_DIRECTORY")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_directory() == tmp_path / "california-speed-cabinet"
