"""Two touches too close to call (T-5): what the judge says, and what becomes of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest

from firmware.rules import (
    PACK,
    Card,
    Cover,
    DeadHeat,
    First,
    Go,
    IllegalCommand,
    Options,
    Outcome,
    Phase,
    Reason,
    Verdict,
    judge,
)
from firmware.rules.events import (
    Beaten,
    Covered,
    DeadHeated,
    Ended,
    Excuse,
    Frozen,
    Ignored,
    Penalised,
    Redealt,
    Thawed,
)
from firmware.rules.options import DeadHeatPolicy
from firmware.rules.shared_piles import Match, SharedOwn, SharedPiles
from firmware.rules.table import Draft, Holding, Pile
from tests.rules.hands import MS, Hand, both_ways, cards, lay

COIN = Options(dead_heat=DeadHeatPolicy.COIN)


def race(options: Options | None = None, *, swap: bool = False) -> Hand:
    """Both seats can cover slot 0 and nothing else; whoever does takes it from the other."""
    return lay(
        "7h 2d 3d 4s", "7c 9c 9s Ts", "Kh Jh Js Qs", match=Match.RANK_OR_SUIT, options=options, swap=swap
    )


def both_last(options: Options | None = None, *, swap: bool = False) -> Hand:
    """Each seat's last card fits a pile of its own: seat 0's slot 0, seat 1's slot 1."""
    return lay("7h 2d 3d 4s", "7c", "2c", options=options, swap=swap)


def verdict(hand: Hand, *covers: tuple[int, int, int]) -> Verdict:
    """The judge's word on presses given as (told seat, slot, ns from now), with its seats real."""
    return judge(
        hand.table, [Cover(hand.now_ns + after_ns, hand.seat(seat), slot) for seat, slot, after_ns in covers]
    )


# Who is first where there is no contest


