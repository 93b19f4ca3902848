"""``speed-cabinet bench``: figures of this machine, each beside a peer's (fairness: its own file)."""

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
        table = Table("what", "value", title=f"bench {what}")
        _rows(table, figures, "")
        Console().print(table)
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
        case _:
            from firmware.bench import latency

            return latency.measure(seconds)


NO_PEER = "not installed: pip install chess"


def _rows(table: Table, figures: Mapping[str, object], path: str) -> None:
    for key, value in figures.items():
        name = (path + key).replace("_", " ")
        match value:
            case Mapping():
                _rows(table, value, f"{name}: ")
            case int():
                table.add_row(name, f"{value:,}")
            case float():
                table.add_row(name, f"{value:.3f}")
            case None:
                table.add_row(name, NO_PEER)
            case _:
                table.add_row(name, str(value))
