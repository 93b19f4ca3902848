"""Races as they happen, but for the threads: what fingers do, what is made of it, what is told."""

from __future__ import annotations

from typing import Any

import pytest

from firmware.bench import live
from firmware.bench.bouts import WINDOW_NS, Bout, Bouts, Taken
from firmware.bench.finger import Hand, Pair, make
from firmware.bench.live import Live, Piles, Run, draw
from firmware.bench.other_ways import Press
from firmware.bench.races import Court, Outcome, Race, apart, places, races, truth
from firmware.bench.switches import clean
from firmware.bench.tally import Clear, Tally
from firmware.cli import main
from firmware.clock import NS_PER_MS, NS_PER_S, ManualClock
from firmware.touch.arbiter import SLACK_NS, Let, Ruling
from firmware.touch.contact import Button, Touch

MS = NS_PER_MS
SEATS = pytest.mark.parametrize("seat", [0, 1])
SWAP = pytest.mark.parametrize("swap", [False, True])


def race_of(gap_ns: int, swap: bool) -> Race:
    """A clean race that seat 0 (swapped: 1) wins by *gap_ns*."""
    touches = apart(lambda chance: gap_ns)
    (race,) = races(places(1), 1, "hand-made", touches, switches=[clean], is_disturbed=False)
    return race if (race.first == 0) is not swap else race.swapped()


def taken(
    race: Race, order: tuple[int, ...], *, uncertain_ns: int = 0, outcome: Outcome | None = None
) -> Taken:
    """*race* as it was taken if the seats in *order* were let out, each 5 ms after its touch."""
    presses = tuple(
        Press(seat, race.fingers[seat].touch_ns, race.fingers[seat].touch_ns + 5 * MS, uncertain_ns)
        for seat in order
    )
    return Taken(race, outcome or Outcome(order[:1], frozenset()), presses)


# What is right and what is wrong


def judged(*many: Taken) -> Clear:
    clear = Clear()
    for one in many:
        clear.add(one)
    return clear


@SWAP
def test_first_seat_first_is_right(swap: bool) -> None:
    race = race_of(2 * MS, swap)
    assert judged(taken(race, (race.first, 1 - race.first))) == Clear(races=1, clear=1)


@SWAP
def test_other_seat_first_is_wrong(swap: bool) -> None:
    race = race_of(2 * MS, swap)
    assert judged(taken(race, (1 - race.first, race.first))) == Clear(races=1, clear=1, wrong=1)


@SWAP
def test_first_seat_lost_is_wrong(swap: bool) -> None:
    race = race_of(2 * MS, swap)
    assert judged(taken(race, (1 - race.first,))).wrong == 1
    assert judged(taken(race, (), outcome=Outcome((), frozenset()))).wrong == 1


@SWAP
def test_dead_heat_beyond_window_and_uncertainty_is_needless(swap: bool) -> None:
    heat = Outcome((), frozenset(), is_dead_heat=True)
    race = race_of(WINDOW_NS + 300_001, swap)
    told = [taken(race, (0, 1), uncertain_ns=ns, outcome=heat) for ns in (0, 150_000, 150_001)]
    assert judged(*told) == Clear(races=3, clear=2, needless=2, dead_heats=3)
    late = Clear(late_ns=100_000)
    late.add(told[1])
    assert (late.clear, late.needless) == (1, 0)


@SWAP
@pytest.mark.parametrize("gap_ns", [1, WINDOW_NS])
def test_within_the_window_nobody_is_clearly_first(gap_ns: int, swap: bool) -> None:
    race = race_of(gap_ns, swap)
    assert judged(taken(race, (0, 1)), taken(race, (1, 0))) == Clear(races=2)


@SWAP
def test_lost_and_phantom_presses_and_the_robbed_are_counted_by_seat(swap: bool) -> None:
    race = race_of(2 * MS, swap)
    first, other = race.first, 1 - race.first
    tally = Tally()
    for order in ((first, other), (other, first), (first,), (first, other, other)):
        one = taken(race, order)
        tally.add(one.race, truth(race), one.outcome, one.presses)
    assert (tally.races, tally.lost, tally.phantom, dict(tally.robbed)) == (4, 1, 1, {first: 1})
    assert set(tally.delays_ns) == {5 * MS}


