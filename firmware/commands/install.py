"""``speed-cabinet install``: makes this machine a cabinet, or what it was before."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from firmware import settings as settings_room
from firmware.errors import SettingsError
from firmware.system import fitness, wiring
from firmware.system.install import Report, Source, install, uninstall
from firmware.system.machine import Machine
from firmware.system.wheel import own_wheel, read_wheel
from firmware.system.work import CannotInstall

SETTINGS = "/etc/california-speed-cabinet/settings.toml"
"""The settings of an installed cabinet."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asked for."""

    wheel: Path | None = None
    find_links: Path | None = None
    is_uninstall: bool = False
    is_dry: bool = False
    as_json: bool = False
    any_board: bool = False


def run(asked: Asked, machine: Machine | None = None, user: int | None = None) -> int:
    """Install or uninstall, and say what was done; returns the exit code: 1 if it could not be done."""
    machine = machine or Machine()
    user = user if user is not None else os.geteuid() if hasattr(os, "geteuid") else -1
    if asked.find_links is not None and not asked.find_links.is_dir():
        raise CannotInstall(f"{asked.find_links}: not a folder")
    if asked.is_uninstall:
        problems = fitness.unchangeable(machine, user)
    else:
        problems = fitness.unfit(machine, user, any_board=asked.any_board)
    if problems and not asked.is_dry:
        return _say(asked, Report(), problems)

    did: list[str] = []

    def tell(what: str) -> None:
        did.append(what)
        if not asked.as_json:
            print(("would " if asked.is_dry else "") + what, flush=True)

    # Whatever the operator's own mask: the service's user has to read all of it.
    mask = os.umask(0o022)
    try:
        if asked.is_uninstall:
            report = uninstall(machine, is_dry=asked.is_dry, tell=tell)
        else:
            report = install(machine, _source(asked, machine), is_dry=asked.is_dry, tell=tell)
    except CannotInstall as error:
        return _say(asked, Report(did), [str(error)])
    finally:
        os.umask(mask)
    return _say(asked, report, problems)


def _source(asked: Asked, machine: Machine) -> Source:
    links = None if asked.find_links is None else asked.find_links.resolve()
    wheel = own_wheel() if asked.wheel is None else read_wheel(asked.wheel)
    overlays: list[str] = []
    settings = machine.path(SETTINGS)
    if settings.is_file():
        try:
            overlays = wiring.overlays(settings_room.load(settings))
        except SettingsError as error:
            print(f"speed-cabinet: {error}; its chips are not set up", file=sys.stderr)
    return Source(wheel, links, tuple(overlays))


def _say(asked: Asked, report: Report, problems: list[str]) -> int:
    if asked.as_json:
        print(json.dumps({**asdict(report), "problems": problems}, ensure_ascii=False))
        return 1 if problems else 0
    for problem in problems:
        print(f"speed-cabinet: {problem}", file=sys.stderr)
    for note in report.notes:
        print(note)
    if problems and not asked.is_dry:
        return 1
    what = "uninstalled" if asked.is_uninstall else "installed"
    print(f"{'nothing was done' if asked.is_dry else what}.", end=" ")
    print("A reboot is needed: sudo reboot" if report.needs_reboot else "No reboot is needed.")
    return 1 if problems else 0
