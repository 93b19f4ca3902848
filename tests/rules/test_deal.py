"""Chance from a seed: the same on every machine and every Python version, and fair."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from firmware.rules.cards import PACK, cards_text
from firmware.rules.deal import hand_seeds, shuffled, top_owners, toss

GOLDEN_DECKS = {
    0: (
        "Jc5hTh4h7dQhAh5sTs3dQdAcQs7hQc9h5d4sJh7cTd8sJd2d6h4d"
        "9cKs7sAd2sAsKc5c3c8c6c4c2h8h9s8d3sKd6d6sKh9d2cTcJs3h"
    ),
    1: (
        "2dJd4h6sQd8hAs6c9cKs5d7h9hJc4c4d3sJh7s8c5s3c9dTd3dQc"
        "Ac3h8d4s5hTh7cTs5c8sQs2sAdTc2c2hKhKdAhQh7d9sKc6dJs6h"
    ),
    7: (
        "Qs5sQd5dJhTd3dKdJd7sJs4c4h6cQc4d8d3hKcThKs4s7c5hAs8c"
        "Qh9c5c9d9h6h6d3c2cKh7d2dAcTs9sTc6sJc2sAd8s3s8h2h7hAh"
    ),
    2**53 - 1: (
        "7d2sQdJdJsTh4s9c5cJc5d4d2c8s8d3sKsAd8hTdAh2h7s7hQcJh"
        "4h3d3h5s9hAs5h7c3cKdTsKh2d6c6s9s6hTc6dKc4c9dAcQs8cQh"
    ),
    -3: (
        "Ad9h2dQc5sKc2h9c7sTc8h3h6d8s7d6h3sKd2c8d5hQsTd5cJhJc"
        "3dAcAh7h4h9dJdThKs6c3cAsKh2s6s8c4c4d7c9s4sQdTsJs5dQh"
    ),
}
"""Written down once from Python 3.11 and compared with 3.13: old journals have to replay for ever."""


@pytest.mark.parametrize("seed", GOLDEN_DECKS)
def test_t1_a_seed_gives_the_deck_it_always_gave(seed: int) -> None:
    assert cards_text(shuffled(PACK, seed)) == GOLDEN_DECKS[seed]


def test_t1_all_other_chance_from_a_seed_stays_too() -> None:
    assert [top_owners(4, seed) for seed in range(4)] == [
        (0, 1, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0), (1, 0, 1, 0)
    ]  # fmt: skip
    assert [top_owners(3, seed) for seed in range(4)] == [(0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 1, 0)]
    assert [toss(1, nth, (0, 1)) for nth in range(12)] == [1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0]
    assert list(islice(hand_seeds(1), 3)) == [443096041400014, 5065580802783868, 5103456573371867]


def test_t1_shuffle_puts_every_card_anywhere_equally_often() -> None:
    # 3,000 decks: a card is at a place 57.7 times on average, standard deviation 7.5; six of them are 45.
    places = Counter((card, place) for seed in range(3000) for place, card in enumerate(shuffled(PACK, seed)))
    assert len(places) == 52 * 52
    assert all(abs(times - 3000 / 52) < 45 for times in places.values())


@pytest.mark.parametrize("piles", [2, 3, 4, 5, 6])
def test_s1_half_the_tops_each_and_no_seat_or_pile_favoured(piles: int) -> None:
    drawn = [top_owners(piles, seed) for seed in range(4000)]
    assert {sum(owners) for owners in drawn} == {piles // 2, (piles + 1) // 2}
    for slot in range(piles):
        assert 1800 < sum(owners[slot] for owners in drawn) < 2200  # six standard deviations


@pytest.mark.parametrize("seats", [(0, 1), (0, 3), (1, 2, 4)])
def test_t5_toss_is_fair_to_every_seat_and_every_nth(seats: tuple[int, ...]) -> None:
    for nth in (0, 1, 5):
        won = Counter(toss(seed, nth, seats) for seed in range(6000))
        assert set(won) == set(seats)
        assert all(abs(times - 6000 / len(seats)) < 240 for times in won.values())


def test_m1_seeds_of_hands_all_differ() -> None:
    assert len(set(islice(hand_seeds(1), 10_000)) | set(islice(hand_seeds(2), 10_000))) == 20_000