@both_ways
@pytest.mark.parametrize("lead_ns", [0, 400_000])
def test_t5_legal_for_one_only_is_first_at_the_earlier_stamp(lead_ns: int, swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c 9d", "7c Ts", swap=swap)
    assert verdict(hand, (0, 0, 0), (1, 0, lead_ns)) == First(Cover(hand.now_ns, hand.seat(1), 0))


@both_ways
def test_t5_legal_for_one_only_whose_own_stamp_is_earlier(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c 9d", "7c Ts", swap=swap)
    assert verdict(hand, (0, 0, 400_000), (1, 0, 0)) == First(Cover(hand.now_ns, hand.seat(1), 0))


@both_ways
def test_t5_both_cards_land_on_one_pile_anyway_so_the_stamps_decide(swap: bool) -> None:
    # Equal covers equal: whose card lies on top is no difference that counts.
    hand = lay("7h 2d 3d 4s", "7c 9d", "7s Ts", swap=swap)
    for first, second in ((0, 1), (1, 0)):
        said = verdict(hand, (second, 0, 300_000), (first, 0, 0))
        assert said == First(Cover(hand.now_ns, hand.seat(first), 0))


@both_ways
def test_t5_different_piles_are_no_contest(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9d", "2s Ts", swap=swap)
    for first, second in ((0, 1), (1, 0)):
        said = verdict(hand, (second, second, 300_000), (first, first, 0))
        assert said == First(Cover(hand.now_ns, hand.seat(first), first))


@both_ways
def test_t5_recency_of_piles_is_no_difference(swap: bool) -> None:
    # S-13 redeals onto the piles changed last: who was first decides which, but that is no contest.
    hand = lay("7h 2d 3d 4s", "7c 9d", "2s Ts", draw_two=True, swap=swap)
    assert isinstance(verdict(hand, (0, 0, 0), (1, 1, 1)), First)


@both_ways
def test_t5_legal_for_nobody_is_no_contest(swap: bool) -> None:
    hand = race(swap=swap)
    said = verdict(hand, (1, 2, 0), (0, 1, 5))
    assert said == First(Cover(hand.now_ns, hand.seat(1), 2))


@both_ways
@pytest.mark.parametrize("slots", [(0, 1), (0, 0)])
def test_t5_last_card_of_one_seat_wins_in_either_order_so_the_stamps_decide(
    slots: tuple[int, int], swap: bool
) -> None:
    # Seat 1's card lands only if it comes first, but it takes nothing from seat 0, who wins either way.
    near, far = slots
    hand = lay("7h 2d 3d 4s", "3c 7c", "7s 9d" if far == 0 else "2c 9d", swap=swap)
    hand.press(0, 2)
    hand.wait(ms=150)
    assert (hand.left(0), hand.left(1)) == (1, 2)
    for first, second in ((0, 1), (1, 0)):
        said = verdict(hand, (first, slots[first], 0), (second, slots[second], 10))
        assert said == First(Cover(hand.now_ns, hand.seat(first), slots[first]))
    hand.press(1, far)
    assert hand.press(0, near)[-1] == Ended(hand.now_ns, Reason.PLACED_LAST_CARD, 0)


def test_t5_equal_stamps_without_contest_are_tossed_fairly_whatever_their_order() -> None:
    hand = lay("7h 2d 3d 4s", "7c 9d", "7s Ts")
    covers = [Cover(hand.now_ns, 0, 0), Cover(hand.now_ns, 1, 0)]
    won: Counter[int] = Counter()
    for seed in range(2000):
        table = replace(hand.table, seed=seed)
        said = judge(table, covers)
        assert said == judge(table, covers[::-1])
        assert isinstance(said, First)
        won[said.cover.seat] += 1
    assert abs(won[0] - 1000) < 135  # six standard deviations


def test_t5_false_starts_are_judged_like_any_press_and_never_tossed_for() -> None:
    hand = lay("7h 2d 3d 4s", "7c", "7s", go=False)
    assert verdict(hand, (0, 0, 5), (1, 0, 0)) == First(Cover(0, 1, 0))


@pytest.mark.parametrize("seats", [(), (0, 0), (1, 0, 1)])
def test_t5_judge_takes_one_press_of_each_of_several_seats(seats: tuple[int, ...]) -> None:
    hand = race()
    with pytest.raises(ValueError, match="one press of each of several seats"):
        verdict(hand, *((seat, 0, 0) for seat in seats))


# Contests


@both_ways
@pytest.mark.parametrize("lead_ns", [0, 1, 900_000])
def test_t5_contest_on_one_pile_is_replayed_at_the_earlier_stamp(lead_ns: int, swap: bool) -> None:
    hand = race(swap=swap)
    for first, second in ((0, 1), (1, 0)):
        said = verdict(hand, (first, 0, 0), (second, 0, lead_ns))
        assert said == DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None)


@both_ways
def test_t5_contest_of_last_cards_on_different_piles(swap: bool) -> None:
    hand = both_last(swap=swap)
    contestants = tuple(sorted(((hand.seat(0), 0), (hand.seat(1), 1))))
    assert verdict(hand, (0, 0, 0), (1, 1, 5)) == DeadHeat(hand.now_ns, contestants, None)


@both_ways
def test_t5_contest_of_last_cards_on_one_pile(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "7s", swap=swap)
    assert verdict(hand, (0, 0, 0), (1, 0, 5)) == DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None)


@both_ways
def test_t5_judge_needs_no_flip_time(swap: bool) -> None:
    # The winner's next card turns at the moment of its press: timers are never contestants.
    hand = race(Options(flip_ms=0, redeal_pause_ms=0), swap=swap)
    assert verdict(hand, (0, 0, 0), (1, 0, 5)) == DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None)


# replay


