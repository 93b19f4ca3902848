"""Fingers and eyes on the simulated header: a button is a pull, a lamp is a value, both files of gpio-sim."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware.lines import Line

HEADER_SIZE: Final = 54
"""As guest/header.sh makes it."""
SIMULATED: Final = Path("/sys/devices/platform/gpio-sim.0")
PULLS: Final = (b"pull-down", b"pull-up")


@dataclass(frozen=True, slots=True)
class Span:
    """When something was done: after ``from_ns`` and before ``to_ns`` (CLOCK_MONOTONIC)."""

    from_ns: int
    to_ns: int


class Wires:
    """All lines of the header; files stay open, so that a write takes microseconds."""

    def __init__(self) -> None:
        chip = next(SIMULATED.glob("gpiochip*"))
        folders = [chip / f"sim_gpio{number}" for number in range(HEADER_SIZE)]
        self._pulls = [os.open(folder / "pull", os.O_WRONLY) for folder in folders]
        self._values = [os.open(folder / "value", os.O_RDONLY) for folder in folders]

    def set(self, line: Line, level: int) -> Span:
        """Close the contact of *line* to ground (level 0) or open it (1); an equal level is no edge."""
        from_ns = time.monotonic_ns()
        os.pwrite(self._pulls[line.number], PULLS[level], 0)
        return Span(from_ns, time.monotonic_ns())

    def open_all(self) -> None:
        """Let go of all buttons."""
        for descriptor in self._pulls:
            os.pwrite(descriptor, PULLS[1], 0)

    def is_high(self, line: Line) -> bool:
        """Is *line* high: a lamp lit?"""
        return os.pread(self._values[line.number], 4, 0).startswith(b"1")

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in (*self._pulls, *self._values):
            os.close(descriptor)
