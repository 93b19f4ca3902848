"""What happened in a hand. Every event carries the time of the command that caused it, in ns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmware.rules.cards import Card


class Reason(StrEnum):
    """Why a hand ended (T-8)."""

    PLACED_LAST_CARD = "placed_last_card"
    FEWER_CARDS = "fewer_cards"
    CALLED = "called"
    SMALL_SHARE = "small_share"
    LAST_IN_HAND = "last_in_hand"
    MOST_CARDS = "most_cards"
    TIE = "tie"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a hand ended: why, and the winning seat (None for a tie or an abandoned hand)."""

    reason: Reason
    winner: int | None


class Offence(StrEnum):
    """What a penalty is for: an illegal press (T-3), a false start (T-7), agreeing (T-6) or calling (A-3)
    wrongly."""

    ILLEGAL = "illegal"
    FALSE_START = "false_start"
    AGREED_WRONGLY = "agreed_wrongly"
    CALLED_WRONGLY = "called_wrongly"


class Excuse(StrEnum):
    """Why a press counted for nothing."""

    PENALTY = "penalty"
    FROZEN = "frozen"
    PAUSE = "pause"
    TURNING = "turning"
    NO_PILE = "no_pile"
    DEALING = "dealing"
    OUT = "out"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Dealt:
    """``seat`` put ``card`` face up on ``slot`` at a deal. In the order in which cards lie, bottom first."""

    at_ns: int
    seat: int
    slot: int
    card: Card


@dataclass(frozen=True, slots=True)
class Turned:
    """``seat``'s next card lies face up and is active (S-2)."""

    at_ns: int
    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class Covered:
    """``seat`` put ``card`` on the pile at ``slot`` (S-3)."""

    at_ns: int
    seat: int
    slot: int
    card: Card


@dataclass(frozen=True, slots=True)
class Beaten:
    """A press that was legal until ``lead_ns`` before it, when somebody else changed the pile (T-4)."""

    at_ns: int
    seat: int
    slot: int
    lead_ns: int


@dataclass(frozen=True, slots=True)
class Penalised:
    """``seat``'s pile buttons are dead until ``until_ns`` (T-3); ``slot``: the pressed one, None at START."""

    at_ns: int
    seat: int
    slot: int | None
    offence: Offence
    until_ns: int


@dataclass(frozen=True, slots=True)
class FalseStarted:
    """``seat`` pressed before GO; its penalty will count from GO (T-7)."""

    at_ns: int
    seat: int
    slot: int


@dataclass(frozen=True, slots=True)
class PutBack:
    """``seat``'s active card went back on its draw pile, face down (S-7)."""

    at_ns: int
    seat: int


@dataclass(frozen=True, slots=True)
class Released:
    """``seat``'s penalty is over."""

    at_ns: int
    seat: int


@dataclass(frozen=True, slots=True)
class Ignored:
    """A press by ``seat`` that counted for nothing, and why; ``slot`` is None for START."""

    at_ns: int
    seat: int
    slot: int | None
    excuse: Excuse


@dataclass(frozen=True, slots=True)
class DeadHeated:
    """``seats`` touched too close to call; ``winner`` won the toss, None: neither card landed (T-5)."""

    at_ns: int
    seats: tuple[int, ...]
    winner: int | None


@dataclass(frozen=True, slots=True)
class Frozen:
    """Presses on ``slot`` count for nothing until ``until_ns`` (T-5)."""

    at_ns: int
    slot: int
    until_ns: int


@dataclass(frozen=True, slots=True)
class Thawed:
    """``slot`` may be covered again."""

    at_ns: int
    slot: int


@dataclass(frozen=True, slots=True)
class Stuck:
    """Nobody can move; the redeal comes at ``until_ns`` (T-6)."""

    at_ns: int
    until_ns: int


@dataclass(frozen=True, slots=True)
class Agreed:
    """``seat`` said that nobody can move, and that may be so (T-6)."""

    at_ns: int
    seat: int


@dataclass(frozen=True, slots=True)
class Redealt:
    """A redeal begins; its :class:`Dealt` events follow. ``is_rush``: it came because of S-15."""

    at_ns: int
    is_rush: bool


@dataclass(frozen=True, slots=True)
class Gathered:
    """``seat`` took the piles at ``slots`` under its draw pile, face down, in this order (D-5)."""

    at_ns: int
    seat: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RanOut:
    """``seat`` has no cards left, and that is not the end: it calls from now on (A-3) or waits (R-3)."""

    at_ns: int
    seat: int


@dataclass(frozen=True, slots=True)
class Touched:
    """``seat`` touched ``slot``, the first of two that make a call; the second counts until ``until_ns``."""

    at_ns: int
    seat: int
    slot: int
    until_ns: int


@dataclass(frozen=True, slots=True)
class Called:
    """``seat`` called a true pair: the tops at ``slots``, in the order it touched them (A-3)."""

    at_ns: int
    seat: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Eliminated:
    """``seat`` is out of the tournament, and why; the next round is dealt at ``until_ns`` (R-3)."""

    at_ns: int
    seat: int
    reason: Reason
    until_ns: int


@dataclass(frozen=True, slots=True)
class RoundDealt:
    """A new round: all cards were collected, shuffled and dealt to ``seats`` (R-3).

    ``removed``: the rank left out (0 ace to 12 king), None where all cards play (R-1).
    """

    at_ns: int
    seats: tuple[int, ...]
    removed: int | None


@dataclass(frozen=True, slots=True)
class Ended:
    """The hand is over (T-8)."""

    at_ns: int
    reason: Reason
    winner: int | None


Event = (
    Dealt
    | Turned
    | Covered
    | Beaten
    | Penalised
    | FalseStarted
    | PutBack
    | Released
    | Ignored
    | DeadHeated
    | Frozen
    | Thawed
    | Stuck
    | Agreed
    | Redealt
    | Gathered
    | RanOut
    | Touched
    | Called
    | Eliminated
    | RoundDealt
    | Ended
)
