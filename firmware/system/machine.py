"""The machine that is installed on or examined: its files, and the commands that are run on it.

Everything that installer and doctor see goes through here, so that tests hand in a folder that looks like a
Pi, and answers instead of commands.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended: exit code (127: there is no such command), what it said, what it complained of."""

    code: int
    out: str = ""
    err: str = ""

    @property
    def is_well(self) -> bool:
        """Did it end with 0?"""
        return self.code == 0

    @property
    def last_words(self) -> str:
        """The last line of its complaint, else of what it said; "" if it said nothing."""
        lines = (self.err.strip() or self.out.strip()).splitlines()
        return lines[-1].strip() if lines else ""


Runner = Callable[[Sequence[str]], Done]


def run_command(words: Sequence[str]) -> Done:
    """Run a command to its end, in plain English so that what it says can be read.

    It does not see where this Python looks for packages: pip would take what it finds there for installed.
    """
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    surroundings |= {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=surroundings,
        )
    except OSError as error:
        return Done(127, err=f"{words[0]}: {error.strerror}")
    return Done(done.returncode, done.stdout, done.stderr)


def free_bytes(path: Path) -> int:
    """Bytes that may still be written below *path*, which exists."""
    return shutil.disk_usage(path).free


def may_write(path: Path) -> bool:
    """May this process write to *path*?"""
    return os.access(path, os.W_OK)


@dataclass(frozen=True)
class Machine:
    """A machine.

    ``root``: the folder that stands for "/". ``run``: runs a command. ``pause``: waits for some seconds.
    ``now_s``: the clock on the wall, seconds since 1970. ``free``, ``may_write``: of a folder, as the
    functions of this module.
    """

    root: Path = Path("/")
    run: Runner = run_command
    pause: Callable[[float], None] = time.sleep
    now_s: Callable[[], float] = time.time
    free: Callable[[Path], int] = free_bytes
    may_write: Callable[[Path], bool] = may_write

    def path(self, path: str) -> Path:
        """Where the absolute *path* is to be found."""
        return self.root / path.lstrip("/")

    def read(self, path: str) -> str | None:
        """The text of the file at *path*; None if there is none to be read."""
        try:
            return self.path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def ask(self, *words: str) -> Done:
        """Run a command that changes nothing."""
        return self.run(words)

    def release(self) -> dict[str, str]:
        """What /etc/os-release says: ``ID``, ``VERSION_CODENAME``, ``PRETTY_NAME`` and others."""
        pairs = (line.partition("=") for line in (self.read("/etc/os-release") or "").splitlines())
        return {key: value.strip().strip('"') for key, mark, value in pairs if mark}

    def model(self) -> str | None:
        """What the board calls itself ("Raspberry Pi 4 Model B Rev 1.4"); None where it does not."""
        text = self.read("/proc/device-tree/model")
        return None if text is None else text.strip("\0\n ")

    @property
    def is_pi(self) -> bool:
        """Is this a Raspberry Pi?"""
        return "Raspberry Pi" in (self.model() or "")

    def mounts(self) -> dict[str, Mount]:
        """What is mounted where; of several at one place the last, which is the one that is seen."""
        found: dict[str, Mount] = {}
        for line in (self.read("/proc/mounts") or "").splitlines():
            fields = line.split()
            if len(fields) >= 4:
                source, place, kind, options = fields[:4]
                # Blanks and the like stand as octal numbers (getmntent(3)).
                place = place.encode().decode("unicode_escape")
                found[place] = Mount(source, place, kind, frozenset(options.split(",")))
        return found

    def mount_of(self, path: str) -> Mount | None:
        """What the absolute *path* lies on."""
        mounts = self.mounts()
        places = [path, *map(str, Path(path).parents)]
        return next((mounts[place] for place in places if place in mounts), None)


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of /proc/mounts: ``source`` ("/dev/mmcblk0p2"), ``place``, ``kind`` ("ext4") and its options."""

    source: str
    place: str
    kind: str
    options: frozenset[str]

    @property
    def is_read_only(self) -> bool:
        """May nothing be written?"""
        return "ro" in self.options

    @property
    def is_in_memory(self) -> bool:
        """Is all that is written forgotten when the power goes?"""
        return self.kind in ("tmpfs", "ramfs", "overlay")
