"""From the kernel's edge to verdict, lamp and frame: ``speed-cabinet bench latency`` on simulated lines."""

from __future__ import annotations

import os
import time
from typing import Any

from gpiozero import Factory
from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

from firmware.bench import latency
from firmware.cabinet import Cabinet
from firmware.chips import find_chip
from firmware.lines import Line
from firmware.pins import Pins
from firmware.touch.contact import Button
from tests.vm.guest.daemon import NICE, NO_SCREEN
from tests.vm.guest.trial import Trial
from tests.vm.guest.wires import Wires

TIME = "counted"
SECONDS = 40
SIZE = (1280, 720)
FEWEST_PRESSES = 100
OVER_MS = 1.0


class SeenPin(LGPIOPin):  # type: ignore[misc]  # gpiozero has no types
    """A pin of the kernel that notes when its lamp has been switched."""

    changed_ns = 0

    def _set_state(self, value: float) -> None:
        super()._set_state(value)
        self.changed_ns = time.monotonic_ns()
        latency.lamp_changed.set()


def seen_pins(line: Line) -> Factory:
    """The factory of *line*'s chip, with pins that note."""
    factory = LGPIOFactory(chip=find_chip(line).number)
    factory.pin_class = SeenPin
    return factory


class KernelBench:
    """Simulated lines: buttons by gpiod, lamps by gpiozero and lgpio."""

    def __init__(self) -> None:
        self.pins = Pins(seen_pins, is_mock=False, is_kernel=True)
        self._wires = Wires()

    def press(self, cabinet: Cabinet, button: Button, level: int) -> int:
        """See :class:`firmware.bench.latency.Bench`."""
        return self._wires.set(cabinet.line(button), level).from_ns


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 120 + 3 * SECONDS


def run(trial: Trial) -> None:
    """See the module."""
    os.nice(NICE)
    os.environ.update(NO_SCREEN)
    figures = latency.measure(SECONDS, KernelBench(), SIZE)
    for name, value in figures.items():
        trial.figure(name, value)
    presses, over_ms = figures["presses"], figures["p99_over_hold_back_and_bare_timer_ms"]
    assert isinstance(presses, int)
    assert isinstance(over_ms, float)
    trial.expect(presses >= FEWEST_PRESSES, f"only {presses} presses lit or darkened a lamp")
    trial.expect(
        over_ms <= OVER_MS, f"lamps {over_ms} ms over hold-back and bare timer, not {OVER_MS} at most"
    )
