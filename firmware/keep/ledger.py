"""The ledger: results, counters and the match that is going on, in one SQLite file.

Every save is one transaction, on disk when it returns. ``journal_mode=DELETE`` with
``synchronous=EXTRA`` syncs five times where WAL with FULL syncs once; but nobody waits for it (a hand
ends once a minute, in a thread of its own), and between two saves all there is lies in the one file, so that
a copy of the card is whole. EXTRA and not FULL, because it also syncs the folder after the rollback journal
is gone: without that a power cut may bring the journal back, and the next start takes back a result that
people were told is saved.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from firmware.errors import DiskError, LedgerError
from firmware.keep.files import aside_of, put_in_place
from firmware.keep.results import COLUMNS, Result, as_text, from_text
from firmware.keep.schema import STEPS, Step, bring_up, transaction
from firmware.session.records import Interrupted

NAME = "ledger.sqlite"
MATCH, BOOT = "match", "boot"
"""Keys of what stands now: the match that is going on, and the boot of the machine that wrote last."""
KEPT_RESULTS = 50_000
"""Results beyond this many are removed, the oldest first: about 400 bytes each."""
BUSY_S = 5.0
"""How long to wait for somebody who reads, such as an export."""

_PASSING = frozenset({
    sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH,
})  # fmt: skip
"""What is the disk's fault, and may pass; any other error is the file's."""


class Ledger:
    """An open ledger. A missing file is made; :func:`~firmware.keep.restore.open_ledger` replaces a bad one.

    Every method raises :class:`DiskError` where the disk will not have it, now, and :class:`LedgerError`
    where the file is damaged. ``is_read_only``: nothing is made or changed.
    """

    def __init__(self, path: Path, *, is_read_only: bool = False, steps: tuple[Step, ...] = STEPS) -> None:
        self.path = path
        if path.exists() and not path.is_file():
            raise LedgerError(f"{path}: not a file")
        with self._errors():
            is_new = not path.exists() or path.stat().st_size == 0
            where = path.absolute().as_uri() + ("?mode=ro" if is_read_only else "")
            self._db = sqlite3.connect(
                where, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
        self._db.text_factory = lambda raw: raw.decode(errors="replace")
        try:
            with self._errors():
                # Looks closer at each page read.
                self._db.execute("PRAGMA cell_size_check = ON")
                if not is_read_only:
                    self._db.execute("PRAGMA journal_mode = DELETE")
                    self._db.execute("PRAGMA synchronous = EXTRA")
                bring_up(self._db, steps, is_new=is_new)
                (needed,) = self._db.execute(
                    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
                ).fetchone()
                if path.stat().st_size < needed:
                    # SQLite takes what is missing of the last page for zeros.
                    raise LedgerError("damaged: its end is missing")
        except BaseException:
            self.close()
            raise

    def save(
        self,
        results: Sequence[Result] = (),
        counts: Mapping[tuple[str, str], int] | None = None,
        now: Mapping[str, str | None] | None = None,
    ) -> None:
        """Put all of it on disk, or nothing: *results*, *counts* to be added, and what stands *now*.

        *counts*: by (name, button in words or ""). *now*: None takes a key away. A result that is there
        already is left as it is.
        """
        with self._errors(), transaction(self._db):
            for result in results:
                self._db.execute(
                    f"INSERT INTO results ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "
                    "ON CONFLICT (run, ended_ns) DO NOTHING",
                    result.to_row(),
                )
            if results:
                self._db.execute(
                    "DELETE FROM results WHERE id <= (SELECT max(id) FROM results) - ?", (KEPT_RESULTS,)
                )
            for (name, button), count in (counts or {}).items():
                self._db.execute(
                    "INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
                    (name, button, count),
                )
            for key, value in (now or {}).items():
                if value is None:
                    self._db.execute("DELETE FROM now WHERE key = ?", (key,))
                else:
                    self._db.execute("INSERT OR REPLACE INTO now VALUES (?, ?)", (key, value))

    def results(self, bad: Callable[[LedgerError], None] | None = None) -> Iterator[Result]:
        """All results, the oldest first. One that makes no sense raises, or goes to *bad* and is left out."""
        with self._errors():
            rows = self._db.execute(f"SELECT id, {', '.join(COLUMNS)} FROM results ORDER BY id").fetchall()
        for number, *row in rows:
            try:
                yield Result.from_row(number, tuple(row))
            except LedgerError as error:
                told = LedgerError(f"{self.path}: {error}")
                if bad is None:
                    raise told from error
                bad(told)

    def counters(self) -> dict[tuple[str, str], int]:
        """All counters, by (name, button in words or "")."""
        with self._errors():
            rows = self._db.execute("SELECT name, button, n FROM counters ORDER BY name, button").fetchall()
        return {(name, button): count for name, button, count in rows}

    def now(self, key: str) -> str | None:
        """What stands under *key*."""
        with self._errors():
            row = self._db.execute("SELECT value FROM now WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def interrupted(self) -> Interrupted | None:
        """The match that was going on; None without one, and for one that makes no sense."""
        text = self.now(MATCH)
        try:
            found = None if text is None else from_text(text, Interrupted)
        except ValueError:
            return None
        if found is None or len(found.match.wins) != found.seats:
            return None
        is_played = all(0 <= won <= found.match.hands for won in found.match.wins)
        return found if is_played and found.match.winner is None else None

    def back_up(self) -> None:
        """Make :func:`backup_of` a copy of this ledger, found sound before it takes the old one's place."""
        backup = backup_of(self.path)
        aside = aside_of(backup)
        with self._errors():
            aside.unlink(missing_ok=True)
            try:
                copy = sqlite3.connect(aside, isolation_level=None)
                try:
                    # The whole copy is synced at its end instead.
                    copy.execute("PRAGMA journal_mode = OFF")
                    copy.execute("PRAGMA synchronous = OFF")
                    self._db.backup(copy)
                    bring_up(copy)
                finally:
                    copy.close()
                put_in_place(aside, backup)
            except BaseException:
                # On a full disk it would take the room that the next result needs.
                aside.unlink(missing_ok=True)
                raise

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            # Extended codes keep the kind in their low byte (sqlite.org/rescode.html).
            kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            made = DiskError if kind in _PASSING else LedgerError
            raise made(f"{self.path}: {error}") from error
        except UnicodeDecodeError as error:
            # SQLite's own message names something damaged.
            raise LedgerError(f"{self.path}: damaged: {error}") from error
        except LedgerError as error:
            raise type(error)(f"{self.path}: {error}") from error
        except OSError as error:
            raise DiskError(f"{error.filename or self.path}: {error.strerror}") from error


def backup_of(path: Path) -> Path:
    """Where the backup of the ledger at *path* lies."""
    return path.with_name(f"{path.stem}.backup{path.suffix}")


def match_text(match: Interrupted | None) -> str | None:
    """What to save under :data:`MATCH`."""
    return None if match is None else as_text(match)
