"""A whole match between CPU players on the manual clock: through pins, contacts, arbiter and rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from firmware import rules
from firmware.cabinet import Cabinet
from firmware.clock import NS_PER_S, Clock, ManualClock
from firmware.hands import Hands, play_by_hand
from firmware.pins import mock_pins
from firmware.profiles import smallest_profile
from firmware.rules.deal import hand_seeds
from firmware.rules.events import Covered
from firmware.session.bots import seeded_bots
from firmware.session.records import Record
from firmware.session.view import Stage, View
from firmware.settings import Play, Settings, Source

LONGEST_NS = 3600 * NS_PER_S
"""No match of any game takes an hour; one that does is a fault, and ends here."""


def smallest_cabinet(game_id: str) -> Settings:
    """The smallest cabinet that can play *game_id*, on mock pins.

    Raises :class:`~firmware.rules.UnknownGame`.
    """
    settings = smallest_profile(rules.find(game_id).game.layout)
    return msgspec.structs.replace(
        settings,
        play=Play(game=game_id),
        input=msgspec.structs.replace(settings.input, source=Source.MOCK),
    )


@dataclass
class Snapshot:
    """Remembers the view that shows most of a table in play, for ``--picture``."""

    view: View | None = None
    at_ns: int = 0
    _best: int = -1

    def see(self, view: View) -> None:
        """One more view."""
        table = view.table
        if view.stage is not Stage.HAND or table is None or table.outcome is not None:
            return
        covers = sum(holding.covers for holding in table.holdings)
        worth = min(covers, 5)
        worth += 3 * sum(note is not None for note in view.notes)
        worth += 5 * all(holding.active is not None for holding in table.holdings)
        worth += table.phase is rules.Phase.PLAY
        worth += any(isinstance(event, Covered) for event in view.recent)
        if worth > self._best:
            self._best, self.view = worth, view
            # A little later nothing flies any more, and the line of what just happened is still there.
            self.at_ns = view.at_ns + NS_PER_S // 4


def play_match(
    settings: Settings,
    seed: int,
    *,
    keep: Callable[[Record], None],
    see: Callable[[View], None] = lambda view: None,
    pace: Callable[[int], None] = lambda at_ns: None,
) -> int:
    """A whole match on the manual clock; the winning seat.

    *pace* is called with every moment before it happens: a caller that waits there plays in real time.
    What *keep* raises ends the match and is raised here: a cabinet would go on, a story that nobody hears
    need not.
    """
    clock = ManualClock(NS_PER_S)
    is_over = False
    failures: list[Exception] = []

    def kept(record: Record) -> None:
        try:
            keep(record)
        except Exception as error:
            failures.append(error)

    def look(view: View) -> None:
        nonlocal is_over
        is_over = is_over or view.stage is Stage.MATCH_END
        see(view)

    cabinet = Cabinet(settings, mock_pins(), clock, hand_seeds(seed), keep=kept)
    hands = Hands(cabinet, seeded_bots(seed, range(settings.players), settings.buttons))
    try:
        cabinet.listen(look)
        hands.see(cabinet.view, clock.now_ns())
        while not is_over:
            if clock.now_ns() > LONGEST_NS:
                raise RuntimeError("the match does not end")
            play_by_hand(cabinet, hands, clock, LONGEST_NS + NS_PER_S)
            if failures:
                raise failures[0]
            pace(clock.now_ns())
        winner = cabinet.view.match.winner
        assert winner is not None, "a match that has ended has a winner"
        return winner
    finally:
        cabinet.close()


def real_time(clock: Clock, wait: Callable[[float], None]) -> Callable[[int], None]:
    """A pace that waits until as much real time has passed as on the manual clock."""
    began: list[int] = []

    def pace(at_ns: int) -> None:
        if not began:
            began.append(clock.now_ns() - at_ns)
        left_ns = at_ns + began[0] - clock.now_ns()
        if left_ns > 0:
            wait(left_ns / 1e9)

    return pace
