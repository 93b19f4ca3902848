"""What the cabinet is doing now, as one object at a time.

A phase is told of touches and due timers, each with its time, and says what comes next: nothing new,
or another phase. It never looks at a clock and makes no other phase: the session does. The way round::

    Wait(START) ──both START──► Play ──the hand ends──► Wait(RESULT or MATCH_END) ──both START──► Play
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from firmware.rules import Cover, DeadHeat, Entry, Match, Options
from firmware.session.records import Interrupted, Record
from firmware.session.view import Stage, View
from firmware.touch.arbiter import Let
from firmware.touch.contact import Button, Release, Touch


@dataclass(frozen=True)
class Box:
    """What every phase needs to know of the cabinet it plays on.

    ``seats``: how many play, 2 of them at buttons. ``buttons``: pile buttons per seat. ``seeds``: a new one
    for each hand. ``keep``: takes what is to be kept. ``was_held``: was that button held at that time?
    """

    entry: Entry
    options: Options
    best_of: int
    seats: int
    buttons: int
    seeds: Iterator[int]
    keep: Callable[[Record], None]
    was_held: Callable[[Button, int], bool]

    @property
    def has_second_bank(self) -> bool:
        """Do the buttons address the far side with START held?"""
        return self.entry.game.layout.needs_second_bank(self.buttons)

    @property
    def hand_options(self) -> Options:
        """The options of every hand here."""
        options = self.options.with_second_bank() if self.has_second_bank else self.options
        return options.for_seats(self.seats)

    def new_match(self) -> Match:
        """Nobody has won a hand yet."""
        return Match(self.best_of, (0,) * self.seats)

    def start(self, begun: Match | None = None) -> Wait:
        """Next: the start. A match *begun* that still goes on after a whole hand is offered again."""
        new = self.new_match()
        if begun is None or begun.hands == 0 or begun.winner is not None:
            return Wait(Stage.START, new)
        return Wait(Stage.START, begun, new)

    def start_after(self, interrupted: Interrupted | None) -> Wait:
        """Next: the start after a restart. Offered is what would be played now: whoever has set another
        game, or other options of it, has ended the match."""
        if interrupted is None:
            return self.start()
        there = (interrupted.game_id, interrupted.options, interrupted.seats, interrupted.match.best_of)
        here = (self.entry.game.id, self.hand_options, self.seats, self.best_of)
        return self.start(interrupted.match if there == here else None)


@dataclass(frozen=True, slots=True)
class Wait:
    """Next: wait for both STARTs, showing *stage*. ``other``: what a pile button chooses instead."""

    stage: Stage
    match: Match
    other: Match | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """Next: play a hand of *match*."""

    match: Match


Next = Wait | Play | None


class Phase(ABC):
    """One thing that the cabinet does."""

    @property
    @abstractmethod
    def next_timer_at_ns(self) -> int | None:
        """When :meth:`timer` wants to be called; None for never."""

    @abstractmethod
    def touched(self, let: Let[DeadHeat]) -> Next:
        """Touches were let out: one, or the contestants of a dead heat with its verdict."""

    @abstractmethod
    def timer(self, at_ns: int) -> Next:
        """The time of :attr:`next_timer_at_ns` has come."""

    def released(self, release: Release) -> None:  # noqa: B027  # most phases do not care
        """A button was opened."""

    def cover(self, touch: Touch) -> Cover | None:
        """The command that *touch* would be in a hand; None where it is none."""
        return None

    def judge(self, covers: list[Cover]) -> Cover | DeadHeat:
        """Who was first of touches too close to call."""
        return covers[0]

    @abstractmethod
    def view(self, before: View) -> View:
        """What is to be seen now, given what was seen *before*."""
