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
SECOND_BANK_CHORD_MS = 1500


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one hand. Times are in milliseconds.

    ``penalty_ms``: one of :data:`PENALTIES_MS` for each seat (T-3); a single number counts for all.
    ``grace_ms``: T-4. ``flip_ms``: S-2. ``redeal_pause_ms``: T-6. ``freeze_ms``: T-5. ``rush_ms``: S-15.
    ``lay_ms``: from one card to the next while a row is laid (D-1). ``deal_interval_ms``: from one to the
    next while rows grow (A-1). ``chord_ms``: how long the first touch of a call waits for the second (A-3).
    ``split``: cards of each seat where they are not to have equally many, 12 to 40 each (M-2).
    ``human_seats``: whom a tournament does not hurry past (R-4).
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
    lay_ms: int = 150
    deal_interval_ms: int = 900
    chord_ms: int = 400
    split: tuple[int, ...] | None = None
    human_seats: tuple[int, ...] = (0, 1)

    def __post_init__(self) -> None:
        for name, kind in _CHOICES:
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise ValueError(f"{name}: found {value!r}, allowed are {', '.join(map(str, kind))}")
        if not self.penalty_ms or any(ms not in PENALTIES_MS for ms in self.penalty_ms):
            allowed = ", ".join(map(str, PENALTIES_MS))
            raise ValueError(f"penalty_ms: found {self.penalty_ms}, allowed are {allowed}")
        if self.split is not None and not all(12 <= cards <= 40 for cards in self.split):
            raise ValueError(f"split: found {self.split}, allowed are 12 to 40 cards each")
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name}: found {value}, allowed are {low} to {high}")

    def for_seats(self, seats: int) -> Options:
        """These options with a penalty for each of *seats*; one for all may be given any number of times."""
        given = self.penalty_ms
        if len(given) == seats:
            return self
        if len(set(given)) != 1:
            raise ValueError(f"penalty_ms: found {len(given)} values, allowed are 1 or {seats}")
        return replace(self, penalty_ms=given[:1] * seats)

    def with_second_bank(self) -> Options:
        """These options where START is the second bank of buttons (RULES "Places and buttons").

        It cannot agree then (T-6), and the two touches of a call may need a hand moved in between (A-3).
        """
        return replace(self, redeal=Redeal.AUTO, chord_ms=max(self.chord_ms, SECOND_BANK_CHORD_MS))


_CHOICES: tuple[tuple[str, type[StrEnum]], ...] = (
    ("redeal", Redeal),
    ("dead_heat", DeadHeatPolicy),
    ("short_redeal", ShortRedeal),
    ("pace", Pace),
)
_RANGES = (
    ("grace_ms", 0, 1000),
    ("flip_ms", 0, 2000),
    ("redeal_pause_ms", 0, 10_000),
    ("freeze_ms", 1, 5000),
    ("rush_ms", 500, 60_000),
    ("lay_ms", 0, 2000),
    ("deal_interval_ms", 100, 10_000),
    ("chord_ms", 50, 5000),
)