# What fingers do


class Watch:
    """Stands where the clock is waited for: late by so much, each time in turn."""

    def __init__(self, *late_ns: int) -> None:
        self.now_ns = NS_PER_S
        self.late_ns = list(late_ns)
        self.made: list[tuple[int, int]] = []

    def wait(self, due_ns: int) -> int:
        late_ns = self.late_ns.pop(0) if self.late_ns else 0
        self.now_ns = max(self.now_ns, due_ns + late_ns if due_ns else 0)
        return self.now_ns

    def change(self, at_ns: int, number: int) -> None:
        self.made.append(((at_ns - NS_PER_S) // 1000, number))


PLAIN = Hand(closing=(0,), held_ns=50_000, opening=(0,))
BOUNCY = Hand(closing=(0, 10_000, 20_000), held_ns=100_000, opening=(0, 5000, 7000))


def test_each_change_is_made_when_it_is_due() -> None:
    watch = Watch()
    make([Pair(1000, 15_000, (BOUNCY, PLAIN)), Pair(90_000, 0, (PLAIN, PLAIN))], watch.wait, watch.change)
    assert watch.made == [
        (1, 0), (11, 0), (16, 1), (21, 0), (66, 1),
        (91, 2), (91, 3), (101, 0), (106, 0), (108, 0), (141, 2), (141, 3),
    ]  # fmt: skip


def test_what_follows_a_late_touch_is_as_much_later() -> None:
    watch = Watch(0, 4000)
    make([Pair(1000, 15_000, (BOUNCY, PLAIN)), Pair(90_000, 0, (PLAIN, PLAIN))], watch.wait, watch.change)
    assert watch.made[:3] == [(5, 0), (15, 0), (20, 1)]
    assert watch.made[5:7] == [(95, 2), (95, 3)]


def test_no_pairs_no_changes() -> None:
    watch = Watch()
    make([], watch.wait, watch.change)
    assert watch.made == []


# The way of a press


def run_by_hand(races: list[Race]) -> Piles:
    """*races* on the manual clock: between two changes the referee is stepped whenever it wants to be."""
    clock = ManualClock(NS_PER_S)
    piles = Piles(races, clock, 1)

    def wait(due_ns: int) -> int:
        while clock.now_ns() < due_ns:
            clock.move_to(max(clock.now_ns(), min(due_ns, piles.referee.wake_at_ns())))
            piles.referee.step(piles.source.wait(0))
        return clock.now_ns()

    make(piles.pairs, wait, piles.change)
    wait(clock.now_ns() + NS_PER_S)
    piles.close()
    return piles


def test_races_are_drawn_once_and_run_from_either_side() -> None:
    drawn = draw(41, 1)
    assert len(drawn) == 42
    assert sum(race.first for race in drawn) == 21
    close = [race for race in drawn if race.gap_ns < 5 * MS]
    assert len(close) >= 20
    assert min(race.gap_ns for race in drawn) > 0
    piles = Piles(drawn, ManualClock(), 1)
    assert min(pair.after_ns for pair in piles.pairs) >= 80 * MS
    piles.close()


def test_races_go_through_pins_contacts_arbiter_and_rules() -> None:
    drawn = draw(60, 2)
    piles, found = run_by_hand(drawn), Live()
    for run in piles.runs:
        found.add(run)
    assert (found.tally.races, found.held_up, found.late) == (60, 0, 0)
    assert found.clear.clear >= 55
    assert (found.clear.wrong, found.clear.needless) == (0, 0)
    assert (found.tally.lost, found.tally.phantom) == (0, 0)
    assert max(found.tally.delays_ns) < 20 * MS
    assert [run.taken().race.fingers for run in piles.runs] != [race.fingers for race in drawn]
    assert [run.taken().race.gap_ns for run in piles.runs] == [race.gap_ns for race in drawn]
    assert not any(piles.counts[name] for name in ("spike", "noise", "stuck", "given_up"))


@SEATS
def test_touch_that_is_let_out_after_the_next_race_has_begun_belongs_to_its_own(seat: int) -> None:
    bouts, button = Bouts(ManualClock(30 * MS)), Button(seat, 3)
    race = race_of(2 * MS, swap=False)
    both = [Bout(Court(race.position, at_ns), at_ns) for at_ns in (10 * MS, 20 * MS)]
    for bout in both:
        bouts.begin(bout, [Button(0, 3), Button(1, 3)])
    for at_ns in (19 * MS, 20 * MS):
        bouts.touched(Let(at_ns, (Touch(button, at_ns),)))
    assert [[press.at_ns for press in bout.presses] for bout in both] == [[19 * MS], [20 * MS]]
    # Touches of two races are not in each other's way.
    rivals = (Touch(button, 19 * MS), Touch(Button(1 - seat, 3), 20 * MS))
    assert bouts.judge(rivals) == Ruling((rivals[0],))


# What is not judged


def a_run() -> Run:
    """A race on bouncing switches that was run."""
    race = next(one for one in draw(8, 3) if min(finger.closing for finger in one.fingers) > 2)
    (run,) = run_by_hand([race]).runs
    return run


def counted(run: Run) -> tuple[int, int]:
    """(judged, held up)."""
    found = Live()
    found.add(run)
    return found.tally.races, found.held_up


@SEATS
def test_contact_that_was_open_for_longer_than_any_is_not_judged(seat: int) -> None:
    run = a_run()
    assert counted(run) == (1, 0)
    # Its first break: closed again so much later.
    for times in (run.made_ns[seat], run.told_ns[seat]):
        times[2:] = [at_ns + 8 * MS for at_ns in times[2:]]
    assert counted(run) == (0, 1)


@SEATS
def test_bounce_that_was_late_by_far_in_all_is_not_judged(seat: int) -> None:
    run = a_run()
    for times in (run.made_ns[seat], run.told_ns[seat]):
        times[1:] = [at_ns + 21 * MS for at_ns in times[1:]]
    assert counted(run) == (0, 1)


@SEATS
def test_edge_that_was_longer_on_its_way_than_is_allowed_for_is_not_judged(seat: int) -> None:
    run = a_run()
    run.told_ns[seat][0] = run.made_ns[seat][0] + SLACK_NS
    assert counted(run) == (1, 0)
    run.told_ns[seat][0] += 1
    assert counted(run) == (0, 1)


# What is told


FIGURES: dict[str, Any] = {
    "busy_processors": 2,
    "live": Live().figures() | {"races": 200, "clear": 190},
    "faults": {"worn": 3},
}


def told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, live_more: dict[str, int]
) -> tuple[int, str]:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(
        live, "measure", lambda count: FIGURES | {"live": FIGURES["live"] | {"asked": count} | live_more}
    )
    code = main(["bench", "fairness", "--live", "200"])
    return code, capsys.readouterr().out


def test_live_races_are_told_as_promised(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out = told(capsys, monkeypatch, {"held_up": 4})
    assert code == 0
    assert "200 races live, 2 busy processors" in out
    assert "4 more could not be judged" in out
    assert "Faults counted: worn 3." in out
    assert "As promised" in out


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        ("wrong", "2 of 190 clear races decided wrongly"),
        ("lost_presses", "2 presses lost"),
        ("phantom_presses", "2 presses phantom"),
    ],
)
def test_what_went_wrong_live_is_said_and_the_command_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, figure: str, words: str
) -> None:
    code, out = told(capsys, monkeypatch, {figure: 2})
    assert code == 1
    assert f"NOT AS PROMISED: {words}\n" in out
    assert "As promised" not in out


def test_a_fault_of_the_referee_and_that_nothing_was_judged_is_said() -> None:
    assert live.problems(FIGURES) == []
    assert live.problems(FIGURES | {"live": FIGURES["live"] | {"clear": 0}}) == [
        "there was no clear race that could be judged"
    ]
    assert live.problems(FIGURES | {"faults": {"referee_faults": 1, "given_up": 2}}) == [
        "referee faults: 1",
        "given up: 2",
    ]
