"""What the doctor looks at: a machine, and what can only be asked in this process; and what he finds."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from firmware.chips import Chip, find_chip
from firmware.lines import Line
from firmware.settings import Settings, defaults
from firmware.system import display, shipped
from firmware.system.machine import Machine


class State(StrEnum):
    """How a thing is: well, wrong, or nothing that this machine needs."""

    WELL = "ok"
    WRONG = "wrong"
    NOT_HERE = "not here"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: ``check`` names what was looked at, ``to_do`` says what to do about what is wrong."""

    check: str
    state: State
    found: str
    to_do: str = ""


def well(check: str, found: str) -> Finding:
    """It is well."""
    return Finding(check, State.WELL, found)


def wrong(check: str, found: str, to_do: str) -> Finding:
    """It is wrong."""
    return Finding(check, State.WRONG, found, to_do)


def not_here(check: str, found: str) -> Finding:
    """This machine does not need it."""
    return Finding(check, State.NOT_HERE, found)


def version_of(package: str) -> str | None:
    """The installed version of a Python package; None if there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def consumer_of(device: str, offset: int) -> str:
    """Who has taken the line; "" if nobody says so. Raises :class:`OSError`."""
    import gpiod  # exists where there are such lines

    with gpiod.Chip(device) as chip:
        info = chip.get_line_info(offset)
        return info.consumer or ("the kernel" if info.used else "")


def levels_of(device: str, offsets: Sequence[int]) -> list[int]:
    """The levels of free lines, pulled up as the game does it. Raises :class:`OSError`."""
    import gpiod
    from gpiod.line import Bias, Direction, Value

    settings = gpiod.LineSettings(direction=Direction.INPUT, bias=Bias.PULL_UP)
    with gpiod.request_lines(device, {tuple(offsets): settings}, consumer="speed-cabinet doctor") as request:
        return [int(value is Value.ACTIVE) for value in request.get_values(list(offsets))]


@dataclass(frozen=True)
class Patient:
    """A machine and its facts.

    ``settings``: in force; ``complaint``: what is wrong with their file. ``directory``: where results go.
    ``user``: the number of who asks (0 is root), ``groups``: theirs. ``has_desktop``: is a window to be had?
    The functions ask the libraries, and stand for them in tests.
    """

    machine: Machine = field(default_factory=Machine)
    settings: Settings = field(default_factory=defaults)
    complaint: str | None = None
    directory: str = shipped.STATE
    user: int = 0
    groups: frozenset[str] = frozenset()
    has_desktop: bool = False
    python: tuple[int, ...] = sys.version_info[:3]
    version_of: Callable[[str], str | None] = version_of
    find_chip: Callable[[Line], Chip] = find_chip
    consumer_of: Callable[[str, int], str] = consumer_of
    levels_of: Callable[[str, Sequence[int]], list[int]] = levels_of
    load: Callable[[str], bool] = display.can_load
    draw: Callable[[Path], bool] = display.open_card

    @property
    def is_installed(self) -> bool:
        """Has `install` been here?"""
        return self.machine.path(shipped.UNIT).exists()

    @property
    def is_cabinet(self) -> bool:
        """Is this a Pi, or something made a cabinet? Else it is a desktop, which needs less."""
        return self.machine.is_pi or self.is_installed

    @cached_property
    def service(self) -> dict[str, str]:
        """What systemd knows of the service, by its names of properties."""
        names = "LoadState,ActiveState,UnitFileState,NRestarts,StatusText"
        asked = self.machine.ask("systemctl", "show", shipped.SERVICE, f"--property={names}")
        pairs = (line.partition("=") for line in asked.out.splitlines())
        return {key: value for key, mark, value in pairs if mark}

    @property
    def is_on(self) -> bool:
        """Is the service running?"""
        return self.service.get("ActiveState") == "active"


def own_groups() -> frozenset[str]:
    """The names of the groups of this process."""
    if not hasattr(os, "getgroups"):
        return frozenset()
    import grp  # exists where there are groups

    numbers = {os.getegid(), *os.getgroups()}
    return frozenset(entry.gr_name for entry in grp.getgrall() if entry.gr_gid in numbers)
