"""The cabinet's own process, as its service starts it, with settings for the virtual Pi."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from firmware import settings as settings_room
from firmware.settings import Input, Keep, Settings, Source
from tests.vm.guest.trial import Impossible, Trial

NICE = -10
CABINET = {"SDL_VIDEODRIVER": "kmsdrm", "SDL_RENDER_DRIVER": "opengles2", "SDL_VIDEO_DOUBLE_BUFFER": "1"}
"""As the unit file has them."""
NO_SCREEN = {"SDL_VIDEODRIVER": "dummy"}
IS_ON = "the cabinet is on"
"""What its log says once it has its screen."""


class Daemon:
    """``python -m firmware``, its log and its state in the folder of *trial*.

    *environment*: what SDL is told. Hands follow from *seed*.
    """

    def __init__(self, trial: Trial, *, seed: int, environment: Mapping[str, str]) -> None:
        self.settings: Settings = msgspec.structs.replace(
            settings_room.defaults(),
            input=Input(source=Source.GPIOZERO),
            keep=Keep(str(trial.folder / "state")),
        )
        self.edges = trial.folder / "edges.jsonl"
        file = trial.folder / "settings.toml"
        file.write_text(settings_room.as_toml(self.settings))
        command = ["nice", "-n", str(NICE), sys.executable, "-m", "firmware"]
        command += ["--settings", str(file), "--seed", str(seed), "--record", str(self.edges)]
        whole = {**os.environ, "SDL_AUDIODRIVER": "dummy", **environment}
        self._log = trial.folder / "daemon.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=whole)

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, *failure: object) -> None:
        # What it has recorded is on the disk once it has ended.
        if self._process.poll() is None:
            self.stop()

    @property
    def hands(self) -> list[Path]:
        """The journals kept so far, in order."""
        return sorted((Path(str(self.settings.directory)) / "hands").glob("*.jsonl"))

    @property
    def is_on(self) -> bool:
        """Has it its screen?"""
        return IS_ON in self.log

    @property
    def log(self) -> str:
        """What it has said."""
        return self._log.read_text()

    def check(self) -> None:
        """Raises :class:`Impossible` if it is no longer there."""
        if self._process.poll() is not None:
            raise Impossible(f"the cabinet ended with code {self._process.returncode}: {self.log[-500:]}")

    def stop(self, within_s: float = 10) -> tuple[int | None, float]:
        """SIGTERM. Gives back its exit code, None if it had to be killed, and how long it took in seconds."""
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        try:
            code: int | None = self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = None
        return code, time.monotonic() - began
