"""Small disks that can be filled and made read-only: real ones where we may mount, else pretended."""

from __future__ import annotations

import os
import resource
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from firmware.keep.ledger import NAME, Ledger


class Disk(ABC):
    """A disk mounted at ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def fill(self) -> None:
        """From now on there is no room."""

    @abstractmethod
    def make_room(self) -> None:
        """There is room again."""

    @abstractmethod
    def protect(self, *, is_read_only: bool) -> None:
        """Let nothing, or all, be written. No file may be open."""


class Mounted(Disk):
    """512 kB of memory."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        mount("-t", "tmpfs", "-o", "size=512k", "none", str(path))

    def fill(self) -> None:
        with (self.path / "ballast").open("ab", buffering=0) as ballast, suppress(OSError):
            while True:
                ballast.write(bytes(4096))

    def make_room(self) -> None:
        (self.path / "ballast").unlink()

    def protect(self, *, is_read_only: bool) -> None:
        mount("-o", f"remount,{'ro' if is_read_only else 'rw'}", str(self.path))


class Pretended(Disk):
    """A folder: full, no file can grow to what the ledger has; read-only, SQLite is told so."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(path)
        self._patch = patch
        self._limit = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(self) -> None:
        ledger = self.path / NAME
        size = ledger.stat().st_size if ledger.exists() else 0
        # Python ignores the signal that goes with it, so that a write fails as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(0, size - 1), self._limit[1]))

    def make_room(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._limit)

    def protect(self, *, is_read_only: bool) -> None:
        opened: Callable[[Path], Ledger] = Ledger
        if is_read_only:

            def opened(path: Path) -> Ledger:
                return Ledger(path, is_read_only=True)

        self._patch.setattr("firmware.keep.restore.Ledger", opened)


def mount(*words: str) -> None:
    """Call mount(8); raises :class:`OSError` where that is not allowed."""
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(done.stderr.strip())


@contextmanager
def a_disk(folder: Path, patch: pytest.MonkeyPatch, *, is_pretended: bool) -> Iterator[Disk]:
    """A disk below *folder*; a pretended one also where none can be mounted."""
    folder.mkdir()
    if not is_pretended:
        try:
            mounted = Mounted(folder)
        except OSError:
            pass
        else:
            try:
                yield mounted
            finally:
                subprocess.run(["umount", "--lazy", str(folder)], check=True)
            return
    pretended = Pretended(folder, patch)
    try:
        yield pretended
    finally:
        pretended.make_room()


assert os.name == "posix", "these tests need mount(8) or limits of files"
