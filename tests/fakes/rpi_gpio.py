"""``fake_rpi``'s RPi.GPIO with what it lacks: a memory, pulls, and callbacks when a line changes."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

with contextlib.redirect_stdout(io.StringIO()):  # it announces itself
    import fake_rpi
    from fake_rpi.RPi import _GPIO

fake_rpi.wrappers.PRINT_ON = False


class FakeGPIO(_GPIO):  # type: ignore[misc]  # fake_rpi has no types
    """RPi.GPIO's module as an object. ``drive`` is the finger on a button."""

    def __init__(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            super().__init__()
        self.levels: dict[int, float] = {}
        self.directions: dict[int, int] = {}
        self.callbacks: dict[int, Callable[[int], None]] = {}
        self.PWM = lambda channel, frequency: FakePWM(self, channel)

    def setup(self, channel: int, direction: int, pull_up_down: int = 20, initial: int | None = None) -> None:
        self.directions[channel] = direction
        if direction == self.OUT:
            self.levels[channel] = initial or 0
        elif pull_up_down != self.PUD_OFF:
            self.levels[channel] = int(pull_up_down == self.PUD_UP)

    def gpio_function(self, channel: int) -> int:
        return self.directions.get(channel, 1)  # IN

    def input(self, channel: int) -> float:
        return self.levels.get(channel, 0)

    def output(self, channel: int, state: float) -> None:
        if self.directions.get(channel) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.levels[channel] = int(state)

    def add_event_detect(
        self, channel: int, edge: int, callback: Callable[[int], None], bouncetime: int = -666
    ) -> None:
        assert edge == self.BOTH, "the first edge of a touch may be reported as either"
        assert bouncetime == -666, "a debounced edge is stamped after the contact has settled"
        self.callbacks[channel] = callback

    def remove_event_detect(self, channel: int) -> None:
        self.callbacks.pop(channel, None)

    def cleanup(self, channel: int | None = None) -> None:
        for one in list(self.directions) if channel is None else [channel]:
            self.directions.pop(one, None)
            self.levels.pop(one, None)
            self.callbacks.pop(one, None)

    def drive(self, channel: int, level: int) -> None:
        """The line changes, and the library's thread tells of it."""
        if self.levels.get(channel) != level:
            self.levels[channel] = level
            if channel in self.callbacks:
                self.callbacks[channel](channel)


class FakePWM:
    """RPi.GPIO's software PWM: its duty cycle (0 to 100) is remembered as a level from 0 to 1."""

    def __init__(self, gpio: FakeGPIO, channel: int) -> None:
        self._gpio, self._channel = gpio, channel

    def start(self, duty: float) -> None:
        self.ChangeDutyCycle(duty)

    def ChangeDutyCycle(self, duty: float) -> None:  # noqa: N802  # RPi.GPIO's own name
        self._gpio.levels[self._channel] = duty / 100

    def ChangeFrequency(self, frequency: float) -> None:  # noqa: N802  # RPi.GPIO's own name
        pass

    def stop(self) -> None:
        self._gpio.levels[self._channel] = 0
