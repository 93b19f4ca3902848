"""From the edge to verdict, lamp and finished frame, beside the hold-back and a bare timer thread.

The hold-back is fairness and is wanted; everything above it is our own slowness. How much of that no
program could avoid is shown by a thread that only waits for a time and looks at the clock, beside
the same drawing, in the same run. The edges are those of mock pins, or of whatever a :class:`Bench` has.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import count
from queue import SimpleQueue
from random import Random
from threading import Event, Thread
from typing import Protocol

import msgspec

from firmware.cabinet import Cabinet, lamps_of
from firmware.clock import NS_PER_MS, MonotonicClock
from firmware.commands.match import smallest_cabinet
from firmware.pins import Pins, PushPin, mock_pins
from firmware.session.view import Stage
from firmware.settings import Play, Screen
from firmware.touch.contact import START, Button


@dataclass
class Spread:
    """A set of durations in ns."""

    ns: list[int] = field(default_factory=list)

    def at(self, share: float) -> float:
        """The duration, in ms, that *share* of all do not exceed; 0 of none."""
        ordered = sorted(self.ns) or [0]
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] / 1e6

    def figures(self) -> dict[str, float]:
        """p50, p99 and the longest, in ms."""
        return {name: round(self.at(share), 3) for name, share in _SHARES}


GAME = "double_flip"
FULL = (1920, 1080)
_SHARES = (("p50_ms", 0.5), ("p99_ms", 0.99), ("max_ms", 1.0))


lamp_changed = Event()
"""Set whenever a lamp has changed; one run at a time."""


class LampPin(Protocol):
    """A pin that notes in ``changed_ns`` when the lamp on it changed, and sets :data:`lamp_changed`."""

    changed_ns: int
    state: float


class _MockLampPin(PushPin):
    changed_ns = 0

    def _change_state(self, value: float) -> bool:
        has_changed = super()._change_state(value)
        if has_changed and self.function == "output":
            self.changed_ns = time.monotonic_ns()
            lamp_changed.set()
        return has_changed


class Bench(Protocol):
    """What is pressed and what lights up: ``pins``, all of them :class:`LampPin`, and a finger."""

    pins: Pins

    def press(self, cabinet: Cabinet, button: Button, level: int) -> int:
        """Close the contact of *button* (level 0) or open it (1); the moment just before, in ns."""


class MockBench:
    """Mock pins, pushed with the time it is."""

    def __init__(self) -> None:
        self.pins = mock_pins(_MockLampPin)

    def press(self, cabinet: Cabinet, button: Button, level: int) -> int:
        """See :class:`Bench`."""
        at_ns = cabinet.clock.now_ns()
        cabinet.push(button, at_ns, level)
        return at_ns


def measure(seconds: float, bench: Bench | None = None, size: tuple[int, int] = FULL) -> dict[str, object]:
    """Press START and piles at random moments while a table of *size* is drawn without a pause."""
    from firmware.commands.screens import open_screen

    # Double Flip has the longest hands, so the least time goes into countdowns.
    settings = smallest_cabinet(GAME)
    settings = msgspec.structs.replace(
        settings,
        play=Play(game=GAME, penalty_ms=250, lay_ms=0, redeal_pause_ms=0),
        screen=Screen(size=size),
    )
    clock = MonotonicClock()
    bench = bench or MockBench()
    cabinet = Cabinet(settings, bench.pins, clock, count(1))
    screen = open_screen(settings)
    while screen.ahead(cabinet.view):
        pass  # as the cabinet does while people wait for one another
    is_drawing = [True]
    bare, verdict, lamp = Spread(), Spread(), Spread()
    frames, shown = Spread(), Spread()
    pressed = [0]
    judged: SimpleQueue[int] = SimpleQueue()
    cabinet.listen(lambda view: _note(verdict, judged, pressed, clock.now_ns()))
    players = Thread(target=_play, args=(cabinet, bench, seconds, pressed, lamp, is_drawing), daemon=True)
    timer = Thread(target=_wait_only, args=(bare, is_drawing), daemon=True)
    cabinet.start()
    players.start()
    timer.start()
    while is_drawing[0]:
        began = clock.now_ns()
        waiting = [judged.get() for _ in range(judged.qsize())]
        screen.redraw()
        screen.draw(cabinet.view, began)
        ended = clock.now_ns()
        frames.ns.append(ended - began)
        shown.ns += [ended - at_ns for at_ns in waiting]
        # A 60 Hz screen leaves the rest of the frame to the others.
        time.sleep(max(0.0, 0.0166 - (clock.now_ns() - began) / 1e9))
    players.join(2)
    timer.join(2)
    screen.close()
    cabinet.close()
    hold_back_ms = cabinet.hold_back_ns / 1e6
    return {
        "presses": len(lamp.ns),
        "hold_back_ms": round(hold_back_ms, 3),
        "frame": frames.figures(),
        "bare_timer_late": bare.figures(),
        "edge_to_verdict": verdict.figures(),
        "edge_to_lamp": lamp.figures(),
        "edge_to_finished_frame": shown.figures(),
        "p99_over_hold_back_and_bare_timer_ms": round(lamp.at(0.99) - hold_back_ms - bare.at(0.99), 3),
    }


def _note(verdict: Spread, judged: SimpleQueue[int], pressed: list[int], now_ns: int) -> None:
    if pressed[0]:
        verdict.ns.append(now_ns - pressed[0])
        judged.put(pressed[0])
        pressed[0] = 0


def _wait_only(bare: Spread, is_drawing: list[bool]) -> None:
    """What any thread needs to wake at a given time beside this drawing: 5 ms waits, as a verdict's."""
    never = Event()
    while is_drawing[0]:
        due_ns = time.monotonic_ns() + 5 * NS_PER_MS
        never.wait(max(0, due_ns - time.monotonic_ns()) / 1e9)
        bare.ns.append(max(0, time.monotonic_ns() - due_ns))


