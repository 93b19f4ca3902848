"""The referee: everything between the edges and the session, and that nothing stops it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import count
from random import Random
from threading import Event
from typing import Any

import pytest

from firmware.cabinet import Cabinet
from firmware.clock import ManualClock, MonotonicClock
from firmware.pins import mock_pins
from firmware.referee import BLIND
from firmware.rules import DeadHeat
from firmware.session.view import Stage, View
from firmware.settings import Settings
from firmware.touch.arbiter import Let
from firmware.touch.contact import START, Button, FaultSeen, Touch
from firmware.touch.edges import Edge
from tests.cabinet import ScriptedCabinet
from tests.touch.wires import CLOSED, MS, OPEN, S


@pytest.fixture
def cabinet() -> Iterator[ScriptedCabinet]:
    cabinet = ScriptedCabinet("rank_or_suit")
    yield cabinet
    cabinet.close()


def test_never_asks_to_be_woken_in_the_past_whatever_the_wires_say(cabinet: ScriptedCabinet) -> None:
    # It would turn in circles: at full load on a Pi, for ever on the manual clock.
    cabinet.to_go()
    chance = Random(8)
    buttons = [Button(seat, number) for seat in (0, 1) for number in (START, 0, 1, 2, 3)]
    levels = dict.fromkeys(buttons, OPEN)
    referee, clock = cabinet.cabinet.referee, cabinet.clock
    for _ in range(4000):
        button = chance.choice(buttons)
        levels[button] ^= 1
        line = cabinet.cabinet.line(button)
        span_ns = chance.choice((0, 0, 0, 16 * MS))
        cabinet.cabinet.pins.mock_pin(line).push(clock.now_ns(), levels[button], span_ns)
        until_ns = clock.now_ns() + round(chance.expovariate(1 / (2 * MS)))
        while True:
            referee.step(cabinet.cabinet.source.wait(0))
            assert referee.wake_at_ns() > clock.now_ns()
            if clock.now_ns() == until_ns:
                break
            clock.move_to(min(until_ns, referee.wake_at_ns()))
    assert cabinet.cabinet.session.counts["touches"] > 50


def test_judge_that_cannot_judge_ends_the_hand_and_the_box_goes_on(
    cabinet: ScriptedCabinet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    cabinet.to_go()

    def judge(touches: tuple[Touch, ...]) -> Any:
        raise ZeroDivisionError

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(cabinet.cabinet.session, "judge", judge)
        for seat in (0, 1):
            cabinet.press(seat, 0)
        cabinet.wait_ms(60)
    assert cabinet.stage is Stage.START
    assert len(caplog.records) == 1, "what cannot be judged is not tried again and again"
    for seat in (0, 1):
        cabinet.release(seat, 0)
    cabinet.wait_ms(60)
    cabinet.to_go()
    assert cabinet.view.stage is Stage.HAND


def test_levels_that_cannot_be_read_are_told_once_and_the_game_goes_on(
    cabinet: ScriptedCabinet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def poll(now_ns: int) -> list[Edge]:
        raise OSError("expander gone")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(cabinet.cabinet.source, "poll", poll)
        cabinet.to_go()
        assert cabinet.stage is Stage.HAND
        told = cabinet.view.faults
    assert told == (BLIND,)
    assert len(caplog.records) == 1
    cabinet.wait_ms(20)
    assert cabinet.view.faults == ()


@pytest.mark.parametrize("first", [0, 1])
def test_edge_that_came_while_the_thread_was_kept_is_in_time(
    cabinet: ScriptedCabinet, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    cabinet.to_go()
    session, source, pins = cabinet.cabinet.session, cabinet.cabinet.source, cabinet.cabinet.pins
    early, late = (pins.mock_pin(cabinet.cabinet.line(Button(seat, 0))) for seat in (first, 1 - first))
    order: list[int] = []
    touched = session.touched

    def see(let: Let[DeadHeat]) -> None:
        order.extend(touch.button.seat for touch in let.touches)
        touched(let)

    monkeypatch.setattr(session, "touched", see)
    at_ns = cabinet.now_ns
    late.push(at_ns + 2 * MS, CLOSED)
    taken = source.wait(0)
    early.push(at_ns, CLOSED)
    cabinet.clock.move_to(at_ns + 30 * MS)
    cabinet.cabinet.referee.step(taken)
    assert order == [first, 1 - first]


def test_show_that_fails_loses_no_edge(cabinet: ScriptedCabinet, monkeypatch: pytest.MonkeyPatch) -> None:
    # An edge lost here would leave a button dead: the pins know its level, and no poll would mend it.
    session = cabinet.cabinet.session
    tell = session.fault
    is_down = True

    def fault(seen: FaultSeen) -> None:
        if is_down:
            raise RuntimeError("no screen")
        tell(seen)

    monkeypatch.setattr(session, "fault", fault)
    pins, referee = cabinet.cabinet.pins, cabinet.cabinet.referee
    spiked, held = (pins.mock_pin(cabinet.cabinet.line(Button(seat, START))) for seat in (0, 1))
    spiked.push(cabinet.now_ns, CLOSED)
    spiked.push(cabinet.now_ns + 5, OPEN)
    cabinet.clock.move_to(cabinet.now_ns + 12 * MS)
    spiked.push(cabinet.now_ns, CLOSED)
    held.push(cabinet.now_ns, CLOSED)
    with pytest.raises(RuntimeError, match="no screen"):
        referee.step(cabinet.cabinet.source.wait(0))
    is_down = False
    cabinet.wait_ms(20)
    assert cabinet.stage is Stage.COUNTDOWN


def test_run_goes_on_after_a_fault_and_ends_with_stop(caplog: pytest.LogCaptureFixture) -> None:
    cabinet = Cabinet(Settings(), mock_pins(), MonotonicClock(), count(1))
    began, failed = Event(), Event()

    def listen(view: View) -> None:
        if any(view.is_ready) or view.stage is not Stage.START:
            began.set()

    cabinet.listen(listen)
    step = cabinet.referee.step

    def failing(edges: list[Edge]) -> None:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("once")
        step(edges)

    cabinet.referee.step = failing  # type: ignore[method-assign, assignment]
    with caplog.at_level(logging.ERROR):
        cabinet.start()
        assert failed.wait(10)
        cabinet.push(Button(0, START), cabinet.clock.now_ns(), CLOSED)
        assert began.wait(10)
        cabinet.close()
        cabinet.close()
    assert cabinet.session.counts["referee_faults"] == 1
    assert not cabinet._thread.is_alive()


@pytest.mark.parametrize("swap", [False, True], ids=["near", "far"])
def test_button_held_while_the_box_starts_counts_for_nothing_until_released(
    swap: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins, clock, settings = mock_pins(), ManualClock(S), Settings()
    seat = int(swap)
    line = settings.seat[seat].start
    pull = type(pins.mock_pin(line))._set_pull

    def held(pin: Any, value: str) -> None:
        pull(pin, value)
        if pin.info.name == f"GPIO{line.number}":
            pin._change_state(False)

    with monkeypatch.context() as patch:
        patch.setattr(type(pins.mock_pin(line)), "_set_pull", held)
        cabinet = Cabinet(settings, pins, clock, count(1))

    def wait(until_ns: int) -> None:
        while clock.now_ns() < until_ns:
            clock.move_to(min(until_ns, cabinet.referee.wake_at_ns()))
            cabinet.referee.step(cabinet.source.wait(0))

    wait(2 * S)
    assert cabinet.view.is_ready == (False, False)
    cabinet.push(Button(seat, START), clock.now_ns(), OPEN)
    wait(clock.now_ns() + 30 * MS)
    cabinet.push(Button(seat, START), clock.now_ns(), CLOSED)
    wait(clock.now_ns() + 30 * MS)
    assert cabinet.view.is_ready == (not swap, swap)
    cabinet.close()
