"""What a picture costs: one in which nothing moved, one with a card in the air, one drawn from nothing.

All in one run and on one machine, so the shares can be compared between machines; milliseconds cannot.
Composing is part of drawing. Presenting depends on the display and is reported apart.
"""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns

from firmware import rules
from firmware.session.view import Stage, View
from firmware.show.screen import Screen

NS_PER_MS = 1_000_000
SIZE = (1920, 1080)
FRAME_NS = 1_000_000_000 // 60
GAME, _SEED = "rank_or_suit", 11


def measure(frames: int = 200, size: tuple[int, int] = SIZE, game_id: str = GAME) -> dict[str, float]:
    """Draw *frames* pictures of each kind of *game_id* on a display of *size* pixels and report medians.

    ``full_ms``: drawing everything anew. ``idle_ms``: a new view in which nothing moved; ``asleep_ms``: the
    same view again. ``moving_ms``: a card flies to a pile while the next is drawn. ``idle_share`` and
    ``moving_share``: of ``full_ms``. ``present_full_ms``, ``present_moving_ms``: presenting. ``resident_mb``:
    most memory that the process has held. Raises :class:`~firmware.errors.ScreenError` without a display.
    """
    before, after = _cover(game_id)
    screen = Screen(size)
    try:
        return _measured(screen, before, after, frames)
    finally:
        screen.close()


def _cover(game_id: str) -> tuple[View, View]:
    """A hand in play, just before and just after a card is laid."""
    entry = rules.find(game_id)
    table = entry.game.start(rules.Options(), _SEED)
    table, _ = rules.apply(table, rules.Go(0))
    while not (table.next_timer is None and entry.game.legal_slots(table, 0)):
        if table.next_timer is not None:
            table, _ = rules.apply(table, table.next_timer)
        else:
            table, _ = rules.apply(table, _any_cover(table))
    view = View(1, table.at_ns, Stage.HAND, 0, game_id, rules.Match(), go_at_ns=0, table=table)
    # Long after GO: nothing of the opening is on the screen any more.
    at_ns = table.at_ns + 10_000 * NS_PER_MS
    covered, events = rules.apply(table, rules.Cover(at_ns, 0, entry.game.legal_slots(table, 0)[0]))
    return view, replace(view, state_id=2, at_ns=at_ns, table=covered, recent=events)


def _any_cover(table: rules.AnyTable) -> rules.Cover:
    for seat in (1, 0):
        for slot in table.game.legal_slots(table, seat):
            return rules.Cover(table.at_ns, seat, slot)
    raise AssertionError("a hand that goes on has moves or something due")


def _measured(screen: Screen, before: View, after: View, frames: int) -> dict[str, float]:
    still_ns = after.at_ns - NS_PER_MS
    full, idle, moving, asleep = _Times(), _Times(), _Times(), _Times()
    present_full, present_moving = _Times(), _Times()
    # The kinds in turn, so that whatever else the machine does slows them all down alike.
    for nth in range(frames):
        screen.redraw()
        full.run(lambda: screen.paint(before, still_ns))
        present_full.run(screen.present)
        # A new view, as after a press that counts for nothing: composed anew, the same to see.
        again = replace(before, state_id=nth)
        idle.run(lambda view=again: screen.paint(view, still_ns))
        asleep.run(lambda view=again: screen.paint(view, still_ns))
        # What changes only once belongs to the frame before: here a card is in the air in both.
        screen.paint(after, after.at_ns + FRAME_NS * (nth % 6))
        screen.present()
        at_ns = after.at_ns + FRAME_NS * (nth % 6 + 1)
        moving.run(lambda at_ns=at_ns: screen.paint(after, at_ns))
        present_moving.run(screen.present)
    full_ms = full.median_ms
    return {
        "full_ms": full_ms,
        "idle_ms": idle.median_ms,
        "idle_share": idle.median_ms / full_ms,
        "asleep_ms": asleep.median_ms,
        "moving_ms": moving.median_ms,
        "moving_share": moving.median_ms / full_ms,
        "present_full_ms": present_full.median_ms,
        "present_moving_ms": present_moving.median_ms,
        "resident_mb": resident_mb(),
    }


class _Times:
    """Durations of the same thing done again and again."""

    def __init__(self) -> None:
        self._ns: list[int] = []

    def run(self, what: object) -> None:
        """Do *what* once."""
        assert callable(what)
        start_ns = perf_counter_ns()
        what()
        self._ns.append(perf_counter_ns() - start_ns)

    @property
    def median_ms(self) -> float:
        """The middle one, in milliseconds."""
        return statistics.median(self._ns) / NS_PER_MS


def resident_mb() -> float:
    """Most memory that this process has held, in MB; 0 where the system does not tell."""
    # Not getrusage's ru_maxrss: it starts out as what the process that started this one held (getrusage(2)).
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)