@both_ways
def test_t5_replay_lets_neither_card_land_and_freezes_the_pile(swap: bool) -> None:
    hand = race(swap=swap)
    until_ns = hand.now_ns + 600 * MS
    assert hand.dead_heat((0, 0), (1, 0)) == (
        DeadHeated(hand.now_ns, (0, 1), None),
        Frozen(hand.now_ns, 0, until_ns),
    )
    assert (hand.active(0), hand.active(1), hand.tops()) == ("7c", "Kh", "7h 2d 3d 4s")
    for seat in (0, 1):
        assert hand.press(seat, 0, after_ms=100) == (Ignored(hand.now_ns, seat, 0, Excuse.FROZEN),)
    assert hand.legal(0) == hand.legal(1) == ()
    hand.wait(ns=400 * MS - 1)
    assert isinstance(hand.press(1, 0)[0], Ignored)
    assert hand.wait(ns=1) == (Thawed(until_ns, 0),)
    assert hand.legal(0) == hand.legal(1) == (0,)
    assert isinstance(hand.press(1, 0)[0], Covered)
    assert hand.press(0, 0, after_ms=1) == (Beaten(hand.now_ns, 0, 0, MS),)


@both_ways
@pytest.mark.parametrize("freeze_ms", [1, 600, 5000])
def test_t5_replay_freezes_as_long_as_set(freeze_ms: int, swap: bool) -> None:
    hand = race(Options(freeze_ms=freeze_ms), swap=swap)
    hand.dead_heat((0, 0), (1, 0))
    assert isinstance(hand.press(0, 0, after_ns=freeze_ms * MS - 1)[0], Ignored)
    assert isinstance(hand.press(0, 0, after_ns=1)[0], Covered)


@both_ways
def test_t5_replay_freezes_every_pile_concerned_and_no_other(swap: bool) -> None:
    hand = both_last(swap=swap)
    events = hand.dead_heat((0, 0), (1, 1))
    assert {event.slot for event in events if isinstance(event, Frozen)} == {0, 1}
    assert isinstance(hand.press(0, 1)[0], Ignored)
    assert isinstance(hand.press(0, 2)[0], Penalised)


@both_ways
def test_t5_replay_an_illegal_press_on_a_frozen_pile_is_ignored_too(swap: bool) -> None:
    hand = both_last(swap=swap)
    hand.dead_heat((0, 0), (1, 1))
    assert hand.press(0, 1) == (Ignored(hand.now_ns, 0, 1, Excuse.FROZEN),)
    assert hand.active(0) == "7c"


@both_ways
def test_t5_a_move_on_a_frozen_pile_is_a_move_so_nobody_is_stuck(swap: bool) -> None:
    hand = race(swap=swap)
    hand.dead_heat((0, 0), (1, 0))
    hand.wait(ms=100)
    hand.press(0, 1)  # penalised, put back, turned again at 600 ms: still no redeal
    hand.wait(ms=499)
    assert hand.table.phase is Phase.PLAY
    assert not any(isinstance(event, Redealt) for event in hand.log)
    assert hand.table.redeals == 0


@both_ways
def test_t5_other_piles_may_be_covered_meanwhile(swap: bool) -> None:
    hand = lay("7h 7d 3d 4s", "7c 9c", "7s 9s", swap=swap)
    hand.dead_heat((0, 0), (1, 0))
    assert hand.legal(0) == hand.legal(1) == (1,)
    assert isinstance(hand.press(0, 1)[0], Covered)


# The third one running


def dead_heat_judged(hand: Hand, *covers: tuple[int, int, int]) -> DeadHeat:
    said = verdict(hand, *covers)
    assert isinstance(said, DeadHeat)
    hand.table, _ = hand.table.game.apply(hand.table, said)
    return said


@both_ways
def test_t5_third_dead_heat_running_is_tossed(swap: bool) -> None:
    hand = race(swap=swap)
    for _ in (1, 2):
        assert dead_heat_judged(hand, (0, 0, 0), (1, 0, 5)).winner is None
        hand.wait(ms=700)
    third = dead_heat_judged(hand, (0, 0, 0), (1, 0, 5))
    assert third.winner in (0, 1)
    assert str(hand.table.piles[0].top) == {hand.seat(0): "7c", hand.seat(1): "Kh"}[third.winner]
    assert hand.table.frozen == ()


