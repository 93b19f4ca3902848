"""The games, exactly (rule ids: T, S, M …). Pure: no clock, no device, no chance but a given seed.

``apply(table, command)`` gives the next table and what happened; tables are frozen values. Start one
with ``find("classic").game.start(Options(), seed=7)``.
"""

from __future__ import annotations

from firmware.rules.cards import PACK, BadNotation, Card
from firmware.rules.catalogue import GAMES, Entry, UnknownGame, find, playable
from firmware.rules.commands import (
    Abandon,
    Agree,
    Command,
    Cover,
    DeadHeat,
    Go,
    IllegalCommand,
    Timer,
)
from firmware.rules.dead_heat import First, Verdict, judge
from firmware.rules.events import Event, Outcome, Reason
from firmware.rules.match_play import Match
from firmware.rules.options import Options
from firmware.rules.table import AnyTable, Phase, Status, Table


def apply(table: AnyTable, command: Command) -> tuple[AnyTable, tuple[Event, ...]]:
    """*table* after *command*, and what happened; raises :class:`IllegalCommand`, changing nothing."""
    return table.game.apply(table, command)


def outcome(table: AnyTable) -> Outcome | None:
    """Why and for whom the hand ended, None while it goes on."""
    return table.outcome


def status(table: AnyTable) -> Status:
    """Every broken invariant of *table*."""
    return table.game.status(table)


__all__ = [
    "GAMES", "PACK", "Abandon", "Agree", "AnyTable", "BadNotation", "Card", "Command", "Cover",
    "DeadHeat", "Entry", "Event", "First", "Go", "IllegalCommand", "Match", "Options", "Outcome",
    "Phase", "Reason", "Status", "Table", "Timer", "UnknownGame", "Verdict", "apply", "find", "judge",
    "outcome", "playable", "status",
]  # fmt: skip
