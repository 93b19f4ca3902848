"""A run: one machine from power-on until it switches itself off, and what its scenarios ask of the host."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

from tests.vm.guest.trial import ANSWERED, ASKED
from tests.vm.image import Image
from tests.vm.machine import Machine, Time

BOOT_S = 300
"""Longer than any boot that comes to its end: half a minute, more where others use the processor."""
BOOTS = 3
DISK = "disk.img"


class Run:
    """Boots a copy of *disk* in *folder*, with ``share`` in it as the share. The copy is :data:`DISK`."""

    def __init__(self, image: Image, disk: Path, folder: Path, follows: Time) -> None:
        self._image = image
        self._folder = folder
        self._share = folder / "share"
        self._follows = follows
        self._disk = folder / DISK
        subprocess.run(["cp", "--sparse=always", str(disk), str(self._disk)], check=True)
        self._machine: Machine | None = None
        self._cut = 0

    def go(self, limit_s: float) -> None:
        """Until the guest switches off or *limit_s* are over.

        Raises :class:`RuntimeError` if the guest does not come up.
        """
        until = time.monotonic() + limit_s
        machine = self._up(None)
        while machine.is_on and time.monotonic() < until:
            for asked in sorted((self._share / ASKED).iterdir()):
                machine = self._answer(machine, asked)
            machine.wait(0.1)

    def _up(self, machine: Machine | None) -> Machine:
        """Wait for the guest's service, also in a new *machine* on the same disk.

        Now and then an emulated kernel hangs before it has said a word.
        """
        for _ in range(BOOTS):
            if machine is None:
                machine = Machine(self._image, self._disk, self._share, self._folder, self._follows)
                self._machine = machine
            until = time.monotonic() + BOOT_S
            while machine.is_on and time.monotonic() < until:
                if (self._share / "begun").exists():
                    return machine
                machine.wait(0.2)
            with (self._share / "hung").open("a") as hung:
                hung.write(f"the guest did not come up within {BOOT_S} s\n")
            machine.close()
            machine = None
        raise RuntimeError(f"the guest does not come up, see {self._folder / 'serial.log'}")

    def _answer(self, machine: Machine, asked: Path) -> Machine:
        """Do what a scenario asks."""
        question = json.loads(asked.read_text())
        asked.unlink()
        if "screendump" in question:
            machine.screendump(self._share / question["screendump"])
        elif "power" in question:
            machine.close()
        else:
            machine = self._reset(machine)
        (self._share / ANSWERED / asked.name).touch()
        return machine

    def _reset(self, machine: Machine) -> Machine:
        """By turns the board's reset, and the plug pulled and put in again: its memory is lost."""
        (self._share / "begun").unlink()
        self._cut += 1
        if self._cut % 2:
            machine.reset()
            return self._up(machine)
        machine.close()
        return self._up(None)

    def close(self) -> None:
        """Pull the plug, if it is still on."""
        if self._machine is not None:
            self._machine.close()
