"""The folder of journals: one file for each hand, the oldest making room for the newest."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from firmware.errors import DiskError
from firmware.keep.files import sync_folder
from firmware.keep.journal import encode
from firmware.session.records import HandBegan, HandEnded, HandRecord

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the journals may take. ``hands``: files. ``in_all``, ``one_hand``: bytes of all, and of one.

    ``left_free``: bytes of the disk that are for others, and first of all for the ledger.
    """

    hands: int = 1000
    in_all: int = 32 * MIB
    one_hand: int = 2 * MIB
    left_free: int = 16 * MIB


class Journals:
    """Writes the hands into *directory*: ``hand-000001.jsonl``, counting on.

    Each line is handed to the system at once, so that a crash of the program loses none, and the file is
    synced at its end. A hand that outgrows its limit is cut off there, and reads as interrupted.
    """

    def __init__(self, directory: Path, limits: Limits) -> None:
        self._directory = directory
        self._limits = limits
        self._file: IO[bytes] | None = None
        self._left = 0

    def write(self, record: HandRecord) -> bool:
        """Write *record*; the first of a hand begins a file, the last ends it. Raises :class:`OSError`.

        Once it has failed, the rest of that hand is let go: was this one written?
        """
        try:
            if isinstance(record, HandBegan):
                self.finish()
                self._file = self._next_path().open("xb", buffering=0)
                self._left = self._limits.one_hand
            if self._file is None:
                return False
            line = encode(record)
            self._left -= len(line)
            if self._left < 0:
                self.finish()
                return False
            written = self._file.write(line)
            if written != len(line):
                raise DiskError(f"{self._file.name}: the disk is full")
            if isinstance(record, HandEnded):
                self.finish()
            return True
        except OSError:
            file, self._file = self._file, None
            if file is not None:
                with suppress(OSError):
                    file.close()
            raise

    def finish(self) -> None:
        """On disk before anything says that it is: a power cut may come at any moment."""
        if self._file is not None:
            file, self._file = self._file, None
            with file:
                os.fsync(file.fileno())
            sync_folder(self._directory)

    def _next_path(self) -> Path:
        limits = self._limits
        self._directory.mkdir(parents=True, exist_ok=True)
        there = sorted(
            (int(match[1]), path)
            for path in self._directory.iterdir()
            if (match := re.fullmatch(r"hand-(\d+)\.jsonl", path.name))
        )
        sizes = [path.stat().st_size if path.is_file() else 0 for _, path in there]
        too_many = len(there) - (limits.hands - 1)
        too_much = sum(sizes) - (limits.in_all - limits.one_hand)
        too_full = limits.left_free + limits.one_hand - shutil.disk_usage(self._directory).free
        for (_, path), size in zip(there, sizes, strict=True):
            if too_many <= 0 and too_much <= 0 and too_full <= 0:
                break
            # A folder of that name is none of ours; it takes its number and is let be.
            if path.is_file():
                path.unlink()
            too_many, too_much, too_full = too_many - 1, too_much - size, too_full - size
        if too_full > 0:
            raise DiskError(f"{self._directory}: the disk is nearly full")
        return self._directory / f"hand-{(there[-1][0] if there else 0) + 1:06}.jsonl"
