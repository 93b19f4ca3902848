"""Everything about a hand that people may set (RULES T and S), with its defaults."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Redeal(StrEnum):
    """Who says that nobody can move (T-6): the engine, or all seats by START."""

    AUTO = "auto"
    AGREE = "agree"


class DeadHeatPolicy(StrEnum):
    """What a dead heat leads to (T-5): neither card lands and both go again, or a fair toss."""

    REPLAY = "replay"
    COIN = "coin"


class ShortRedeal(StrEnum):
    """What a redeal with too few cards leads to (S-6): the end by count, or dealing what there is."""

    DEADLOCK = "deadlock"
    DEAL_WHAT_YOU_HAVE = "deal_what_you_have"


class Pace(StrEnum):
    """How long a seat may sit on a playable card while the other is stuck (S-15)."""

    CALM = "calm"
    RUSH = "rush"


PENALTIES_MS = (0, 250, 500, 1000)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one hand. Times are in milliseconds.

    ``penalty_ms``: one of :data:`PENALTIES_MS` for each seat (T-3); a single number counts for all.
    ``grace_ms``: T-4. ``flip_ms``: S-2. ``redeal_pause_ms``: T-6. ``freeze_ms``: T-5. ``rush_ms``: S-15.
    Raises :class:`ValueError` that names the option, the value found and what is allowed.
    """

    penalty_ms: tuple[int, ...] = (500,)
    grace_ms: int = 200
    flip_ms: int = 150
    redeal: Redeal = Redeal.AUTO
    redeal_pause_ms: int = 1200
    dead_heat: DeadHeatPolicy = DeadHeatPolicy.REPLAY
    freeze_ms: int = 600
    short_redeal: ShortRedeal = ShortRedeal.DEADLOCK
    pace: Pace = Pace.CALM
    rush_ms: int = 3000

    def __post_init__(self) -> None:
        if not self.penalty_ms or any(ms not in PENALTIES_MS for ms in self.penalty_ms):
            allowed = ", ".join(map(str, PENALTIES_MS))
            raise ValueError(f"penalty_ms: found {self.penalty_ms}, allowed are {allowed}")
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name}: found {value}, allowed are {low} to {high}")

    def for_seats(self, seats: int) -> Options:
        """These options with a penalty for each of *seats*."""
        given = self.penalty_ms
        if len(given) == seats:
            return self
        if len(given) != 1:
            raise ValueError(f"penalty_ms: found {len(given)} values, allowed are 1 or {seats}")
        return replace(self, penalty_ms=given * seats)


_RANGES = (
    ("grace_ms", 0, 1000),
    ("flip_ms", 0, 2000),
    ("redeal_pause_ms", 0, 10_000),
    ("freeze_ms", 1, 5000),
    ("rush_ms", 500, 60_000),
)
