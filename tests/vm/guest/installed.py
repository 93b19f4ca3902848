"""The game as it is installed: its service, its state, and what it has kept."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Final

from firmware import settings as settings_room
from firmware.keep.keeper import HANDS
from firmware.keep.ledger import NAME, Ledger
from firmware.system import shipped
from tests.vm.guest.trial import Impossible

LONGEST_START_S: Final = 90.0
US_PER_S: Final = 1_000_000
READY: Final = "ActiveEnterTimestampMonotonic"
BEGUN: Final = "ExecMainStartTimestampMonotonic"


def told(*words: str) -> str:
    """What a command says on its output."""
    return subprocess.run(words, capture_output=True, text=True).stdout


class Installed:
    """The service, played on with the settings of a fresh box."""

    def __init__(self) -> None:
        self.settings = settings_room.defaults()
        self.directory = Path(shipped.STATE)
        self._pid = 0

    def show(self, *names: str) -> dict[str, str]:
        """Properties of the service, by systemd's names."""
        text = told("systemctl", "show", shipped.SERVICE, f"--property={','.join(names)}")
        return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    @property
    def pid(self) -> int:
        """Its process; 0: none."""
        return int(self.show("MainPID")["MainPID"])

    @property
    def is_on(self) -> bool:
        """Has it said READY?"""
        return self.show("ActiveState")["ActiveState"] == "active"

    def check(self) -> None:
        """Raises :class:`Impossible` if it is no longer the process that was waited for."""
        if (pid := self.pid) != self._pid:
            raise Impossible(f"the game's process was {self._pid}, and is {pid or 'none'}")

    def wait_on(self, *, not_pid: int = 0, within_s: float = LONGEST_START_S) -> tuple[float, float]:
        """Wait until it is ready, as another process than *not_pid*.

        Gives back when it was ready, in seconds of CLOCK_MONOTONIC, which counts from the kernel's start; and
        how long before that its process had begun. Raises :class:`Impossible`.
        """
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            shown = self.show("ActiveState", "MainPID", READY, BEGUN)
            if shown["ActiveState"] == "active" and int(shown["MainPID"]) not in (0, not_pid):
                self._pid = int(shown["MainPID"])
                ready, begun = (int(shown[name]) / US_PER_S for name in (READY, BEGUN))
                return ready, ready - begun
            time.sleep(0.3)
        raise Impossible(f"the game is not there after {within_s} s: {self.log[-500:]}")

    @property
    def log(self) -> str:
        """What it has said in this boot."""
        return told("journalctl", "-b", "-u", shipped.SERVICE, "-o", "cat", "--no-pager")

    @property
    def hands(self) -> list[Path]:
        """The journals kept so far, in order."""
        return sorted((self.directory / HANDS).glob("*.jsonl"))

    def results(self) -> list[int]:
        """The seeds of the hands whose results are on disk, in order."""
        if not (self.directory / NAME).exists():
            return []
        ledger = Ledger(self.directory / NAME, is_read_only=True)
        try:
            return [result.seed for result in ledger.results()]
        finally:
            ledger.close()
