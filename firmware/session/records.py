"""What is to be kept: the session's word to the keeper, and what the keeper gives back after a restart."""

from __future__ import annotations

from dataclasses import dataclass

from firmware import rules


@dataclass(frozen=True, slots=True)
class HandBegan:
    """A hand is set up. With ``game_id``, ``options`` and ``seed`` it can be dealt again."""

    game_id: str
    options: rules.Options
    seed: int
    at_ns: int
    best_of: int
    wins: tuple[int, ...]
    seats: int = 2


@dataclass(frozen=True, slots=True)
class Entered:
    """A command went into the rules. ``touched_ns``: the stamp of the touch, where it is not the
    command's own time; ``is_late``: it came after something later had been decided."""

    command: rules.Command
    touched_ns: int | None = None
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """The screen shows the state since ``at_ns``: reaction times start here. The rules never read it."""

    state_id: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class HandEnded:
    """The hand is over, since ``at_ns``.

    ``played_ns``: from GO to the end. ``covers``, ``offences``: of each seat. ``match``: this hand counted.
    """

    outcome: rules.Outcome
    at_ns: int
    played_ns: int
    covers: tuple[int, ...]
    offences: tuple[int, ...]
    match: rules.Match


@dataclass(frozen=True, slots=True)
class MatchLeft:
    """The match begun is not gone on with: its players have left, or want another one."""


HandRecord = HandBegan | Entered | Shown | HandEnded
Record = HandRecord | MatchLeft


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A match that was going on when the plug was pulled. ``match``: as after its last whole hand."""

    game_id: str
    options: rules.Options
    seats: int
    match: rules.Match
