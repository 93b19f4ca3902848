"""``speed-cabinet bench``: figures of this machine, each beside a peer's."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table


def run(what: str, seconds: int, *, as_json: bool) -> int:
    """Measure *what* for about *seconds* and print the figures; returns the exit code."""
    figures = _measure(what, seconds)
    if as_json:
        print(json.dumps(figures))
    else:
        console = Console()
        table = Table("what", "value", title=f"bench {what}")
        for name, rows in _grids(figures).items():
            console.print(_grid(name, rows))
        _rows(table, {key: value for key, value in figures.items() if key not in _grids(figures)}, "")
        console.print(table)
    return 0


def _measure(what: str, seconds: int) -> Mapping[str, object]:
    # Each imports what it measures, and nothing more. Drawing is measured without a display, so that
    # presenting, which depends on it, stays apart.
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    match what:
        case "rules":
            from firmware.bench import rules

            return rules.measure(seconds)
        case "show":
            from firmware.bench import show

            return show.measure(40 * seconds)
        case "fairness":
            from firmware.bench import fairness

            return fairness.measure(seconds)
        case _:
            from firmware.bench import latency

            return latency.measure(seconds)


def _grids(figures: Mapping[str, object]) -> dict[str, Mapping[str, Mapping[str, object]]]:
    """The figures that have rows and columns of their own."""
    return {
        key: value
        for key, value in figures.items()
        if isinstance(value, Mapping) and all(isinstance(row, Mapping) for row in value.values())
    }


def _grid(name: str, rows: Mapping[str, Mapping[str, object]]) -> Table:
    """One line for each figure, one column for each way of doing it."""
    table = Table("", *rows, title=name.replace("_", " "))
    for figure in next(iter(rows.values())):
        table.add_row(figure.replace("_", " "), *(str(row[figure]) for row in rows.values()))
    return table


def _rows(table: Table, figures: Mapping[str, object], path: str) -> None:
    for key, value in figures.items():
        name = (path + key).replace("_", " ")
        if isinstance(value, Mapping):
            _rows(table, value, f"{name}: ")
        else:
            table.add_row(name, f"{value:,}" if isinstance(value, int) else str(value))
