"""The keeper: a thread that writes what is to be kept, so that no disk ever holds up the game."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO

from firmware.keep.journal import encode
from firmware.session.records import HandBegan, HandEnded, MatchLeft, Record

log = logging.getLogger(__name__)

KEPT_HANDS = 1000
"""Journals beyond this many are removed, the oldest first: about 10 kB each."""


class Keeper:
    """Writes one journal for each hand into *directory*: ``hand-000001.jsonl``, counting on.

    A disk that fails is told once to *complain*, and tried again with the next hand; play goes on.
    """

    def __init__(self, directory: Path, complain: Callable[[str], None]) -> None:
        self.directory = directory
        self._complain = complain
        self._queue: SimpleQueue[Record | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="keeper", daemon=True)
        self._file: IO[bytes] | None = None
        self._has_complained = False

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def keep(self, record: Record) -> None:
        """Write *record* soon; returns at once."""
        self._queue.put(record)

    def close(self) -> None:
        """Write what is left, then end. Waits two seconds at most, for a disk that hangs."""
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join(2)
        else:
            self._finish()

    def _run(self) -> None:
        while (record := self._queue.get()) is not None:
            self.write(record)
        self._finish()

    def write(self, record: Record) -> None:
        """Write *record* now, in this thread."""
        try:
            if isinstance(record, HandBegan):
                self._finish()
                self._file = self._next_path().open("wb")
            if self._file is None or isinstance(record, MatchLeft):
                return
            self._file.write(encode(record))
            if isinstance(record, HandEnded):
                self._finish()
            self._has_complained = False
        except OSError as error:
            self._file = None
            log.warning("cannot keep the hand: %s", error)
            if not self._has_complained:
                self._has_complained = True
                where = error.filename or self.directory
                self._complain(f"hands are not kept: {where}: {error.strerror}")

    def _finish(self) -> None:
        """On disk before anything says that it is: a power cut may come at any moment."""
        if self._file is not None:
            file, self._file = self._file, None
            with file:
                file.flush()
                os.fsync(file.fileno())

    def _next_path(self) -> Path:
        self.directory.mkdir(parents=True, exist_ok=True)
        there = sorted(self.directory.glob("hand-*.jsonl"))
        numbers = [int(digits) for path in there if (digits := path.stem[5:]).isdigit()]
        for path in there[: max(0, len(there) - KEPT_HANDS + 1)]:
            path.unlink(missing_ok=True)
        return self.directory / f"hand-{max(numbers, default=0) + 1:06}.jsonl"


def state_directory() -> Path:
    """Where things are kept if the settings do not say: systemd's StateDirectory, else the user's."""
    given = os.environ.get("STATE_DIRECTORY") or os.environ.get("XDG_STATE_HOME")
    if os.environ.get("STATE_DIRECTORY"):
        return Path(str(given).split(":")[0])
    base = Path(given) if given else Path.home() / ".local" / "state"
    return base / "california-speed-cabinet"
