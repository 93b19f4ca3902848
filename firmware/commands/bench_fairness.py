"""``speed-cabinet bench fairness``: who is robbed, by the cabinet and by others, to be read by people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from firmware.errors import ChipError

Figures = Mapping[str, Any]

COLUMNS = {
    "robbed\n%": ("robbed_percent",),
    "replayed\n%": ("replayed_percent",),
    "penal-\nised %": ("wrongly_penalised_percent",),
    "\nlost": ("lost_presses",),
    "phan-\ntom": ("phantom_presses",),
    "verdict ms\np50 / p99": ("delay_p50_ms", "delay_p99_ms"),
    "uncertain ms\np50 / p99": ("uncertain_p50_ms", "uncertain_p99_ms"),
}
LEGEND = (
    ("robbed", "touched first, and yet the other's card landed: share of all races"),
    ("replayed", "too close to call: no card landed, and the race is run again"),
    ("penalised", "punished for a press that was right: share of all races"),
    ("lost, phantom", "presses that were made and never came; that came and were never made"),
    ("verdict", "from the touch until it is decided"),
    ("uncertain", "a touch was at most so much earlier than the time that it is given"),
    ("p50 / p99", "half of all are within the first figure, all but 1 % within the second"),
)
SPREADS = {
    "match_race": "Both look for the pile, as in a match (each ± 150 ms)",
    "pure_reaction": "Both wait for one signal (each ± 45 ms)",
}


def run(races: int | None, seconds: int, live: int | None, *, as_json: bool) -> int:
    """Run *races* on the manual clock (None: what fits into *seconds*), or else *live* ones; tell of them.

    Returns the exit code, 1 if anything is not as promised. Raises :class:`ChipError` without gpiod, which
    only live races do without.
    """
    # What is printed can be piped: progress goes to standard error.
    progress = Console(stderr=True)
    if live is not None:
        from firmware.bench import live as bench

        # Said once, not shown while it runs: drawing that would be work for the processors too.
        progress.print(f"{live:,} races, about {1 + live // bench.RACES_PER_S} s")
        figures = bench.measure(live)
        problems = bench.problems(figures)
    else:
        fairness = _simulated()
        with progress.status("races") as status:
            figures = fairness.measure(races or fairness.fitting(seconds), say=status.update)
        problems = fairness.problems(figures)
    if as_json:
        print(json.dumps(figures | {"problems": problems}))
        return 1 if problems else 0
    console = Console(highlight=False)
    (_tell_simulated if live is None else _tell_live)(console, figures)
    for problem in problems:
        console.print(f"NOT AS PROMISED: {problem}")
    if not problems:
        console.print("As promised: no clear first was robbed, no press was lost or made up.")
    return 1 if problems else 0


def _simulated() -> ModuleType:
    try:
        from firmware.bench import fairness
    except ImportError as error:
        # Debian 12 has version 1 under the same name.
        if (error.name or "").partition(".")[0] != "gpiod":
            raise
        raise ChipError(
            "bench fairness runs the cabinet's way of reading the kernel's lines, which needs gpiod 2: "
            "pip install 'gpiod>=2.2' (Linux only); bench fairness --live 200 needs none"
        ) from error
    return fairness


def _tell_simulated(console: Console, figures: Figures) -> None:
    for name, title in SPREADS.items():
        _tell_ways(console, f"{title}, {figures['races']:,} races", figures[name])
    _tell_legend(console)
    heats, clear, idle = (figures[key] for key in ("double_touches", "clear_races", "idle_from_3_ms"))
    coin = [heats[f"{how}coin_seat_1_percent"] for how in ("", "swapped_", "rewired_")]
    console.print(
        f"{heats['touches']:,} times both at one moment: under coin player 1 lands in "
        "{:g} %, with seats swapped in {:g} %, with GPIO lines swapped in {:g} %".format(*coin)
        + f" (50 ± {heats['chance_percent']:g} % by chance); "
        f"under replay {heats['replay_dead_heats_percent']:g} % are dead heats."
    )
    for box, run in (("a busy", clear), ("an idle", idle)):
        least_ms, most_ms = run["gap_ms"]
        console.print(
            f"{run['races']:,} races on {box} box, {least_ms:g} to {most_ms:g} ms apart: {_told(run)}."
        )


def _tell_live(console: Console, figures: Figures) -> None:
    live = figures["live"]
    busy = f"{figures['busy_processors']} busy processors"
    _tell_ways(console, f"{live['races']:,} races live, {busy}", {"the cabinet, live": live})
    _tell_legend(console)
    console.print(f"{live['races']:,} races: {_told(live)}; {live['late']:,} touches came after a later one.")
    if live["held_up"]:
        console.print(
            f"{live['held_up']:,} more could not be judged and were run again: the fingers' thread had to "
            "wait for a processor in the midst of a bounce, and the switch did what none does."
        )
    if figures["faults"]:
        faults = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in figures["faults"].items())
        console.print(f"Faults counted: {faults}.")


def _told(figures: Figures) -> str:
    return (
        f"{figures['clear']:,} by more than the dead-heat window and the stated uncertainty, and of these "
        f"{figures['wrong']:,} decided wrongly, {figures['needless_dead_heats']:,} called dead heats without "
        f"need; of all {figures['dead_heats_percent']:g} % are dead heats"
    )


def _tell_ways(console: Console, title: str, ways: Mapping[str, Figures]) -> None:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(min_width=11)
    for head in COLUMNS:
        table.add_column(head, justify="right", no_wrap=True)
    for way, figures in ways.items():
        cells = ([figures[key] for key in keys] for keys in COLUMNS.values())
        table.add_row(way, *(" / ".join(map(_written, cell)) for cell in cells))
    console.print(table)


def _written(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def _tell_legend(console: Console) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    for word, meaning in LEGEND:
        table.add_row(word, meaning)
    console.print(table)
    console.print()
