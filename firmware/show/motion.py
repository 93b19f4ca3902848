"""What moves, as a function of what happened and of the time: nothing here remembers anything.

A card flies at most :data:`FLY_NS`, fast first and then slowing down, and never back and forth. The
verdict does not wait for it: all words and signs are there from the first picture on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from firmware.rules import Event
from firmware.rules.events import Covered, Dealt, Gathered
from firmware.seats import Seat
from firmware.show.items import Box

FLY_NS = 120_000_000
BAR_STEP_NS = 40_000_000
"""A bar that runs out moves on this often."""


class Wake:
    """Gathers when the picture changes by itself; ``at_ns`` is the earliest moment, None: never."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns
        self.at_ns: int | None = None

    def at(self, at_ns: int) -> None:
        """It changes at *at_ns*; a moment that has passed is no reason to wake."""
        if at_ns > self.now_ns and (self.at_ns is None or at_ns < self.at_ns):
            self.at_ns = at_ns

    def next_frame(self) -> None:
        """Something moves: it changes with every frame."""
        self.at_ns = self.now_ns

    def is_before(self, until_ns: int) -> bool:
        """True, and a reason to wake at *until_ns*, while that moment is to come."""
        self.at(until_ns)
        return self.now_ns < until_ns

    def left(self, until_ns: int, total_ns: int, steps: int) -> int:
        """How many of *steps* are left of *total_ns* that end at *until_ns*, in calm steps."""
        left_ns = min(total_ns, until_ns - self.now_ns)
        if left_ns <= 0 or total_ns <= 0:
            return 0
        whole = -(-left_ns // BAR_STEP_NS)
        self.at(until_ns - (whole - 1) * BAR_STEP_NS)
        return min(steps, -(-steps * whole * BAR_STEP_NS // total_ns))


@dataclass(frozen=True, slots=True)
class Flight:
    """A card on its way to a pile; ``share``: how far it has come, 0 to 1."""

    event: Covered | Dealt
    share: float


@dataclass(frozen=True, slots=True)
class Slide:
    """A pile that lay at ``slot`` on its way to ``seat``, face down; ``share``: how far it is, 0 to 1."""

    seat: Seat
    slot: int
    share: float


def eased(at_ns: int, now_ns: int, length_ns: int = FLY_NS) -> float:
    """How far a motion that began at *at_ns* has come, 0 to 1: fast first, then slowing down."""
    gone = min(1.0, max(0.0, (now_ns - at_ns) / length_ns))
    return 1.0 - (1.0 - gone) ** 3


def flights(recent: Iterable[Event], now_ns: int) -> list[Flight]:
    """The cards that are in the air at *now_ns*, in the order in which they left."""
    return [
        Flight(event, eased(event.at_ns, now_ns))
        for event in recent
        if isinstance(event, Covered | Dealt) and now_ns < event.at_ns + FLY_NS
    ]


def slides(recent: Iterable[Event], now_ns: int) -> list[Slide]:
    """The piles on their way to who gathers them; a card laid at the same moment lands on them before."""
    found: list[Slide] = []
    landed_at_ns = -1
    for event in recent:
        if isinstance(event, Covered | Dealt):
            landed_at_ns = event.at_ns
        elif isinstance(event, Gathered):
            starts_at_ns = event.at_ns + FLY_NS if landed_at_ns == event.at_ns else event.at_ns
            if now_ns < starts_at_ns + FLY_NS:
                share = eased(starts_at_ns, now_ns)
                found += [Slide(event.seat, slot, share) for slot in event.slots]
    return found


def between(start: Box, end: Box, share: float) -> Box:
    """The box on the straight way from *start* to *end*, which is as large."""

    def mix(one: int, other: int) -> int:
        return round(one + (other - one) * share)

    return Box(mix(start.x, end.x), mix(start.y, end.y), end.w, end.h)
