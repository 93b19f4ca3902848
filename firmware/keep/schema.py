"""The tables of the ledger, step by step: what a file of any age needs to become one of today.

A new version adds a step at the end and never changes one that has been out: ``user_version`` says how
many a file has had. Each is done whole or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from firmware.errors import LedgerError

APPLICATION_ID = 0x4353_4C31
"""Marks the file as ours ("CSL1"), so that nobody else's database is written to."""

Step = tuple[str, ...]

STEPS: tuple[Step, ...] = (
    (
        # One hand each, in the order in which they were kept. ``run`` and ``ended_ns`` name a hand, and the
        # same one is never in twice: a failing disk may leave open whether it was written. ``at``: seconds
        # since 1970 where the date was known. ``winner``: a seat from 0. Lists and options are JSON.
        """CREATE TABLE results (
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL,
            ended_ns INTEGER NOT NULL,
            at INTEGER,
            game TEXT NOT NULL,
            options TEXT NOT NULL,
            seed INTEGER NOT NULL,
            reason TEXT NOT NULL,
            winner INTEGER,
            played_ns INTEGER NOT NULL,
            covers TEXT NOT NULL,
            offences TEXT NOT NULL,
            match TEXT NOT NULL,
            UNIQUE (run, ended_ns)
        ) STRICT""",
        # ``button``: in the words of the wiring table, or "" for what has none.
        """CREATE TABLE counters (
            name TEXT NOT NULL,
            button TEXT NOT NULL,
            n INTEGER NOT NULL,
            PRIMARY KEY (name, button)
        ) STRICT, WITHOUT ROWID""",
        # Single things: the match that goes on, the boot in which it was written.
        """CREATE TABLE now (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID""",
    ),
)


class NewerLedger(LedgerError):
    """A ledger of a newer program: sound, and not understood."""


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it, or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # Some errors have rolled back by themselves.
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def bring_up(db: sqlite3.Connection, steps: tuple[Step, ...] = STEPS, *, is_new: bool = False) -> None:
    """Check that *db* is a ledger that is whole, and do what *steps* it has not had; all if it *is_new*.

    Raises :class:`NewerLedger`, :class:`LedgerError` for anything else that is no ledger, and what sqlite3
    raises.
    """
    version = _one(db, "PRAGMA user_version")
    if not is_new:
        if _one(db, "PRAGMA application_id") != APPLICATION_ID:
            raise LedgerError("not a ledger of this cabinet")
        found = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise LedgerError(f"damaged: {' '.join(str(found).split())}")
        if version > len(steps):
            raise NewerLedger(f"written by a newer program: version {version}, known are up to {len(steps)}")
    for number, step in enumerate(steps[version:], version + 1):
        with transaction(db):
            for statement in step:
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {number}")
    if _tables(db) != _tables_of(steps):
        raise LedgerError("damaged: its tables are not those of a ledger")


def _one(db: sqlite3.Connection, question: str) -> int:
    return int(db.execute(question).fetchone()[0])


def _tables(db: sqlite3.Connection) -> list[tuple[str, str | None]]:
    return db.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()


def _tables_of(steps: tuple[Step, ...]) -> list[tuple[str, str | None]]:
    # A flipped bit in the name of a column is sound to SQLite, and would fail only when a hand is over.
    db = sqlite3.connect(":memory:")
    try:
        for statement in (statement for step in steps for statement in step):
            db.execute(statement)
        return _tables(db)
    finally:
        db.close()
