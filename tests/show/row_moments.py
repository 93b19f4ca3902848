"""The moments of the row games that the pictures and the tests are about: view, and time of the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random

from firmware import rules
from firmware.rules.events import Eliminated, Gathered, RanOut, Reason
from firmware.rules.rows import Rows
from firmware.session.view import NoteKind
from tests.show.hands import MS, Hand, S, start_view
from tests.show.moments import MOMENTS, Moment


def _hands(game_id: str, covers: int, seats: int = 2) -> Iterator[Hand]:
    """Hands in which *covers* cards have been laid, and that go on."""
    for seed in range(400):
        hand = Hand(game_id, seed, seats=seats).go().row(covers)
        if hand.table.outcome is None:
            yield hand
    raise AssertionError(f"{game_id}: no such hand of 400")


def _raised(hand: Hand) -> tuple[int, ...]:
    assert isinstance(hand.game, Rows)
    return hand.game.raised(hand.table)


def _in_play(game_id: str, covers: int, seats: int = 2) -> Hand:
    """A hand with a pile that is raised, and one that lies on another card."""
    for hand in _hands(game_id, covers, seats):
        deep = sum(len(pile.cards) > 1 for pile in hand.table.piles)
        if _raised(hand) and deep > 2 and hand.table.phase is rules.Phase.PLAY:
            return hand
    raise AssertionError("unreachable")


def _until(hand: Hand, kind: type[rules.Event]) -> Hand:
    """On until something of this *kind* happens."""
    chance = Random(1)
    while not any(isinstance(event, kind) for event in hand.step(chance)):
        pass
    return hand


def rows_start() -> Moment:
    """Before the first hand of double flip."""
    return start_view("double_flip", is_ready=(False, True)), 0


def rows_countdown() -> Moment:
    """Two seconds to go."""
    return Hand("double_flip").view(), 1200 * MS


def rows_laying() -> Moment:
    """The third cards of the rows are in the air."""
    hand = Hand("double_flip", seed=3)
    hand.apply(rules.Go(hand.go_at_ns))
    hand.until(hand.go_at_ns + 300 * MS)
    return hand.view(), hand.now_ns + 40 * MS


def double_flip() -> Moment:
    """In the middle of a hand: a pile is open because of a match already begun."""
    hand = _in_play("double_flip", 9)
    return hand.view(), hand.now_ns + 5 * S


def no_match() -> Moment:
    """No pile is open; the rows will be gathered."""
    hand = next(hand for hand in _paused("double_flip"))
    return hand.view(), hand.now_ns + 400 * MS


def _paused(game_id: str) -> Iterator[Hand]:
    for hand in _hands(game_id, 5):
        if hand.until(hand.now_ns + 200 * MS).table.phase is rules.Phase.PAUSE:
            yield hand


def gathering() -> Moment:
    """The rows are on their way back, the first new cards are on theirs."""
    hand = next(_paused("double_flip"))
    due = hand.table.next_timer
    assert due is not None
    hand.apply(due)
    return hand.view(), hand.now_ns + 30 * MS


def second_bank() -> Moment:
    """Four buttons: seat 0 holds START, so its buttons are the far row; seat 1 is told how."""
    view, now_ns = doubles()
    return replace(view, needs_second_bank=True, has_second_bank=(True, False)), now_ns


def rows_beaten() -> Moment:
    """Seat 1 was first on a pile of its own row, seat 0 has pressed a wrong one besides."""
    for hand in _hands("double_flip", 6):
        wrong = [slot for slot in range(4) if (0, slot) not in hand.legal()]
        right = [slot for seat, slot in hand.legal() if seat == 1 and slot > 3]
        if right and wrong and hand.table.next_timer is None:
            at_ns = hand.now_ns + S
            hand.press(1, right[0], at_ns)
            if (0, right[0]) in hand.legal() or hand.table.phase is not rules.Phase.PLAY:
                continue
            hand.press(0, right[0], at_ns + 12_300_000)
            hand.press(0, wrong[0], at_ns + 150 * MS)
            hand.note(0, NoteKind.WRONG_PILE)
            hand.note(1, NoteKind.FIRST, 12.3)
            break
    return hand.view(), hand.now_ns + 60 * MS


def doubles() -> Moment:
    """In the middle of a hand: the index of the card beneath shows."""
    hand = _in_play("doubles", 9)
    return hand.view(), hand.now_ns + 5 * S


def five_seats() -> Moment:
    """In the middle of a round of five."""
    hand = _in_play("tournament", 12, seats=5)
    return hand.view(), hand.now_ns + 5 * S


def three_seats() -> Moment:
    """A round of three has just been laid."""
    hand = Hand("tournament", seed=4, seats=3).go().until(4 * S)
    return hand.view(), hand.now_ns + 5 * S


def eliminated() -> Moment:
    """A seat is out, others are safe."""
    hand = _until(Hand("tournament", seed=1, seats=5).go(), Eliminated)
    return hand.view(), hand.now_ns + 300 * MS


def safe() -> Moment:
    """Seat 0 waits for the next round."""
    for seed in range(99):
        hand = Hand("tournament", seed, seats=4).go()
        _until(hand, RanOut)
        if hand.table.holdings[0].is_out:
            return hand.view(), hand.now_ns + 60 * MS
    raise AssertionError("seat 0 is never the first to be safe")


def tournament_end() -> Moment:
    """A tournament is over."""
    hand = Hand("tournament", seed=2, seats=5).go().row(9999)
    return hand.view(), hand.now_ns + 3 * S


def _of_ranks(near: str, far: str) -> tuple[rules.Card, ...]:
    """A deck that deals these ranks to seat 0 and seat 1."""
    pack = list(rules.PACK)
    parts: list[list[rules.Card]] = []
    for ranks in (near, far):
        part = []
        for rank in ranks:
            part.append(next(card for card in pack if str(card)[0] == rank))
            pack.remove(part[-1])
        parts.append(part)
    for part in parts:
        part += [pack.pop(0) for _ in range(26 - len(part))]
    return (*parts[0], *parts[1])


def full_rows() -> Moment:
    """Two rows of seven: the fourteenth card is the first that matches."""
    hand = Hand("aggravation", deck=_of_ranks("A23456K", "789TJQA")).go()
    while not hand.legal():
        assert hand.table.next_timer is not None
        hand.apply(hand.table.next_timer)
    return hand.view(), hand.now_ns + 5 * S


def growing() -> Moment:
    """Two more cards are in the air."""
    hand = Hand("aggravation", deck=_of_ranks("A23456K", "789TJQA")).go()
    hand.until(hand.go_at_ns + 2700 * MS)
    return hand.view(), hand.now_ns + 30 * MS


def _caller() -> Hand:
    """Aggravation: one seat has no cards left, and there is a pair."""
    for seed in range(400):
        hand = _until(Hand("aggravation", seed).go(), RanOut)
        out = [seat for seat in (0, 1) if not hand.table.holdings[seat].draw]
        if out == [0] and hand.table.outcome is None and len(hand.game.legal_slots(hand.table, 0)) > 1:
            return hand
    raise AssertionError("no hand of 400 is called")


def call() -> Moment:
    """Seat 0 has to call and has touched the first of a pair."""
    hand = _caller()
    hand.press(0, hand.game.legal_slots(hand.table, 0)[-1], hand.now_ns + 3 * S)
    return hand.view(), hand.now_ns + 100 * MS


def to_call() -> Moment:
    """Seat 0 has to call and has touched nothing yet, with four buttons a seat."""
    hand = _caller()
    hand.needs_second_bank = True
    return hand.view(), hand.now_ns + 5 * S


def wrong_call() -> Moment:
    """Seat 0 has called two cards that are not equal."""
    hand = _caller()
    ranks = {slot: pile.top.rank for slot, pile in enumerate(hand.table.piles) if pile.cards}
    first = min(ranks)
    other = next(slot for slot in ranks if ranks[slot] != ranks[first])
    hand.press(0, first, hand.now_ns + S)
    hand.press(0, other)
    hand.note(0, NoteKind.CALLED_WRONGLY)
    return hand.view(), hand.now_ns + 100 * MS


def called() -> Moment:
    """Seat 0 has called a pair and won."""
    hand = _caller()
    for wait_ns in (S, 90 * MS):
        hand.press(0, hand.game.legal_slots(hand.table, 0)[0], hand.now_ns + wait_ns)
    return hand.view(), hand.now_ns + 200 * MS


def lone_dealer() -> Moment:
    """Seat 0 is out; seat 1 has filled its own side and deals onto the other."""
    for seed in range(1600, 9999):  # it is rare: the first such seed is 1644
        hand = _until(Hand("aggravation", seed).go(), RanOut)
        while hand.table.outcome is None and hand.table.next_timer is not None:
            hand.apply(hand.table.next_timer)
            piles = hand.table.piles
            if any(pile.cards and pile.owner != slot // 7 for slot, pile in enumerate(piles)):
                return hand.view(), hand.now_ns + 5 * S
    raise AssertionError("nobody deals onto the other side")


def frustration() -> Moment:
    """In the middle of a hand, with the shares."""
    hand = _in_play("frustration", 9)
    return hand.view(), hand.now_ns + 5 * S


def new_start() -> Moment:
    """A draw pile was empty: all rows are gathered."""
    hand = _until(Hand("frustration", seed=3).go(), Gathered)
    return hand.view(), hand.now_ns + 170 * MS


def small_share() -> Moment:
    """The end of a hand of frustration."""
    for seed in range(99):
        hand = Hand("frustration", seed).go().row(999)
        if hand.table.outcome is not None and hand.table.outcome.reason is Reason.SMALL_SHARE:
            break
    return hand.view(), hand.now_ns + 3 * S


ROW_MOMENTS: dict[str, Callable[[], Moment]] = {
    moment.__name__: cache(moment)
    for moment in (
        rows_start, rows_countdown, rows_laying, double_flip, no_match, gathering, second_bank, rows_beaten,
        doubles, five_seats, three_seats, eliminated, safe, tournament_end, full_rows, growing, call, to_call,
        wrong_call, called, lone_dealer, frustration, new_start, small_share,
    )
}  # fmt: skip
"""Each is played once: views are frozen."""

ALL_MOMENTS = {**MOMENTS, **ROW_MOMENTS}
ROW_GAMES = {
    "double_flip": 2, "doubles": 2, "tournament": 5, "aggravation": 2, "frustration": 2,
}  # fmt: skip
"""With how many seats they are tried."""
