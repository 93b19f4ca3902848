"""What is wrong with the disk, told once and taken back when it is over."""

from __future__ import annotations

import logging
from typing import Protocol

from firmware.errors import DiskError, LedgerError

log = logging.getLogger(__name__)


class Complain(Protocol):
    """Takes what is wrong, and once more, with ``is_over``, that it is right again."""

    def __call__(self, fault: str, *, is_over: bool = False) -> None: ...


class Trouble:
    """One thing that may be wrong: told when it begins, when it changes, and when it is over."""

    def __init__(self, what: str, complain: Complain) -> None:
        self._what = what
        self._complain = complain
        self._told: str | None = None

    def met(self, error: OSError | LedgerError) -> None:
        """It is, because of *error*."""
        why = str(error)
        if isinstance(error, OSError) and not isinstance(error, DiskError) and error.strerror:
            why = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        told = f"{self._what}: {why}"
        if told != self._told:
            self.over()
            log.warning("%s", told)
            self._complain(told)
            self._told = told

    def over(self) -> None:
        """It is not, or no more."""
        if self._told is not None:
            self._complain(self._told, is_over=True)
            self._told = None
