"""Installed as by its operator, and the plug pulled the moment that says it is done.

All that runs on a cabinet begins with the disk as it is then.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from firmware.system import shipped
from tests.vm.guest.trial import SHARE, Trial

BOARD = f"/etc/systemd/system/{shipped.SERVICE}.d/board.conf"
BOARD_CONF = """\
# gpiozero asks /proc/cpuinfo for the board, where there is no device tree. systemd gives the service a /proc
# of its own, in which what is mounted over this file is not seen.
[Service]
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 240


def run(trial: Trial) -> None:
    """As the README says for a machine without a network."""
    (wheel,) = (SHARE / "wheel").iterdir()
    place = Path(BOARD)
    place.parent.mkdir(parents=True)
    place.write_text(BOARD_CONF)
    began = time.monotonic()
    command = [sys.executable, "-m", "firmware", "install", "--any-board"]
    command += ["--wheel", str(wheel), "--find-links", "/opt/wheels"]
    with (trial.folder / "install.log").open("wb") as log:
        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT)
    trial.figure("install, s", round(time.monotonic() - began, 1))
    trial.expect(done.returncode == 0, f"install: exit code {done.returncode}, see install.log")
    trial.end_without_power()
