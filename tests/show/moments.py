"""The moments that the pictures and the tests of what is told are about: view, and time of the picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random

from firmware import rules
from firmware.rules.events import Reason
from firmware.rules.options import DeadHeatPolicy, Redeal
from firmware.session.view import NoteKind, View
from tests.show.hands import MS, Hand, S, start_view

Moment = tuple[View, int]
FAR_LATER_NS = 5 * S


def start() -> Moment:
    """One player is ready."""
    return start_view(is_ready=(True, False)), 0


INTERRUPTED = rules.Match(3, (1, 0), 1)


def go_on() -> Moment:
    """A match that was interrupted is offered, and a player has taken it."""
    view = start_view(is_ready=(True, False))
    return replace(view, match=INTERRUPTED, other_match=rules.Match()), 0


def go_on_rows() -> Moment:
    """The same in a game of five hands at most, nobody ready yet."""
    view = replace(start_view("double_flip"), match=rules.Match(5, (1, 2), 4))
    return replace(view, other_match=rules.Match(5)), 0


def new_instead() -> Moment:
    """A new match has been chosen in place of the interrupted one."""
    return replace(start_view(), other_match=INTERRUPTED), 0


def countdown() -> Moment:
    """Two seconds to go, seat 1 has touched too early."""
    hand = Hand()
    hand.press(1, 2, 1100 * MS)
    return hand.view(), 1200 * MS


def opening() -> Moment:
    """The first cards are in the air."""
    hand = Hand()
    hand.apply(rules.Go(hand.go_at_ns))
    return hand.view(), hand.go_at_ns + 40 * MS


def play() -> Moment:
    """In the middle of a hand, nothing special."""
    hand = Hand("rank_or_suit", seed=11).go().play(12).settled()
    return hand.view(), hand.now_ns + FAR_LATER_NS


def flying() -> Moment:
    """A card on its way."""
    hand = Hand("rank_or_suit", seed=11).go().play(12).settled()
    hand.press(*hand.legal()[0], hand.now_ns + FAR_LATER_NS)
    return hand.view(), hand.now_ns + 30 * MS


def quick() -> Moment:
    """Three piles."""
    return _with_a_move("quick")


def long() -> Moment:
    """Six piles."""
    return _with_a_move("long")


def _with_a_move(game_id: str) -> Moment:
    """A hand just begun in which somebody can move, so that it stays as it is."""
    hands = (Hand(game_id, seed=seed).go().settled() for seed in range(200))
    hand = next(hand for hand in hands if hand.legal())
    return hand.view(), hand.now_ns + FAR_LATER_NS


def penalty() -> Moment:
    """Seat 1 has pressed a pile that its card does not fit."""
    hand = Hand("rank_or_suit", seed=11).go().play(12).settled()
    wrong = next(slot for slot in range(4) if (1, slot) not in hand.legal())
    hand.press(1, wrong, hand.now_ns + FAR_LATER_NS)
    hand.note(1, NoteKind.WRONG_PILE)
    return hand.view(), hand.now_ns + 200 * MS


def contested(policy: DeadHeatPolicy = DeadHeatPolicy.REPLAY) -> tuple[Hand, int]:
    """A hand, and a pile that both can cover and only one may."""
    for seed in range(200):
        options = rules.Options(dead_heat=policy)
        hand = Hand("rank_or_suit", seed=seed, options=options).go().play(6).settled()
        if hand.table.outcome is not None:
            continue
        for slot in range(4):
            if {(0, slot), (1, slot)} <= set(hand.legal()):
                verdict = rules.judge(hand.table, _both(hand, slot))
                if isinstance(verdict, rules.DeadHeat):
                    return hand, slot
    raise AssertionError("no contested pile in 200 hands")


def _both(hand: Hand, slot: int) -> list[rules.Cover]:
    at_ns = hand.now_ns + FAR_LATER_NS
    return [rules.Cover(at_ns, seat, slot) for seat in (0, 1)]


def beaten() -> Moment:
    """A photo finish: seat 0 by 12.3 ms."""
    hand, slot = contested()
    hand.press(0, slot, hand.now_ns + FAR_LATER_NS)
    hand.press(1, slot, hand.now_ns + 12_300_000)
    hand.note(0, NoteKind.FIRST, 12.3)
    hand.note(1, NoteKind.BEATEN, 12.3)
    return hand.view(), hand.now_ns + 130 * MS


def dead_heat() -> Moment:
    """Too close to call; the pile is frozen."""
    hand, slot = contested()
    verdict = rules.judge(hand.table, _both(hand, slot))
    assert isinstance(verdict, rules.DeadHeat)
    hand.apply(verdict)
    for seat in (0, 1):
        hand.note(seat, NoteKind.DEAD_HEAT)
    return hand.view(), hand.now_ns + 100 * MS


def toss() -> Moment:
    """Too close to call; a toss."""
    hand, slot = contested(DeadHeatPolicy.COIN)
    verdict = rules.judge(hand.table, _both(hand, slot))
    assert isinstance(verdict, rules.DeadHeat)
    assert verdict.winner is not None
    hand.apply(verdict)
    hand.note(verdict.winner, NoteKind.TOSS_WON)
    hand.note(1 - verdict.winner, NoteKind.TOSS_LOST)
    return hand.view(), hand.now_ns + 150 * MS


def stuck() -> Moment:
    """Nobody can move; the redeal is on its way."""
    hand = Hand(seed=7).go()
    while hand.table.phase is not rules.Phase.PAUSE:
        hand.play(1)
        hand.settled()
    return hand.view(), hand.now_ns + 500 * MS


def agree() -> Moment:
    """Seat 0 says that nobody can move, seat 1 is asked."""
    for seed in range(200):
        hand = Hand(seed=seed, options=rules.Options(redeal=Redeal.AGREE)).go().settled()
        if not hand.legal():
            break
    hand.apply(rules.Agree(hand.now_ns + FAR_LATER_NS, 0))
    hand.note(0, NoteKind.AGREED)
    return hand.view(), hand.now_ns + 50 * MS


def ended(reason: Reason, game_id: str = "rank_or_suit", wins: tuple[int, int] = (0, 0)) -> Hand:
    """A hand that ended for *reason*."""
    for seed in range(400):
        hand = Hand(game_id, seed=seed).go()
        hand.match = rules.Match(3, wins, sum(wins))
        hand.play(99)
        outcome = hand.table.outcome
        if outcome is not None and outcome.reason is reason:
            return hand
    raise AssertionError(f"no hand of 400 ended for {reason}")


def result() -> Moment:
    """The end of a hand; seat 0 is ready for the next."""
    hand = ended(Reason.FEWER_CARDS)
    hand.is_ready = (True, False)
    return hand.view(), hand.now_ns + 3 * S


def match_end() -> Moment:
    """The end of a match."""
    hand = ended(Reason.PLACED_LAST_CARD, wins=(1, 1))
    return hand.view(), hand.now_ns + 3 * S


def saved() -> Moment:
    """The same end of a hand, on disk."""
    view, now_ns = result()
    return replace(view, is_saved=True), now_ns


def match_saved() -> Moment:
    """The same end of a match, on disk."""
    view, now_ns = match_end()
    return replace(view, is_saved=True), now_ns


def tie() -> Moment:
    """A hand that nobody won."""
    hand = ended(Reason.TIE)
    return hand.view(), hand.now_ns + 3 * S


def faults() -> Moment:
    """Everything an operator may have to be told."""
    view, now_ns = play()
    return (
        replace(
            view,
            stuck_buttons=((0, 1), (1, -1)),
            faults=("no sound: the device is missing, trying again",),
            input_note="keyboard: ± 8 ms",
        ),
        now_ns,
    )


MOMENTS: dict[str, Callable[[], Moment]] = {
    moment.__name__: cache(moment)
    for moment in (
        start, go_on, go_on_rows, new_instead, countdown, opening, play, flying, quick, long, penalty, beaten,
        dead_heat, toss, stuck, agree, result, match_end, saved, match_saved, tie, faults,
    )
}  # fmt: skip
"""Each is played once: views are frozen."""


def frames(
    seed: int, game_id: str = "rank_or_suit", *, seats: int = 2, commands: int = 160
) -> Iterator[Moment]:
    """A hand as the screen meets it: views at odd times, wrong presses and late ones among them."""
    chance = Random(seed)
    yield start_view(game_id), 0
    hand = Hand(game_id, seed=seed, seats=seats)
    hand.needs_second_bank = hand.game.layout.sides == 2 and seed % 2 == 0
    for at_ns in range(0, hand.go_at_ns, 700 * MS):
        yield hand.view(), at_ns
    hand.press(chance.randrange(2), 0, hand.go_at_ns - MS)
    yield hand.view(), hand.now_ns
    hand.apply(rules.Go(hand.go_at_ns))
    while hand.table.outcome is None and hand.number < commands:
        legal = hand.legal()
        due = hand.table.next_timer
        if legal and chance.random() < 0.6:
            seat, slot = chance.choice(legal)
        else:
            seat, slot = chance.randrange(2), chance.randrange(hand.game.layout.places)
        at_ns = hand.now_ns + chance.randrange(250 * MS)
        if due is not None and chance.random() < 0.7:
            hand.apply(due)
        else:
            hand.press(seat, slot, at_ns) if _can_wait(hand, at_ns) else hand.until(at_ns)
        if hand.needs_second_bank and chance.random() < 0.2:
            hand.has_second_bank = (chance.random() < 0.5, chance.random() < 0.5)
        hand.note(chance.randrange(2), chance.choice(list(NoteKind)), 7.5)
        for _ in range(chance.randrange(4)):
            yield hand.view(), hand.now_ns + chance.randrange(160 * MS)
    yield hand.view(), hand.now_ns + 100 * MS
    yield hand.view(), hand.now_ns + 3 * S


def _can_wait(hand: Hand, at_ns: int) -> bool:
    hand.until(at_ns)
    return hand.table.outcome is None
