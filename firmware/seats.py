"""Seats, and what each of them has: both players are treated by one and the same code.

A seat is a number from 0; people are shown 1 and up. Seat 0 sits at the near edge of the screen,
seat 1 opposite. More seats (R) have no buttons of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Seat = int
SIDES = 2
"""Seats with buttons: the box has two sides."""

T = TypeVar("T")
U = TypeVar("U")


def opposite(seat: Seat) -> Seat:
    """The seat on the other side of the table."""
    return 1 - seat


class Both(Generic[T]):
    """One thing for each side. Frozen; ``both[seat]`` reads it."""

    __slots__ = ("_things",)

    def __init__(self, near: T, far: T) -> None:
        self._things = (near, far)

    @classmethod
    def of(cls, make: Callable[[Seat], T]) -> Both[T]:
        """``make(seat)`` for each side."""
        return cls(make(0), make(1))

    def __getitem__(self, seat: Seat) -> T:
        return self._things[seat]

    def __iter__(self) -> Iterator[T]:
        return iter(self._things)

    def map(self, change: Callable[[T], U]) -> Both[U]:
        """The same change made to both."""
        return Both(change(self._things[0]), change(self._things[1]))

    def swapped(self) -> Both[T]:
        """The two sides exchanged: what every fairness test also runs with."""
        return Both(self._things[1], self._things[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Both) and self._things == other._things

    def __hash__(self) -> int:
        return hash(self._things)

    def __repr__(self) -> str:
        return f"Both({self._things[0]!r}, {self._things[1]!r})"
