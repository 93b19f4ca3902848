"""Changing a machine, one small step at a time: each is told first, and not done again where it is done.

So what was interrupted can be run again from its beginning, and a dry run tells the same and does nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from firmware.errors import CabinetError
from firmware.keep.files import replace_file
from firmware.system.machine import Done, Machine


class CannotInstall(CabinetError, RuntimeError):
    """The machine is not fit, or a step failed; what has been done stays, and running it again goes on."""


class Work:
    """Does things to *machine*, and tells each of them before it is done; with *is_dry* only that."""

    def __init__(self, machine: Machine, tell: Callable[[str], None], *, is_dry: bool = False) -> None:
        self.machine = machine
        self.is_dry = is_dry
        self._tell = tell
        self.told: list[str] = []

    def tell(self, what: str) -> None:
        """*what* is about to be done."""
        self.told.append(what)
        self._tell(what)

    def write(self, path: str, content: bytes) -> bool:
        """Have *content* in the file at *path*; False if it is there."""
        place = self.machine.path(path)
        if place.is_file() and not place.is_symlink() and place.read_bytes() == content:
            return False
        self.tell(f"write {path}")
        if not self.is_dry:
            place.parent.mkdir(parents=True, exist_ok=True)
            replace_file(place, content)
            place.chmod(0o644)
        return True

    def link(self, path: str, target: str) -> bool:
        """Have a link to *target* at *path*; False if it is there."""
        place = self.machine.path(path)
        if place.is_symlink() and os.readlink(place) == target:
            return False
        self.tell(f"link {path} to {target}")
        if not self.is_dry:
            place.parent.mkdir(parents=True, exist_ok=True)
            aside = place.with_name(place.name + ".new")
            aside.unlink(missing_ok=True)
            aside.symlink_to(target)
            aside.replace(place)
        return True

    def remove(self, path: str) -> bool:
        """Have nothing at *path*; False if there is nothing."""
        place = self.machine.path(path)
        if not place.is_symlink() and not place.exists():
            return False
        self.tell(f"remove {path}")
        if not self.is_dry:
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            else:
                place.unlink()
        return True

    def do(self, *words: str, may_fail: bool = False) -> Done:
        """Run a command. Raises :class:`CannotInstall` if it fails, unless it may."""
        self.tell("run " + " ".join(words))
        if self.is_dry:
            return Done(0)
        done = self.machine.run(words)
        if not done.is_well and not may_fail:
            raise CannotInstall(f"{' '.join(words)}: {done.last_words or f'ended with {done.code}'}")
        return done
