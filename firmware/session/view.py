"""What the people at the table are to see, as one frozen value: the session's word to the show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firmware import rules


class Stage(Enum):
    """What the cabinet is doing."""

    START = "start"
    """Waiting for both STARTs before the first hand of a match."""
    COUNTDOWN = "countdown"
    """3-2-1; no card lies yet, a press on a pile is a false start (T-7)."""
    HAND = "hand"
    """A hand is in play."""
    RESULT = "result"
    """A hand is over, the match goes on; waiting for both STARTs."""
    MATCH_END = "match_end"
    """Somebody has won the match; waiting for both STARTs."""


class NoteKind(Enum):
    """What a player is told about what just happened to them."""

    FIRST = "first"
    """This player was first in a close contest, by ``ms``."""
    BEATEN = "beaten"
    """Another player was first, by ``ms`` (T-4)."""
    WRONG_PILE = "wrong_pile"
    """The card does not fit there; penalty (T-3)."""
    FALSE_START = "false_start"
    """Pressed before GO; penalty from GO (T-7)."""
    AGREED_WRONGLY = "agreed_wrongly"
    """Said that nobody can move while somebody could; penalty (T-6)."""
    CALLED_WRONGLY = "called_wrongly"
    """Called two tops that are not equal; penalty (A-3)."""
    AGREED = "agreed"
    """Said that nobody can move; waiting for the other player."""
    DEAD_HEAT = "dead_heat"
    """Too close to call, neither card landed (T-5)."""
    TOSS_WON = "toss_won"
    TOSS_LOST = "toss_lost"
    STILL_THERE = "still_there"
    """Nobody has pressed for long; the hand is abandoned soon."""


@dataclass(frozen=True, slots=True)
class Note:
    """One line for one player. ``ms``: a lead in milliseconds, where the kind has one."""

    kind: NoteKind
    at_ns: int
    ms: float | None = None


@dataclass(frozen=True, slots=True)
class View:
    """All there is to see at a moment.

    ``state_id`` grows by one with every view. ``at_ns`` is the time of what last changed. ``stage_since_ns``:
    when the stage began. ``is_ready``: whose START has been taken in a stage that waits for both.
    ``go_at_ns``: when GO is or was (COUNTDOWN on). ``match`` counts the hand just ended once the stage is
    RESULT or MATCH_END. ``other_match``: in START, what a pile button chooses in place of ``match``: one of
    the two is a match that was interrupted, with hands played, the other a new one; None where there is no
    choice. ``is_saved``: the hand on the table is over and on disk. ``table``: the hand (None in START).
    ``recent``: the hand's events of the last two seconds, oldest first, so that whoever draws late still
    knows what moves. ``notes``: the latest line for each seat. ``stuck_buttons``: (seat, button) out of play,
    ``START`` being button -1. ``faults``: lines for the operator. ``input_note``: how the presses are timed
    where that is worse than the kernel's stamp. ``needs_second_bank``: are there fewer buttons than places,
    so that START held makes them address the far side? ``has_second_bank``: whose START is held so that its
    buttons address the far side, where a cabinet has fewer buttons than places.
    """

    state_id: int
    at_ns: int
    stage: Stage
    stage_since_ns: int
    game_id: str
    match: rules.Match
    is_ready: tuple[bool, ...] = (False, False)
    go_at_ns: int | None = None
    table: rules.AnyTable | None = None
    recent: tuple[rules.Event, ...] = ()
    notes: tuple[Note | None, ...] = (None, None)
    stuck_buttons: tuple[tuple[int, int], ...] = ()
    faults: tuple[str, ...] = ()
    input_note: str | None = None
    needs_second_bank: bool = False
    has_second_bank: tuple[bool, ...] = (False, False)
    other_match: rules.Match | None = None
    is_saved: bool = False
