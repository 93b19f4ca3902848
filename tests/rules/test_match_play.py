"""Best of N hands (M-1)."""

from __future__ import annotations

import pytest

from firmware.rules import Match, Outcome, Reason
from tests.rules.hands import both_ways

TIE = Outcome(Reason.TIE, None)


def played(best_of: int, winners: list[int], *, swap: bool = False) -> Match:
    match = Match(best_of)
    for winner in winners:
        match = match.after(Outcome(Reason.PLACED_LAST_CARD, 1 - winner if swap else winner))
    return match


@both_ways
@pytest.mark.parametrize(("best_of", "needed"), [(1, 1), (3, 2), (5, 3)])
def test_m1_most_hands_win_the_match(best_of: int, needed: int, swap: bool) -> None:
    winner = 1 if swap else 0
    assert Match(best_of).needed == needed
    assert played(best_of, [0] * (needed - 1), swap=swap).winner is None
    assert played(best_of, [0] * needed, swap=swap).winner == winner
    assert played(best_of, [1, 0] * (needed - 1) + [0], swap=swap).winner == winner


def test_m1_best_of_three_unless_chosen_otherwise() -> None:
    assert Match() == Match(3)


@pytest.mark.parametrize("best_of", [0, 2, 4, 7, -1])
def test_m1_other_lengths_are_refused(best_of: int) -> None:
    with pytest.raises(ValueError, match=f"best of {best_of}: allowed are 1, 3, 5"):
        Match(best_of)


@pytest.mark.parametrize("reason", [Reason.TIE, Reason.ABANDONED])
def test_m1_hand_without_winner_scores_nothing_and_is_played_again(reason: Reason) -> None:
    match = played(3, [0, 1]).after(Outcome(reason, None))
    assert (match.wins, match.winner, match.hands) == ((1, 1), None, 3)
    assert match.after(Outcome(Reason.FEWER_CARDS, 1)).winner == 1


def test_m1_however_many_ties_the_match_still_needs_its_wins() -> None:
    match = Match(1)
    for _ in range(20):
        match = match.after(TIE)
    assert (match.winner, match.hands) == (None, 20)
