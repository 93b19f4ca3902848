"""The lines that a player is told: one for what just happened, one below it, and a bar that runs out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firmware.seats import Seat


class Tone(Enum):
    """What a line is about, which gives it its colour."""

    OWN = "own"
    OTHER = "other"
    PLAIN = "plain"
    SOFT = "soft"
    PENALTY = "penalty"


@dataclass(frozen=True, slots=True)
class Said:
    """A text and its tone; ``whose``: the seat that OTHER is about, None: the opposite player."""

    text: str
    tone: Tone
    whose: Seat | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """``until_ns`` and ``total_ns``: the bar, None for none; ``is_penalty``: what it is for.

    ``is_prompt``: the line asks for START, or says that START has been taken. ``is_asked``: ``sub`` asks for
    something to be done and stays below whatever else is told. ``hint``: what another button would do.
    """

    line: Said | None = None
    sub: Said | None = None
    until_ns: int | None = None
    total_ns: int = 0
    is_penalty: bool = False
    is_prompt: bool = False
    is_asked: bool = False
    hint: Said | None = None
