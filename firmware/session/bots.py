"""CPU players: they look at what the screen shows and push buttons, like anybody else.

A bot knows no more than a player: face-up cards. It reacts after a human time, its switch bounces,
it is sometimes wrong, sometimes too late, and now and then too early. Chance is handed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from firmware import rules
from firmware.clock import NS_PER_MS
from firmware.rules.options import Redeal
from firmware.seats import SIDES, Seat
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


PERFECT = Skill(reaction_ms=190, spread_ms=0, mistakes=0, false_starts=0)
HURRY = 8
"""How many times faster a bot is while no human has cards (R-4)."""


@dataclass(frozen=True, slots=True)
class Push:
    """A button's line goes to ``level`` (0 closed) at ``at_ns``."""

    at_ns: int
    button: Button
    level: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """To press ``button`` at ``at_ns``, with START held where ``is_far``. ``why``: what led to it."""

    at_ns: int
    button: Button
    is_far: bool
    why: object


COMMITTED_NS = 120 * NS_PER_MS
"""So shortly before the touch a hand cannot be held back any more."""
REACH_NS = 60 * NS_PER_MS
"""So long before the pile button START is held, where it is needed."""


class Bot:
    """One CPU player at *seat*, on a box with *buttons* pile buttons per seat."""

    def __init__(self, seat: Seat, buttons: int, chance: Random, skill: Skill | None = None) -> None:
        self._seat = seat
        self._buttons = buttons
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
        return None if self._plan is None else self._plan.at_ns - REACH_NS * self._plan.is_far

    def see(self, view: View, shown_ns: int) -> None:
        """The screen shows *view* since *shown_ns*."""
        plan = self._plan
        if plan is not None and plan.at_ns - shown_ns <= COMMITTED_NS:
            return
        self._plan = self._think(view, shown_ns)

    def _think(self, view: View, shown_ns: int) -> _Plan | None:
        match view.stage:
            case Stage.COUNTDOWN if view.go_at_ns is not None:
                return self._think_of_go(view.go_at_ns, shown_ns)
            case Stage.HAND if view.table is not None:
                return self._think_of(view.table, shown_ns)
            case Stage.COUNTDOWN | Stage.HAND:
                return None
        if self._seat >= SIDES or view.is_ready[self._seat]:
            return None
        why = (view.stage, view.stage_since_ns)
        delay_ms = 900 + 900 * self._chance.random()
        return self._keep_or(_Plan(shown_ns + int(delay_ms * NS_PER_MS), self._start, False, why))

    def _keep_or(self, plan: _Plan) -> _Plan:
        """What was planned before, if it was for the same reason: looking twice does not delay a hand."""
        return self._plan if self._plan is not None and self._plan.why == plan.why else plan

    @property
    def _start(self) -> Button:
        return Button(self._seat, START)

    def _think_of_go(self, go_at_ns: int, shown_ns: int) -> _Plan | None:
        why = ("go", go_at_ns)
        if self._considered == why or self._seat >= SIDES:
            return self._plan
        self._considered = why
        if self._chance.random() >= self._skill.false_starts:
            return None
        early_ns = int((50 + 250 * self._chance.random()) * NS_PER_MS)
        return _Plan(max(shown_ns, go_at_ns - early_ns), Button(self._seat, 0), False, why)

    def _think_of(self, table: rules.AnyTable, shown_ns: int) -> _Plan | None:
        seat, game = self._seat, table.game
        slots = game.legal_slots(table, seat)
        holding = table.holdings[seat]
        sight = tuple(pile.cards[-1:] for pile in table.piles)
        if slots:
            why: object = (holding.active, len(holding.draw), slots, [sight[slot] for slot in slots])
            return self._press_one_of(slots, table, shown_ns, why)
        if table.phase is not rules.Phase.PLAY or holding.active is None or table.frozen:
            return None
        if table.options.redeal is Redeal.AGREE and not holding.has_agreed and _is_stuck(table):
            at_ns = shown_ns + 2 * self._reaction_ns(table)
            return self._keep_or(_Plan(at_ns, self._start, False, ("agree", sight)))
        why = ("nothing fits", holding.active, sight)
        if why == self._considered:
            return self._plan
        self._considered = why
        if self._chance.random() >= self._skill.mistakes:
            return None
        return self._press_one_of(range(len(table.piles)), table, shown_ns, why)

    def _press_one_of(
        self, slots: Sequence[int], table: rules.AnyTable, shown_ns: int, why: object
    ) -> _Plan:
        slot = slots[int(self._chance.random() * len(slots))]
        if self._seat < SIDES:
            number, is_far = table.game.layout.button(self._seat, slot, self._buttons)
        else:
            number, is_far = slot, False
        at_ns = shown_ns + self._reaction_ns(table) + REACH_NS * is_far
        return self._keep_or(_Plan(at_ns, Button(self._seat, number), is_far, why))

    def _reaction_ns(self, table: rules.AnyTable) -> int:
        skill = self._skill
        ms = max(skill.fastest_ms, self._chance.gauss(skill.reaction_ms, skill.spread_ms))
        return int(ms * NS_PER_MS) // (HURRY if table.game.is_hurried(table) else 1)

    def due(self, now_ns: int) -> list[Push]:
        """What its finger does to the line up to *now_ns*, each with its time."""
        plan = self._plan
        if plan is not None and plan.at_ns - REACH_NS * plan.is_far <= now_ns:
            self._plan = None
            self._pushes += self._press(plan)
            self._pushes.sort(key=lambda push: push.at_ns)
        due = [push for push in self._pushes if push.at_ns <= now_ns]
        self._pushes = self._pushes[len(due) :]
        return due

    def _press(self, plan: _Plan) -> list[Push]:
        held_ns = int((70 + 40 * self._chance.random()) * NS_PER_MS)
        pushes = [
            *self._bounce(plan.at_ns, plan.button, 0),
            *self._bounce(plan.at_ns + held_ns, plan.button, 1),
        ]
        if plan.is_far:
            pushes += self._bounce(plan.at_ns - REACH_NS, self._start, 0)
            pushes += self._bounce(plan.at_ns + held_ns, self._start, 1)
        return pushes

    def _bounce(self, at_ns: int, button: Button, level: int) -> list[Push]:
        """A contact that closes or opens: some breaks within 1.6 ms, as switches have (Ganssle)."""
        breaks = int(self._chance.random() * 4)
        times = sorted(int(self._chance.random() * 1_600_000) for _ in range(2 * breaks))
        pushes = [Push(at_ns, button, level)]
        pushes += [
            Push(at_ns + 1 + after_ns, button, level ^ (nth % 2 == 0)) for nth, after_ns in enumerate(times)
        ]
        return pushes


def _is_stuck(table: rules.AnyTable) -> bool:
    holdings = table.holdings
    return all(holding.active is not None for holding in holdings) and not any(
        table.game.legal_slots(table, seat) for seat in range(len(holdings))
    )


def seeded_bots(seed: int, seats: Sequence[Seat], buttons: int, skill: Skill | None = None) -> list[Bot]:
    """A CPU player for each of *seats*; what they do follows from *seed*."""
    return [Bot(seat, buttons, Random(f"{seed}/bot/{seat}"), skill) for seat in seats]
