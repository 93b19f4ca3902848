"""A ledger to write to, whatever lies on the disk.

A file that is damaged is never repaired in place: it is set aside under another name, the last backup takes
its place, and without one an empty file does. A file of a newer program is set aside in the same way, whole
and untouched, for the day on which that program comes back.
"""

from __future__ import annotations

import re
from pathlib import Path

from firmware.errors import DiskError, LedgerError
from firmware.keep.files import replace_file
from firmware.keep.ledger import Ledger, backup_of
from firmware.keep.schema import NewerLedger

KEPT_ASIDE = 9
"""Files set aside beyond this many of a kind are removed, the oldest first: no card fills up with them."""

_COMPANIONS = ("-journal", "-wal", "-shm")
"""What SQLite writes beside a database, and plays into whatever it then finds under that name."""


def open_ledger(path: Path) -> tuple[Ledger, str | None]:
    """The ledger at *path*, and what the operator has to know about it.

    Raises :class:`DiskError` where the disk will not have it, now.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.stat().st_size == 0:
            # As a cut plug leaves a file that was being made; or all that is left of one.
            path.unlink()
        if not path.exists():
            return _afresh(path, None)
        try:
            return Ledger(path), None
        except LedgerError as error:
            return _afresh(path, error)
    except DiskError:
        raise
    except OSError as error:
        raise DiskError(f"{error.filename or path}: {error.strerror}") from error


def replace_ledger(ledger: Ledger, error: LedgerError) -> tuple[Ledger, str | None]:
    """As :func:`open_ledger`, in place of a *ledger* that turned out to be damaged when it was in use."""
    ledger.close()
    try:
        return _afresh(ledger.path, error)
    except DiskError:
        raise
    except OSError as failure:
        raise DiskError(f"{failure.filename or ledger.path}: {failure.strerror}") from failure


def _afresh(path: Path, error: LedgerError | None) -> tuple[Ledger, str | None]:
    """The backup in place of what lies at *path*, or an empty ledger."""
    told = [] if error is None else [str(error)]
    if error is None:
        # Without the file that it belongs to it is worth nothing, and would be played into the next one.
        for suffix in _COMPANIONS:
            beside = path.with_name(path.name + suffix)
            if beside.is_file():
                beside.unlink()
    aside = _set_aside(path, error)
    if aside is not None and error is not None:
        told.append(f"set aside as {aside}")
    backup = backup_of(path)
    if backup.exists():
        told = told or [f"{path}: missing"]
        try:
            return _restored(backup, path), "; ".join([*told, "the last backup takes its place"])
        except LedgerError as worse:
            told += [str(worse), f"set aside as {_set_aside(backup, worse)}"]
    return Ledger(path), "; ".join([*told, "counting begins anew"]) if told else None


def _restored(backup: Path, path: Path) -> Ledger:
    """The ledger at *path*, a copy of *backup*; raises :class:`LedgerError` and leaves nothing there."""
    try:
        content = backup.read_bytes()
    except OSError as error:
        raise LedgerError(f"{backup}: {error.strerror}") from error
    replace_file(path, content)
    try:
        return Ledger(path)
    except LedgerError as error:
        path.unlink()
        raise type(error)(str(error).replace(str(path), str(backup))) from error


def _set_aside(path: Path, error: LedgerError | None) -> str | None:
    """Give what lies at *path*, and beside it, a name that nothing has; None if there is nothing."""
    there = [suffix for suffix in ("", *_COMPANIONS) if (path.parent / (path.name + suffix)).exists()]
    if not there:
        return None
    kind = f"{path.stem}.{'newer' if isinstance(error, NewerLedger) else 'damaged'}"
    known = re.compile(rf"{re.escape(kind)}-(\d+){re.escape(path.suffix)}")
    numbers = sorted({int(m[1]) for other in path.parent.iterdir() if (m := known.match(other.name))})
    for number in numbers[: max(0, len(numbers) - KEPT_ASIDE + 1)]:
        for suffix in ("", *_COMPANIONS):
            old = path.with_name(f"{kind}-{number}{path.suffix}{suffix}")
            if old.is_file():
                old.unlink()
    name = f"{kind}-{(numbers or [0])[-1] + 1}{path.suffix}"
    # The companions first: without them the file is no more damaged than it was.
    for suffix in reversed(there):
        (path.parent / (path.name + suffix)).replace(path.with_name(name + suffix))
    return name
