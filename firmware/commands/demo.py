"""``speed-cabinet demo``: in a window where there is a display, else told in the terminal."""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from pathlib import Path

from firmware.cabinet import Cabinet
from firmware.clock import MonotonicClock
from firmware.commands.match import Snapshot, play_match, real_time, smallest_cabinet
from firmware.errors import ScreenError
from firmware.hands import Hands
from firmware.pins import mock_pins
from firmware.rules import Entry, apply, find
from firmware.rules.deal import hand_seeds
from firmware.rules.notation import as_fields
from firmware.session.bots import seeded_bots
from firmware.session.narrate import Narrator
from firmware.session.records import Entered, HandBegan, Record
from firmware.session.view import Stage, View
from firmware.settings import Settings


def run(game_id: str, seed: int, *, is_fast: bool, picture: Path | None, as_json: bool) -> int:
    """Play one match of *game_id*; returns the exit code."""
    settings = smallest_cabinet(game_id)
    if not (is_fast or as_json or picture):
        from firmware.commands.screens import has_desktop

        try:
            if has_desktop():
                return _in_window(settings, seed)
        except ScreenError as error:
            print(f"speed-cabinet: {error}; the demo is told here instead", file=sys.stderr)
    told = _JsonTeller() if as_json else Narrator(lambda line: print(line, flush=True))
    snapshot = Snapshot()
    pace = real_time(MonotonicClock(), time.sleep)
    if picture is not None and not picture.parent.is_dir():
        raise ScreenError(f"{picture}: the picture cannot be written: there is no folder {picture.parent}")
    if not (is_fast or as_json or picture):
        play_match(settings, seed, keep=told.keep, see=snapshot.see, pace=pace)
    else:
        play_match(settings, seed, keep=told.keep, see=snapshot.see)
    if picture is not None:
        _save(snapshot, settings, picture)
    return 0


def _save(snapshot: Snapshot, settings: Settings, path: Path) -> None:
    from firmware.commands.screens import off_display

    assert snapshot.view is not None, "a match has a hand in play"
    with closing(off_display(settings)) as screen:
        screen.paint(snapshot.view, snapshot.at_ns)
        screen.save(path)


def _in_window(settings: Settings, seed: int) -> int:
    from firmware.commands.screens import open_screen
    from firmware.front import Front

    with closing(open_screen(settings)) as screen:
        clock = MonotonicClock()
        cabinet = Cabinet(settings, mock_pins(), clock, hand_seeds(seed))
        hands = Hands(cabinet, seeded_bots(seed, range(settings.players), settings.buttons))
        ended_ns: list[int] = []

        def has_ended(view: View) -> bool:
            if view.stage is Stage.MATCH_END and not ended_ns:
                hands.close()
                ended_ns.append(view.at_ns)
            return bool(ended_ns) and clock.now_ns() > ended_ns[0] + LINGER_NS

        try:
            front = Front(cabinet, screen, shown=hands.see)
            hands.see(cabinet.view, clock.now_ns())
            cabinet.start()
            hands.start()
            front.run(has_ended)
        finally:
            hands.close()
            cabinet.close()
    return 0


LINGER_NS = 6_000_000_000
"""How long the end of the match stays in the window."""


class _JsonTeller:
    """Prints what enters the rules and what comes of it, a JSON object a line."""

    def __init__(self) -> None:
        self._entry: Entry | None = None

    def keep(self, record: Record) -> None:
        """One more record."""
        match record:
            case HandBegan():
                self._entry = find(record.game_id)
                self._table = self._entry.game.start(
                    record.options, record.seed, seats=record.seats, at_ns=record.at_ns
                )
                hand = {"event": "hand", "game": record.game_id, "seed": record.seed, "wins": record.wins}
                print(json.dumps(hand))
            case Entered(command=command):
                self._table, events = apply(self._table, command)
                for event in events:
                    print(json.dumps(as_fields(event)))
