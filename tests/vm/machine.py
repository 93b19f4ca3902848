"""QEMU: the virtual Pi as a process, and its monitor."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from enum import Enum
from pathlib import Path
from typing import Any

from tests.vm.image import QEMU, Image

NOT_ON_A_PI = ("ata_piix", "ata_generic", "sr_mod", "floppy", "i2c_piix4", "serio_raw", "joydev")
"""Drivers that the emulated board would have loaded, each slowly."""
KERNEL_LINE = (
    "root=LABEL=root rw console=ttyS0 quiet loglevel=3 preempt=full "
    f"mitigations=off cryptomgr.notests modprobe.blacklist={','.join(NOT_ON_A_PI)}"
)
"""Preemptible like the kernel of Raspberry Pi OS, and without what only costs an emulated processor time."""


class Time(Enum):
    """What the guest's clock follows."""

    PACED = "paced"
    """The instructions run: each takes 1 ns, about a Pi 3's pace. One processor that never stands still,
    however busy the host is. What is waited for takes its time: the guest is never ahead of the host."""
    COUNTED = "counted"
    """The same, but what is waited for comes at once. Nothing outside can keep up with it."""


ACCELERATOR = ("-accel", "tcg,thread=single", "-smp", "1", "-icount")
PACE = {Time.PACED: "shift=0,sleep=on", Time.COUNTED: "shift=0,sleep=off"}


class Machine:
    """A running virtual Pi on the *disk*, which keeps what is written, also if the plug is pulled.

    *share* is /share in the guest; *folder* takes ``serial.log``, ``qemu.log`` and the monitor's socket. Its
    processor is emulated, also where it need not be: figures of two runs can be laid side by side.
    """

    def __init__(
        self, image: Image, disk: Path, share: Path, folder: Path, follows: Time = Time.PACED
    ) -> None:
        self._monitor_path = folder / "monitor"
        self._log = (folder / "qemu.log").open("ab")
        self._monitor: socket.socket | None = None
        # lgpio's wheel uses instructions that QEMU's default processor does not have.
        command = [
            *(QEMU, *ACCELERATOR, PACE[follows]),
            *("-nodefaults", "-m", "2048", "-cpu", "max"),
            *("-kernel", str(image.kernel), "-initrd", str(image.initrd), "-append", KERNEL_LINE),
            *("-drive", f"file={disk},format=raw,if=virtio"),
            *("-virtfs", f"local,path={share},mount_tag=share,security_model=none"),
            *("-device", "virtio-vga,xres=800,yres=480", "-display", "none", "-nic", "none"),
            *("-audiodev", "none,id=silence"),
            *("-device", "intel-hda", "-device", "hda-output,audiodev=silence"),
            *("-chardev", f"file,id=serial,path={folder / 'serial.log'},append=on"),
            *("-serial", "chardev:serial", "-monitor", "none"),
            *("-qmp", f"unix:{self._monitor_path},server=on,wait=off"),
        ]
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)

    @property
    def is_on(self) -> bool:
        """False once it has switched itself off."""
        return self._process.poll() is None

    def wait(self, seconds: float) -> None:
        """Wait until it is off, *seconds* at most."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def reset(self) -> None:
        """Let it start afresh, wherever it is."""
        self.tell("system_reset")

    def screendump(self, path: Path) -> None:
        """Write what its screen shows to *path* (PPM)."""
        self.tell("screendump", filename=str(path))

    def tell(self, order: str, **arguments: Any) -> Any:
        """One order to the monitor, and its answer; raises :class:`RuntimeError` if it is refused."""
        if self._monitor is None:
            self._monitor = self._connected()
            self._lines = self._monitor.makefile("rwb")
            self._lines.readline()
            self.tell("qmp_capabilities")
        self._lines.write(json.dumps({"execute": order, "arguments": arguments}).encode() + b"\n")
        self._lines.flush()
        while line := self._lines.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"{order}: {answer['error']}")
            if "return" in answer:
                return answer["return"]
        raise RuntimeError(f"{order}: the machine is off")

    def _connected(self) -> socket.socket:
        monitor = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + 5
        while True:
            try:
                monitor.connect(str(self._monitor_path))
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
            else:
                return monitor

    def close(self) -> None:
        """Pull the plug, if it is still on."""
        if self._monitor is not None:
            self._lines.close()
            self._monitor.close()
        self._process.kill()
        self._process.wait()
        self._log.close()
