"""The folder that host and guest share, and the scenarios: which there are, and in which order."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.vm.guest.trial import ANSWERED, ASKED
from tests.vm.image import HERE, REPOSITORY
from tests.vm.machine import Time

INSTALLS = "installs"
"""The scenario that makes the machine a cabinet."""


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
    _pip("wheel", "--no-deps", "-w", str(share / "wheel"), str(REPOSITORY))
    (wheel,) = (share / "wheel").iterdir()
    _pip("install", "--no-deps", "--no-compile", "--target", str(python), str(wheel))
    (python / "tests" / "__init__.py").touch()
    left_out = shutil.ignore_patterns("__pycache__", "test_*")
    for room in (HERE, REPOSITORY / "tests" / "keep"):
        shutil.copytree(room, python / "tests" / room.name, ignore=left_out)
    shutil.copy(HERE / "guest" / "begin.sh", share)
    limits = [{"name": name, "limit_s": _limit_s(name, chosen)} for name in wanted]
    (share / "order.json").write_text(json.dumps({"scenarios": limits, "chosen": chosen}))


def _pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "-q", *words], check=True)


def in_order(wanted: list[str]) -> list[str]:
    """Those on the bare machine, then those on the one that is a cabinet, which is installed before them."""
    bare = sorted(name for name in wanted if name != INSTALLS and not _is_cabinet(name))
    cabinet = sorted(name for name in wanted if _is_cabinet(name))
    return [*bare, *([INSTALLS] if cabinet or INSTALLS in wanted else []), *cabinet]


def follows(name: str) -> Time:
    """Which time the machine of this scenario needs."""
    return Time(getattr(_scenario(name), "TIME", Time.PACED.value))


def _is_cabinet(name: str) -> bool:
    return bool(getattr(_scenario(name), "IS_CABINET", False))


def _limit_s(name: str, chosen: dict[str, Any]) -> float:
    return float(_scenario(name).limit_s(chosen))


def _scenario(name: str) -> ModuleType:
    return importlib.import_module(f"tests.vm.scenarios.{name}")


def remove(folder: Path) -> None:
    """Remove what a run has left."""
    shutil.rmtree(folder)
