"""A hand followed in its journal while it is written: what the cabinet has decided, as soon as it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from firmware import rules
from firmware.keep import journal
from firmware.rules.notation import command_from_text


@dataclass(frozen=True, slots=True)
class Entered:
    """A cover that entered the rules; ``touched_ns``: the stamp of its touch."""

    command: rules.Cover
    touched_ns: int
    is_late: bool


class Followed:
    """The journal at *path*, read as far as it goes.

    ``events``: what came of the last cover. ``has_ended``: its last line is there, and so the hand's result.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(journal.Line)
        self._read = 0
        self._table: rules.AnyTable | None = None
        self.covers: list[Entered] = []
        self.go_at_ns: int | None = None
        self.dealt: journal.HandLine | None = None
        self.has_ended = False
        self.events: tuple[rules.Event, ...] = ()

    def read(self) -> rules.AnyTable | None:
        """The table by all lines that are there by now; None before the first."""
        with self.path.open("rb") as file:
            file.seek(self._read)
            lines = file.read().splitlines(keepends=True)
        for line in lines:
            if line.endswith(b"\n"):
                self._read += len(line)
                self._take(self._decoder.decode(line))
        return self._table

    def _take(self, line: journal.Line) -> None:
        if isinstance(line, journal.HandLine):
            game = rules.find(line.game).game
            self.dealt = line
            self._table = game.start(line.options, line.seed, seats=line.seats, at_ns=line.at_ns)
        elif isinstance(line, journal.EnteredLine) and self._table is not None:
            command = command_from_text(line.do)
            self._table, events = rules.apply(self._table, command)
            if isinstance(command, rules.Cover):
                self.covers.append(Entered(command, line.touched_ns or command.at_ns, line.late))
                self.events = events
            elif isinstance(command, rules.Go):
                self.go_at_ns = command.at_ns
        elif isinstance(line, journal.EndedLine):
            self.has_ended = True