@both_ways
def test_t5_third_dead_heat_on_either_pile_is_tossed(swap: bool) -> None:
    hand = both_last(swap=swap)
    for _ in (1, 2):
        assert dead_heat_judged(hand, (0, 0, 0), (1, 1, 5)).winner is None
        hand.wait(ms=700)
    winner = dead_heat_judged(hand, (0, 0, 0), (1, 1, 5)).winner
    assert hand.table.outcome == Outcome(Reason.PLACED_LAST_CARD, winner)


@both_ways
def test_t5_a_cover_begins_the_count_anew(swap: bool) -> None:
    hand = lay("7h Kd 3d 4s", "7c 9c 9s", "Kh 7s Js", match=Match.RANK_OR_SUIT, swap=swap)
    for _ in (1, 2):
        dead_heat_judged(hand, (0, 0, 0), (1, 0, 5))
        hand.wait(ms=700)
    hand.press(0, 0)
    hand.press(1, 1)
    hand.wait(ms=150)
    assert (hand.active(0), hand.active(1), hand.tops()) == ("9c", "7s", "7c Kh 3d 4s")
    assert dead_heat_judged(hand, (0, 0, 0), (1, 0, 5)).winner is None


@both_ways
def test_t5_dead_heats_are_counted_for_each_pile(swap: bool) -> None:
    hand = lay("7h Kc 3d 4s", "7c 9c 9s", "Kh 7s Js", match=Match.RANK_OR_SUIT, swap=swap)
    for slot in (0, 0, 1):
        assert dead_heat_judged(hand, (0, slot, 0), (1, slot, 5)).winner is None
        hand.wait(ms=700)
    assert dead_heat_judged(hand, (0, 0, 0), (1, 0, 5)).winner is not None


# coin


@both_ways
def test_t5_coin_the_winner_covers_and_the_other_is_beaten_by_nothing(swap: bool) -> None:
    hand = race(COIN, swap=swap)
    said = verdict(hand, (0, 0, 0), (1, 0, 5))
    assert isinstance(said, DeadHeat)
    assert said.winner in (0, 1)
    for winner in (0, 1):
        hand = race(COIN, swap=swap)
        card = Card.parse("7c" if winner == 0 else "Kh")
        assert hand.dead_heat((0, 0), (1, 0), winner=winner) == (
            DeadHeated(hand.now_ns, (0, 1), winner),
            Covered(hand.now_ns, winner, 0, card),
            Beaten(hand.now_ns, 1 - winner, 0, 0),
        )
        assert hand.table.frozen == ()
        assert hand.table.tosses == 1


@both_ways
@pytest.mark.parametrize("grace_ms", [0, 200])
def test_t5_coin_the_loser_has_no_penalty_even_without_grace(grace_ms: int, swap: bool) -> None:
    hand = race(replace(COIN, grace_ms=grace_ms), swap=swap)
    hand.dead_heat((0, 0), (1, 0), winner=1)
    assert hand.active(0) == "7c"
    assert hand.table.holdings[hand.seat(0)].penalty_until_ns is None


@both_ways
def test_t5_coin_for_the_last_card_wins_the_hand(swap: bool) -> None:
    for winner in (0, 1):
        hand = both_last(COIN, swap=swap)
        hand.dead_heat((0, 0), (1, 1), winner=winner)
        assert hand.outcome == Outcome(Reason.PLACED_LAST_CARD, winner)
        assert hand.log[-1] == Ignored(hand.now_ns, 1 - winner, 1 - winner, Excuse.OVER)


