"""How long the game needs from its start to READY, beside a program that only opens a window."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

from firmware.system import shipped
from tests.vm.guest.daemon import CABINET
from tests.vm.guest.installed import Installed, told
from tests.vm.guest.trial import Impossible, Trial

IS_CABINET = True
WINDOW = Path(__file__).parent.parent / "guest" / "window.py"
TIMES = 3
MOST = 4.0
"""So many times as long as the bare window the game may take."""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 60.0 * TIMES


def run(trial: Trial) -> None:
    """In turns, on the same display, with the same Python and the same SDL."""
    game = Installed()
    game.wait_on()
    bare: list[float] = []
    whole: list[float] = []
    for _ in range(TIMES):
        told("systemctl", "stop", shipped.SERVICE)
        bare.append(bare_s(trial))
        told("systemctl", "start", shipped.SERVICE)
        whole.append(game.wait_on()[1])
    trial.figure("bare window to its first picture, s", [round(seconds, 2) for seconds in bare])
    trial.figure("service's start to READY, s", [round(seconds, 2) for seconds in whole])
    times = median(whole) / median(bare)
    trial.figure("times as long", round(times, 2))
    trial.expect(times <= MOST, f"the game takes {times:.1f} times as long as a bare window")


def bare_s(trial: Trial) -> float:
    """From the bare program's start to its first picture, in seconds."""
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    python = f"{shipped.CURRENT}/bin/python"
    began = time.monotonic()
    done = subprocess.run(
        [python, str(WINDOW)], env={**surroundings, **CABINET}, capture_output=True, text=True
    )
    said = done.stdout.splitlines()[-1:] or [""]
    trial.say(f"bare window: {said[0]} {done.stderr}")
    shown, _, driver = said[0].partition(" ")
    if driver.lower() != "kmsdrm":
        raise Impossible(f"the bare window: {done.stdout}{done.stderr}")
    return float(shown) - began
