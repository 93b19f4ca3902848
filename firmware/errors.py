"""One tree of errors. Each says where it is, what was found, and what is allowed.

An error that a built-in describes is that built-in too, so callers may catch either.
"""

from __future__ import annotations


class CabinetError(Exception):
    """Anything the cabinet itself finds wrong. Its text is fit for the person at the keyboard."""


class SettingsError(CabinetError, ValueError):
    """A settings file that cannot be used: file, key, value found, values allowed."""


class LineError(CabinetError, ValueError):
    """A line that does not exist, is taken, or cannot do what it is for."""


class ChipError(CabinetError, OSError):
    """A GPIO chip that is missing or cannot be opened."""


class EdgeFileError(CabinetError, ValueError):
    """A file of recorded edges that is damaged or something else: file and line number."""


class JournalError(CabinetError, ValueError):
    """A journal that is damaged or something else: file and line number."""


class LedgerError(CabinetError, ValueError):
    """A ledger that is damaged or written by a newer program: file, what is wrong."""


class DiskError(CabinetError, OSError):
    """What is to be kept cannot be written or read now, and perhaps later: file, why."""


class ScreenError(CabinetError, RuntimeError):
    """No screen to draw on."""