def test_t5_coin_is_fair_and_follows_from_the_seed() -> None:
    hand = race(COIN)
    covers = [Cover(hand.now_ns, 0, 0), Cover(hand.now_ns + 700_000, 1, 0)]
    won: Counter[int | None] = Counter()
    for seed in range(2000):
        table = replace(hand.table, seed=seed)
        said = judge(table, covers)
        assert said == judge(table, covers[::-1])
        assert isinstance(said, DeadHeat)
        won[said.winner] += 1
    assert set(won) == {0, 1}
    assert abs(won[0] - 1000) < 135  # six standard deviations


def test_t5_coin_is_tossed_anew_for_every_contest_of_a_hand() -> None:
    hand = race(COIN)
    covers = [Cover(hand.now_ns, 0, 0), Cover(hand.now_ns, 1, 0)]
    verdicts = [judge(replace(hand.table, tosses=nth), covers) for nth in range(40)]
    assert {said.winner for said in verdicts if isinstance(said, DeadHeat)} == {0, 1}


# What is no dead heat


@pytest.mark.parametrize(
    ("contestants", "winner"),
    [
        ((), None),
        (((0, 0),), None),
        (((0, 0), (0, 0)), None),
        (((0, 0), (1, 1)), None),
        (((0, 0), (1, 4)), None),
        (((0, 0), (2, 0)), None),
        (((0, -1), (1, 0)), None),
        (((0, 0), (1, 0)), 2),
    ],
)
def test_t5_what_is_no_dead_heat_is_refused_and_changes_nothing(
    contestants: tuple[tuple[int, int], ...], winner: int | None
) -> None:
    hand = race()
    before = hand.table
    with pytest.raises(IllegalCommand):
        hand.do(DeadHeat(hand.now_ns, contestants, winner))
    assert hand.table is before


@pytest.mark.parametrize("what", ["before GO", "frozen", "penalty", "turning", "pause"])
def test_t5_dead_heat_needs_presses_that_count(what: str) -> None:
    hand = race()
    if what == "before GO":
        hand = lay("7h 2d 3d 4s", "7c", "7s", go=False)
    elif what == "frozen":
        hand.dead_heat((0, 0), (1, 0))
    elif what == "penalty":
        hand.press(0, 1)
    elif what == "turning":
        hand.press(0, 0)
    else:
        hand = lay("2h 3h 4h 5h", "9c", "8d")
        assert hand.table.phase is Phase.PAUSE
    with pytest.raises(IllegalCommand):
        hand.dead_heat((0, 0), (1, 0))


# More than two


class MoreSeats(SharedPiles):
    """Shared piles for any number of seats, as far as a judge needs them.

    Each seat deals a card onto each pile, the last one's on top; who has no cards left has won.
    """

    seats = range(2, 6)

    def deal(self, draft: Draft[SharedOwn]) -> None:
        draws = [holding.draw for holding in draft.holdings]
        draft.piles = [Pile(tuple(draw[slot] for draw in draws)) for slot in range(self.piles)]
        turns_at_ns = draft.at_ns + draft.options.flip_ms * MS
        draft.holdings = [Holding(draw[self.piles :], turns_at_ns=turns_at_ns) for draw in draws]

    def settle(self, draft: Draft[SharedOwn]) -> None:
        for seat, holding in enumerate(draft.holdings):
            if draft.phase is Phase.PLAY and not holding.left:
                draft.end(Reason.PLACED_LAST_CARD, seat)


def with_more(tops: str, *draws: str, options: Options | None = None) -> Hand:
    """A hand of as many seats as there are draws (each of as many cards), all active cards up."""
    shown, hands = cards(tops), [cards(draw) for draw in draws]
    named = {*shown, *(card for hand in hands for card in hand)}
    rest = (card for card in PACK if card not in named)
    dealt = [tuple(next(rest) for _ in shown) for _ in hands[1:]] + [shown]
    deck = tuple(card for one, hand in zip(dealt, hands, strict=True) for card in (*one, *hand))
    game = MoreSeats("more", len(shown), Match.RANK_OR_SUIT, cards=tuple(sorted(deck)))
    table = game.start(options or Options(), 1, seats=len(draws), deck=deck)
    table, _ = game.apply(table, Go(0))
    while table.next_timer is not None:
        table, _ = game.apply(table, table.next_timer)
    return Hand(table)


