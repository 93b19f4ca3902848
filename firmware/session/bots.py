"""CPU players: they look at what the screen shows and push buttons, like anybody else.

A bot knows no more than a player: face-up cards. It reacts after a human time, its switch bounces,
it is sometimes wrong, sometimes too late, and now and then too early. Chance is handed in.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from firmware import rules
from firmware.clock import NS_PER_MS
from firmware.rules.options import Redeal
from firmware.seats import Seat
from firmware.session.view import Stage, View
from firmware.touch.contact import START, Button


@dataclass(frozen=True, slots=True)
class Skill:
    """How good a bot is. Times are ms from the card on the screen to the touch.

    ``mistakes``: how often a card that fits nowhere is pressed somewhere all the same. ``false_starts``:
    how often GO is not waited for.
    """

    reaction_ms: float = 620
    spread_ms: float = 150
    fastest_ms: float = 190
    mistakes: float = 0.03
    false_starts: float = 0.04


@dataclass(frozen=True, slots=True)
class Push:
    """A button's line goes to ``level`` (0 closed) at ``at_ns``."""

    at_ns: int
    button: Button
    level: int


@dataclass(frozen=True, slots=True)
class _Plan:
    at_ns: int
    button: Button
    why: object


COMMITTED_NS = 120 * NS_PER_MS
"""So shortly before the touch a hand cannot be held back any more."""


class Bot:
    """One CPU player at *seat*."""

    def __init__(self, seat: Seat, chance: Random, skill: Skill | None = None) -> None:
        self._seat = seat
        self._chance = chance
        self._skill = skill or Skill()
        self._plan: _Plan | None = None
        self._pushes: list[Push] = []
        self._considered: object = None

    @property
    def next_at_ns(self) -> int | None:
        """When it next moves a finger."""
        if self._pushes:
            return self._pushes[0].at_ns
        return None if self._plan is None else self._plan.at_ns

    def see(self, view: View, shown_ns: int) -> None:
        """The screen shows *view* since *shown_ns*."""
        plan = self._plan
        if plan is not None and plan.at_ns - shown_ns <= COMMITTED_NS:
            return
        why, buttons, delay_ns = self._think(view, shown_ns)
        if plan is not None and plan.why == why:
            return
        self._plan = None
        if buttons:
            button = buttons[int(self._chance.random() * len(buttons))]
            self._plan = _Plan(shown_ns + delay_ns, Button(self._seat, button), why)

    def _think(self, view: View, shown_ns: int) -> tuple[object, list[int], int]:
        """Why it would press, which buttons it may press, and how long it takes."""
        table = view.table
        match view.stage:
            case Stage.COUNTDOWN if table is not None and view.go_at_ns is not None:
                why = ("go", view.go_at_ns)
                if self._considered == why:
                    return (self._plan.why if self._plan else None), [], 0
                self._considered = why
                is_early = self._chance.random() < self._skill.false_starts
                early_ns = int((50 + 250 * self._chance.random()) * NS_PER_MS)
                return why, [0] if is_early else [], max(0, view.go_at_ns - early_ns - shown_ns)
            case Stage.HAND if table is not None:
                return self._think_of(table)
            case _ if not view.is_ready[self._seat]:
                delay_ms = 900 + 900 * self._chance.random()
                return (view.stage, view.stage_since_ns), [START], int(delay_ms * NS_PER_MS)
        return None, [], 0

    def _think_of(self, table: rules.AnyTable) -> tuple[object, list[int], int]:
        seat, layout = self._seat, table.game.layout
        slots = table.game.legal_slots(table, seat)
        tops = tuple(pile.top for pile in table.piles)
        holding = table.holdings[seat]
        why: object = (holding.active, holding.covers, slots, [tops[slot] for slot in slots])
        if slots:
            return why, [layout.place(seat, slot)[0] for slot in slots], self._reaction_ns()
        if table.phase is not rules.Phase.PLAY or holding.active is None:
            return None, [], 0
        if table.options.redeal is Redeal.AGREE and not holding.has_agreed and self._is_stuck(table):
            return ("agree", tops), [START], 2 * self._reaction_ns()
        why = (holding.active, holding.covers, tops)
        if why == self._considered or table.frozen:
            return (self._plan.why if self._plan else None), [], 0
        self._considered = why
        is_wrong = self._chance.random() < self._skill.mistakes
        return why, list(range(layout.columns)) if is_wrong else [], self._reaction_ns()

    @staticmethod
    def _is_stuck(table: rules.AnyTable) -> bool:
        holdings = table.holdings
        return all(holding.active is not None for holding in holdings) and not any(
            table.game.legal_slots(table, seat) for seat in range(len(holdings))
        )

    def _reaction_ns(self) -> int:
        skill = self._skill
        ms = max(skill.fastest_ms, self._chance.gauss(skill.reaction_ms, skill.spread_ms))
        return int(ms * NS_PER_MS)

    def due(self, now_ns: int) -> list[Push]:
        """What its finger does to the line up to *now_ns*, each with its time."""
        plan = self._plan
        if plan is not None and plan.at_ns <= now_ns:
            self._plan = None
            self._pushes += self._press(plan)
            self._pushes.sort(key=lambda push: push.at_ns)
        due = [push for push in self._pushes if push.at_ns <= now_ns]
        self._pushes = self._pushes[len(due) :]
        return due

    def _press(self, plan: _Plan) -> list[Push]:
        held_ns = int((70 + 40 * self._chance.random()) * NS_PER_MS)
        return [
            *self._bounce(plan.at_ns, plan.button, 0),
            *self._bounce(plan.at_ns + held_ns, plan.button, 1),
        ]

    def _bounce(self, at_ns: int, button: Button, level: int) -> list[Push]:
        """A contact that closes or opens: some breaks within 1.6 ms, as switches have (Ganssle)."""
        breaks = int(self._chance.random() * 4)
        times = sorted(int(self._chance.random() * 1_600_000) for _ in range(2 * breaks))
        pushes = [Push(at_ns, button, level)]
        pushes += [
            Push(at_ns + 1 + after_ns, button, level ^ (nth % 2 == 0))
            for nth, after_ns in enumerate(times)
        ]
        return pushes


def seeded_bots(seed: int, skill: Skill | None = None) -> tuple[Bot, Bot]:
    """A CPU player for each side; what they do follows from *seed*."""
    return (
        Bot(0, Random(f"{seed}/bot/0"), skill),
        Bot(1, Random(f"{seed}/bot/1"), skill),
    )
