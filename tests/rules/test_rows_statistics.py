"""Row games between perfect, equally fast players: how long hands are and how they end.

A few hundred hands of each; the bounds are some three standard errors wider than those for 5,000.
"""

from __future__ import annotations

from collections import Counter

import pytest

from firmware.rules import Reason
from firmware.session.simulation import play_hand, simulate


def test_d_median_hand_has_87_covers_and_5_or_6_gathers() -> None:
    tally = simulate("double_flip", 600, 1)
    assert tally.reasons == {Reason.PLACED_LAST_CARD: 600}
    assert 80 <= tally.median_covers <= 95
    assert 5 <= tally.median_gathers <= 6
    assert 240 <= tally.wins[0] <= 360


def test_d8_median_hand_has_72_covers() -> None:
    tally = simulate("doubles", 600, 1)
    assert 65 <= tally.median_covers <= 79
    assert 240 <= tally.wins[0] <= 360


def test_a_nearly_every_hand_is_called_after_38_covers() -> None:
    tally = simulate("aggravation", 800, 1)
    assert tally.reasons[Reason.CALLED] >= 792
    assert 35 <= tally.median_covers <= 41
    assert tally.median_gathers == 0
    assert 330 <= tally.wins[0] <= 470


def test_f_small_share_wins_most_hands_after_12_gathers() -> None:
    tally = simulate("frustration", 160, 1)
    assert 0.88 <= tally.reasons[Reason.SMALL_SHARE] / 160 <= 0.99
    assert 10 <= tally.median_gathers <= 14


def test_r_five_seats_always_have_one_winner_after_14_gathers() -> None:
    tally = simulate("tournament", 100, 1)
    assert tally.reasons == {Reason.PLACED_LAST_CARD: 100}
    assert 11 <= tally.median_gathers <= 17
    assert set(tally.wins) == set(range(5))
    assert all(8 <= won <= 34 for won in tally.wins.values())


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_r_fewer_seats_may_play(seats: int) -> None:
    winners = Counter(play_hand("tournament", seed, seats=seats).winner for seed in range(12))
    assert set(winners) <= set(range(seats))
