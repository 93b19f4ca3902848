"""The pin factories: gpiozero's, one for each chip, made once and closed once.

On a desktop all pins are mock pins, which the keyboard and the CPU players push; everything behind
the pins is what runs on a Pi.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gpiozero import Factory
from gpiozero.exc import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPWMPin
from gpiozero.pins.pi import PiPin

from firmware.chips import find_chip
from firmware.errors import ChipError, LineError
from firmware.lines import Line


@contextmanager
def refusals(what: str) -> Iterator[None]:
    """Whatever a pin refuses inside is raised as :class:`LineError` that begins with *what*."""
    try:
        yield
    except Exception as error:
        # lgpio's own error is a bare Exception.
        if not isinstance(error, GPIOZeroError | OSError) and type(error).__module__ != "lgpio":
            raise
        # Without its traceback, whose frames would keep the half-made device, and with it the pin, for as
        # long as somebody remembers the error.
        raise LineError(f"{what}: {error}") from error.with_traceback(None)


class PushPin(MockPWMPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock pin that is pushed at a given time instead of reading the clock itself."""

    _state: float
    uncertain_ns = 0
    """How much earlier than the time given the push may have been; see :class:`firmware.touch.edges.Edge`."""

    def push(self, at_ns: int, level: int, uncertain_ns: int = 0) -> None:
        """Set the line to *level* at *at_ns*. An equal level is no edge, as on a real line."""
        if self._change_state(bool(level)) and self._when_changed is not None:
            self.uncertain_ns = uncertain_ns
            # Float seconds, as every gpiozero factory gives them: exact to the nanosecond for 97 days.
            PiPin._call_when_changed(self, at_ns / 1e9, self._state)

    def _change_state(self, value: float) -> bool:
        # The original keeps every change for ever, to be looked at by tests: a leak in a running cabinet.
        if self._state == value:
            return False
        self._state = value
        return True


class Pins:
    """The factories by chip; ``None`` is the header. ``is_kernel``: their lines can be had by gpiod too."""

    def __init__(self, make: Callable[[Line], Factory], *, is_mock: bool, is_kernel: bool = False) -> None:
        self._make = make
        self._factories: dict[str | None, Factory] = {}
        self.is_mock = is_mock
        self.is_kernel = is_kernel

    def factory(self, line: Line) -> Factory:
        """The factory of *line*'s chip; raises :class:`ChipError` if it cannot be had."""
        if line.chip not in self._factories:
            self._factories[line.chip] = self._make(line)
        return self._factories[line.chip]

    def mock_pin(self, line: Line) -> PushPin:
        """The mock pin of *line*, to be pushed."""
        pin = self.factory(line).pin(line.number)
        assert isinstance(pin, PushPin), "only mock pins can be pushed"
        return pin

    def close(self) -> None:
        """Close all factories. May be called twice."""
        while self._factories:
            self._factories.popitem()[1].close()


def mock_pins(kind: type[PushPin] = PushPin) -> Pins:
    """Pins that exist only here."""
    return Pins(lambda line: MockFactory(pin_class=kind), is_mock=True)


def lgpio_pins() -> Pins:
    """The kernel's pins through gpiozero's LGPIOFactory."""

    def make(line: Line) -> Factory:
        try:
            from gpiozero.pins.lgpio import LGPIOFactory
        except ImportError as error:
            raise ChipError(
                "lgpio is not installed: pip install 'california-speed-cabinet[pi]', "
                "or apt install python3-lgpio where Python is 3.13 or newer"
            ) from error
        number = find_chip(line).number
        try:
            return LGPIOFactory(chip=number)
        except (GPIOZeroError, OSError) as error:
            raise ChipError(f"GPIO chip {number}: cannot be opened: {error}") from error

    return Pins(make, is_mock=False, is_kernel=True)
