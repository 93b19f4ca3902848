"""From edges to first touches: every way through the picture in ``contact.py``."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.touch.contact import (
    START,
    Button,
    Contact,
    Contacts,
    Fault,
    FaultSeen,
    Release,
    Signal,
    State,
    Times,
    Touch,
)
from firmware.touch.edges import Edge, EdgeKind
from tests.touch.wires import CLOSED, MS, OPEN, PILE, T0, US, S, bounce, contact, edge, hear, poll, storm

CONFIRM = Times().confirm_ns
REARM = Times().rearm_ns


def touches(signals: list[Signal]) -> list[Touch]:
    return [signal for signal in signals if isinstance(signal, Touch)]


def faults(signals: list[Signal]) -> list[Fault]:
    return [signal.fault for signal in signals if isinstance(signal, FaultSeen)]


def state(switch: Contact) -> State:
    """Its state; asked anew each time, as a type checker cannot see it change."""
    return switch.state


def held() -> Contact:
    """A contact that was pressed at T0, and is still held."""
    switch = contact()
    assert touches(hear(switch, [edge(T0, CLOSED)], T0 + CONFIRM)) == [Touch(PILE, T0)]
    return switch


# Open → pending → closed


def test_clean_press_is_a_candidate_at_once_and_a_touch_once_confirmed() -> None:
    switch = contact()
    assert switch.candidate is None
    assert hear(switch, [edge(T0, CLOSED)], T0 + CONFIRM - 1) == []
    assert state(switch) is State.PENDING
    assert switch.candidate == Touch(PILE, T0)
    assert switch.wake_at_ns == T0 + CONFIRM
    assert switch.advance(T0 + CONFIRM) == [Touch(PILE, T0)]
    assert state(switch) is State.CLOSED
    assert switch.candidate is None


def test_touch_keeps_its_uncertainty() -> None:
    signals = hear(contact(), [edge(T0, CLOSED, uncertain_ns=7 * MS)], T0 + CONFIRM)
    assert signals == [Touch(PILE, T0, 7 * MS)]


SHAPES = {
    "clean": [],
    "arcade button, sub-bounces of 4 to 8 µs": [(100, 104), (180, 188), (300, 306), (560, 564)],
    "mean of Ganssle's switches": [(150, 500), (620, 700), (900, 1500)],
    "worst of Ganssle's switches": [(40, 900), (1000, 2200), (2300, 3900), (4000, 5100), (5200, 6200)],
    "closed only for moments until it stays": [(5, 1500), (1505, 3000), (3005, 4500), (4505, 6200)],
}


@pytest.mark.parametrize("breaks_us", SHAPES.values(), ids=SHAPES.keys())
def test_bounce_keeps_the_time_of_first_touch_and_is_one_touch(breaks_us: list[tuple[float, float]]) -> None:
    switch = contact()
    settled_ns = T0 + round(breaks_us[-1][1] * US if breaks_us else 0)
    signals = hear(switch, bounce(T0, breaks_us), settled_ns + CONFIRM)
    assert signals == [Touch(PILE, T0)]
    assert hear(switch, [], T0 + S) == []


@pytest.mark.parametrize("first", [OPEN, CLOSED])
def test_first_edge_may_be_reported_as_an_opening(first: int) -> None:
    # The direction is read after the interrupt, when a fast bounce has opened again.
    signals = hear(contact(), [edge(T0, first), edge(T0 + 6 * US, CLOSED)], T0 + 6 * US + CONFIRM)
    assert signals == [Touch(PILE, T0)]


def test_only_edge_misread_as_an_opening_is_mended_by_a_poll() -> None:
    edges = [edge(T0, OPEN), poll(T0 + MS, CLOSED, uncertain_ns=MS)]
    signals = hear(contact(), edges, T0 + MS + CONFIRM)
    assert signals == [Touch(PILE, T0)], "the time is the kernel's, not the poll's, and nothing was lost"


def test_edge_lost_altogether_is_a_touch_at_the_poll_with_its_span() -> None:
    switch = contact()
    signals = hear(switch, [poll(T0, CLOSED, uncertain_ns=5 * MS)], T0 + CONFIRM)
    assert signals == [FaultSeen(PILE, Fault.LOST_EDGE, T0 + CONFIRM), Touch(PILE, T0, 5 * MS)]


def test_poll_quicker_than_the_kernels_event_loses_nothing() -> None:
    edges = [poll(T0, CLOSED), edge(T0 - 80 * US, CLOSED)]
    assert hear(contact(), edges, T0 + CONFIRM) == [Touch(PILE, T0 - 80 * US)]


def test_poll_quicker_than_a_whole_bounce_gives_way_to_its_first_edge_only() -> None:
    late = bounce(T0 - 300 * US, [(100, 150), (200, 250)])
    assert hear(contact(), [poll(T0, CLOSED), *late], T0 + CONFIRM) == [Touch(PILE, T0 - 300 * US)]


def test_edge_after_the_poll_is_no_better_knowledge_of_the_first_touch() -> None:
    edges = [poll(T0, CLOSED), edge(T0 + 100 * US, OPEN), edge(T0 + 120 * US, CLOSED)]
    signals = hear(contact(), edges, T0 + 120 * US + CONFIRM)
    assert touches(signals) == [Touch(PILE, T0, 5 * MS)]


def test_poll_of_an_open_line_says_nothing() -> None:
    switch = contact()
    assert hear(switch, [poll(T0, OPEN)], T0 + S) == []
    assert state(switch) is State.OPEN


def test_two_closings_running_hide_a_break_and_confirm_anew() -> None:
    switch = contact()
    edges = [edge(T0, CLOSED), edge(T0 + 400 * US, CLOSED)]
    assert hear(switch, edges, T0 + CONFIRM) == []
    assert switch.advance(T0 + 400 * US + CONFIRM) == [Touch(PILE, T0)]


def test_mostly_closed_is_confirmed_without_a_whole_quiet_span() -> None:
    # Breaks of 10 µs every millisecond: never closed for 2.5 ms without a break.
    breaks_us = [(990 + 1000 * n, 1000 + 1000 * n) for n in range(20)]
    signals = hear(contact(), bounce(T0, breaks_us))
    assert signals == [Touch(PILE, T0)]


@pytest.mark.parametrize(("closed", "is_touch"), [(0.55, False), (0.9, True)])
def test_five_eighths_of_two_spans_are_needed(closed: float, is_touch: bool) -> None:
    signals = hear(contact(), storm(T0, 40 * MS, closed, rate=2_000))
    assert bool(touches(signals)) is is_touch


# Pending → open, pending → closed without a touch


def test_spike_is_counted_and_forgotten() -> None:
    switch = contact()
    assert hear(switch, [edge(T0, CLOSED), edge(T0 + 3 * US, OPEN)], T0 + 3 * US + 8 * MS - 1) == []
    assert switch.advance(T0 + S) == [FaultSeen(PILE, Fault.SPIKE, T0 + 3 * US + 8 * MS)]
    assert state(switch) is State.OPEN


def test_spike_so_short_that_it_is_reported_twice_as_an_opening() -> None:
    signals = hear(contact(), [edge(T0, OPEN), edge(T0 + US, OPEN)], T0 + S)
    assert signals == [FaultSeen(PILE, Fault.SPIKE, T0 + US + 8 * MS)]


def test_press_after_a_spike_has_its_own_time() -> None:
    spike = [edge(T0, CLOSED), edge(T0 + 3 * US, OPEN)]
    signals = hear(contact(), [*spike, edge(T0 + 20 * MS, CLOSED)], T0 + 30 * MS)
    assert touches(signals) == [Touch(PILE, T0 + 20 * MS)]


def test_edge_older_than_the_span_in_which_the_line_proved_open_is_no_touch() -> None:
    switch = held()
    released = T0 + 100 * MS
    hear(switch, [poll(released, OPEN)], released + REARM)
    assert state(switch) is State.OPEN
    assert hear(switch, [edge(released - 50 * US, CLOSED)], released + S) == []


@pytest.mark.parametrize("closed", [0.05, 0.5])
def test_noise_is_no_touch_and_ends_after_50_ms(closed: float) -> None:
    switch = contact()
    signals = hear(switch, storm(T0, 200 * MS, closed))
    assert signals == [FaultSeen(PILE, Fault.NOISE, T0 + 50 * MS)]
    assert switch.candidate is None
    last = T0 + 200 * MS
    calm = hear(switch, [edge(last, OPEN)], last + REARM)
    assert calm == [Release(PILE, last)]


def test_storm_mostly_closed_is_one_touch() -> None:
    signals = hear(contact(), storm(T0, 200 * MS, 0.95))
    assert signals == [Touch(PILE, T0)]


@pytest.mark.parametrize("closed", [0.05, 0.5, 0.95])
def test_storm_that_does_not_end_is_stuck_and_freed_when_it_does(closed: float) -> None:
    times = Times(stuck_ns=300 * MS)
    switch = contact(times)
    signals = hear(switch, storm(T0, 400 * MS, closed), T0 + S)
    assert faults(signals)[-2:] == [Fault.STUCK, Fault.FREED]
    assert touches(hear(switch, [edge(T0 + 2 * S, CLOSED)], T0 + 3 * S - 1)) == [Touch(PILE, T0 + 2 * S)]


@pytest.mark.parametrize("closed", [0.05, 0.5, 0.95])
def test_storm_blocks_no_other_line_for_more_than_50_ms(closed: float) -> None:
    contacts = Contacts({"4": PILE, "5": Button(1, 2)}, Times())
    blocked: list[int] = []
    for one in storm(T0, S, closed):
        contacts.feed(one)
        contacts.advance(one.at_ns)
        if contacts.candidates():
            blocked.append(one.at_ns)
    assert max(blocked) <= T0 + 50 * MS


# Closed → open


def test_release_comes_once_open_for_rearm_with_the_time_of_the_opening() -> None:
    switch = held()
    opened = T0 + 80 * MS
    assert hear(switch, [edge(opened, OPEN)], opened + REARM - 1) == []
    assert state(switch) is State.CLOSED
    assert switch.advance(opened + REARM) == [Release(PILE, opened)]
    assert state(switch) is State.OPEN


def test_release_bounces_too_and_is_no_second_press() -> None:
    switch = held()
    opened = T0 + 80 * MS
    bounces = [edge(opened, OPEN), edge(opened + MS, CLOSED), edge(opened + 4 * MS, OPEN)]
    assert hear(switch, bounces, opened + S) == [Release(PILE, opened + 4 * MS)]


@pytest.mark.parametrize(("after_ns", "presses"), [(REARM - 1, 0), (REARM, 1), (REARM + 1, 1)])
def test_rearm_edge(after_ns: int, presses: int) -> None:
    switch = held()
    opened = T0 + 300 * MS
    signals = hear(switch, [edge(opened, OPEN), edge(opened + after_ns, CLOSED)], opened + S)
    assert touches(signals) == [Touch(PILE, opened + after_ns)] * presses


def test_lost_release_is_mended_by_a_poll() -> None:
    switch = held()
    read = T0 + 90 * MS
    assert hear(switch, [poll(read, OPEN)], read + REARM) == [Release(PILE, read)]


@pytest.mark.parametrize(("gap_ms", "expected"), [(200, [Fault.WORN]), (251, [])])
def test_press_soon_after_a_release_may_be_a_worn_switch(gap_ms: int, expected: list[Fault]) -> None:
    switch = held()
    opened = T0 + 80 * MS
    again = opened + gap_ms * MS
    signals = hear(switch, [edge(opened, OPEN), edge(again, CLOSED)], again + CONFIRM)
    assert touches(signals) == [Touch(PILE, again)], "it cannot be told from a second press, so it counts"
    assert faults(signals) == expected


def test_edge_older_than_a_reading_says_nothing_new_of_the_level() -> None:
    switch = held()
    read = T0 + 90 * MS
    edges = [poll(read, OPEN), edge(read - 50 * US, OPEN), edge(read - 20 * US, CLOSED)]
    assert hear(switch, edges, read + REARM) == [Release(PILE, read)]


# Closed → stuck → open


def test_stuck_after_ten_seconds_freed_by_a_release() -> None:
    switch = held()
    assert switch.wake_at_ns == T0 + 10 * S
    assert switch.advance(T0 + 60 * S) == [FaultSeen(PILE, Fault.STUCK, T0 + 10 * S)]
    assert state(switch) is State.STUCK
    assert switch.wake_at_ns is None
    opened = T0 + 90 * S
    assert hear(switch, [edge(opened, OPEN)], opened + REARM) == [
        FaultSeen(PILE, Fault.FREED, opened + REARM),
        Release(PILE, opened),
    ]


def test_stuck_is_not_freed_by_a_short_break() -> None:
    switch = held()
    switch.advance(T0 + 20 * S)
    opened = T0 + 30 * S
    assert hear(switch, [edge(opened, OPEN), edge(opened + REARM - 1, CLOSED)], opened + 60 * S) == []
    assert state(switch) is State.STUCK


def test_held_at_the_start_counts_for_nothing_until_released() -> None:
    switch = contact()
    switch.begin_closed(T0)
    assert switch.advance(T0 + S) == []
    opened = T0 + 2 * S
    signals = hear(switch, [edge(opened, OPEN), edge(opened + S, CLOSED)], opened + 2 * S)
    assert signals == [Release(PILE, opened), Touch(PILE, opened + S)]


def test_held_at_the_start_for_ten_seconds_is_stuck() -> None:
    switch = contact()
    switch.begin_closed(T0)
    assert switch.advance(T0 + 10 * S) == [FaultSeen(PILE, Fault.STUCK, T0 + 10 * S)]


# All contacts of a box


def test_lines_without_a_button_are_none_of_ours() -> None:
    contacts = Contacts({"4": PILE}, Times())
    assert contacts.feed(edge(T0, CLOSED, "27")) == []
    contacts.begin_closed(["27"], T0)
    assert contacts.candidates() == []
    assert contacts.wake_at_ns is None


def test_lines_do_not_touch_one_another() -> None:
    buttons = {"4": Button(0, 0), "5": Button(1, 0), "6": Button(1, START)}
    contacts = Contacts(buttons, Times())
    for n, line in enumerate(buttons):
        contacts.feed(edge(T0 + n * US, CLOSED, line))
    assert contacts.is_unsettled
    assert [one.at_ns for one in contacts.candidates()] == [T0, T0 + US, T0 + 2 * US]
    assert contacts.wake_at_ns == T0 + CONFIRM
    assert contacts.advance(T0 + CONFIRM + US) == [Touch(Button(0, 0), T0), Touch(Button(1, 0), T0 + US)]


@pytest.mark.parametrize(
    ("closes_ms", "opens_ms", "is_held"),
    [
        (-900, 900, True),
        (-3, 0.1, True),
        (-3, -0.1, False),
        (-0.1, 3, True),
        (0.1, 3, False),
        (-900, -4, False),
        (4, 900, False),
        (-1, 1, False),
    ],
)
def test_held_at_a_moment_means_closed_for_most_of_3_ms_around_it(
    closes_ms: float, opens_ms: float, is_held: bool
) -> None:
    start = Button(1, START)
    contacts = Contacts({"4": PILE, "6": start}, Times())
    for ms, level in [(closes_ms, CLOSED), (opens_ms, OPEN)]:
        contacts.feed(edge(T0 + round(ms * MS), level, "6"))
    assert contacts.was_held(start, T0) is is_held
    assert not contacts.was_held(PILE, T0)


# Whatever the wire says

gaps_ns = st.one_of(
    st.integers(0, 20 * US),
    st.integers(0, 3 * MS),
    st.integers(0, 30 * MS),
    st.sampled_from([CONFIRM, REARM, 8 * MS, 50 * MS, 250 * MS, 10 * S]),
)
wire = st.lists(st.tuples(gaps_ns, st.sampled_from([OPEN, CLOSED]), st.sampled_from(EdgeKind)), max_size=40)


def in_order(changes: list[tuple[int, int, EdgeKind]], line: str = "4") -> list[Edge]:
    at_ns, edges = T0, []
    for n, (gap, level, kind) in enumerate(changes):
        at_ns += gap
        edges.append(Edge(kind, line, level, at_ns, n, at_ns, 5 * MS if kind is EdgeKind.POLL else 0))
    return edges


@settings(deadline=None, max_examples=150)
@given(changes=wire, looks=st.lists(st.floats(0, 1), max_size=60))
def test_signals_do_not_depend_on_how_often_anybody_asks(
    changes: list[tuple[int, int, EdgeKind]], looks: list[float]
) -> None:
    edges = in_order(changes)
    end = (edges[-1].at_ns if edges else T0) + 20 * S
    expected = hear(contact(), edges, end)
    switch, signals = contact(), []
    asked = sorted(T0 + round(share * (end - T0)) for share in looks)
    for one in edges:
        while asked and asked[0] <= one.at_ns:
            signals += switch.advance(asked.pop(0))
        signals += switch.advance(one.at_ns - 1)
        signals += switch.feed(one)
    for at_ns in [*asked, end]:
        signals += switch.advance(at_ns)
    assert signals == expected


@settings(deadline=None, max_examples=150)
@given(changes=wire)
def test_every_wake_up_has_something_to_say_and_time_goes_on(
    changes: list[tuple[int, int, EdgeKind]],
) -> None:
    switch = contact()
    for one in in_order(changes):
        while (wake := switch.wake_at_ns) is not None and wake <= one.at_ns:
            assert switch.advance(wake - 1) == []
            assert switch.advance(wake) != []
            assert switch.wake_at_ns is None or switch.wake_at_ns > wake
        switch.feed(one)


@settings(deadline=None, max_examples=150)
@given(changes=wire)
def test_touches_come_in_order_and_each_button_is_released_between_two(
    changes: list[tuple[int, int, EdgeKind]],
) -> None:
    edges = in_order(changes)
    signals = hear(contact(), edges, T0 + 3600 * S)
    steps = [signal for signal in signals if isinstance(signal, Touch | Release)]
    assert [step.at_ns for step in steps] == sorted(step.at_ns for step in steps)
    for before, after in pairwise(steps):
        if isinstance(before, Touch):
            assert isinstance(after, Release)
    stamps = {one.at_ns for one in edges}
    assert all(step.at_ns in stamps for step in steps), "a time that no edge had was made up"


def first_confirmed(edges: list[Edge], until_ns: int, confirm: int) -> int | None:
    """By the definition, nanosecond by nanosecond: closed unbroken for *confirm*, or 5/8 of the last two."""
    levels: list[bool] = []
    for at_ns in range(edges[0].at_ns, until_ns):
        closed_now = [one.level == CLOSED for one in edges if one.at_ns <= at_ns][-1]
        recent = levels[-2 * confirm :]
        is_quiet = len(recent) >= confirm and all(recent[-confirm:])
        is_closed = closed_now or (bool(levels) and levels[-1])
        if is_closed and (is_quiet or sum(recent) * 4 >= confirm * 5):
            return at_ns
        levels.append(closed_now)
    return None


@settings(deadline=None, max_examples=200)
@given(gaps=st.lists(st.integers(1, 12), max_size=20))
def test_confirmed_at_the_first_moment_at_which_it_may_be(gaps: list[int]) -> None:
    times = Times(confirm_ns=16, spike_ns=1000, noise_ns=10_000)
    edges, at_ns, level = [edge(T0, CLOSED)], T0, CLOSED
    for gap in gaps:
        at_ns, level = at_ns + gap, 1 - level
        edges.append(edge(at_ns, level))
    switch = contact(times)
    expected = first_confirmed(edges, at_ns + 40, times.confirm_ns)
    found: int | None = None
    for one in edges:
        if (wake := switch.wake_at_ns) is not None and wake <= one.at_ns:
            found = wake
            break
        switch.feed(one)
    else:
        found = switch.wake_at_ns if level == CLOSED else None
    assert found == expected


def test_opening_read_before_its_edge_arrives_counts_from_the_edge() -> None:
    """A slow delivery: the level is read open 60 ms late, then the kernel's own edge of the opening comes."""
    contact = Contact(Button(0, 0), Times())
    ms = 1_000_000

    def edge(kind: EdgeKind, level: int, at_ns: int) -> Edge:
        return Edge(kind, "4", level, at_ns, 0, at_ns)

    contact.feed(edge(EdgeKind.EDGE, 0, 0))
    contact.advance(100 * ms)
    assert contact.feed(edge(EdgeKind.POLL, 1, 160 * ms)) == []
    contact.feed(edge(EdgeKind.EDGE, 1, 100 * ms))
    assert Release(Button(0, 0), 100 * ms) in contact.advance(161 * ms)
    contact.feed(edge(EdgeKind.EDGE, 0, 162 * ms))
    assert Touch(Button(0, 0), 162 * ms) in contact.advance(170 * ms)
