"""What may enter a hand, each with its time. Commands are imperative; events are what came of them."""

from __future__ import annotations

from dataclasses import dataclass


class IllegalCommand(ValueError):
    """A command that cannot be at this point of a hand, whoever sent it. The state is unchanged.

    Not to be mixed up with an illegal *press*, which is part of the game (T-3).
    """


@dataclass(frozen=True, slots=True)
class Go:
    """The start signal: cards are dealt now (S-1). Earlier presses are false starts (T-7)."""

    at_ns: int


@dataclass(frozen=True, slots=True)
class Cover:
    """A seat's first touch of the place of a slot: it wants to cover the pile there (T-2).

    Of a seat that has to call it is one of the two touches of its call (A-3).
    """

    at_ns: int
    seat: int
    slot: int


@dataclass(frozen=True, slots=True)
class Agree:
    """A seat says that nobody can move (T-6, ``redeal = "agree"``)."""

    at_ns: int
    seat: int


@dataclass(frozen=True, slots=True)
class DeadHeat:
    """Touches too close to call that are in each other's way, and what was decided (T-5).

    ``contestants``: (seat, slot) pairs, by seat. ``winner``: the seat that won the toss, None where
    neither card lands and the piles freeze.
    """

    at_ns: int
    contestants: tuple[tuple[int, int], ...]
    winner: int | None


@dataclass(frozen=True, slots=True)
class Timer:
    """Something that was to happen at a time, and is due. ``what`` names it, ``index`` says to whom.

    ``turn``, ``release`` and ``chord`` are a seat's, ``thaw`` a slot's, ``redeal``, ``rush``, ``lay`` and
    ``grow`` belong to the table (index 0).
    """

    at_ns: int
    what: str
    index: int


@dataclass(frozen=True, slots=True)
class Abandon:
    """Nobody is there any more, or both gave up."""

    at_ns: int


Command = Go | Cover | Agree | DeadHeat | Timer | Abandon