def _play(
    cabinet: Cabinet,
    bench: Bench,
    seconds: float,
    pressed: list[int],
    lamp: Spread,
    is_drawing: list[bool],
) -> None:
    """Players who press anywhere at random moments; a lamp answers every press that counts."""
    chance = Random(1)
    clock, buttons = cabinet.clock, cabinet.settings.buttons
    until_ns: int | None = None
    never = Event()
    while until_ns is None or clock.now_ns() < until_ns:
        view = cabinet.view
        if view.stage is not Stage.HAND:
            if view.stage is not Stage.COUNTDOWN:
                for seat in (0, 1):
                    _tap(cabinet, bench, Button(seat, START), never)
            never.wait(0.05)
            continue
        # The first countdown is none of the time that was asked for.
        until_ns = until_ns or clock.now_ns() + int(seconds * 1e9)
        never.wait(0.02 + 0.03 * chance.random())
        table = cabinet.view.table
        seat, number = int(chance.random() * 2), int(chance.random() * buttons)
        slot = None if table is None else table.game.layout.pressed(seat, number, buttons)
        if table is None or slot is None or table.game.excuse(table, seat, slot) is not None:
            continue
        # Right or wrong, a press on a lit button darkens its lamp: as taken, or as penalised.
        button = Button(seat, number)
        pin = _lamp_pin(cabinet, button)
        if not pin.state:
            continue
        lamp_changed.clear()
        pressed[0] = clock.now_ns()
        at_ns = bench.press(cabinet, button, 0)
        if lamp_changed.wait(0.5) and pin.changed_ns >= at_ns:
            lamp.ns.append(pin.changed_ns - at_ns)
        pressed[0] = 0
        never.wait(0.01)
        bench.press(cabinet, button, 1)
    is_drawing[0] = False


def _tap(cabinet: Cabinet, bench: Bench, button: Button, never: Event) -> None:
    bench.press(cabinet, button, 0)
    never.wait(0.02)
    bench.press(cabinet, button, 1)
    never.wait(0.03)


def _lamp_pin(cabinet: Cabinet, button: Button) -> LampPin:
    line = lamps_of(cabinet.settings)[button.seat, button.number]
    pin: LampPin = cabinet.pins.factory(line).pin(line.number)
    return pin
