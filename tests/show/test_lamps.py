"""The lamps in the buttons: what they show, the devices, and the thread that switches them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from threading import Event
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from firmware import rules
from firmware.clock import ManualClock
from firmware.errors import LineError
from firmware.lines import Line, lines
from firmware.pins import Pins, PushPin, mock_pins
from firmware.rules.cards import PACK
from firmware.rules.events import Covered
from firmware.session.view import Stage, View
from firmware.show.lamps import BLINK_NS, FLASH_NS, START, Lamp, LampLines, LampThread, Levels, levels
from tests.show.hands import MS, Hand, S, start_view, swapped
from tests.show.moments import MOMENTS, frames

BOTH = ((0, START), (1, START))
WAITING = (Stage.START, Stage.RESULT, Stage.MATCH_END)
by_seat = pytest.mark.parametrize("seat", [0, 1], ids=["near", "far"])


def piles(*seats: int, buttons: int = 4) -> frozenset[Lamp]:
    """All pile lamps of *seats*."""
    return frozenset((seat, n) for seat in seats for n in range(buttons))


def lit(view: View, now_ns: int | None = None, buttons: int = 4) -> frozenset[Lamp]:
    return levels(view, buttons, view.at_ns + 5 * S if now_ns is None else now_ns).lit


def in_play() -> Hand:
    """A hand in which somebody can move, and nothing has just happened."""
    return Hand("rank_or_suit", seed=11).go().play(12).settled()


# Waiting


@pytest.mark.parametrize("stage", WAITING)
@pytest.mark.parametrize("is_ready", [(False, False), (True, False), (False, True), (True, True)])
def test_start_blinks_until_pressed_and_is_steady_then(stage: Stage, is_ready: tuple[bool, bool]) -> None:
    view = replace(start_view(is_ready=is_ready), stage=stage, stage_since_ns=7 * S)
    on, off = levels(view, 4, 7 * S), levels(view, 4, 7 * S + BLINK_NS)
    assert on.lit == set(BOTH)
    assert off.lit == {(seat, START) for seat in (0, 1) if is_ready[seat]}
    is_steady = all(is_ready)
    assert on.until_ns == (None if is_steady else 7 * S + BLINK_NS)
    assert off.until_ns == (None if is_steady else 7 * S + 2 * BLINK_NS)


@pytest.mark.parametrize("into_ns", [0, 1, BLINK_NS - 1, BLINK_NS, BLINK_NS + 1, 5 * BLINK_NS - 1])
def test_blink_changes_exactly_when_it_says(into_ns: int) -> None:
    view = replace(start_view(), stage_since_ns=7 * S)
    shown = levels(view, 4, 7 * S + into_ns)
    assert shown.until_ns is not None
    assert levels(view, 4, shown.until_ns - 1).lit == shown.lit
    assert levels(view, 4, shown.until_ns).lit != shown.lit


def test_nothing_blinks_as_fast_as_three_times_a_second() -> None:
    assert S / (2 * BLINK_NS) < 3
    changes, now_ns, view = 0, 0, start_view()
    while now_ns < 10 * S:
        until_ns = levels(view, 4, now_ns).until_ns
        assert until_ns is not None
        now_ns, changes = until_ns, changes + 1
    assert changes / 2 / 10 < 3


# Countdown and hand


def test_countdown_is_dark() -> None:
    assert levels(Hand().view(), 4, 2 * S) == Levels(frozenset())


def test_first_cards_being_dealt_and_a_pause_are_dark() -> None:
    assert lit(MOMENTS["stuck"]()[0]) == frozenset()


def test_alive_is_steady() -> None:
    assert levels(in_play().view(), 4, in_play().now_ns + 5 * S) == Levels(piles(0, 1))


def test_buttons_beyond_the_layout_are_dark() -> None:
    assert lit(in_play().view(), buttons=7) == piles(0, 1)


@by_seat
def test_penalty_is_dark_for_that_seat_only_and_ends_with_its_view(seat: int) -> None:
    hand = in_play()
    wrong = next(slot for slot in range(4) if (seat, slot) not in hand.legal())
    hand.press(seat, wrong, hand.now_ns + 5 * S)
    assert levels(hand.view(), 4, hand.now_ns) == Levels(piles(1 - seat))
    hand.until(hand.now_ns + 500 * MS)
    assert lit(hand.view()) == piles(0, 1)


def test_frozen_pile_is_dark_for_both_and_thaws() -> None:
    view, now_ns = MOMENTS["dead_heat"]()
    assert view.table is not None
    ((slot, until_ns),) = view.table.frozen
    layout = view.table.game.layout
    dark = {(seat, layout.button(seat, slot, 4)[0]) for seat in (0, 1)}
    assert levels(view, 4, now_ns) == Levels(piles(0, 1) - dark)
    thawed, _ = rules.apply(view.table, view.table.next_timer or rules.Go(0))
    assert thawed.at_ns == until_ns
    assert lit(replace(view, table=thawed)) == piles(0, 1)


@by_seat
def test_cover_flashes_dark_for_a_moment_on_the_button_that_made_it(seat: int) -> None:
    for seed in range(50):
        hand = Hand("rank_or_suit", seed=seed).go().play(6).settled()
        slots = [slot for owner, slot in hand.legal() if owner == seat]
        if slots:
            break
    at_ns = hand.now_ns + 5 * S
    hand.press(seat, slots[0], at_ns)
    dark = (seat, hand.game.layout.button(seat, slots[0], 4)[0])
    view = hand.view()
    if hand.table.phase is not rules.Phase.PLAY:
        return
    assert levels(view, 4, at_ns) == Levels(piles(0, 1) - {dark}, at_ns + FLASH_NS)
    assert levels(view, 4, at_ns + FLASH_NS) == Levels(piles(0, 1))


@by_seat
@pytest.mark.parametrize("buttons", [4, 8])
def test_lamps_of_the_other_sides_row_are_its_buttons_where_there_are_any(seat: int, buttons: int) -> None:
    hand = Hand("double_flip", seed=3).go()
    while hand.table.phase is not rules.Phase.PLAY and hand.table.next_timer is not None:
        hand.apply(hand.table.next_timer)
    view = hand.view()
    assert lit(view, buttons=buttons) == piles(0, 1, buttons=buttons)
    slot = (1 - seat) * 4
    cover = Covered(view.at_ns, seat, slot, PACK[0])
    dark = lit(view, buttons=buttons) - levels(replace(view, recent=(cover,)), buttons, view.at_ns).lit
    assert dark == {(seat, 3 if buttons == 4 else 7)}, "the other side's leftmost is rightmost from here"


@by_seat
def test_seat_that_is_out_is_dark(seat: int) -> None:
    view = in_play().view()
    assert view.table is not None
    holdings = tuple(
        one._replace(is_out=True) if n == seat else one for n, one in enumerate(view.table.holdings)
    )
    assert lit(replace(view, table=replace(view.table, holdings=holdings))) == piles(1 - seat)


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.parametrize("stuck", [(0, 2), (1, START), (1, 0)])
def test_stuck_button_is_dark_whatever_goes_on(name: str, stuck: Lamp) -> None:
    view, now_ns = MOMENTS[name]()
    view = replace(view, stuck_buttons=())
    shown = levels(view, 4, now_ns)
    with_stuck = levels(replace(view, stuck_buttons=(stuck,)), 4, now_ns)
    assert with_stuck == Levels(shown.lit - {stuck}, shown.until_ns)


def recarded(view: View, chance: Random) -> View:
    """The same table with other cards everywhere: what matched does not, what did not may."""
    if view.table is None:
        return view
    table = view.table
    piles = tuple(pile._replace(cards=tuple(chance.choices(PACK, k=len(pile.cards)))) for pile in table.piles)
    holdings = tuple(
        one._replace(
            draw=tuple(chance.choices(PACK, k=len(one.draw))),
            active=None if one.active is None else chance.choice(PACK),
        )
        for one in table.holdings
    )
    return replace(view, table=replace(table, piles=piles, holdings=holdings))


def moments() -> Iterator[tuple[View, int]]:
    yield from (moment() for moment in MOMENTS.values())
    yield from list(frames(3))
    yield from list(frames(4, "double_flip"))


def test_lamps_never_show_where_a_match_is() -> None:
    chance = Random(52)
    for view, now_ns in moments():
        for _ in range(3):
            assert levels(recarded(view, chance), 4, now_ns) == levels(view, 4, now_ns)


def test_both_seats_are_shown_alike() -> None:
    for view, now_ns in [*(moment() for moment in MOMENTS.values()), *frames(3)]:
        for buttons in (4, 8):
            shown, other = levels(view, buttons, now_ns), levels(swapped(view), buttons, now_ns)
            turned = frozenset((1 - seat, number) for seat, number in shown.lit)
            assert other == Levels(turned, shown.until_ns)


def test_time_of_the_next_change_lies_ahead() -> None:
    for view, now_ns in moments():
        until_ns = levels(view, 4, now_ns).until_ns
        assert until_ns is None or until_ns > now_ns


# Devices

LAMPS: dict[Lamp, Line] = {
    (0, 0): Line(None, 16),
    (0, START): Line(None, 24),
    (1, 0): Line.parse("mcp23017:3"),
}


@pytest.fixture
def pins() -> Iterator[Pins]:
    pins = mock_pins()
    yield pins
    pins.close()


def states(pins: Pins) -> list[float]:
    return [float(pins.mock_pin(line).state) for line in LAMPS.values()]


@pytest.mark.parametrize(
    ("pwm", "brightness", "expected"),
    [(False, 1.0, [1, 0, 1]), (False, 0.3, [1, 0, 1]), (True, 0.3, [0.3, 0, 1]), (True, 0.0, [0, 0, 0])],
)
def test_lines_on_and_off_dimmed_on_the_header_only(
    pins: Pins, pwm: bool, brightness: float, expected: list[float]
) -> None:
    lamp_lines = LampLines(LAMPS, pins.factory, pwm=pwm, brightness=brightness)
    assert states(pins) == [0, 0, 0]
    lamp_lines.show(frozenset({(0, 0), (1, 0), (1, 3)}))
    assert states(pins) == expected
    lamp_lines.show(frozenset())
    assert states(pins) == [0, 0, 0]
    lamp_lines.close()


def test_only_what_changes_is_switched(pins: Pins, monkeypatch: pytest.MonkeyPatch) -> None:
    lamp_lines = LampLines(LAMPS, pins.factory)
    lamp_lines.show(frozenset({(0, 0)}))
    switched: list[str] = []
    set_state = PushPin._set_state

    def watched(pin: PushPin, value: float) -> None:
        switched.append(pin.info.name)
        set_state(pin, value)

    monkeypatch.setattr(PushPin, "_set_state", watched)
    lamp_lines.show(frozenset({(0, 0), (0, START)}))
    assert switched == ["GPIO24"]
    lamp_lines.close()


def test_close_leaves_all_dark_and_free_and_may_be_called_twice(pins: Pins) -> None:
    lamp_lines = LampLines(LAMPS, pins.factory)
    lamp_lines.show(frozenset(LAMPS))
    lamp_lines.close()
    lamp_lines.close()
    assert all(pins.mock_pin(line).function == "input" for line in LAMPS.values())
    LampLines(LAMPS, pins.factory).close()


class BareError(Exception):
    """What lgpio raises: no OSError, no GPIOZeroError."""


BareError.__module__ = "lgpio"


@pytest.mark.parametrize("error", [OSError, BareError])
def test_line_that_cannot_be_had_is_named_and_none_is_kept(
    pins: Pins, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refuse(pin: MockPin, state: object) -> None:
        if pin.info.name == "GPIO24":
            raise error("GPIO busy")

    with monkeypatch.context() as patch:
        patch.setattr(PushPin, "output_with_state", refuse, raising=False)
        with pytest.raises(LineError, match=r"^lamp line 24: .*GPIO busy"):
            LampLines(LAMPS, pins.factory)
    LampLines(LAMPS, pins.factory).close()


def test_lamp_line_given_twice_is_named(pins: Pins) -> None:
    with pytest.raises(LineError, match=r"^lamp line 16: "):
        LampLines({(0, 0): Line(None, 16), (1, 0): Line(None, 16)}, pins.factory)


def test_dimming_without_pwm_pins_is_refused() -> None:
    pins = Pins(lambda line: MockFactory(), is_mock=True)
    with pytest.raises(LineError, match=r"^lamp line 16: "):
        LampLines({(0, 0): Line(None, 16)}, pins.factory, pwm=True)
    pins.close()


# The thread


class Torn:
    """Makes the pin of one line fail or stall while it is torn."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.is_torn = True
        self.stalls: Event | None = None
        self.reached = Event()
        set_state: Any = PushPin._set_state

        def switch(pin: PushPin, value: float) -> None:
            if pin.info.name == name:
                self.reached.set()
                if self.stalls is not None:
                    self.stalls.wait(10)
                elif self.is_torn:
                    raise OSError("expander gone")
            set_state(pin, value)

        monkeypatch.setattr(PushPin, "_set_state", switch)


