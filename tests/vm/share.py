"""The folder that host and guest share, and the scenarios: which there are, and in which order."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
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


def prepare(checkout: Path) -> None:
    """Put the firmware, installed from the checkout and as a wheel, and the scenarios into a folder.

    Raises :class:`subprocess.CalledProcessError` if the checkout cannot be installed.
    """
    python = checkout / "python"
    _pip("wheel", "--no-deps", "-w", str(checkout / "wheel"), str(REPOSITORY))
    (wheel,) = (checkout / "wheel").iterdir()
    _pip("install", "--no-deps", "--no-compile", "--target", str(python), str(wheel))
    (python / "tests").mkdir()
    (python / "tests" / "__init__.py").touch()
    left_out = shutil.ignore_patterns("__pycache__", "test_*")
    for room in (HERE, REPOSITORY / "tests" / "keep"):
        shutil.copytree(room, python / "tests" / room.name, ignore=left_out)
    shutil.copy(HERE / "guest" / "begin.sh", checkout)


def fill(share: Path, checkout: Path, wanted: Sequence[str], chosen: dict[str, Any]) -> None:
    """The share of one machine: what :func:`prepare` has put into *checkout*, and what is to be run."""
    shutil.copytree(checkout, share)
    for name in ("results", ASKED, ANSWERED):
        (share / name).mkdir()
    limits = [{"name": name, "limit_s": _limit_s(name, chosen)} for name in wanted]
    (share / "order.json").write_text(json.dumps({"scenarios": limits, "chosen": chosen}))


def _pip(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "pip", "-q", *words], check=True)


@dataclass(frozen=True, slots=True)
class Part:
    """Scenarios that share a machine: which time it follows, and whether it is a cabinet from the start."""

    name: str
    scenarios: tuple[str, ...]
    follows: Time = Time.PACED
    is_cabinet: bool = False


def parts(wanted: list[str]) -> tuple[list[Part], list[Part]]:
    """The parts of a run: those that begin at once, and those that begin once there is a cabinet."""
    cabinet = [name for name in wanted if _says(name, "IS_CABINET")]
    alone = [name for name in cabinet if _says(name, "IS_ALONE")]
    bare = [name for name in wanted if name != INSTALLS and name not in cabinet]
    counted = [name for name in bare if getattr(_scenario(name), "TIME", None) == Time.COUNTED.value]
    early = [
        Part(INSTALLS, (INSTALLS,) if cabinet or INSTALLS in wanted else ()),
        Part("counted", tuple(counted), Time.COUNTED),
        Part("bare", tuple(name for name in bare if name not in counted)),
    ]
    # The longest first.
    late = [
        *(Part(name, (name,), is_cabinet=True) for name in alone),
        Part("cabinet", tuple(name for name in cabinet if name not in alone), is_cabinet=True),
    ]
    return [part for part in early if part.scenarios], [part for part in late if part.scenarios]


def _says(name: str, what: str) -> bool:
    return bool(getattr(_scenario(name), what, False))


def _limit_s(name: str, chosen: dict[str, Any]) -> float:
    return float(_scenario(name).limit_s(chosen))


def _scenario(name: str) -> ModuleType:
    return importlib.import_module(f"tests.vm.scenarios.{name}")


def remove(folder: Path) -> None:
    """Remove what a run has left."""
    shutil.rmtree(folder)
