"""Rutter's tournament (R-1 to R-4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from random import Random

import pytest

from firmware.rules import (
    Agree,
    Card,
    Command,
    Cover,
    DeadHeat,
    Event,
    First,
    Go,
    Options,
    Outcome,
    Phase,
    Reason,
    Table,
    find,
    judge,
)
from firmware.rules.cards import RANKS, SUITS
from firmware.rules.deal import shuffled
from firmware.rules.events import (
    Agreed,
    Beaten,
    Covered,
    Dealt,
    Eliminated,
    Ended,
    Excuse,
    Gathered,
    Ignored,
    Penalised,
    RanOut,
    RoundDealt,
    Stuck,
)
from firmware.rules.laid_rows import BARREN_ROWS, MOST_GATHERS
from firmware.rules.options import Redeal
from firmware.rules.tournament import PLACES, Tournament, TournamentOwn
from tests.rules.hands import MS
from tests.rules.row_hands import LAY_NS, PAUSE_NS, RowHand

GAME = Tournament("tournament")
WIDTHS = {5: 2, 4: 2, 3: 3, 2: 5}
NO_EIGHTS = 1
"""A seed that leaves out the eights where three or five seats play."""


def dealt(
    led: dict[int, str], *, seats: int, seed: int = NO_EIGHTS, options: Options | None = None
) -> RowHand:
    """A tournament whose first cards of some seats are of the ranks named; the others are as they come.

    The rows of the first round lie.
    """
    left = list(GAME.pack(seats, seed))
    parts: dict[int, list[Card]] = {seat: [] for seat in range(seats)}
    for seat, ranks in led.items():
        for rank in ranks.replace(" ", ""):
            card = next(card for card in left if str(card)[0] == rank)
            left.remove(card)
            parts[seat].append(card)
    size = len(GAME.pack(seats, seed)) // seats
    for part in parts.values():
        while len(part) < size:
            part.append(left.pop())
    deck = tuple(card for seat in range(seats) for card in parts[seat])
    hand = RowHand(GAME, GAME.start(options or Options(), seed, seats=seats, deck=deck))
    hand.go()
    hand.wait(ns=(WIDTHS[seats] - 1) * LAY_NS)
    return hand


def one_out(
    second: str = "", third: str = "", options: Options | None = None, *, stop_before: int = 0
) -> RowHand:
    """Three seats; seat 0 has put down all its cards, or all but *stop_before*, and slot 7 is open.

    It covered the kings at slots 0 (its own) and 7 (seat 1's) with pairs. *second*: what seat 1 draws.
    """
    pairs = "QQQQQQQQ JJJJJJJJ TTTTTTTT 9999 9"
    hand = dealt({0: f"KA2 {pairs}", 1: f"K34 {second}", 2: f"567 {third}"}, seats=3, options=options)
    for nth in range(29 - stop_before):
        hand.cover(0, (0, 7)[nth % 2])
    return hand


def two_out(options: Options | None = None) -> RowHand:
    """Three seats; seats 0 and 1 have put down all their cards: seat 2 is eliminated."""
    hand = one_out("5 AAAAAA 222222 333333 444444 6666", options=options)
    hand.cover(1, 7)  # equal to the five at slot 3
    for nth in range(28):
        hand.cover(1, (7, 3)[nth % 2])
    return hand


def any_move(table: Table[TournamentOwn], chance: Random) -> Command:
    """A cover by one of the seats that can move, or what is due."""
    seats = range(len(table.holdings))
    moves = [(seat, legal) for seat in seats if (legal := GAME.legal_slots(table, seat))]
    if not moves:
        assert table.next_timer is not None
        return table.next_timer
    seat, legal = moves[int(chance.random() * len(moves))]
    return Cover(table.at_ns, seat, legal[int(chance.random() * len(legal))])


def rows(table: Table[TournamentOwn]) -> dict[int, list[int]]:
    """The slots that each seat owns now."""
    found: dict[int, list[int]] = {}
    for slot, pile in enumerate(table.piles):
        if pile.cards:
            assert pile.owner is not None
            found.setdefault(pile.owner, []).append(slot)
    return found


#


@pytest.mark.parametrize(
    ("seats", "pack", "each", "of_removed"),
    [(5, 100, 20, 4), (4, 104, 26, 8), (3, 96, 32, 0), (2, 104, 52, 8)],
)
def test_r1_cards_of_a_round(seats: int, pack: int, each: int, of_removed: int) -> None:
    for seed in range(20):
        table = GAME.start(Options(), seed, seats=seats)
        assert len(table.pack) == pack
        assert [len(holding.draw) for holding in table.holdings] == [each] * seats
        count = Counter(table.pack)
        by_rank = Counter(card.rank for card in table.pack)
        assert min(by_rank.get(rank, 0) for rank in range(13)) == of_removed
        assert sorted(by_rank.values(), reverse=True)[:12] == [8] * 12
        if seats == 5:  # one of each suit is left of the rank
            removed = min(by_rank, key=lambda rank: by_rank[rank])
            assert [count[Card(removed, suit)] for suit in range(4)] == [1] * 4


def test_r1_removed_rank_comes_from_the_seed() -> None:
    def removed(seed: int) -> int:
        ranks = {card.rank for card in GAME.pack(3, seed)}
        return next(rank for rank in range(13) if rank not in ranks)

    assert {removed(seed) for seed in range(200)} == set(range(13))
    assert removed(7) == removed(7)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_r1_rows_are_as_wide_as_the_number_of_seats_says(seats: int) -> None:
    hand = dealt({}, seats=seats)
    assert hand.log[0] == RoundDealt(0, tuple(range(seats)), 7 if seats in (3, 5) else None)
    assert rows(hand.table) == {seat: sorted(place) for seat, place in enumerate(PLACES[seats])}
    assert {len(slots) for slots in rows(hand.table).values()} == {WIDTHS[seats]}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_r1_rows_of_seats_with_buttons_are_on_their_own_side(seats: int) -> None:
    places = PLACES[seats]
    slots = [slot for place in places for slot in place]
    assert len(slots) == len(set(slots)) == seats * WIDTHS[seats]
    assert all(not GAME.layout.place(seat, slot)[1] for seat in (0, 1) for slot in places[seat])


@pytest.mark.parametrize("seats", [1, 6])
def test_r1_two_to_five_play(seats: int) -> None:
    with pytest.raises(ValueError, match="2 to 5 can play"):
        GAME.start(Options(), 1, seats=seats)


def test_r1_one_card_at_a_time_and_nothing_open_before_the_last_lie() -> None:
    hand = RowHand(GAME, GAME.start(Options(), 3, seats=5))
    assert sum(isinstance(event, Dealt) for event in hand.go()) == 5
    assert hand.open() == []
    assert sum(isinstance(event, Dealt) for event in hand.wait(ns=LAY_NS)) == 5


#


def test_r2_any_seat_may_cover_any_open_pile() -> None:
    hand = dealt({0: "KA", 1: "K2", 2: "34", 3: "56", 4: "79"}, seats=5)
    assert [hand.legal(seat) for seat in range(5)] == [[0, 5]] * 5
    assert isinstance(hand.press(4, 0)[0], Covered)
    assert isinstance(hand.press(3, 5)[0], Covered)


def test_r2_doubles_are_on() -> None:
    hand = dealt({0: "KA", 1: "K2", 2: "34 9", 3: "56 K", 4: "7Q T"}, seats=5)
    hand.cover(2, 0)  # 9
    hand.cover(3, 5)  # a king on the king
    assert hand.open() == [5]


#


def test_r3_seat_without_cards_gathers_its_piles_and_waits() -> None:
    hand = one_out(stop_before=1)
    events = hand.press(0, 0)
    assert [type(event) for event in events] == [Covered, RanOut, Gathered]
    assert events[-1] == Gathered(hand.now_ns, 0, (0, 1, 2))
    assert hand.table.holdings[0].is_out
    assert hand.table.holdings[0].left == 0
    assert not GAME.fits(hand.table, 0, 7)
    assert sorted(rows(hand.table)) == [1, 2]
    assert hand.press(0, 7) == (Ignored(hand.now_ns, 0, 7, Excuse.OUT),)


def test_r3_its_piles_and_their_open_state_vanish_and_other_piles_stay_open() -> None:
    hand = one_out(stop_before=1)
    assert hand.open() == [0, 7]
    hand.cover(0, 0)
    assert hand.open() == [7]
    assert [hand.legal(seat) for seat in (1, 2)] == [[7], [7]]


def test_r3_press_on_a_pile_that_has_just_vanished_is_beaten_and_later_ignored() -> None:
    hand = one_out()
    assert hand.press(1, 0, after_ms=5) == (Beaten(hand.now_ns, 1, 0, 5 * MS),)
    assert hand.press(1, 0, after_ms=300) == (Ignored(hand.now_ns, 1, 0, Excuse.NO_PILE),)


def test_r3_rows_have_the_width_for_the_seats_still_holding_cards() -> None:
    hand = one_out(second="A")
    hand.cover(1, 7)
    assert isinstance(hand.log[-1], Stuck)
    hand.wait(ns=PAUSE_NS)
    hand.wait(ns=4 * LAY_NS)
    assert rows(hand.table) == {1: [5, 6, 7, 8, 9], 2: [0, 1, 2, 3, 4]}


def test_r3_row_is_shorter_where_a_card_has_to_stay_in_hand() -> None:
    # Seats 1, 0 and 2 put pairs on slots 3 (seat 2's) and 8 (seat 3's); seat 1 keeps two cards and its row.
    hand = dealt(
        {
            0: "A2 99 TTTTTTTT JJJJJJJJ QQQQQQ",
            1: "34 77777777 88888888 999999",
            2: "K5 QQ KKKKKK AAAAAA 222222 5555",
            3: "K6 2",
        },
        seats=4,
    )
    for seat, covers in ((1, 22), (0, 24), (2, 24)):
        for nth in range(covers):
            hand.cover(seat, (3, 8)[nth % 2])
    hand.cover(3, 8)
    assert isinstance(hand.log[-1], Stuck)
    assert hand.share(1) == 4
    hand.wait(ns=PAUSE_NS)
    hand.wait(ns=4 * LAY_NS)
    assert rows(hand.table) == {1: [5, 6, 7], 3: [0, 1, 2, 3, 4]}
    assert hand.table.holdings[1].left == 1


def test_r3_last_seat_with_cards_is_eliminated_and_all_cards_are_dealt_to_the_rest() -> None:
    hand = two_out()
    assert hand.log[-1] == Eliminated(hand.now_ns, 2, Reason.LAST_IN_HAND, hand.now_ns + PAUSE_NS)
    assert hand.press(0, 7) == (Ignored(hand.now_ns, 0, 7, Excuse.PAUSE),)
    hand.wait(ns=PAUSE_NS)
    assert RoundDealt(hand.now_ns, (0, 1), None) in hand.log
    hand.wait(ns=4 * LAY_NS)
    assert len(hand.table.pack) == 104
    assert [holding.left for holding in hand.table.holdings] == [47, 47, 0]
    assert rows(hand.table) == {0: [0, 1, 2, 3, 4], 1: [5, 6, 7, 8, 9]}
    assert hand.table.own.seated == (0, 1)
    assert hand.press(2, 0) == (Ignored(hand.now_ns, 2, 0, Excuse.OUT),)


def test_r3_seats_stay_who_they_are_when_a_lower_one_is_eliminated() -> None:
    eliminated: set[int] = set()
    for seed in range(6):
        table, chance = GAME.start(Options(lay_ms=0), seed, seats=5), Random(seed)
        table, _ = GAME.apply(table, Go(0))
        while not table.is_over:
            table, events = GAME.apply(table, any_move(table, chance))
            for event in events:
                if isinstance(event, Eliminated):
                    assert event.seat not in table.own.seated
                    eliminated.add(event.seat)
                if isinstance(event, RoundDealt):
                    assert event.seats == table.own.seated
        assert table.outcome is not None
        assert (table.outcome.winner,) == tuple(
            seat for seat in table.own.seated if not table.holdings[seat].draw
        )
    assert eliminated == {0, 1, 2, 3, 4}


def liveliness(hand: RowHand, move: tuple[int, int]) -> tuple[int, int, int, tuple[int, int]]:
    """How much goes on after a move: seats out, piles open; the seat with most cards is asked first."""
    after, _ = GAME.apply(hand.table, Cover(hand.now_ns, *move))
    still_open = sum(pile.is_open for pile in after.piles)
    outs = sum(holding.is_out for holding in after.holdings)
    return outs, still_open, -after.holdings[move[0]].left, move


def test_r3_cap_eliminates_the_seat_with_most_cards() -> None:
    hand = RowHand(GAME, GAME.start(Options(lay_ms=0), 0, seats=4))
    hand.go()
    while not any(isinstance(event, Eliminated) for event in hand.log):
        moves = [(seat, slot) for seat in range(4) for slot in hand.legal(seat)]
        if moves:
            hand.cover(*min(moves, key=lambda move: liveliness(hand, move)))
        else:
            hand.wait(ns=PAUSE_NS)
    assert hand.table.redeals == MOST_GATHERS
    shares = [hand.share(seat) for seat in range(4)]
    assert hand.log[-1] == Eliminated(hand.now_ns, 0, Reason.MOST_CARDS, hand.now_ns + PAUSE_NS)
    assert shares.count(max(shares)) == 1
    assert shares[0] == max(shares)
    hand.wait(ns=PAUSE_NS)
    assert hand.table.own.seated == (1, 2, 3)
    assert hand.table.own.gathers == 0  # each round has its own count


def of_ranks(ranks: str) -> tuple[Card, ...]:
    """A deck of two packs by its ranks, suits in turn."""
    used: Counter[str] = Counter()
    deck = []
    for rank in ranks:
        deck.append(Card(RANKS.index(rank), used[rank] % len(SUITS)))
        used[rank] += 1
    return tuple(deck)


def test_r4_tied_final_is_dealt_anew() -> None:
    # The two seats have but the sevens in common, and those never lie in the same row.
    deck = of_ranks("A234567" * 4 + "A23456" * 4 + "89TJQK" * 4 + "89TJQK7" * 4)
    hand = RowHand(GAME, GAME.start(Options(lay_ms=0), 1, seats=2, deck=deck))
    hand.go()
    for _ in range(BARREN_ROWS):
        assert sum(isinstance(event, RoundDealt) for event in hand.log) == 1
        hand.wait(ns=PAUSE_NS)
    assert RoundDealt(hand.now_ns, (0, 1), None) in hand.log
    assert not hand.table.is_over
    assert hand.table.own.barren == 1
    assert [holding.left for holding in hand.table.holdings] == [47, 47]


def test_r4_final_that_is_capped_goes_to_the_seat_with_fewer_cards() -> None:
    near = "A23A456234567A234567A273456A23456A234576A23456A23456"
    far = "89TJQ7K789TJQK89TJQK89TJQK89TJQK879TJQK89TJQ7K89TJQK"
    hand = RowHand(GAME, GAME.start(Options(lay_ms=0), 1, seats=2, deck=of_ranks(near + far)))
    hand.go()
    hand.cover(1, 0)
    hand.cover(0, 3)
    hand.wait(ms=60_000)
    assert hand.outcome == Outcome(Reason.MOST_CARDS, 1)
    assert (hand.share(0), hand.share(1)) == (53, 51)


#


def test_r4_first_to_put_down_the_last_card_of_the_final_wins() -> None:
    pairs = "QQQQQQQQ JJJJJJJJ TTTTTTTT 99999999 KKKKKK AAAAAA 22 2"
    hand = dealt({0: f"KA234 {pairs}", 1: "K5678"}, seats=2)
    for nth in range(46):
        hand.cover(0, (0, 5)[nth % 2])
    assert hand.press(0, 0)[-1] == Ended(hand.now_ns, Reason.PLACED_LAST_CARD, 0)


def test_r4_tournament_is_best_of_one() -> None:
    assert find("tournament").best_of == 1
    assert find("tournament").game == GAME


def test_r4_with_no_human_seat_holding_cards_the_rest_runs_fast() -> None:
    for human_seats, times in (((0, 1), 1), ((0,), 8)):
        hand = one_out(second="A", options=Options(human_seats=human_seats))
        hand.cover(1, 7)
        assert hand.log[-1] == Stuck(hand.now_ns, hand.now_ns + PAUSE_NS // times)
        hand.wait(ns=PAUSE_NS // times)
        assert hand.table.next_timer is not None
        assert hand.table.next_timer.at_ns == hand.now_ns + 150 // times * MS


def test_r4_round_that_no_human_seat_is_in_follows_fast() -> None:
    for human_seats, times in (((2,), 8), ((0, 2), 1)):
        hand = two_out(Options(human_seats=human_seats))
        assert hand.log[-1] == Eliminated(
            hand.now_ns, 2, Reason.LAST_IN_HAND, hand.now_ns + PAUSE_NS // times
        )


# T in a tournament


def test_t3_place_outside_all_rows_that_once_held_a_pile_is_illegal() -> None:
    hand = RowHand(GAME, GAME.start(Options(lay_ms=0), 2, seats=4))
    hand.go()
    unused = next(slot for slot in range(10) if not hand.table.piles[slot].cards)
    assert hand.press(0, unused) == (Ignored(hand.now_ns, 0, unused, Excuse.NO_PILE),)
    chance = Random(2)
    while len(hand.table.own.seated) == 4 or hand.table.phase is not Phase.PLAY:
        command = any_move(hand.table, chance)
        hand.now_ns = command.at_ns
        hand.do(command)
    (unused,) = (slot for slot in range(10) if not hand.table.piles[slot].cards)
    seat = hand.table.own.seated[0]
    assert isinstance(hand.press(seat, unused)[0], Penalised)


def test_t5_three_presses_on_one_pile_are_a_dead_heat_of_three() -> None:
    hand = dealt({0: "KA T", 1: "K2 J", 2: "34 Q", 3: "56", 4: "79"}, seats=5)
    covers = [Cover(hand.now_ns + seat, seat, 0) for seat in (0, 1, 2)]
    for order in permutations(covers):
        said = judge(hand.table, order)
        assert said == DeadHeat(hand.now_ns, ((0, 0), (1, 0), (2, 0)), None)


def test_t5_press_on_another_pile_is_no_contestant() -> None:
    hand = dealt({0: "KA T", 1: "K2 J", 2: "34 Q", 3: "56", 4: "79"}, seats=5)
    covers = [Cover(hand.now_ns, 0, 0), Cover(hand.now_ns, 1, 0), Cover(hand.now_ns, 2, 5)]
    said = judge(hand.table, covers)
    assert isinstance(said, DeadHeat)
    assert said.contestants == ((0, 0), (1, 0))


def test_t5_going_out_contests_with_a_card_on_a_pile_that_would_vanish() -> None:
    # Seat 0's last card lands in any order; seat 1's, meant for seat 0's pile, only if it is first.
    hand = one_out(second="A", stop_before=1)
    said = judge(hand.table, [Cover(hand.now_ns, 0, 7), Cover(hand.now_ns + 9, 1, 0)])
    assert said == DeadHeat(hand.now_ns, ((0, 7), (1, 0)), None)
    said = judge(hand.table, [Cover(hand.now_ns, 0, 0), Cover(hand.now_ns + 9, 1, 7)])
    assert isinstance(said, First)  # slot 7 is not seat 0's


def test_t6_where_players_agree_every_seat_that_holds_cards_does() -> None:
    hand = one_out(second="A", options=Options(redeal=Redeal.AGREE))
    hand.cover(1, 7)
    assert hand.wait(ms=9000) == ()
    assert hand.do(Agree(hand.now_ns, 0)) == (Ignored(hand.now_ns, 0, None, Excuse.OUT),)
    assert hand.agree(1) == (Agreed(hand.now_ns, 1),)
    hand.agree(2)
    assert hand.table.redeals == 1


def test_m2_no_handicap_in_a_tournament() -> None:
    for options in (Options(split=(12, 40)), Options(penalty_ms=(500, 250))):
        with pytest.raises(ValueError, match="tournament has no handicap"):
            GAME.start(options, 1, seats=2)
    assert GAME.start(Options(penalty_ms=(250, 250)), 1, seats=5).options.penalty_ms == (250,) * 5


# Fairness


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_r_round_is_the_same_whoever_sits_where(seats: int) -> None:
    """The first round, played twice with all seats exchanged: the same happens, to whom it should."""
    for seed in range(4):
        chance = Random(seed)
        moved = shuffled(range(seats), seed + 90)
        deck = shuffled(GAME.pack(seats, seed), seed)
        size = len(deck) // seats
        parts = [deck[seat * size : (seat + 1) * size] for seat in range(seats)]
        other_parts = [parts[moved.index(seat)] for seat in range(seats)]
        other_deck = tuple(card for part in other_parts for card in part)
        options = Options(human_seats=tuple(range(seats)))
        table = GAME.start(options, seed, seats=seats)
        other = GAME.start(options, seed, seats=seats, deck=other_deck)
        table, _ = GAME.apply(table, Go(0))
        other, _ = GAME.apply(other, Go(0))
        while len(table.own.seated) == seats:
            command = any_move(table, chance)
            if isinstance(command, Cover):
                owner = next(seat for seat, row in enumerate(table.own.rows) if command.slot in row)
                column = table.own.rows[owner].index(command.slot)
                slot = other.own.rows[moved[owner]][column]
                image: Command = Cover(command.at_ns, moved[command.seat], slot)
            else:
                assert other.next_timer is not None
                image = other.next_timer
            table, events = GAME.apply(table, command)
            other, other_events = GAME.apply(other, image)
            told = sorted(what(event, moved) for event in events)
            assert told == sorted(what(event, range(seats)) for event in other_events)


def what(event: Event, moved: Sequence[int]) -> tuple[str, int, str]:
    """What happened to whom, with the seats exchanged; places and the seats' order left out."""
    seat = moved[event.seat] if isinstance(event, (Dealt, Covered, Gathered, RanOut, Eliminated)) else -1
    card = str(event.card) if isinstance(event, (Dealt, Covered)) else ""
    return type(event).__name__, seat, card
