"""The folder that host and guest share: what goes in, and the run itself."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.vm.guest.trial import ANSWERED, ASKED
from tests.vm.image import HERE, REPOSITORY, Image
from tests.vm.machine import Machine, Time


def scenarios() -> list[str]:
    """The names of all scenarios: the files in ``scenarios``."""
    return sorted(path.stem for path in (HERE / "scenarios").glob("[!_]*.py"))


def fill(share: Path, wanted: list[str], chosen: dict[str, Any]) -> None:
    """Put the firmware, installed from the checkout, and the scenarios on the share.

    Raises :class:`subprocess.CalledProcessError` if the checkout cannot be installed.
    """
    python = share / "python"
    for folder in (python / "tests", share / "results", share / ASKED, share / ANSWERED):
        folder.mkdir(parents=True)
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", str(python)]
    subprocess.run([sys.executable, *install, str(REPOSITORY)], check=True)
    (python / "tests" / "__init__.py").touch()
    shutil.copytree(HERE, python / "tests" / "vm", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "guest" / "begin.sh", share)
    limits = [{"name": name, "limit_s": _limit_s(name, chosen)} for name in wanted]
    (share / "order.json").write_text(json.dumps({"scenarios": limits, "chosen": chosen}))


def follows(name: str) -> Time:
    """Which time the machine of this scenario needs."""
    return Time(getattr(_scenario(name), "TIME", Time.WALL.value))


def _limit_s(name: str, chosen: dict[str, Any]) -> float:
    return float(_scenario(name).limit_s(chosen))


def _scenario(name: str) -> ModuleType:
    return importlib.import_module(f"tests.vm.scenarios.{name}")


BOOT_S = 120
"""Longer than any boot that comes to its end: 10 to 25 s, more where others use the processor."""
BOOTS = 3


def run(image: Image, folder: Path, limit_s: float, time_of: Time) -> None:
    """Boot, and let the scenarios run until the guest switches off or *limit_s* are over.

    Raises :class:`RuntimeError` if the guest does not come up.
    """
    until = time.monotonic() + limit_s
    for nth in range(BOOTS):
        machine = Machine(image, folder / "share", folder, time_of)
        try:
            if _has_begun(machine, folder / "share"):
                _serve(machine, folder / "share", until)
                return
        finally:
            machine.close()
        print(f"the guest did not come up within {BOOT_S} s, {nth + 1} of {BOOTS} times", flush=True)
    raise RuntimeError(f"the guest does not come up, see {folder / 'serial.log'}")


def _has_begun(machine: Machine, share: Path) -> bool:
    """Wait for the guest's service. Now and then an emulated kernel hangs before it has said a word."""
    until = time.monotonic() + BOOT_S
    while machine.is_on and time.monotonic() < until:
        if (share / "begun").exists():
            return True
        machine.wait(0.2)
    return False


def _serve(machine: Machine, share: Path, until: float) -> None:
    """Answer what the scenarios ask."""
    while machine.is_on and time.monotonic() < until:
        for asked in sorted((share / ASKED).iterdir()):
            machine.screendump(share / asked.read_text())
            asked.unlink()
            (share / ANSWERED / asked.name).touch()
        machine.wait(0.1)


def remove(folder: Path) -> None:
    """Remove what a run has left."""
    shutil.rmtree(folder)
