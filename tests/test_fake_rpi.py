"""The same lines and lamps on a second back-end: gpiozero's RPi.GPIO pins over ``fake_rpi``.

What holds on mock pins only by luck shows here: this library stamps in its own thread, tells no level
with the event, and has PWM of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType

import gpiozero.pins.local
import pytest

from firmware.cabinet import Cabinet
from firmware.clock import NS_PER_MS, NS_PER_S, ManualClock
from firmware.errors import LineError
from firmware.lines import Line, lines
from firmware.pins import Pins
from firmware.seats import opposite
from firmware.session.view import Stage
from firmware.settings import Lamps, Settings
from firmware.show.lamps import START, LampLines
from firmware.touch.contact import Button, Contacts, Times, Touch
from firmware.touch.edges import Edge, EdgeKind
from firmware.touch.gpiozero_lines import GpiozeroLines
from tests.fakes.rpi_gpio import FakeGPIO

T0 = 5 * NS_PER_S
PI_3B_PLUS = 0xA020D3


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(T0)


@pytest.fixture
def gpio(monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> FakeGPIO:
    """A fresh header, seen by gpiozero as RPi.GPIO on a Pi 3B+ that tells the time of *clock*."""
    gpio = FakeGPIO()
    package = ModuleType("RPi")
    package.GPIO = gpio  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "RPi", package)
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.rpigpio", raising=False)
    monkeypatch.setattr(gpiozero.pins.local, "get_pi_revision", lambda: PI_3B_PLUS)
    monkeypatch.setattr(gpiozero.pins.local, "monotonic", lambda: clock.now_ns() / 1e9)
    return gpio


@pytest.fixture
def pins(gpio: FakeGPIO) -> Iterator[Pins]:
    from gpiozero.pins.rpigpio import RPiGPIOFactory

    pins = Pins(lambda line: RPiGPIOFactory(), is_mock=False)
    yield pins
    pins.close()
    assert gpio.directions == {}, "every line is let go"


def test_presses_arrive_with_increasing_times(pins: Pins, gpio: FakeGPIO, clock: ManualClock) -> None:
    source = GpiozeroLines(lines(4, 5), pins.factory, clock)
    assert source.closed_at_start() == frozenset()
    for n, (number, level) in enumerate([(4, 0), (5, 0), (4, 1), (5, 1)]):
        clock.move_to(T0 + n * 1_234_567)
        gpio.drive(number, level)
    assert source.wait(0) == [
        Edge(EdgeKind.EDGE, line, level, at_ns, n + 1, at_ns)
        for n, (line, level) in enumerate([("4", 0), ("5", 0), ("4", 1), ("5", 1)])
        for at_ns in [T0 + n * 1_234_567]
    ]
    source.close()
    gpio.drive(4, 0)
    assert source.wait(0) == []


def test_bounce_is_one_touch_at_its_first_edge(pins: Pins, gpio: FakeGPIO, clock: ManualClock) -> None:
    source = GpiozeroLines(lines(4), pins.factory, clock)
    contacts = Contacts({"4": Button(0, 0)}, Times())
    for us, level in [(0, 0), (150, 1), (500, 0), (900, 1), (1600, 0)]:
        clock.move_to(T0 + us * 1000)
        gpio.drive(4, level)
    signals = [signal for edge in source.wait(0) for signal in contacts.feed(edge)]
    assert signals + contacts.advance(T0 + NS_PER_S) == [Touch(Button(0, 0), T0)]
    source.close()


def test_lost_edge_is_found_by_a_poll(pins: Pins, gpio: FakeGPIO, clock: ManualClock) -> None:
    source = GpiozeroLines(lines(4, 5), pins.factory, clock)
    gpio.levels[5] = 0
    clock.move_to(T0 + 5 * NS_PER_MS)
    (edge,) = source.poll(clock.now_ns())
    assert (edge.kind, edge.line, edge.level) == (EdgeKind.POLL, "5", 0)
    assert (edge.at_ns, edge.uncertain_ns) == (T0 + 5 * NS_PER_MS, 5 * NS_PER_MS)
    source.close()


def test_line_given_twice_is_named(pins: Pins, clock: ManualClock) -> None:
    with pytest.raises(LineError, match=r"^line 4: "):
        GpiozeroLines(lines(4, 4), pins.factory, clock)


def test_lamps_read_back_from_the_header(pins: Pins, gpio: FakeGPIO) -> None:
    lamps = LampLines({(0, 0): Line(None, 16), (1, START): Line(None, 25)}, pins.factory)
    lamps.show(frozenset({(1, START)}))
    assert (gpio.levels[16], gpio.levels[25]) == (0, 1)
    lamps.show(frozenset({(0, 0)}))
    assert (gpio.levels[16], gpio.levels[25]) == (1, 0)
    lamps.close()
    assert gpio.levels == {}


def test_dimmed_lamps_read_back_as_their_duty_cycle(pins: Pins, gpio: FakeGPIO) -> None:
    lamps = LampLines({(0, 0): Line(None, 16)}, pins.factory, pwm=True, brightness=0.25)
    assert gpio.levels[16] == 0
    lamps.show(frozenset({(0, 0)}))
    assert gpio.levels[16] == 0.25
    lamps.show(frozenset())
    assert gpio.levels[16] == 0
    lamps.close()


@pytest.mark.parametrize("pwm", [False, True])
@pytest.mark.parametrize("seat", [0, 1], ids=["near", "far"])
def test_whole_cabinet_from_start_to_go(
    pins: Pins, gpio: FakeGPIO, clock: ManualClock, seat: int, pwm: bool
) -> None:
    settings = Settings(lamps=Lamps(pwm=pwm, brightness=0.5 if pwm else 1.0))
    cabinet = Cabinet(settings, pins, clock, iter(range(100)))
    stages: list[Stage] = []
    cabinet.listen(lambda view: stages.append(view.stage))
    on = 0.5 if pwm else 1

    def wait(until_ns: int) -> None:
        while clock.now_ns() < until_ns:
            clock.move_to(max(clock.now_ns(), min(until_ns, cabinet.referee.wake_at_ns())))
            cabinet.referee.step(cabinet.source.wait(0))
            cabinet.lamps.step()

    def start_lamp(of: int) -> float:
        line = settings.seat[of].start_lamp
        assert line is not None
        return gpio.levels[line.number]

    for who in (seat, opposite(seat)):
        gpio.drive(settings.seat[who].start.number, 0)
        wait(clock.now_ns() + 600 * NS_PER_MS)
        gpio.drive(settings.seat[who].start.number, 1)
        if who == seat:
            # Half a period further the one who is ready is steady, the other blinks.
            assert (start_lamp(seat), start_lamp(opposite(seat))) == (on, 0)
    assert stages[-1:] == [Stage.COUNTDOWN]
    assert not any(gpio.levels[line.number] for seats in settings.seat for line in seats.lamps)
    wait(clock.now_ns() + 5 * NS_PER_S)
    assert stages[-1:] == [Stage.HAND]
    cabinet.close()
