"""Edges through libgpiod: order, what was lost and how much that blurs, chips that come and go."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from gpiod.line import Edge as Detection

from firmware.clock import ManualClock
from firmware.errors import ChipError, LineError
from firmware.lines import Line, lines
from firmware.touch.contact import Button, Contacts, Fault, FaultSeen, Times, Touch
from firmware.touch.edges import Edge, EdgeKind
from firmware.touch.gpiod_lines import GpiodLines
from firmware.touch.kernel import EXPANDER_NS, QUEUE
from firmware.touch.mending import RETRY_NS, SHARE, Mending
from firmware.touch.merged import KEPT_NS, THREAD_NS
from tests.fakes.kernel_lines import EXPANDER, HEADER, FakeChip, FakeKernel, FakeRequest
from tests.touch.wires import CLOSED, MS, OPEN, T0, US

LINES = lines(4, 5, 6)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
def kernel() -> FakeKernel:
    return FakeKernel()


Opener = Callable[..., GpiodLines]


@pytest.fixture
def open_lines(kernel: FakeKernel, clock: ManualClock) -> Iterator[Opener]:
    opened: list[GpiodLines] = []

    def opener(lines: tuple[Line, ...] = LINES, *, falling_only: bool = False) -> GpiodLines:
        opened.append(
            GpiodLines(
                lines,
                clock,
                falling_only=falling_only,
                find=kernel.find,
                request_lines=kernel.request_lines,
                who=kernel.who,
            )
        )
        return opened[-1]

    yield opener
    for source in opened:
        source.close()
    assert kernel.held == [], "every line is let go"


@pytest.fixture
def source(open_lines: Opener) -> GpiodLines:
    return open_lines()


@pytest.fixture
def request_(source: GpiodLines, kernel: FakeKernel) -> FakeRequest:
    return kernel.requests[0]


def told(edges: list[Edge]) -> list[tuple[str, int, int, int]]:
    return [(edge.line, edge.level, edge.at_ns - T0, edge.uncertain_ns) for edge in edges]


# What is asked for


def test_all_lines_of_a_chip_are_one_request_with_the_longest_queue(
    source: GpiodLines, kernel: FakeKernel
) -> None:
    (request,) = kernel.requests
    assert list(request.settings) == [4, 5, 6]
    assert request.queue == QUEUE == 1024
    assert {one.edge_detection for one in request.settings.values()} == {Detection.BOTH}


def test_falling_only_asks_for_nothing_else(kernel: FakeKernel, open_lines: Opener) -> None:
    open_lines(falling_only=True)
    assert {one.edge_detection for one in kernel.requests[0].settings.values()} == {Detection.FALLING}


def test_chip_of_its_own_is_a_request_of_its_own(kernel: FakeKernel, open_lines: Opener) -> None:
    kernel.chips.append(FakeChip(EXPANDER))
    open_lines(lines(4, "mcp23017:3", 5, "mcp23017:4"))
    assert [(one.chip.chip, list(one.settings)) for one in kernel.requests] == [
        (HEADER, [4, 5]),
        (EXPANDER, [3, 4]),
    ]


# Edges


def test_edge_bears_the_kernels_stamp(source: GpiodLines, request_: FakeRequest, clock: ManualClock) -> None:
    request_.edge(5, CLOSED, T0 + 1)
    request_.edge(5, OPEN, T0 + 2)
    clock.move_to(T0 + 9)
    assert source.wait(0) == [
        Edge(EdgeKind.EDGE, "5", CLOSED, T0 + 1, 1, T0 + 9),
        Edge(EdgeKind.EDGE, "5", OPEN, T0 + 2, 2, T0 + 9),
    ]
    assert source.wait(0) == []


def test_batch_is_put_in_the_order_of_the_stamps(source: GpiodLines, request_: FakeRequest) -> None:
    first = request_.held_back(6, CLOSED, T0 + 1)
    second = request_.held_back(4, CLOSED, T0 + 2)
    third = request_.held_back(5, CLOSED, T0 + 2)
    request_.deliver(third, first, second)
    # Numbers that came in another order are no gap: nobody has lost anything.
    assert told(source.wait(0)) == [("6", 0, 1, 0), ("4", 0, 2, 0), ("5", 0, 2, 0)]


def test_edges_of_several_chips_are_in_one_order(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock
) -> None:
    kernel.chips.append(FakeChip(EXPANDER))
    source = open_lines(lines(4, 5, "mcp23017:3", "mcp23017:4"))
    header, expander = kernel.requests
    header.edge(4, CLOSED, T0 + 5)
    expander.edge(3, CLOSED, T0 + 3)
    assert told(source.wait(0)) == [("mcp23017:3", 0, 3, EXPANDER_NS), ("4", 0, 5, 0)]


def test_more_than_one_batch_is_there_at_once(source: GpiodLines, request_: FakeRequest) -> None:
    for nth in range(QUEUE + 10):
        request_.edge(4, nth % 2, T0 + nth)
    assert len(source.wait(0)) == QUEUE
    assert len(source.wait(0)) == 10


def test_pushed_edges_come_first_and_end_a_wait(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(source.wait, 10)
        source.put("cpu3:1", CLOSED, T0 - 7, 3)
        assert waiting.result(10) == [Edge(EdgeKind.EDGE, "cpu3:1", CLOSED, T0 - 7, 1, T0, 3)]
    request_.edge(4, CLOSED, T0 - 9)
    source.put("cpu3:1", OPEN, T0, 0)
    assert [edge.line for edge in source.wait(10)] == ["cpu3:1", "4"]


@pytest.mark.parametrize("timeout_s", [None, 10])
def test_wake_ends_a_wait_without_an_edge(source: GpiodLines, timeout_s: float | None) -> None:
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(source.wait, timeout_s)
        source.wake()
        assert waiting.result(10) == []


def test_after_close_nothing_comes_and_nobody_minds(source: GpiodLines) -> None:
    source.close()
    source.close()
    source.wake()
    assert source.wait(None) == []
    assert source.poll(T0) == []


# Merged and lost edges


def test_first_touch_that_was_overwritten_lies_after_the_edge_before_it(
    source: GpiodLines, request_: FakeRequest
) -> None:
    request_.edge(6, CLOSED, T0 + 100 * US)
    request_.swallow()
    request_.edge(4, CLOSED, T0 + 130 * US, says=OPEN)
    assert told(source.wait(0)) == [("6", 0, 100 * US, 0), ("4", 1, 130 * US, 30 * US)]


def test_first_touch_that_was_overwritten_lies_no_further_back_than_a_thread_can_be_late(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    clock.move_to(T0 + 1)
    source.poll(T0 + 1)
    request_.swallow(3)
    request_.edge(4, CLOSED, T0 + 40 * MS)
    assert told(source.wait(0)) == [("4", 0, 40 * MS, THREAD_NS)]


def test_line_that_was_read_open_may_have_been_between_two_bounces(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    clock.move_to(T0 + 5 * MS)
    source.poll(clock.now_ns())
    request_.swallow()
    request_.edge(4, CLOSED, T0 + 5 * MS + 70 * US)
    assert told(source.wait(0)) == [("4", 0, 5 * MS + 70 * US, THREAD_NS)]


def test_missing_number_blurs_every_line_it_can_have_been_of_and_no_other(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    request_.edge(4, CLOSED, T0 + 1 * MS)
    request_.swallow()  # of 4, of 5 or of 6, between 1.0 and 1.1 ms
    request_.edge(4, OPEN, T0 + 1 * MS + 100 * US)
    request_.edge(4, CLOSED, T0 + 1 * MS + 200 * US)  # its thread has run since
    request_.edge(5, CLOSED, T0 + 1 * MS + 300 * US)
    request_.edge(6, CLOSED, T0 + 2 * MS)  # a thread is not late by so much
    assert [edge.uncertain_ns for edge in source.wait(0)] == [0, 100 * US, 0, 300 * US, 0]


def test_long_bounce_that_is_fetched_late_keeps_the_doubt_of_its_beginning(
    source: GpiodLines, request_: FakeRequest
) -> None:
    for step in range(40):
        request_.swallow()
        request_.edge(4, step % 2, T0 + MS + step * 250 * US)
    assert [edge.uncertain_ns for edge in source.wait(0)] == [THREAD_NS, *[250 * US] * 39]


def test_number_that_comes_with_a_later_batch_was_never_lost(
    source: GpiodLines, request_: FakeRequest
) -> None:
    request_.edge(5, OPEN, T0)
    late = request_.held_back(4, CLOSED, T0 + 10 * US)
    request_.edge(6, CLOSED, T0 + 20 * US)
    assert told(source.wait(0)) == [("5", 1, 0, 0), ("6", 0, 20 * US, 20 * US)]
    request_.deliver(late)
    request_.edge(5, CLOSED, T0 + 30 * US)
    assert told(source.wait(0)) == [("4", 0, 10 * US, 0), ("5", 0, 30 * US, 0)]


def test_late_number_leaves_the_rest_of_its_gap(source: GpiodLines, request_: FakeRequest) -> None:
    request_.edge(5, OPEN, T0)
    request_.swallow()
    late = request_.held_back(6, CLOSED, T0 + 50 * US)
    request_.swallow()
    request_.edge(4, CLOSED, T0 + 90 * US)
    request_.deliver(late)
    # 2 and 4 are missing still: 4 can have swallowed both, 6 the one before it.
    assert told(source.wait(0)) == [("5", 1, 0, 0), ("6", 0, 50 * US, 50 * US), ("4", 0, 90 * US, 90 * US)]


def test_queue_that_overflowed_blurs_back_to_what_is_known_of_the_line(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    request_.edge(4, OPEN, T0 + 1 * MS)
    request_.overflow(4, 2000)
    request_.edge(4, CLOSED, T0 + 90 * MS)
    request_.edge(5, CLOSED, T0 + 99 * MS)
    assert [edge.uncertain_ns for edge in source.wait(0)] == [0, 89 * MS, 0]
    clock.move_to(T0 + 120 * MS)
    source.poll(clock.now_ns())
    request_.overflow(4, 2000)
    request_.edge(4, OPEN, T0 + 125 * MS)
    assert [edge.uncertain_ns for edge in source.wait(0)] == [5 * MS]


def test_line_alone_has_no_numbers_and_so_every_edge_some_doubt(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock
) -> None:
    source = open_lines(LINES[:1])
    kernel.requests[0].edge(4, CLOSED, T0 + 9 * MS)
    assert told(source.wait(0)) == [("4", 0, 9 * MS, THREAD_NS)]
    assert KEPT_NS > THREAD_NS


def test_bounce_read_as_an_opening_is_a_touch_at_its_earliest(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    contacts = Contacts({"4": Button(0, 0)}, Times())
    request_.edge(5, OPEN, T0 + MS)
    request_.swallow()
    request_.edge(4, CLOSED, T0 + MS + 20 * US, says=OPEN)
    signals = [signal for edge in source.wait(0) for signal in contacts.feed(edge)]
    for ms in range(2, 8):
        clock.move_to(T0 + ms * MS)
        signals += [signal for edge in source.poll(clock.now_ns()) for signal in contacts.feed(edge)]
        signals += contacts.advance(clock.now_ns())
    assert signals == [Touch(Button(0, 0), T0 + MS + 20 * US, 20 * US)]


# Polls


def test_poll_finds_lost_edges_with_the_span_in_which_they_can_have_come(
    source: GpiodLines, kernel: FakeKernel, clock: ManualClock
) -> None:
    clock.move_to(T0 + 5 * MS)
    assert source.poll(clock.now_ns()) == []
    kernel.chips[0].levels[6] = CLOSED
    clock.move_to(T0 + 9 * MS)
    at_ns = T0 + 9 * MS
    assert source.poll(at_ns) == [Edge(EdgeKind.POLL, "6", CLOSED, at_ns, 1, at_ns, 4 * MS)]
    assert source.poll(at_ns) == []
    assert source.wait(0) == []


def test_poll_takes_the_edges_that_have_come_before_it_calls_one_lost(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    clock.move_to(T0 + 5 * MS)
    request_.edge(4, CLOSED, T0 + 4 * MS)
    (edge,) = source.poll(clock.now_ns())
    assert (edge.kind, edge.at_ns) == (EdgeKind.EDGE, T0 + 4 * MS)


def test_edge_that_comes_while_levels_are_read_is_not_contradicted(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    clock.move_to(T0 + 5 * MS)
    event = request_.held_back(4, OPEN, T0 + 5 * MS + 10)
    request_.chip.levels[4] = CLOSED  # what the reading saw, before the line opened
    request_.deliver(event)
    assert [edge.kind for edge in source.poll(clock.now_ns())] == [EdgeKind.EDGE]


def test_edge_stamped_before_a_quicker_reading_keeps_its_doubt(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    request_.edge(5, OPEN, T0 + 1 * MS)
    source.wait(0)
    clock.move_to(T0 + 2 * MS)
    request_.swallow()
    event = request_.held_back(4, CLOSED, T0 + 2 * MS - 10 * US)
    assert [edge.kind for edge in source.poll(clock.now_ns())] == [EdgeKind.POLL]
    request_.deliver(event)
    assert told(source.wait(0)) == [("4", 0, 2 * MS - 10 * US, THREAD_NS)]


def test_misread_direction_is_mended_by_the_level(
    source: GpiodLines, request_: FakeRequest, clock: ManualClock
) -> None:
    request_.edge(4, CLOSED, T0 + 1 * MS, says=OPEN)
    clock.move_to(T0 + 2 * MS)
    assert [(edge.kind, edge.level) for edge in source.poll(clock.now_ns())] == [
        (EdgeKind.EDGE, OPEN),
        (EdgeKind.POLL, CLOSED),
    ]


def test_release_of_a_line_with_falling_edges_only_is_polled(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock
) -> None:
    source = open_lines(falling_only=True)
    kernel.requests[0].edge(4, CLOSED, T0 + 1 * MS)
    clock.move_to(T0 + 60 * MS)
    source.poll(clock.now_ns())
    kernel.chips[0].levels[4] = OPEN
    clock.move_to(T0 + 65 * MS)
    (edge,) = source.poll(clock.now_ns())
    assert (edge.kind, edge.level, edge.uncertain_ns) == (EdgeKind.POLL, OPEN, 5 * MS)


def test_closed_at_start(kernel: FakeKernel, open_lines: Opener, clock: ManualClock) -> None:
    kernel.chips[0].levels[5] = CLOSED
    source = open_lines()
    assert source.closed_at_start() == frozenset({"5"})
    clock.move_to(T0 + MS)
    assert source.poll(clock.now_ns()) == []


def test_chip_without_an_interrupt_is_read(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock
) -> None:
    kernel.chips.append(FakeChip(EXPANDER, has_interrupt=False))
    source = open_lines(lines(4, "mcp23017:3"))
    assert source.missing == {}
    kernel.chips[1].levels[3] = CLOSED
    clock.move_to(T0 + 4 * MS)
    (edge,) = source.poll(clock.now_ns())
    assert (edge.kind, edge.line, edge.uncertain_ns) == (EdgeKind.POLL, "mcp23017:3", 4 * MS)


# Lines that cannot be had


def test_taken_line_is_named_with_its_consumer_and_holds_up_no_other(
    kernel: FakeKernel, open_lines: Opener
) -> None:
    kernel.chips[0].taken[5] = "lirc"
    source = open_lines()
    assert {line: str(error) for line, error in source.missing.items()} == {"5": "line 5: taken by lirc"}
    assert isinstance(source.missing["5"], LineError)
    assert [list(request.settings) for request in kernel.held] == [[4, 6]]
    kernel.held[0].edge(6, CLOSED, T0 + 1)
    assert [edge.line for edge in source.wait(0)] == ["6"]


def test_line_that_the_chip_does_not_have_is_named(kernel: FakeKernel, open_lines: Opener) -> None:
    kernel.chips.append(FakeChip(EXPANDER, taken={4: "x"}))
    source = open_lines(lines("mcp23017:3", "gpiochip3:20", 4))
    assert list(source.missing) == ["gpiochip3:20"]
    kernel.chips[0] = FakeChip(HEADER.__class__("gpiochip0", "pinctrl-rp1", 5))
    source.close()
    source = open_lines()
    assert str(source.missing["6"]) == "line 6: pinctrl-rp1 has lines 0 to 4"
    assert list(source.missing) == ["5", "6"]


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (errno.EACCES, "/dev/gpiochip0: Permission denied; the user has to be in the group 'gpio'"),
        (errno.ENODEV, "GPIO chip gpiochip0 [pinctrl-rp1]: is gone"),
        (errno.ENOENT, "GPIO chip pinctrl-rp1: not found"),
    ],
)
def test_chip_that_cannot_be_opened_says_why(
    kernel: FakeKernel, open_lines: Opener, failure: int, said: str
) -> None:
    kernel.chips[0].failure = failure
    source = open_lines()
    assert list(source.missing) == ["4", "5", "6"]
    assert {str(error) for error in source.missing.values()} == {said}
    assert all(isinstance(error, ChipError) for error in source.missing.values())
    assert source.wait(0) == []


# Chips that go and come back


class Complaints:
    """What was told, and is not over."""

    def __init__(self) -> None:
        self.now: list[str] = []
        self.all: list[str] = []

    def __call__(self, fault: str, *, is_over: bool = False) -> None:
        if is_over:
            self.now.remove(fault)
        else:
            self.now.append(fault)
            self.all.append(fault)


@pytest.mark.parametrize("by", ["wait", "poll"])
def test_chip_that_dies_is_told_once_asked_for_every_second_and_told_when_mended(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock, by: str
) -> None:
    kernel.chips.append(FakeChip(EXPANDER))
    complaints = Complaints()
    source = Mending(open_lines(lines(4, 5, "mcp23017:3", "mcp23017:4")), clock, complaints)
    header, expander = kernel.requests
    expander.die()
    for ms in range(1, 2500, 10):
        clock.move_to(T0 + ms * MS)
        assert source.wait(0) == []
        if by == "poll":
            assert source.poll(clock.now_ns()) == []
        header.edge(4, ms // 10 % 2, clock.now_ns())
        assert [edge.line for edge in source.wait(0)] == ["4"], "the others are still there"
    fault = "no buttons on mcp23017:3, mcp23017:4: GPIO chip gpiochip3 [mcp23017]: is gone"
    assert complaints.now == complaints.all == [fault]
    assert len(kernel.held) == 1
    kernel.chips[1].failure = None
    clock.move_to(clock.now_ns() + RETRY_NS)
    source.wait(0)
    source.wait(0)
    assert complaints.now == []
    assert complaints.all == [fault]
    kernel.held[-1].edge(3, CLOSED, clock.now_ns())
    assert [edge.line for edge in source.wait(0)] == ["mcp23017:3"]


def test_line_that_comes_back_closed_counts_for_nothing_until_it_is_released(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock
) -> None:
    source = open_lines()
    contacts = Contacts({"4": Button(0, 0)}, Times())
    kernel.requests[0].die()
    source.wait(0)
    kernel.chips[0].failure = None
    kernel.chips[0].levels[4] = CLOSED
    source.mend()
    signals = []
    for ms in range(1, 300):
        clock.move_to(T0 + ms * MS)
        if ms == 100:
            kernel.held[0].edge(4, OPEN, clock.now_ns())
        if ms == 200:
            kernel.held[0].edge(4, CLOSED, clock.now_ns())
        for edge in [*source.wait(0), *source.poll(clock.now_ns())]:
            signals += contacts.feed(edge)
        signals += contacts.advance(clock.now_ns())
    assert [one.fault for one in signals if isinstance(one, FaultSeen)] == [Fault.SPIKE]
    assert [one.at_ns - T0 for one in signals if isinstance(one, Touch)] == [200 * MS]


def test_line_that_was_held_when_its_chip_died_is_released_when_it_comes_back_open(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock
) -> None:
    source = open_lines()
    kernel.requests[0].edge(4, CLOSED, T0 + 1)
    source.wait(0)
    kernel.requests[0].die()
    source.wait(0)
    kernel.chips[0].failure = None
    kernel.chips[0].levels[4] = OPEN
    source.mend()
    (edge,) = source.wait(0)
    assert (edge.kind, edge.line, edge.level, edge.uncertain_ns) == (EdgeKind.POLL, "4", OPEN, 0)


def test_waiting_ends_in_time_to_ask_again(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.chips[0].taken[5] = "lirc"
    inner = open_lines()
    waits: list[float | None] = []

    def wait(timeout_s: float | None) -> list[Edge]:
        waits.append(timeout_s)
        return []

    monkeypatch.setattr(inner, "wait", wait)
    source = Mending(inner, clock, Complaints())
    clock.move_to(T0 + 400 * MS)
    source.wait(None)
    source.wait(0.25)
    del kernel.chips[0].taken[5]
    clock.move_to(T0 + 1000 * MS)
    source.wait(None)
    source.wait(None)
    assert waits == [0.6, 0.25, 1.0, None]


def test_bus_that_hangs_is_asked_less_often(
    kernel: FakeKernel, open_lines: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel.chips[0].taken[5] = "lirc"
    inner = open_lines()
    asked: list[int] = []

    def mend() -> None:
        asked.append(clock.now_ns() - T0)
        clock.move_to(clock.now_ns() + 1000 * MS)

    monkeypatch.setattr(inner, "mend", mend)
    source = Mending(inner, clock, Complaints())
    while clock.now_ns() < T0 + 50_000 * MS:
        clock.move_to(clock.now_ns() + 10 * MS)
        source.wait(0)
    assert asked == [1000 * MS, (2 + SHARE) * 1000 * MS, (3 + 2 * SHARE) * 1000 * MS]