def test_t5_three_on_one_pile_are_all_contestants() -> None:
    hand = with_more("7h 2d", "7c 9c", "Kh 9d", "7s 9s")
    said = verdict(hand, (0, 0, 2), (1, 0, 1), (2, 0, 0))
    assert said == DeadHeat(hand.now_ns, ((0, 0), (1, 0), (2, 0)), None)


@pytest.mark.parametrize("third_ns", [0, 1, 2])
def test_t5_a_third_seat_that_is_in_nobodys_way_is_no_contestant(third_ns: int) -> None:
    for bystander in permutations(range(3)):
        one, other, third = bystander
        draws = {one: "7c 9c", other: "Kh 9d", third: "2s 9s"}
        hand = with_more("7h 2d", draws[0], draws[1], draws[2])
        said = verdict(hand, (one, 0, 1), (other, 0, 1), (third, 1, third_ns))
        assert isinstance(said, DeadHeat)
        assert said.contestants == tuple(sorted(((one, 0), (other, 0))))


def test_t5_a_third_seat_whose_press_is_illegal_is_no_contestant() -> None:
    hand = with_more("7h 2d", "7c 9c", "Kh 9d", "5s 9s")
    said = verdict(hand, (0, 0, 2), (1, 0, 1), (2, 0, 0))
    assert said == DeadHeat(hand.now_ns, ((0, 0), (1, 0)), None)


def test_t5_legal_for_one_of_three_only() -> None:
    hand = with_more("7h 2d", "5c 9c", "Kh 9d", "5s 9s")
    assert verdict(hand, (0, 0, 0), (1, 0, 2), (2, 0, 1)) == First(Cover(hand.now_ns, 1, 0))


def test_t5_three_without_contest_come_by_their_stamps() -> None:
    hand = with_more("7h 2d 3s", "7c 9c", "2h 9d", "3c 9s")
    assert verdict(hand, (0, 0, 2), (1, 1, 1), (2, 2, 0)) == First(Cover(hand.now_ns, 2, 2))


def test_t5_three_last_cards_are_all_contestants_and_one_is_tossed_for() -> None:
    hand = with_more("7h 2d 3s", "7c", "2h", "3c", options=COIN)
    said = verdict(hand, (0, 0, 2), (1, 1, 1), (2, 2, 0))
    assert isinstance(said, DeadHeat)
    assert said.contestants == ((0, 0), (1, 1), (2, 2))
    won = {judge(replace(hand.table, seed=seed), covers_of(hand, said)) for seed in range(40)}
    assert {heat.winner for heat in won if isinstance(heat, DeadHeat)} == {0, 1, 2}


def covers_of(hand: Hand, heat: DeadHeat) -> list[Cover]:
    return [Cover(hand.now_ns, seat, slot) for seat, slot in heat.contestants]


@pytest.mark.parametrize("winner", [0, 1, 2])
def test_t5_tossed_among_three_the_others_try_after_the_winner(winner: int) -> None:
    hand = with_more("7h 2d", "7c 9c", "Kh 9d", "7s 9s")
    table, events = hand.table.game.apply(hand.table, DeadHeat(hand.now_ns, ((0, 0), (1, 0), (2, 0)), winner))
    landed = [event.seat for event in events if isinstance(event, Covered)]
    assert landed[0] == winner
    assert set(landed) == ({1} if winner == 1 else {0, 2})
    assert not any(isinstance(event, Penalised) for event in events)
    assert sum(holding.covers for holding in table.holdings) == len(landed)
