"""``speed-cabinet simulate``: many hands between perfect players, and what became of them."""

from __future__ import annotations

import json
import sys
import time

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from firmware import rules
from firmware.session.simulation import Tally, simulate


def run(game_id: str, hands: int, seed: int, *, jobs: int, as_json: bool) -> int:
    """Simulate, with progress on a terminal, and print the figures; returns the exit code."""
    rules.find(game_id)
    began = time.monotonic()
    # Progress goes to standard error, so that what is printed can be piped.
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(f"{game_id}", total=hands)
        tally = simulate(
            game_id, hands, seed, jobs=jobs, progress=lambda done: progress.update(task, completed=done)
        )
    figures = as_figures(game_id, seed, tally, time.monotonic() - began)
    if as_json:
        print(json.dumps(figures))
    else:
        _print(figures)
    return 0


def as_figures(game_id: str, seed: int, tally: Tally, seconds: float) -> dict[str, object]:
    """The figures of *tally*, as ``--json`` prints them.

    ``reasons``, ``wins``: shares of all hands, 0 to 1; a tied hand is won by ``nobody``.
    """
    return {
        "game": game_id,
        "hands": tally.hands,
        "seed": seed,
        "seconds": round(seconds, 3),
        "reasons": {
            str(reason): round(count / tally.hands, 6) for reason, count in sorted(tally.reasons.items())
        },
        "wins": {name: round(tally.wins[seat] / tally.hands, 6) for seat, name in _winners(game_id)},
        "mean_redeals": round(tally.redeals / tally.hands, 4),
        "mean_placements": round(tally.placements / tally.hands, 4),
        "median_gathers": tally.median_gathers,
        "median_covers": tally.median_covers,
    }


def _winners(game_id: str) -> list[tuple[int | None, str]]:
    """Every seat that may win a hand, and nobody, as people are told."""
    seats = rules.find(game_id).game.seats[-1]
    return [*((seat, f"player {seat + 1}") for seat in range(seats)), (None, "nobody")]


def _print(figures: dict[str, object]) -> None:
    table = Table(title=f"{figures['hands']} hands of {figures['game']}, seed {figures['seed']}")
    table.add_column("what")
    table.add_column("value", justify="right")
    for key, what in (("wins", "won by"), ("reasons", "ended by")):
        shares = figures[key]
        assert isinstance(shares, dict)
        for name, share in shares.items():
            table.add_row(f"{what} {name}".replace("_", " "), f"{100 * share:.2f} %")
    for key in ("mean_redeals", "mean_placements", "median_gathers", "median_covers", "seconds"):
        table.add_row(key.replace("_", " "), str(figures[key]))
    Console().print(table)
