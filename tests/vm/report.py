"""What came of a run: read from the share, as a table and as pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pygame

Result = dict[str, Any]


def read(share: Path, wanted: Sequence[str]) -> dict[str, Result]:
    """The result of each scenario; one that left none has failed."""
    results: dict[str, Result] = {}
    for name in wanted:
        path = share / "results" / name / "result.json"
        if path.exists():
            results[name] = json.loads(path.read_text())
        else:
            problem = "the machine came to its end before this scenario did"
            results[name] = {"passed": False, "seconds": 0.0, "problems": [problem], "figures": {}}
    return results


def pictures(folder: Path) -> None:
    """Make a PNG of every screendump."""
    for path in (folder / "share" / "results").glob("*/*.ppm"):
        pygame.image.save(pygame.image.load(path), path.with_suffix(".png"))
        path.unlink()


def show(results: dict[str, Result], seconds: float) -> None:
    """Print what was measured, then a line for each scenario."""
    for name, result in results.items():
        if result["figures"]:
            print(f"\n{name}")
            _show_figures(result["figures"])
    print()
    for name, result in results.items():
        print(f"{'passed' if result['passed'] else 'FAILED'}  {name:<20} {result['seconds']:6.1f} s")
        for problem in result["problems"]:
            print(f"        {problem}")
    print(f"the virtual Pi ran for {seconds:.0f} s")


def _show_figures(figures: dict[str, Any]) -> None:
    for figure, value in figures.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            _show_rows(figure, value)
        else:
            print(f"  {figure}: {value}")


def _show_rows(title: str, rows: list[dict[str, Any]]) -> None:
    print(f"  {title}")
    heads = list(rows[0])
    cells = [heads, *([str(row[head]) for head in heads] for row in rows)]
    widths = [max(len(line[nth]) for line in cells) for nth in range(len(heads))]
    for line in cells:
        print("    " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
