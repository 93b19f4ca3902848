"""Who was first on a real kernel: pairs of presses, with bounces back to back, idle and on a busy machine.

The truth is the clock read before and after each write that moves a line. Every way to take edges is tried.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

from firmware import settings as settings_room
from firmware.cabinet import buttons_of
from firmware.clock import NS_PER_MS, Clock, MonotonicClock
from firmware.lines import Line
from firmware.pins import lgpio_pins
from firmware.prompt import be_prompt
from firmware.touch.contact import START, Button
from firmware.touch.edges import EdgeSource
from firmware.touch.gpiod_lines import GpiodLines
from firmware.touch.gpiozero_lines import GpiozeroLines
from tests.vm.guest import race
from tests.vm.guest.daemon import NICE
from tests.vm.guest.finger import Pair
from tests.vm.guest.trial import Trial

TIME = "counted"
EDGES = (1, 13, 41)
KEPT_NS = (0, 200_000)
"""How long the kernel's threads are kept from running. Twice what is said of a Pi under load."""
LOADS = {"idle": 0, "busy": 2}
GAPS_NS = (100_000, 20_000_000)
SEED = 3

Lines = dict[Line, Button]
SOURCES: dict[str, Callable[[Lines, Clock], EdgeSource]] = {
    "gpiod": lambda lines, clock: GpiodLines(lines, clock),
    "gpiod, falling": lambda lines, clock: GpiodLines(lines, clock, falling_only=True),
    "gpiozero": lambda lines, clock: GpiozeroLines(lines, lgpio_pins().factory, clock),
}
TRUSTED = "gpiod"
"""What the cabinet plays on; the others are tried to know how they compare."""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 120 + 0.3 * float(chosen["races"]) * len(EDGES) * len(KEPT_NS) * len(LOADS) * len(SOURCES)


def run(trial: Trial) -> None:
    """See the module."""
    os.nice(NICE)
    be_prompt()
    settings = settings_room.defaults()
    buttons = buttons_of(settings)
    rows: list[dict[str, Any]] = []
    for source, make in SOURCES.items():
        for load, processes in LOADS.items():
            pairs = drawn(buttons, trial.chosen["races"])
            with race.busy(processes):
                outcome = race.run(make(buttons, MonotonicClock()), buttons, settings, pairs)
            trial.say(f"{source}, {load}: faults {dict(outcome.counts)}")
            for puzzle in outcome.puzzles():
                trial.say(puzzle)
            trial.say(f"{source}, {load}: {outcome.phantoms} touches that belong to no press")
            is_right = outcome.phantoms == 0 or source != TRUSTED
            trial.expect(is_right, f"{source}, {load}: {outcome.phantoms} touches that nobody made")
            for edges, kept_ns in product(EDGES, KEPT_NS):
                chosen = [n for n, pair in enumerate(pairs) if (pair.edges, pair.kept_ns) == (edges, kept_ns)]
                kind = {"source": source, "load": load, "edges": edges, "kept": kept_ns / NS_PER_MS}
                row = kind | outcome.figures(chosen)
                rows.append(row)
                trial.say(str(row))
                check(trial, row)
    trial.figure("races (times in ms)", rows)


def drawn(buttons: Lines, each: int) -> list[Pair]:
    """So many pairs of each kind, in any order: two buttons of the same pile, either seat first."""
    chance = Random(SEED)
    lines = {button: line.number for line, button in buttons.items()}
    piles = sum(button.seat == 0 and button.number != START for button in lines)
    pairs = []
    for edges, kept_ns in [*product(EDGES, KEPT_NS)] * each:
        place = int(chance.random() * piles)
        both = [lines[Button(0, place)], lines[Button(1, piles - 1 - place)]]
        chance.shuffle(both)
        pairs.append(Pair(both[0], both[1], int(chance.uniform(*GAPS_NS)), edges, kept_ns))
    chance.shuffle(pairs)
    return pairs


def check(trial: Trial, row: dict[str, Any]) -> None:
    """No press is lost or doubled, no stamp is outside of its doubt, and nobody is robbed or made to wait."""
    if row["source"] == TRUSTED:
        what = f"{row['source']}, {row['load']}, {row['edges']} edges, kept {row['kept']} ms"
        for name in ("lost", "phantom", "wrong", "vain heats", "untrue"):
            trial.expect(row[name] == 0, f"{what}: {row[name]} {name} of {row['pairs']} pairs")
