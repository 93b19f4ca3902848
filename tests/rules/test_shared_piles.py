"""Shared piles (S-1 to S-15): dealing, what fits, being stuck, redeals, and who wins."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware.rules import PACK, Card, Go, Options, Outcome, Phase, Reason, find
from firmware.rules.deal import top_owners
from firmware.rules.events import (
    Covered,
    Dealt,
    Ended,
    Event,
    Excuse,
    Ignored,
    Penalised,
    PutBack,
    Redealt,
    Released,
    Stuck,
    Turned,
)
from firmware.rules.options import Pace, Redeal, ShortRedeal
from firmware.rules.shared_piles import Match, SharedPiles
from firmware.rules.table import Table
from tests.rules.hands import FLIP_NS, MS, Hand, both_ways, cards, lay, play_on

PILES = {"classic": 4, "suit": 4, "rank_or_suit": 4, "quick": 3, "long": 6, "draw_two": 4, "speed": 4}
MATCHES = {"suit": Match.SUIT, "rank_or_suit": Match.RANK_OR_SUIT, "speed": Match.NEXT_RANK}


def opened(game_id: str, seed: int, options: Options | None = None) -> tuple[Table[Any], tuple[Event, ...]]:
    game = find(game_id).game
    return game.apply(game.start(options or Options(), seed), Go(0))


def dealt_tops(events: tuple[Event, ...]) -> dict[int, int]:
    """Whose card lies on top of each slot after a deal: the last one dealt there."""
    return {event.slot: event.seat for event in events if isinstance(event, Dealt)}


# S-1


@pytest.mark.parametrize("game_id", PILES)
@pytest.mark.parametrize("seed", range(6))
def test_s1_s11_s12_opening_is_two_deep_and_the_rest_remains(game_id: str, seed: int) -> None:
    # 22 remain each with four piles, 23 with three (S-11), 20 with six (S-12).
    piles = PILES[game_id]
    table, events = opened(game_id, seed)
    assert [len(pile.cards) for pile in table.piles] == [2] * piles
    assert [len(holding.draw) for holding in table.holdings] == [26 - piles] * 2
    dealt = [event for event in events if isinstance(event, Dealt)]
    assert {event.at_ns for event in dealt} == {0}
    assert sorted((event.seat, event.slot) for event in dealt) == [
        (seat, slot) for seat in (0, 1) for slot in range(piles)
    ]
    assert all(
        table.piles[slot].cards == tuple(e.card for e in dealt if e.slot == slot) for slot in range(piles)
    )


def test_s1_each_seat_deals_its_own_half_from_the_top() -> None:
    game = find("classic").game
    table, _ = game.apply(game.start(Options(), 3, deck=PACK), Go(0))
    assert table.holdings[0].draw == PACK[4:26]
    assert table.holdings[1].draw == PACK[30:]
    for slot, pile in enumerate(table.piles):
        assert set(pile.cards) == {PACK[slot], PACK[26 + slot]}


@pytest.mark.parametrize("game_id", PILES)
def test_s1_half_the_tops_each_by_the_seed(game_id: str) -> None:
    piles = PILES[game_id]
    for seed in range(20):
        tops = dealt_tops(opened(game_id, seed)[1])
        assert tuple(tops[slot] for slot in range(piles)) == top_owners(piles, seed)
        assert sum(tops.values()) in {piles // 2, (piles + 1) // 2}  # with 3 piles two and one


@pytest.mark.parametrize("game_id", PILES)
def test_s1_s13_owners_of_the_tops_are_swapped_at_every_deal(game_id: str) -> None:
    for seed in range(30):
        table, events = opened(game_id, seed)
        nth, first = 0, dealt_tops(events)
        for step in play_on(table, Random(seed)):
            if any(isinstance(event, Redealt) for event in step.events):
                nth += 1
                tops = dealt_tops(step.events)
                if game_id == "draw_two":  # one each, and the left one of the two is the other's next time
                    assert [tops[slot] for slot in sorted(tops)] == [
                        (first[0] + nth) % 2,
                        (first[0] + nth + 1) % 2,
                    ]
                else:
                    assert tops == {slot: (owner + nth) % 2 for slot, owner in first.items()}


# S-2


@both_ways
@pytest.mark.parametrize("flip_ms", [0, 150, 2000])
def test_s2_next_card_turns_after_the_flip_the_same_for_both(flip_ms: int, swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "2c 9s", options=Options(flip_ms=flip_ms), swap=swap, go=False)
    hand.go()
    turned = hand.wait(ms=flip_ms)
    assert {event for event in turned if isinstance(event, Turned)} == {
        Turned(flip_ms * MS, 0, Card.parse("7c")),
        Turned(flip_ms * MS, 1, Card.parse("2c")),
    }
    for seat, card in ((0, "9c"), (1, "9s")):
        at_ns = hand.now_ns
        hand.press(seat, seat)
        assert hand.active(seat) is None
        assert hand.wait(ms=flip_ms)[0] == Turned(at_ns + flip_ms * MS, seat, Card.parse(card))


@both_ways
def test_s2_press_while_no_card_is_active_is_ignored(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 7s", "2c 9s", swap=swap)
    hand.press(0, 0)
    for slot in range(4):
        assert hand.press(0, slot, after_ms=30) == (Ignored(hand.now_ns, 0, slot, Excuse.TURNING),)
    hand.wait(ms=30)
    assert isinstance(hand.press(0, 0)[0], Covered)


# S-3, S-9, S-10, S-14


def fits(match: Match, card: str, top: str) -> bool:
    """The rule in letters, apart from the code's numbers."""
    ring = "A23456789TJQKA"
    same_rank, same_suit = card[0] == top[0], card[1] == top[1]
    if match is Match.NEXT_RANK:
        return card[0] + top[0] in ring or top[0] + card[0] in ring
    return {
        Match.RANK: same_rank,
        Match.SUIT: same_suit,
        Match.RANK_OR_SUIT: same_rank or same_suit,
    }[match]


