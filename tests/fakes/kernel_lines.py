"""Chips that answer as the kernel's would through libgpiod 2, with a queue one can wait on."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gpiod
from gpiod.line import Bias, Clock, Edge, Value

from firmware.chips import Chip
from firmware.errors import ChipError
from firmware.lines import Line

HEADER = Chip("gpiochip0", "pinctrl-rp1", 54)
EXPANDER = Chip("gpiochip3", "mcp23017", 16, address=0x20, is_on_bus=True)


@dataclass
class FakeChip:
    """One chip: what is on its lines, who has them, and what is wrong with it."""

    chip: Chip
    levels: dict[int, int] = field(default_factory=dict)
    taken: dict[int, str] = field(default_factory=dict)
    has_interrupt: bool = True
    failure: int | None = None
    """The errno of everything that is asked of it."""

    def check(self) -> None:
        if self.failure is not None:
            raise OSError(self.failure, os.strerror(self.failure))


class FakeRequest:
    """Lines of one chip, asked for together."""

    def __init__(self, chip: FakeChip, settings: Mapping[int, gpiod.LineSettings], queue: int | None) -> None:
        self.chip = chip
        self.settings = settings
        self.queue = queue
        self.fd = os.eventfd(0, os.EFD_NONBLOCK)
        self.is_released = False
        self.reads = 0
        self._events: list[gpiod.EdgeEvent] = []
        self._number = 0
        self._line_numbers = dict.fromkeys(settings, 0)

    # What the wires do

    def edge(self, offset: int, level: int, at_ns: int, *, says: int | None = None) -> gpiod.EdgeEvent:
        """The line changes, and the kernel tells it. *says*: the direction that it reads too late."""
        event = self.held_back(offset, level, at_ns, says=says)
        self.deliver(event)
        return event

    def held_back(self, offset: int, level: int, at_ns: int, *, says: int | None = None) -> gpiod.EdgeEvent:
        """As :meth:`edge`, but not yet in the queue."""
        self.chip.levels[offset] = level
        self._number += 1
        self._line_numbers[offset] += 1
        kind = gpiod.EdgeEvent.Type.RISING_EDGE if (level if says is None else says) else FALLING
        return gpiod.EdgeEvent(kind.value, at_ns, offset, self._number, self._line_numbers[offset])

    def deliver(self, *events: gpiod.EdgeEvent) -> None:
        """Into the queue, in this order."""
        self._events += events
        os.eventfd_write(self.fd, 1)

    def swallow(self, edges: int = 1) -> None:
        """So many edges are overwritten before the thread has run: only their numbers are gone."""
        self._number += edges

    def overflow(self, offset: int, events: int = 1) -> None:
        """The queue is full, and so many events of the line fall out of it."""
        self._number += events
        self._line_numbers[offset] += events

    def die(self, failure: int = errno.ENODEV) -> None:
        """The chip is taken out; whoever waits on it wakes."""
        self.chip.failure = failure
        os.eventfd_write(self.fd, 1)

    # What is asked

    def read_edge_events(self, max_events: int | None = None) -> list[gpiod.EdgeEvent]:
        assert not self.is_released
        self.chip.check()
        os.eventfd_read(self.fd)
        self.reads += 1
        events, self._events = self._events[:max_events], self._events[max_events or 64 :]
        if self._events:
            os.eventfd_write(self.fd, 1)
        return events

    def get_values(self, lines: Iterable[int | str] | None = None) -> list[Value]:
        assert not self.is_released
        self.chip.check()
        return [Value(self.chip.levels.get(int(line), 1)) for line in lines or self.settings]

    def release(self) -> None:
        assert not self.is_released
        self.is_released = True
        os.close(self.fd)
        for offset in self.settings:
            self.chip.taken.pop(offset, None)


FALLING = gpiod.EdgeEvent.Type.FALLING_EDGE


class FakeKernel:
    """All chips, by name; what is asked for is in :attr:`requests`."""

    def __init__(self, *chips: FakeChip) -> None:
        self.chips = list(chips or (FakeChip(HEADER),))
        self.requests: list[FakeRequest] = []

    @property
    def held(self) -> list[FakeRequest]:
        """Requests that have not been released."""
        return [request for request in self.requests if not request.is_released]

    def find(self, line: Line) -> Chip:
        wanted = "pinctrl-rp1" if line.label is None else line.label
        for chip in self.chips:
            if chip.chip.label == wanted and chip.failure != errno.ENOENT:
                return chip.chip
        raise ChipError(f"GPIO chip {wanted}: not found")

    def who(self, device: str, offset: int) -> str:
        return self._at(device).taken.get(offset, "")

    def _at(self, device: str) -> FakeChip:
        return next(chip for chip in self.chips if chip.chip.device == device)

    def request_lines(
        self, path: str, config: Any, consumer: str | None = None, event_buffer_size: int | None = None
    ) -> FakeRequest:
        chip = self._at(path)
        chip.check()
        settings = {offset: one for offsets, one in config.items() for offset in offsets}
        for offset, one in settings.items():
            assert (one.bias, one.event_clock) == (Bias.PULL_UP, Clock.MONOTONIC)
            if offset >= chip.chip.lines:
                raise ValueError("line offset of out range")
            if offset in chip.taken:
                raise OSError(errno.EBUSY, "Device or resource busy")
            if one.edge_detection is not Edge.NONE and not chip.has_interrupt:
                raise OSError(errno.ENXIO, "No such device or address")
        chip.taken |= dict.fromkeys(settings, consumer or "?")
        request = FakeRequest(chip, settings, event_buffer_size)
        self.requests.append(request)
        return request
