"""One cabinet at a time: a second one would ask for the same lines, screen and journals."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path

from firmware.errors import CabinetError

log = logging.getLogger(__name__)

NAME = "cabinet.lock"


class Lock:
    """Held while a cabinet runs that keeps its things in *directory*; the kernel lets it go with the process.

    Raises :class:`CabinetError` that names the process that holds it. A directory that cannot be
    written, or a system without such locks, refuses nobody: play is worth more.
    """

    def __init__(self, directory: Path) -> None:
        self._file: int | None = None
        path = directory / NAME
        try:
            import fcntl

            directory.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode())
        except ImportError:
            return
        except OSError as error:
            holder = self._holder() if error.errno == errno.EWOULDBLOCK else None
            self.close()
            if holder is not None:
                raise CabinetError(
                    f"a cabinet is running already: process {holder} holds {path}; stop that one first"
                ) from error
            log.warning("%s: cannot be locked: %s", path, error.strerror)

    def _holder(self) -> str:
        assert self._file is not None, "only an open file is refused"
        return os.pread(self._file, 32, 0).decode(errors="replace").strip() or "(not named yet)"

    def close(self) -> None:
        """Let the next one in. May be called twice."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