@pytest.mark.parametrize("match", Match)
def test_s3_s9_s10_s14_every_card_on_every_top(match: Match) -> None:
    for card in PACK:
        others = [str(other) for other in PACK if other != card]
        for first in range(0, len(others), 4):
            tops = others[first : first + 4]
            hand = lay(" ".join(tops), str(card), "", match=match)
            assert hand.active(0) == str(card)
            if hand.table.phase is Phase.PLAY:
                assert hand.legal(0) == tuple(
                    slot for slot, top in enumerate(tops) if fits(match, str(card), top)
                )
            else:
                assert not any(fits(match, str(card), top) for top in tops)


@pytest.mark.parametrize(("card", "top"), [("Kd", "Ac"), ("Ac", "Kd"), ("2c", "Ad"), ("Qh", "Ks")])
def test_s14_king_and_ace_are_neighbours(card: str, top: str) -> None:
    hand = lay(f"{top} 5d 7h 9s", f"{card} 3c", "Js", match=Match.NEXT_RANK)
    assert hand.legal(0) == (0,)


@both_ways
def test_s3_whatever_lies_below_the_top_does_not_count(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c 9d", "7c 9s", under="9h Ts Js Qs", swap=swap)
    assert hand.legal(0) == ()
    hand = lay("7h 2d 3d 4s", "7c Jd", "9c 9s", under="9h Ts Js Qs", swap=swap)
    assert isinstance(hand.press(0, 0)[0], Covered)
    assert [str(card) for card in hand.table.piles[0].cards] == ["9h", "7h", "7c"]
    assert hand.legal(1) == ()


@pytest.mark.parametrize("game_id", PILES)
def test_s3_one_card_a_press_and_only_where_it_fits(game_id: str) -> None:
    match = MATCHES.get(game_id, Match.RANK)
    for seed in range(10):
        for step in play_on(opened(game_id, seed)[0], Random(seed)):
            for event in step.events:
                if isinstance(event, Covered):
                    top = step.before.piles[event.slot].top
                    assert fits(match, str(event.card), str(top))
                    assert step.after.piles[event.slot].cards == (
                        *step.before.piles[event.slot].cards,
                        event.card,
                    )
                    assert step.after.holdings[event.seat].left == step.before.holdings[event.seat].left - 1


# S-4


@both_ways
def test_s4_card_that_fits_nowhere_stays_until_a_pile_fits(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c 8c", "7c 5h", match=Match.RANK_OR_SUIT, under="As Ah Ad Ac", swap=swap)
    assert hand.legal(0) == ()
    hand.wait(ms=30_000)
    assert hand.active(0) == "9c"
    hand.press(1, 0)  # 7c: now clubs fit
    assert hand.legal(0) == (0,)
    assert isinstance(hand.press(0, 0)[0], Covered)


@both_ways
def test_s4_it_cannot_be_laid_aside(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "9c 7d", "7c 5h", swap=swap)
    for slot in range(4):
        hand.press(0, slot)
        hand.wait(ms=500)
        assert hand.active(0) == "9c"


# S-5


def stuck(options: Options | None = None, *, swap: bool = False, draw_two: bool = False) -> Hand:
    """Stuck at once; the redeal shows Kd Tc Ac 8c, so that seat 1 can move."""
    near, far = "9c 9h Tc Jc 8c 6c", "8d Kd Ad Ac Kc 6d"
    return lay("2h 3h 4h 5h", near, far, options=options, draw_two=draw_two, swap=swap)


@both_ways
def test_s5_redeal_covers_every_pile_with_a_card_of_each_and_the_active_cards_stay(swap: bool) -> None:
    hand = stuck(swap=swap)
    before = [pile.cards for pile in hand.table.piles]
    hand.wait(ms=1200)
    assert (hand.active(0), hand.active(1)) == ("9c", "8d")
    assert (hand.left(0), hand.left(1)) == (2, 2)
    added = [pile.cards[len(cards) :] for pile, cards in zip(hand.table.piles, before, strict=True)]
    assert [" ".join(map(str, two)) for two in added] == ["9h Kd", "Ad Tc", "Jc Ac", "Kc 8c"]
    assert hand.legal(1) == (3,)
    assert [
        card for pile, cards in zip(hand.table.piles, before, strict=True) for card in pile.cards[:2]
    ] == [card for cards in before for card in cards]


@both_ways
def test_s5_not_stuck_while_a_card_is_turning(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "Td Jd", swap=swap)
    hand.press(0, 0)
    assert hand.wait(ns=FLIP_NS - 1) == ()
    assert hand.table.phase is Phase.PLAY
    turned, stuck_event = hand.wait(ns=1)
    assert isinstance(turned, Turned)
    assert stuck_event == Stuck(hand.now_ns, hand.now_ns + 1200 * MS)


@both_ways
def test_s5_not_stuck_while_a_card_is_put_back(swap: bool) -> None:
    # Seat 1 takes the pile that seat 0's card, now put back, would have fitted; then neither has a move.
    hand = lay("7h 2d 3d 4s", "7c 9c", "Kh Qc", match=Match.RANK_OR_SUIT, under="As Ah Ad Ac", swap=swap)
    hand.press(0, 1)
    hand.press(1, 0)
    assert [type(event) for event in hand.wait(ns=500 * MS - 1)] == [Turned]
    assert (hand.active(0), hand.active(1), hand.legal(1)) == (None, "Qc", ())
    assert hand.table.phase is Phase.PLAY
    assert hand.wait(ns=1)[-1] == Stuck(hand.now_ns, hand.now_ns + 1200 * MS)


@both_ways
def test_s5_calm_never_redeals_while_one_seat_can_move(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "Td Jd", swap=swap)
    assert hand.wait(ms=600_000) == ()
    assert hand.legal(0) == (0,)


@pytest.mark.parametrize("game_id", PILES)
@pytest.mark.parametrize("redeal", Redeal)
def test_s5_redeal_only_when_no_active_card_fits_any_pile(game_id: str, redeal: Redeal) -> None:
    match = MATCHES.get(game_id, Match.RANK)
    for seed in range(15):
        for step in play_on(opened(game_id, seed, Options(redeal=redeal))[0], Random(seed)):
            if any(isinstance(event, Redealt) for event in step.events):
                actives = [holding.active for holding in step.before.holdings]
                assert None not in actives
                tops = [pile.top for pile in step.before.piles]
                assert not any(fits(match, str(active), str(top)) for active in actives for top in tops)
                assert [holding.active for holding in step.after.holdings] == actives


# S-6


def short_of_cards(short_redeal: ShortRedeal, *, swap: bool = False, redeal: Redeal = Redeal.AUTO) -> Hand:
    """Seat 0 places one card: it has 3 beneath its active 9c, seat 1 has 4 beneath its 8d. Stuck."""
    options = Options(short_redeal=short_redeal, redeal=redeal)
    hand = lay("7h 2d 3h 4s", "7c 9c Ac Jc Qc", "8d Td Ad Jd Qd", options=options, swap=swap)
    hand.press(0, 0)
    hand.wait(ms=150)
    assert (hand.left(0), hand.left(1)) == (4, 5)
    return hand


@both_ways
def test_s6_full_set_beneath_both_active_cards_is_dealt(swap: bool) -> None:
    hand = lay("7h 2d 3h 4s", "9c Ac Jc Qc Kc", "8d Td Ad Jd Qd", swap=swap)
    hand.wait(ms=1200)
    assert (hand.left(0), hand.left(1)) == (1, 1)
    assert hand.table.redeals == 1
    assert hand.table.phase is Phase.PAUSE  # stuck again, and now nothing lies beneath
    hand.wait(ms=1200)
    assert hand.outcome == Outcome(Reason.TIE, None)


@both_ways
def test_s6_deadlock_where_one_seat_lacks_a_card_fewer_left_wins(swap: bool) -> None:
    hand = short_of_cards(ShortRedeal.DEADLOCK, swap=swap)
    assert hand.wait(ms=1199) == ()
    assert hand.wait(ms=1) == (Ended(hand.now_ns, Reason.FEWER_CARDS, 0),)
    assert hand.tops() == "7c 2d 3h 4s"
    assert hand.table.redeals == 0


@both_ways
def test_s6_deadlock_active_card_counts_and_equal_is_a_tie(swap: bool) -> None:
    hand = lay("7h 2d 3h 4s", "7c 9c Ac Jc", "2c 8d Ad Jd", swap=swap)
    hand.press(0, 0)
    hand.press(1, 1)
    hand.wait(ms=1350)
    assert (hand.left(0), hand.left(1)) == (3, 3)
    assert hand.outcome == Outcome(Reason.TIE, None)


@both_ways
def test_s6_deadlock_under_agree_ends_at_the_last_agreement(swap: bool) -> None:
    hand = short_of_cards(ShortRedeal.DEADLOCK, swap=swap, redeal=Redeal.AGREE)
    hand.agree(1)
    assert hand.agree(0)[-1] == Ended(hand.now_ns, Reason.FEWER_CARDS, 0)


@both_ways
@pytest.mark.parametrize("redeal", Redeal)
def test_s6_deal_what_you_have_from_each_seats_own_left_the_active_card_last(
    redeal: Redeal, swap: bool
) -> None:
    hand = short_of_cards(ShortRedeal.DEAL_WHAT_YOU_HAVE, swap=swap, redeal=redeal)
    if redeal is Redeal.AGREE:
        hand.agree(0)
        hand.agree(1)
    hand.wait(ms=1200)
    assert hand.outcome == Outcome(Reason.PLACED_LAST_CARD, 0)
    assert hand.left(1) == 1
    dealt = {
        seat: {e.slot: str(e.card) for e in hand.log if isinstance(e, Dealt) and e.at_ns and e.seat == seat}
        for seat in (0, 1)
    }
    left_to_right = (0, 1, 2, 3) if not swap else (3, 2, 1, 0)
    assert dealt[0] == dict(zip(left_to_right, ["Ac", "Jc", "Qc", "9c"], strict=True))
    assert dealt[1] == dict(zip(left_to_right[::-1], ["Td", "Ad", "Jd", "Qd"], strict=True))


@both_ways
def test_s6_deal_what_you_have_both_emptied_is_a_tie(swap: bool) -> None:
    options = Options(short_redeal=ShortRedeal.DEAL_WHAT_YOU_HAVE)
    hand = lay("7h 2d 3h 4s", "7c 9c Ac Jc", "2c 8d Ad Jd", options=options, swap=swap)
    hand.press(0, 0)
    hand.press(1, 1)
    hand.wait(ms=1350)
    assert (hand.left(0), hand.left(1)) == (0, 0)
    assert hand.outcome == Outcome(Reason.TIE, None)
    # Three cards each from both ends: the outer piles have one more, the inner ones two.
    assert [len(pile.cards) for pile in hand.table.piles] == [2 + 1 + 1, 2 + 1 + 2, 2 + 2, 2 + 1]


@both_ways
def test_s6_deal_what_you_have_is_as_usual_while_both_have_a_full_set(swap: bool) -> None:
    options = Options(short_redeal=ShortRedeal.DEAL_WHAT_YOU_HAVE)
    hand = stuck(options, swap=swap)
    hand.wait(ms=1200)
    assert (hand.left(0), hand.left(1), hand.outcome) == (2, 2, None)


@pytest.mark.parametrize("game_id", PILES)
@pytest.mark.parametrize("short_redeal", ShortRedeal)
def test_s6_every_hand_ends_with_the_last_card_or_where_a_full_set_is_missing(
    game_id: str, short_redeal: ShortRedeal
) -> None:
    needed = 2 if game_id == "draw_two" else PILES[game_id]
    reasons = set()
    for seed in range(25):
        *_, last = play_on(opened(game_id, seed, Options(short_redeal=short_redeal))[0], Random(seed))
        outcome = last.after.outcome
        assert outcome is not None
        reasons.add(outcome.reason)
        lefts = [holding.left for holding in last.after.holdings]
        if outcome.reason is Reason.TIE:
            assert outcome.winner is None
            assert lefts[0] == lefts[1]
            assert lefts[0] > 0 or short_redeal is ShortRedeal.DEAL_WHAT_YOU_HAVE
        else:
            assert outcome.winner is not None
            assert lefts[outcome.winner] < lefts[1 - outcome.winner]
            assert (lefts[outcome.winner] == 0) == (outcome.reason is Reason.PLACED_LAST_CARD)
        if outcome.reason is Reason.FEWER_CARDS or (outcome.reason is Reason.TIE and lefts[0]):
            assert short_redeal is ShortRedeal.DEADLOCK
            assert min(len(holding.draw) for holding in last.before.holdings) < needed
    assert len(reasons) > 1


# S-7


@both_ways
def test_s7_card_goes_back_on_the_draw_pile_face_down_and_turns_again(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c 9c", "Td Jd", swap=swap)
    assert hand.press(0, 2)[1] == PutBack(hand.now_ns, 0)
    assert hand.table.holdings[hand.seat(0)].draw == cards("7c 9c")
    assert hand.active(0) is None
    until_ns = hand.now_ns + 500 * MS
    assert hand.wait(ms=500) == (Released(until_ns, 0), Turned(until_ns, 0, Card.parse("7c")))
    assert hand.table.holdings[hand.seat(0)].draw == cards("9c")


# S-8


@both_ways
def test_s8_last_card_wins_at_once(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c", "7s", swap=swap)
    assert hand.press(1, 0) == (
        Covered(hand.now_ns, 1, 0, Card.parse("7s")),
        Ended(hand.now_ns, Reason.PLACED_LAST_CARD, 1),
    )
    assert (hand.left(0), hand.left(1)) == (1, 0)


@both_ways
def test_s8_a_draw_pile_that_is_gone_is_not_enough_while_the_active_card_is_there(swap: bool) -> None:
    hand = lay("7h 2d 3h 4s", "9c Ac Jc Qc 8c", "8d Td Ad Jd Qd", swap=swap)
    hand.wait(ms=1200)  # the redeal takes all that lies beneath
    assert [len(holding.draw) for holding in hand.table.holdings] == [0, 0]
    assert hand.outcome is None
    assert hand.legal(1) == (3,)
    assert hand.press(1, 3)[-1] == Ended(hand.now_ns, Reason.PLACED_LAST_CARD, 1)


# S-11, S-12


def test_s11_s12_classic_with_three_and_six_piles() -> None:
    for game_id, piles, remaining in (("quick", 3, 23), ("classic", 4, 22), ("long", 6, 20)):
        table, _ = opened(game_id, 1)
        assert len(table.piles) == table.game.layout.places == piles
        assert {len(holding.draw) for holding in table.holdings} == {remaining}


@both_ways
@pytest.mark.parametrize("piles", [3, 6])
def test_s11_s12_redeal_covers_all_three_or_six(piles: int, swap: bool) -> None:
    tops = " ".join(f"{rank}h" for rank in "234567"[:piles])
    near = "9c " + " ".join(f"{rank}c" for rank in "ATJQK8"[:piles])
    far = "8d " + " ".join(f"{rank}d" for rank in "KAQJT9"[:piles])
    hand = lay(tops, near, far, swap=swap)
    dealt = [event for event in hand.wait(ms=1200) if isinstance(event, Dealt)]
    assert sorted((event.seat, event.slot) for event in dealt) == [
        (s, slot) for s in (0, 1) for slot in range(piles)
    ]


# S-13


def redealt_slots(events: tuple[Event, ...]) -> list[int]:
    return sorted({event.slot for event in events if isinstance(event, Dealt)})


@both_ways
def test_s13_opening_order_breaks_ties_the_highest_slot_last(swap: bool) -> None:
    hand = stuck(draw_two=True, swap=swap)
    events = hand.wait(ms=1200)
    assert redealt_slots(events) == [2, 3]
    assert len([event for event in events if isinstance(event, Dealt)]) == 4
    assert sorted(dealt_tops(events).values()) == [0, 1]  # one top each
    assert (hand.left(0), hand.left(1)) == (4, 4)


@both_ways
@pytest.mark.parametrize(
    ("covered", "slots"),
    [
        ((0,), [0, 3]),
        ((3,), [2, 3]),
        ((2,), [2, 3]),
        ((0, 1), [0, 1]),
        ((1, 0), [0, 1]),
        ((0, 0), [0, 3]),
        ((3, 1), [1, 3]),
    ],
)
def test_s13_the_two_piles_changed_last(covered: tuple[int, ...], slots: list[int], swap: bool) -> None:
    tops = cards("2h 3h 4h 5h")
    suits = ["c", "d"]
    plays = [f"{str(tops[slot])[0]}{suits[nth]}" for nth, slot in enumerate(covered)]
    hand = lay("2h 3h 4h 5h", " ".join([*plays, "9c Tc Jc Qc"]), "8d Ts Js Qs", draw_two=True, swap=swap)
    for slot in covered:
        hand.press(0, slot)
        hand.wait(ms=150)
    assert hand.table.phase is Phase.PAUSE
    assert redealt_slots(hand.wait(ms=1200)) == slots


@both_ways
def test_s13_a_press_that_moves_no_card_makes_no_pile_recent(swap: bool) -> None:
    hand = lay("2h 3h 4h 5h", "2c 9c Tc Jc Qc", "8d Ts Js Qs", draw_two=True, swap=swap)
    hand.press(0, 1)  # illegal
    hand.wait(ms=500)
    hand.press(0, 0)
    hand.wait(ms=150)
    assert redealt_slots(hand.wait(ms=1200)) == [0, 3]


@both_ways
def test_s13_full_set_is_two(swap: bool) -> None:
    hand = lay("2h 3h 4h 5h", "9c Tc Jc", "8d Ks Qs", draw_two=True, swap=swap)
    hand.wait(ms=1200)
    assert hand.table.redeals == 1
    hand.wait(ms=1200)
    assert hand.outcome == Outcome(Reason.TIE, None)


def test_s13_in_play_it_is_always_the_two_changed_last() -> None:
    for seed in range(40):
        table, _ = opened("draw_two", seed)
        order = [0, 1, 2, 3]  # the pile changed longest ago first
        for step in play_on(table, Random(seed)):
            if any(isinstance(event, Redealt) for event in step.events):
                assert redealt_slots(step.events) == sorted(order[-2:])
                order = order[:2] + sorted(order[2:])
            for event in step.events:
                if isinstance(event, Covered):
                    order.remove(event.slot)
                    order.append(event.slot)


# S-15


def one_stuck(options: Options | None = None, *, swap: bool = False) -> Hand:
    """Seat 0 can cover slot 0 for as long as it likes, seat 1 is stuck; a redeal shows Td Ac Ts 9h."""
    near, far = "7c Ad Ac As 9h Qc Qd Qh Kh", "9d Td Tc Ts Th Jc Jd Jh Kd"
    return lay("7h 2d 3d 4s", near, far, options=options or RUSH, swap=swap)


RUSH = Options(pace=Pace.RUSH)


def rushes(events: tuple[Event, ...]) -> list[int]:
    """When S-15 redealt, in ms."""
    return [event.at_ns // MS for event in events if isinstance(event, Redealt) and event.is_rush]


@both_ways
@pytest.mark.parametrize("rush_ms", [500, 3000, 60_000])
def test_s15_rush_redeals_when_the_time_is_up(rush_ms: int, swap: bool) -> None:
    hand = one_stuck(Options(pace=Pace.RUSH, rush_ms=rush_ms), swap=swap)
    assert hand.wait(ns=rush_ms * MS - 1) == ()
    events = hand.wait(ns=1)
    assert events[0] == Redealt(hand.now_ns, True)
    assert len([event for event in events if isinstance(event, Dealt)]) == 8
    assert (hand.active(0), hand.active(1)) == ("7c", "9d")


@both_ways
def test_s15_calm_waits(swap: bool) -> None:
    assert one_stuck(Options(), swap=swap).wait(ms=600_000) == ()


@both_ways
def test_s15_rush_a_card_played_in_time_is_none(swap: bool) -> None:
    hand = one_stuck(swap=swap)
    assert isinstance(hand.press(0, 0, after_ms=2999)[0], Covered)
    assert rushes(hand.wait(ms=1000)) == []


@both_ways
def test_s15_rush_counts_from_when_the_card_became_playable(swap: bool) -> None:
    # Seat 1 plays on for 2 s before it is stuck: the time has been running all the while.
    hand = lay(
        "7h 2d 3d 4s",
        "7c Ad Ac As Ah Qc Qd",
        "2c 9d Td Tc Ts Th Jd",
        options=RUSH,
        under="5h 5d 5c 5s",
        swap=swap,
    )
    start_ms = hand.now_ns // MS
    hand.press(1, 1, after_ms=2000)
    assert rushes(hand.wait(ms=2000))[:1] == [start_ms + 3000]


@both_ways
def test_s15_rush_comes_at_once_where_the_time_is_up_when_the_other_gets_stuck(swap: bool) -> None:
    hand = lay(
        "7h 2d 3d 4s",
        "7c Ad Ac As Ah Qc Qd",
        "2c 9d Td Tc Ts Th Jd",
        options=RUSH,
        under="5h 5d 5c 5s",
        swap=swap,
    )
    hand.press(1, 1, after_ms=5000)
    stuck_ms = (hand.now_ns + FLIP_NS) // MS
    assert rushes(hand.wait(ms=150)) == [stuck_ms]


@both_ways
def test_s15_rush_counts_anew_after_a_penalty(swap: bool) -> None:
    hand = one_stuck(swap=swap)
    start_ms = hand.now_ns // MS
    assert isinstance(hand.press(0, 1, after_ms=2000)[0], Penalised)
    assert rushes(hand.wait(ms=3499)) == []
    assert rushes(hand.wait(ms=1)) == [start_ms + 2000 + 500 + 3000]


@both_ways
def test_s15_rush_needs_one_seat_stuck(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c Ad Ac As Ah", "2c Td Tc Ts Th", options=RUSH, swap=swap)
    assert hand.wait(ms=600_000) == ()  # both could move and neither does


@both_ways
def test_s15_rush_needs_a_full_set_of_both(swap: bool) -> None:
    hand = lay("7h 2d 3d 4s", "7c Ad Ac As", "9d Td Tc Ts", options=RUSH, swap=swap)
    assert hand.wait(ms=600_000) == ()
    hand = lay("7h 2d 3d 4s", "7c Ad Ac", "9d Td Tc", options=RUSH, draw_two=True, swap=swap)
    assert rushes(hand.wait(ms=3000)) == [3150]


@both_ways
def test_s15_rush_goes_on_while_another_seats_card_changes_nothing(swap: bool) -> None:
    # Seat 1 covers the very pile with an equal card: seat 0's card has fitted without a break.
    hand = lay("7h 2d 3d 4s", "7c Ad Ac As Ah Qc", "7s 9d Td Tc Ts Th", options=RUSH, swap=swap)
    hand.press(1, 0, after_ms=1000)
    assert rushes(hand.wait(ms=2000)) == [3150]


@both_ways
def test_s15_rush_counts_anew_after_a_redeal(swap: bool) -> None:
    # The redeal shows 7s as well: the same card fits again, from now on.
    near, far = "7c Ad Ac As Qs Qc Qd Qh Kh", "9d Td Tc 7s Th Jc Jd Jh Kd"
    hand = lay("7h 2d 3d 4s", near, far, options=RUSH, swap=swap)
    hand.wait(ms=3000)
    assert hand.tops() == "Td Ac 7s Qs"
    assert rushes(hand.wait(ms=2999)) == []
    assert rushes(hand.wait(ms=1)) == [6150]


@both_ways
def test_s15_rush_drops_what_was_agreed(swap: bool) -> None:
    options = Options(pace=Pace.RUSH, redeal=Redeal.AGREE)
    hand = one_stuck(options, swap=swap)
    assert isinstance(hand.agree(1)[0], Penalised)  # the other can move
    hand.wait(ms=4000)
    assert not any(holding.has_agreed for holding in hand.table.holdings)
    assert hand.table.redeals == 1


# M-2


@both_ways
@pytest.mark.parametrize("split", [(30, 22), (40, 12), (26, 26)])
def test_m2_unequal_split_of_the_pack(split: tuple[int, int], swap: bool) -> None:
    given = split[::-1] if swap else split
    for game_id, piles in PILES.items():
        table, _ = opened(game_id, 4, Options(split=given))
        assert tuple(len(holding.draw) for holding in table.holdings) == tuple(n - piles for n in given)
        *_, last = play_on(table, Random(4))
        assert last.after.is_over


@pytest.mark.parametrize("split", [(30, 21), (26,), (20, 20, 12)])
def test_m2_split_has_to_be_the_whole_pack_for_two(split: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="split: found"):
        find("classic").game.start(Options(split=split), 0)


def test_games_of_equal_rules_are_equal_values() -> None:
    assert SharedPiles("classic") == find("classic").game
    assert hash(SharedPiles("classic")) == hash(find("classic").game)
    assert SharedPiles("classic", piles=3) != find("classic").game
