"""``speed-cabinet export``: results and counters out of the ledger, to look at or to work on.

Players and places count from 1 here, as people are shown them.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from firmware.errors import DiskError, LedgerError
from firmware.keep.files import replace_file
from firmware.keep.ledger import NAME, Ledger
from firmware.keep.results import Result
from firmware.rules import GAMES

SHOWN = 20
"""Results in the terminal: the latest so many. JSON and CSV hold all."""

COLUMNS = (
    ("", 1), ("when", 10), ("game", 11), ("won by", 8), ("why", 9), ("match", 5), ("seconds", 7),
    ("placed", 6), ("pressed wrong", 5),
)  # fmt: skip
"""Of the table in the terminal, each with the least width at which no word of it is broken."""
ONLY_WIDE = ("placed", "pressed wrong")
WIDE = 110
"""Columns of a terminal that holds them all; a narrower one goes without :data:`ONLY_WIDE`."""
UNKNOWN_DATE = (
    "when unknown: no clock could be believed then; a Pi has the date only once the network has given it. "
    "Hands stand in the order in which they were played."
)

CSV_COLUMNS = (
    "kind", "number", "at", "game", "seed", "reason", "winner", "seconds", "covers", "offences",
    "best_of", "wins", "hands", "counter", "button", "count",
)  # fmt: skip
"""One table for both kinds of rows, ``result`` and ``counter``; lists of players are joined by spaces."""


def run(directories: Sequence[Path], file: Path | None, form: str | None) -> int:
    """Print what the ledger holds, or write it to *file*; returns the exit code.

    *directories*: where to look, in order. *form*: "json", "csv", or None: by the name of *file*, a table in
    the terminal. Raises :class:`DiskError` without a ledger or where *file* cannot be written, and
    :class:`LedgerError` for a damaged ledger; single results that make no sense are left out and told on
    standard error.
    """
    paths = [directory / NAME for directory in directories]
    path = next((path for path in paths if path.exists()), None)
    if path is None:
        raise DiskError(f"{' and '.join(map(str, paths))}: nothing is kept there yet")
    ledger = Ledger(path, is_read_only=True)
    try:
        results, counters = list(ledger.results(_warn)), ledger.counters()
    finally:
        ledger.close()
    if form is None and file is None:
        _show(results, counters)
        return 0
    if form is None and file is not None:
        form = "csv" if file.suffix.lower() == ".csv" else "json"
    text = _csv(results, counters) if form == "csv" else _json(results, counters)
    if file is None:
        print(text, end="")
        return 0
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise DiskError(f"{file}: {error.strerror}") from error
    return 0


def _warn(error: LedgerError) -> None:
    print(f"speed-cabinet: left out: {error}", file=sys.stderr)


def as_dict(result: Result) -> dict[str, object]:
    """*result* as JSON shows it. ``at``: UTC, null where nobody knew the date."""
    at, winner = result.at_s, result.outcome.winner
    return {
        "number": result.number,
        "at": None if at is None else datetime.fromtimestamp(at, UTC).isoformat(),
        "game": result.game_id,
        "seed": result.seed,
        "reason": result.outcome.reason.value,
        "winner": None if winner is None else winner + 1,
        "seconds": round(result.played_ns / 1e9, 3),
        "covers": result.covers,
        "offences": result.offences,
        "best_of": result.match.best_of,
        "wins": result.match.wins,
        "hands": result.match.hands,
    }


def _counters(counters: Mapping[tuple[str, str], int]) -> list[dict[str, object]]:
    return [
        {"counter": name, "button": button or None, "count": count}
        for (name, button), count in counters.items()
    ]


def _json(results: Iterable[Result], counters: Mapping[tuple[str, str], int]) -> str:
    figures = {"results": [as_dict(result) for result in results], "counters": _counters(counters)}
    return json.dumps(figures, ensure_ascii=False) + "\n"


def _csv(results: Iterable[Result], counters: Mapping[tuple[str, str], int]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in results:
        row = as_dict(result)
        for name in ("covers", "offences", "wins"):
            row[name] = " ".join(map(str, getattr(result.match if name == "wins" else result, name)))
        writer.writerow({"kind": "result", **row})
    for row in _counters(counters):
        writer.writerow({"kind": "counter", **row})
    return text.getvalue()


def _show(results: Sequence[Result], counters: Mapping[tuple[str, str], int]) -> None:
    console = Console()
    shown = results[-SHOWN:]
    columns = COLUMNS if console.width >= WIDE else COLUMNS[: -len(ONLY_WIDE)]
    table = _plain(f"{len(results)} hands" + (f", the last {SHOWN}" if len(results) > SHOWN else ""))
    for heading, least in columns:
        # Where it is narrow, lines are broken between words; half a figure would be none.
        right = heading in ("", "seconds")
        table.add_column(heading, justify="right" if right else "left", min_width=least, overflow="fold")
    for result in shown:
        table.add_row(*_cells(result)[: len(columns)])
    console.print(table if shown else "\nno hands yet")
    if shown and columns != COLUMNS:
        console.print(f"How much each {' and '.join(ONLY_WIDE)}: with {WIDE} columns, --json or --csv.")
    if any(result.at_s is None for result in shown):
        console.print(UNKNOWN_DATE)
    counted = _plain("counters")
    for heading in ("what", "where", "count"):
        counted.add_column(heading, justify="right" if heading == "count" else "left", overflow="fold")
    for (name, button), count in counters.items():
        counted.add_row(name.replace("_", " "), button, f"{count:,}")
    console.print(counted)


def _plain(title: str) -> Table:
    return Table(
        title=f"\n{title}", title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0)
    )


def _cells(result: Result) -> list[str]:
    """*result* in the order of :data:`COLUMNS`."""
    at, winner, entry = result.at_s, result.outcome.winner, GAMES.get(result.game_id)
    return [
        str(result.number),
        "unknown" if at is None else f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M}",
        # The game of a newer program has no name here.
        result.game_id if entry is None else entry.name,
        "nobody" if winner is None else f"player {winner + 1}",
        result.outcome.reason.value.replace("_", " "),
        ":".join(map(str, result.match.wins)),
        f"{result.played_ns / 1e9:.1f}",
        ":".join(map(str, result.covers)),
        ":".join(map(str, result.offences)),
    ]
