"""Chance from a seed: the shuffle, whose card lies on top, the toss.

Only ``random.Random(text).random()`` is used, because that is the one thing the standard
library promises to keep the same in every Python version (``random``, "Notes on
reproducibility"); ``shuffle`` and ``choice`` are not promised. A golden deck in the tests holds us to it.
Each kind of chance has a stream of its own, so that one more toss never changes a deck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def _stream(seed: int, purpose: str) -> Random:
    return Random(f"{seed}/{purpose}")


def _shuffled(items: Sequence[T], chance: Random) -> tuple[T, ...]:
    # Fisher-Yates. int(random() * n) is off from uniform by less than n / 2**53.
    rest = list(items)
    for last in range(len(rest) - 1, 0, -1):
        pick = int(chance.random() * (last + 1))
        rest[last], rest[pick] = rest[pick], rest[last]
    return tuple(rest)


def shuffled(items: Sequence[T], seed: int) -> tuple[T, ...]:
    """*items* in the order that *seed* gives them (T-1)."""
    return _shuffled(items, _stream(seed, "deck"))


def top_owners(piles: int, seed: int) -> tuple[int, ...]:
    """Whose card lies on top of each pile at the opening: half the piles each (S-1).

    With an odd number of piles the seed also says who has one more.
    """
    chance = _stream(seed, "tops")
    first = int(chance.random() * 2)
    return _shuffled(tuple((first + slot) % 2 for slot in range(piles)), chance)


def toss(seed: int, nth: int, seats: Sequence[int]) -> int:
    """The winner of the *nth* toss of a hand among *seats* (T-5), each equally likely."""
    return seats[int(_stream(seed, f"toss/{nth}").random() * len(seats))]


def hand_seeds(seed: int) -> Iterator[int]:
    """Endless seeds of single hands, 53 bits each, that follow from one *seed*."""
    chance = _stream(seed, "hands")
    while True:
        yield int(chance.random() * 2**53)