HEADER: dict[Lamp, Line] = dict(zip([(0, START), (1, START)], lines(24, 25), strict=True))


def test_latest_view_wins(pins: Pins) -> None:
    clock = ManualClock(0)
    thread = LampThread(LampLines(HEADER, pins.factory), 4, clock)
    assert thread.step() is None
    thread.show(start_view())
    thread.show(Hand().view())
    assert thread.step() is None
    assert not pins.mock_pin(Line(None, 24)).state
    thread.show(start_view(is_ready=(True, False)))
    assert thread.step() == BLINK_NS
    clock.move_to(BLINK_NS)
    thread.step()
    assert [bool(pins.mock_pin(line).state) for line in HEADER.values()] == [True, False]
    thread.close()
    thread.close()


@pytest.mark.parametrize("name", ["GPIO24", "GPIO25"])
def test_failing_lamp_keeps_no_other_dark_and_is_right_again_later(
    pins: Pins, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    thread = LampThread(LampLines(HEADER, pins.factory), 4, ManualClock(0))
    torn = Torn(monkeypatch, name)
    thread.show(start_view())
    with pytest.raises(OSError, match="expander gone"):
        thread.step()
    assert sorted(bool(pins.mock_pin(line).state) for line in HEADER.values()) == [False, True]
    thread.show(Hand().view())
    thread.step()
    assert not any(pins.mock_pin(line).state for line in HEADER.values())
    torn.is_torn = False
    thread.show(start_view())
    thread.step()
    assert all(pins.mock_pin(line).state for line in HEADER.values())
    thread.close()


def test_failing_device_is_counted_and_the_thread_goes_on(
    pins: Pins, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    lamp_lines = LampLines(HEADER, pins.factory)
    done, failed = Event(), Event()
    show = lamp_lines.show

    def watched(wanted: frozenset[Lamp]) -> None:
        try:
            show(wanted)
        except OSError:
            failed.set()
            raise
        if wanted:
            done.set()

    monkeypatch.setattr(lamp_lines, "show", watched)
    torn = Torn(monkeypatch, "GPIO25")
    thread = LampThread(lamp_lines, 4, ManualClock(0))
    with caplog.at_level(logging.ERROR):
        thread.start()
        thread.show(start_view())
        assert failed.wait(10)
        torn.is_torn = False
        thread.show(start_view(is_ready=(True, True)))
        assert done.wait(10)
        thread.close()
    assert thread.faults == 1
    assert any("go on" in record.getMessage() for record in caplog.records)
    assert not thread._thread.is_alive()


def test_stalling_device_holds_up_nobody_who_shows(pins: Pins, monkeypatch: pytest.MonkeyPatch) -> None:
    on_expander = dict(zip(HEADER, lines("mcp23017:4", "mcp23017:5"), strict=True))
    lamp_lines = LampLines(on_expander, pins.factory)
    torn = Torn(monkeypatch, "GPIO4")
    torn.stalls = Event()
    thread = LampThread(lamp_lines, 4, ManualClock(0))
    thread.start()
    thread.show(start_view())
    assert torn.reached.wait(10)
    for _ in range(1000):
        thread.show(Hand().view())
    assert not torn.stalls.is_set(), "all were taken while the device still stalls"
    torn.stalls.set()
    thread.close()
    assert not any(pins.mock_pin(line).state for line in on_expander.values())
