"""Edges through gpiozero's mock pins, pushed at given times."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gpiozero import InputDevice
from gpiozero.pins.mock import MockFactory
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.clock import ManualClock
from firmware.errors import LineError
from firmware.lines import Line, lines
from firmware.pins import Pins, PushPin, mock_pins
from firmware.touch.edges import Edge, EdgeKind
from firmware.touch.gpiozero_lines import GpiozeroLines, ns_of
from tests.touch.wires import CLOSED, MS, OPEN, T0, US

LINES = lines(4, 5, 6)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
def pins() -> Iterator[Pins]:
    pins = mock_pins()
    yield pins
    pins.close()


@pytest.fixture
def source(pins: Pins, clock: ManualClock) -> Iterator[GpiozeroLines]:
    source = GpiozeroLines(LINES, pins.factory, clock)
    yield source
    source.close()


def test_push_is_an_edge_with_its_own_time(pins: Pins, source: GpiozeroLines, clock: ManualClock) -> None:
    clock.move_to(T0 + 9)
    pins.mock_pin(LINES[1]).push(T0 + 1, CLOSED, 16 * MS)
    pins.mock_pin(LINES[1]).push(T0 + 2, OPEN)
    assert source.wait(0) == [
        Edge(EdgeKind.EDGE, "5", CLOSED, T0 + 1, 1, T0 + 9, 16 * MS),
        Edge(EdgeKind.EDGE, "5", OPEN, T0 + 2, 2, T0 + 9, 0),
    ]
    assert source.wait(0) == []


def test_equal_level_is_no_edge(pins: Pins, source: GpiozeroLines) -> None:
    pins.mock_pin(LINES[0]).push(T0, OPEN)
    pins.mock_pin(LINES[0]).push(T0 + 1, CLOSED)
    pins.mock_pin(LINES[0]).push(T0 + 2, CLOSED)
    assert [edge.at_ns for edge in source.wait(0)] == [T0 + 1]


DAYS_97_NS = 97 * 24 * 3600 * 10**9


PIN = mock_pins().mock_pin(Line(None, 27))


class Ear:
    """Keeps the ticks that a pin gives, as a listener has them."""

    ticks = 0.0

    def hear(self, ticks: float, state: int) -> None:
        self.ticks = ticks


@settings(deadline=None, max_examples=300)
@given(at_ns=st.integers(0, DAYS_97_NS) | st.integers(2**52 - 10**6, 2**52))
def test_nanoseconds_come_through_gpiozeros_float_seconds_exactly_for_97_days(at_ns: int) -> None:
    ear, pin = Ear(), PIN
    pin.when_changed = ear.hear
    pin.push(at_ns, 1 - int(pin.state))
    assert ns_of(ear.ticks) == at_ns


def test_callback_only_puts_into_the_queue(source: GpiozeroLines, pins: Pins) -> None:
    # From another thread, while nobody takes anything out: nothing blocks, nothing is lost.
    def storm(line: Line) -> None:
        for n in range(1000):
            pins.mock_pin(line).push(T0 + n * US, n % 2)

    for line in LINES:
        pins.mock_pin(line).push(T0 - 1, CLOSED)
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(storm, LINES))
    edges = source.wait(0)
    assert len({edge.seq for edge in edges}) == len(edges) == 3 + 3 * 999
    for line in LINES:
        stamps = [edge.at_ns for edge in edges if edge.line == str(line)]
        assert stamps == sorted(stamps)


def test_listeners_live_as_long_as_the_source(source: GpiozeroLines, pins: Pins) -> None:
    # gpiozero holds callbacks by weak reference: one that nobody keeps silently disables its line.
    gc.collect()
    for line in LINES:
        pins.mock_pin(line).push(T0, CLOSED)
    assert [edge.line for edge in source.wait(0)] == ["4", "5", "6"]


def test_after_close_nothing_comes_and_the_lines_are_free(source: GpiozeroLines, pins: Pins) -> None:
    source.close()
    source.close()
    pins.mock_pin(LINES[0]).push(T0, CLOSED)
    assert source.wait(0) == []
    assert source.poll(T0) == []
    InputDevice(4, pull_up=True, pin_factory=pins.factory(LINES[0])).close()


@pytest.mark.parametrize("taken", [(4, 5, 4), (6, 6)])
def test_line_given_twice_is_named_and_none_is_kept(pins: Pins, clock: ManualClock, taken: Any) -> None:
    with pytest.raises(LineError, match=rf"^line {taken[-1]}: ") as caught:
        GpiozeroLines(lines(*taken), pins.factory, clock)
    assert isinstance(caught.value, ValueError)
    GpiozeroLines(lines(*set(taken)), pins.factory, clock).close()


def test_line_that_the_chip_does_not_have_is_named(clock: ManualClock) -> None:
    pins = Pins(lambda line: MockFactory(revision="0002", pin_class=PushPin), is_mock=True)
    with pytest.raises(LineError, match=r"^line 26: "):
        GpiozeroLines(lines(4, 26), pins.factory, clock)
    pins.close()


class BareError(Exception):
    """What lgpio raises: no OSError, no GPIOZeroError."""


BareError.__module__ = "lgpio"


@pytest.mark.parametrize(
    ("error", "raised"), [(BareError, LineError), (OSError, LineError), (KeyError, KeyError)]
)
def test_refusal_of_the_chip_names_the_line_but_a_fault_of_ours_stays_what_it_is(
    pins: Pins,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    error: type[Exception],
    raised: type[Exception],
) -> None:
    def refuse(pin: PushPin) -> float:
        raise error("GPIO busy")

    with monkeypatch.context() as patch:
        patch.setattr(PushPin, "_get_state", refuse)
        with pytest.raises(raised, match=r"GPIO busy"):
            GpiozeroLines(LINES, pins.factory, clock)
    GpiozeroLines(LINES, pins.factory, clock).close()


def test_closed_at_start(pins: Pins, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(PushPin, "_get_state", lambda pin: 0 if pin.info.name == "GPIO5" else 1)
        source = GpiozeroLines(LINES, pins.factory, clock)
    assert source.closed_at_start() == frozenset({"5"})
    source.close()


# Polls


def lose(pin: PushPin, level: int) -> None:
    """The level changes, and no edge comes."""
    pin._change_state(bool(level))


def test_poll_finds_lost_edges_with_the_span_since_the_one_before(
    pins: Pins, source: GpiozeroLines, clock: ManualClock
) -> None:
    clock.move_to(T0 + 5 * MS)
    assert source.poll(clock.now_ns()) == []
    lose(pins.mock_pin(LINES[2]), CLOSED)
    clock.move_to(T0 + 9 * MS)
    assert source.poll(clock.now_ns()) == [
        Edge(EdgeKind.POLL, "6", CLOSED, T0 + 9 * MS, 1, T0 + 9 * MS, 4 * MS)
    ]
    assert source.poll(clock.now_ns()) == []
    assert source.wait(0) == []


def test_poll_is_stamped_after_the_reading(
    pins: Pins, source: GpiozeroLines, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Reading takes time. A line that closes meanwhile has a stamp that is later than the poll's beginning.
    lose(pins.mock_pin(LINES[0]), CLOSED)
    state = PushPin._get_state

    def slow(pin: PushPin) -> float:
        clock.move_to(clock.now_ns() + 30 * US)
        return float(state(pin))

    monkeypatch.setattr(PushPin, "_get_state", slow)
    (edge,) = source.poll(T0)
    assert (edge.at_ns, edge.uncertain_ns) == (T0 + 30 * US, 30 * US)


def test_edge_known_by_its_callback_is_not_polled_again(pins: Pins, source: GpiozeroLines) -> None:
    pins.mock_pin(LINES[0]).push(T0, CLOSED)
    assert source.poll(T0 + 1) == []


def test_line_that_cannot_be_read_holds_up_no_other_and_keeps_its_span(
    pins: Pins,
    source: GpiozeroLines,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    state = PushPin._get_state

    def torn(pin: PushPin) -> float:
        if pin.info.name == "GPIO4":
            raise OSError("expander gone")
        return float(state(pin))

    for line in LINES[:2]:
        lose(pins.mock_pin(line), CLOSED)
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(PushPin, "_get_state", torn)
        clock.move_to(T0 + 5 * MS)
        assert [edge.line for edge in source.poll(clock.now_ns())] == ["5"]
        assert source.poll(clock.now_ns()) == []
    assert [record.getMessage() for record in caplog.records] == ["line 4 cannot be read"]
    clock.move_to(T0 + 10 * MS)
    (edge,) = source.poll(clock.now_ns())
    assert (edge.line, edge.uncertain_ns) == ("4", 10 * MS)


def test_line_that_cannot_be_closed_holds_up_no_other(
    pins: Pins, source: GpiozeroLines, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def torn(pin: PushPin) -> None:
        raise OSError("expander gone")

    with monkeypatch.context() as patch:
        patch.setattr(PushPin, "_disable_event_detect", torn)
        source.close()
    assert len([record for record in caplog.records if "cannot be closed" in record.getMessage()]) == 3


# Waiting


def test_wait_ends_with_an_edge_from_another_thread(pins: Pins, source: GpiozeroLines) -> None:
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(source.wait, 10)
        pins.mock_pin(LINES[0]).push(T0, CLOSED)
        assert [edge.at_ns for edge in waiting.result(10)] == [T0]


@pytest.mark.parametrize("timeout_s", [None, 10])
def test_wake_ends_a_wait_without_an_edge(source: GpiozeroLines, timeout_s: float | None) -> None:
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(source.wait, timeout_s)
        source.wake()
        assert waiting.result(10) == []


def test_wake_hides_no_edge(pins: Pins, source: GpiozeroLines) -> None:
    source.wake()
    pins.mock_pin(LINES[0]).push(T0, CLOSED)
    source.wake()
    assert [edge.at_ns for edge in source.wait(0)] == [T0]
    assert source.wait(0) == []


def test_pin_keeps_no_history(pins: Pins, source: GpiozeroLines) -> None:
    pin = pins.mock_pin(LINES[0])
    for n in range(100):
        pin.push(T0 + n, n % 2)
    assert len(pin.states) == 1
