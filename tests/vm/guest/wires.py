"""Fingers and eyes on the simulated header: a button is a pull, a lamp is a value, both files of gpio-sim."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware.lines import Line

HEADER_LABEL: Final = "pinctrl-bcm2711"
HEADER_SIZE: Final = 54
SIMULATED: Final = Path("/sys/devices/platform/gpio-sim.0")
CONFIG: Final = Path("/sys/kernel/config/gpio-sim/pi")
PULLS: Final = (b"pull-down", b"pull-up")


def make_header() -> None:
    """A header like that of a Pi 4, and the revision by which gpiozero knows the board."""
    subprocess.run(["modprobe", "simulated-lines"], check=True)
    bank = CONFIG / "bank"
    bank.mkdir(parents=True)
    (bank / "num_lines").write_text(str(HEADER_SIZE))
    (bank / "label").write_text(HEADER_LABEL)
    (CONFIG / "live").write_text("1")
    board = Path("/run/cpuinfo")
    board.write_text(Path("/proc/cpuinfo").read_text() + "Revision\t: c03114\n")
    subprocess.run(["mount", "--bind", str(board), "/proc/cpuinfo"], check=True)


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

    def is_high(self, line: Line) -> bool:
        """Is *line* high: a lamp lit?"""
        return os.pread(self._values[line.number], 4, 0).startswith(b"1")

    def close(self) -> None:
        """Let go of the files."""
        for descriptor in (*self._pulls, *self._values):
            os.close(descriptor)
