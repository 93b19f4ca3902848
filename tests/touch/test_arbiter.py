"""One timeline of touches and timers: who comes first, and when that can be said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.touch.arbiter import SLACK_NS, Arbiter, Let, Ruling, TimerDue
from firmware.touch.contact import START, Button, Contacts, Signal, Times, Touch
from firmware.touch.edges import Edge, EdgeKind
from tests.touch.wires import MS, T0, US, S, touch

WINDOW = MS
HOLD = WINDOW + SLACK_NS
both_ways = pytest.mark.parametrize("seat", [0, 1], ids=["near", "far"])


class Bench:
    """An arbiter, and a judge that remembers what it was asked. By itself it holds with the earliest."""

    def __init__(self, choose: Callable[[tuple[Touch, ...]], Ruling[str]] | None = None) -> None:
        self.arbiter: Arbiter[str] = Arbiter(WINDOW)
        self.asked: list[tuple[Touch, ...]] = []
        self._choose = choose or (lambda touches: Ruling(touches[:1]))

    def judge(self, touches: tuple[Touch, ...]) -> Ruling[str]:
        self.asked.append(touches)
        return self._choose(touches)

    def offer(self, *touches: Touch) -> Bench:
        for one in touches:
            self.arbiter.offer(one)
        return self

    def next(
        self, now_ns: int, timer_ns: int | None = None, candidates: Sequence[Touch] = ()
    ) -> Let[str] | TimerDue | None:
        return self.arbiter.next(now_ns, timer_ns, candidates, self.judge)

    def order(self, now_ns: int = T0 + 3600 * S) -> list[Touch]:
        """All that is held, in the order in which it is let out."""
        order: list[Touch] = []
        while isinstance(let := self.next(now_ns), Let):
            order += let.touches
        return order


# Holding back


@both_ways
@pytest.mark.parametrize("uncertain_ns", [0, 7 * MS])
def test_touch_is_held_for_window_and_slack_whatever_its_own_doubt(seat: int, uncertain_ns: int) -> None:
    one = touch(seat, T0, uncertain_ns=uncertain_ns)
    bench = Bench().offer(one)
    assert bench.next(T0 + HOLD - 1) is None
    assert bench.next(T0 + HOLD) == Let(T0, (one,))
    assert bench.next(T0 + S) is None
    assert bench.asked == [], "nobody is in its way: there is nothing to judge"


@both_ways
def test_forgotten_with_what_is_over(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0))
    bench.arbiter.clear()
    assert bench.next(T0 + S) is None
    assert bench.arbiter.wake_at_ns(None, ()) is None


# Order


@both_ways
def test_order_is_that_of_the_stamps_not_of_arrival(seat: int) -> None:
    early, late = touch(seat, T0, 3), touch(1 - seat, T0 + 2 * MS, 0)
    assert Bench().offer(late, early).order() == [early, late]
    assert Bench().offer(early, late).order() == [early, late]


@settings(deadline=None, max_examples=100)
@given(
    steps=st.lists(st.integers(WINDOW, 3 * MS), min_size=1, max_size=6),
    seats=st.lists(st.integers(0, 1), min_size=6, max_size=6),
    seed=st.integers(0, 2**32),
)
def test_any_arrival_within_the_slack_gives_the_same_order(
    steps: list[int], seats: list[int], seed: int
) -> None:
    times = [T0 + sum(steps[:n]) for n in range(len(steps))]
    touches = [touch(seat, at_ns, n) for n, (seat, at_ns) in enumerate(zip(seats, times, strict=False))]
    chance = Random(seed)
    arrivals = sorted((one.at_ns + chance.randrange(SLACK_NS), n) for n, one in enumerate(touches))
    bench, order = Bench(), []
    for arrived_ns, n in arrivals:
        order += bench.order(arrived_ns)
        bench.offer(touches[n])
    assert order + bench.order() == touches
    assert bench.arbiter.late == 0


@pytest.mark.parametrize("numbers", [(0, 3), (3, 0), (START, 2), (2, START)])
def test_equal_stamps_of_one_seat_do_not_depend_on_who_was_confirmed_first(numbers: tuple[int, int]) -> None:
    touches = [touch(0, T0, number) for number in numbers]
    assert Bench().offer(*touches).order() == Bench().offer(*touches[::-1]).order()


@both_ways
def test_equal_stamps_of_two_seats_are_put_to_the_judge_in_one_order(seat: int) -> None:
    # START here, a pile there: the same one comes first whichever seat it is, whoever was confirmed first.
    start, pile = touch(seat, T0, START), touch(1 - seat, T0, 2)
    for touches in ([start, pile], [pile, start]):
        bench = Bench().offer(*touches)
        bench.next(T0 + S)
        assert bench.asked == [(start, pile)]


# Timers


@both_ways
def test_timer_and_touch_at_one_moment_timer_first(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0))
    assert bench.next(T0 + S, T0) == TimerDue(T0)
    assert isinstance(bench.next(T0 + S), Let)


@both_ways
def test_timers_and_touches_come_out_in_one_timeline(seat: int) -> None:
    first, last = touch(seat, T0), touch(1 - seat, T0 + 20 * MS)
    bench = Bench().offer(last, first)
    timers: list[int] = [T0 - 1, T0 + 10 * MS, T0 + 20 * MS, T0 + 20 * MS + 1]
    seen: list[int] = []
    while (due := bench.next(T0 + S, timers[0] if timers else None)) is not None:
        seen.append(due.at_ns)
        if isinstance(due, TimerDue):
            timers.pop(0)
    assert seen == [T0 - 1, T0, T0 + 10 * MS, T0 + 20 * MS, T0 + 20 * MS, T0 + 20 * MS + 1]


def test_timer_waits_for_what_may_still_be_on_its_way() -> None:
    bench = Bench()
    assert bench.next(T0 + SLACK_NS - 1, T0) is None
    assert bench.next(T0 + SLACK_NS, T0) == TimerDue(T0)


@both_ways
def test_timer_waits_for_an_older_candidate_only(seat: int) -> None:
    bench = Bench()
    assert bench.next(T0 + S, T0, [touch(seat, T0 - 1)]) is None
    assert bench.next(T0 + S, T0, [touch(seat, T0)]) == TimerDue(T0)


@both_ways
def test_timer_waits_for_an_older_touch_still_held_back(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0, uncertain_ns=10 * MS))
    assert bench.next(T0 + HOLD - 1, T0 + 1) is None
    assert isinstance(bench.next(T0 + HOLD, T0 + 1), Let)


# The dead-heat window


@both_ways
@pytest.mark.parametrize(
    ("own_ns", "other_ns", "apart_ns", "is_judged"),
    [
        (0, 0, WINDOW, False),
        (0, 0, WINDOW - 1, True),
        (0, 0, 0, True),
        (0, 500 * US, WINDOW + 500 * US, False),
        (0, 500 * US, WINDOW + 500 * US - 1, True),
        (0, 9 * MS, WINDOW + 9 * MS - 1, True),
        # Had it been touched earlier than its stamp says, it would be first all the more.
        (9 * MS, 0, WINDOW, False),
        (9 * MS, 0, WINDOW - 1, True),
        (9 * MS, 500 * US, WINDOW + 500 * US, False),
    ],
)
def test_window_and_the_second_ones_uncertainty(
    seat: int, own_ns: int, other_ns: int, apart_ns: int, is_judged: bool
) -> None:
    head = touch(seat, T0, uncertain_ns=own_ns)
    other = touch(1 - seat, T0 + apart_ns, 1, uncertain_ns=other_ns)
    bench = Bench().offer(head, other)
    assert bench.order() == [head, other]
    assert bench.asked == ([(head, other)] if is_judged else [])


@both_ways
def test_two_touches_of_one_seat_are_no_contest(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0, 1), touch(seat, T0 + 1, 2))
    assert len(bench.order()) == 2
    assert bench.asked == []


@both_ways
def test_second_touch_of_the_same_seat_between_two_rivals(seat: int) -> None:
    head, again, rival = touch(seat, T0, 0), touch(seat, T0 + 300 * US, 1), touch(1 - seat, T0 + 600 * US, 0)
    bench = Bench().offer(rival, again, head)
    assert bench.order() == [head, again, rival]
    assert bench.asked == [(head, rival), (again, rival)]


@both_ways
def test_judge_may_choose_the_later_one_and_the_other_keeps_its_turn(seat: int) -> None:
    head, rival = touch(seat, T0), touch(1 - seat, T0 + 900 * US)
    bench = Bench(lambda touches: Ruling(touches[1:])).offer(head, rival)
    assert bench.next(T0 + S) == Let(T0, (rival,)), "at the earlier stamp (T-5)"
    assert bench.next(T0 + S) == Let(T0, (head,)), "it is not late"
    assert bench.arbiter.late == 0


@both_ways
def test_verdict_takes_both_and_comes_at_the_earlier_stamp(seat: int) -> None:
    head, rival = touch(seat, T0), touch(1 - seat, T0 + 900 * US)
    bench = Bench(lambda touches: Ruling(touches, "dead heat")).offer(rival, head)
    assert bench.next(T0 + S) == Let(T0, (head, rival), "dead heat")
    assert bench.next(T0 + S) is None


def test_three_seats_are_judged_together_and_only_the_first_touch_of_each() -> None:
    touches = [touch(2, T0), touch(0, T0 + 300 * US), touch(1, T0 + 600 * US), touch(0, T0 + 700 * US, 1)]
    bench = Bench(lambda asked: Ruling(asked, "all")).offer(*touches[::-1])
    first = bench.next(T0 + S)
    assert isinstance(first, Let)
    assert bench.asked == [(touches[0], touches[1], touches[2])]
    assert bench.order() == [touches[3]]


def test_three_seats_of_which_two_are_contestants() -> None:
    head, second, third = touch(1, T0), touch(2, T0 + 300 * US), touch(0, T0 + 600 * US)

    def choose(touches: tuple[Touch, ...]) -> Ruling[str]:
        pair = tuple(one for one in touches if one.button.seat != 1)
        return Ruling(pair, "pair") if len(pair) == 2 else Ruling(touches[:1])

    bench = Bench(choose).offer(third, head, second)
    assert bench.next(T0 + S) == Let(T0, (third, second), "pair")
    assert bench.next(T0 + S) == Let(T0, (head,))


# Candidates


@both_ways
@pytest.mark.parametrize(
    ("is_other", "apart_ns", "blocks"),
    [
        (False, -1, True),
        (True, -1, True),
        (False, 1, False),
        (True, 1, True),
        (True, WINDOW - 1, True),
        (True, WINDOW, False),
        (False, -40 * MS, True),
    ],
)
def test_candidates_block_only_what_they_may_concern(
    seat: int, is_other: bool, apart_ns: int, blocks: bool
) -> None:
    bench = Bench().offer(touch(seat, T0))
    candidate = touch(1 - seat if is_other else seat, T0 + apart_ns, 3)
    assert (bench.next(T0 + S, None, [candidate]) is None) is blocks
    # Nobody has to ask again until the candidate is settled.
    bench.offer(touch(seat, T0 + 2 * S))
    if blocks:
        assert bench.arbiter.wake_at_ns(None, [candidate]) is None


@both_ways
def test_uncertain_candidate_reaches_further(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0))
    assert bench.next(T0 + S, None, [touch(1 - seat, T0 + 3 * MS, uncertain_ns=3 * MS)]) is None


# Late


@both_ways
def test_late_touch_is_let_out_where_the_timeline_is_counted_and_marked(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0))
    bench.order()
    late = touch(1 - seat, T0 - 1)
    bench.offer(late)
    assert bench.next(T0 + S) == Let(T0, (late,), None, True)
    assert bench.arbiter.late == 1


@both_ways
def test_touch_that_comes_behind_a_timer_is_late_too(seat: int) -> None:
    bench = Bench()
    assert bench.next(T0 + S, T0) == TimerDue(T0)
    bench.offer(touch(seat, T0 - 5))
    let = bench.next(T0 + S)
    assert isinstance(let, Let)
    assert (let.at_ns, let.is_late) == (T0, True)


@both_ways
def test_rival_chosen_before_a_late_touch_is_not_late_itself(seat: int) -> None:
    bench = Bench(lambda touches: Ruling(touches[1:])).offer(touch(seat, T0))
    bench.order()
    late, rival = touch(seat, T0 - 10, 1), touch(1 - seat, T0 + 10)
    bench.offer(late, rival)
    assert bench.next(T0 + S) == Let(T0, (rival,))
    assert bench.next(T0 + S) == Let(T0, (late,), None, True)
    assert bench.arbiter.late == 1


@both_ways
def test_what_is_due_where_a_late_touch_lands_comes_first(seat: int) -> None:
    bench = Bench().offer(touch(seat, T0))
    bench.order()
    bench.offer(touch(seat, T0 - MS, 1))
    assert bench.next(T0 + S, T0) == TimerDue(T0)
    assert isinstance(bench.next(T0 + S, T0 + 1), Let)


# Waking

near = st.integers(0, 30 * MS)
some_touches = st.lists(
    st.builds(
        lambda seat, after, number, span: touch(seat, T0 + after, number, span),
        st.integers(0, 2),
        near,
        st.integers(-1, 3),
        st.sampled_from([0, 0, 40 * US, 16 * MS]),
    ),
    max_size=6,
    unique_by=lambda one: (one.button, one.at_ns),
)


@settings(deadline=None, max_examples=200)
@given(held=some_touches, timer=st.none() | near, candidates=some_touches, let=st.integers(0, 3))
def test_wakes_exactly_when_there_is_something_and_never_for_nothing(
    held: list[Touch], timer: int | None, candidates: list[Touch], let: int
) -> None:
    bench = Bench().offer(*held)
    timer_ns = None if timer is None else T0 + timer
    for _ in range(let):
        bench.next(T0 + S)
    wake = bench.arbiter.wake_at_ns(timer_ns, candidates)
    if wake is None:
        assert bench.next(T0 + 3600 * S, timer_ns, candidates) is None
    else:
        assert bench.next(wake - 1, timer_ns, candidates) is None
        assert bench.next(wake, timer_ns, candidates) is not None


@settings(deadline=None, max_examples=100)
@given(held=some_touches, seed=st.integers(0, 2**32))
def test_order_does_not_depend_on_the_order_of_confirmation(held: list[Touch], seed: int) -> None:
    shuffled = Random(seed).sample(held, len(held))
    benches = Bench().offer(*held), Bench().offer(*shuffled)
    assert benches[0].order() == benches[1].order()
    assert benches[0].asked == benches[1].asked


@settings(deadline=None, max_examples=100)
@given(held=some_touches)
def test_two_seats_swapped_are_swapped_in_all_that_comes_out(held: list[Touch]) -> None:
    def other_side(one: Touch) -> Touch:
        return Touch(Button(1 - one.button.seat, one.button.number), one.at_ns, one.uncertain_ns)

    # Equal stamps on the same place of both are the judge's, whatever is the first of the two.
    times = {(one.at_ns, one.button.number) for one in held}
    two = [one for one in held if one.button.seat < 2]
    if len(times) < len(held):
        return
    expected = [other_side(one) for one in Bench().offer(*two).order()]
    assert Bench().offer(*map(other_side, two)).order() == expected


# Whatever comes in


def test_two_hundred_thousand_random_edges_never_raise_and_never_hang() -> None:
    chance = Random(20_110)
    names = [str(number) for number in range(4, 14)]
    buttons = {name: Button(n % 2, n // 2 - (n > 7)) for n, name in enumerate(names)}
    contacts = Contacts(buttons, Times())
    bench = Bench(lambda touches: Ruling(touches if chance.random() < 0.5 else touches[-1:]))
    now_ns, timer_ns, let, jumps = T0, T0 + S, 0, (20 * US, MS, 30 * MS, S, 3600 * S)

    def take(signals: list[Signal]) -> None:
        for signal in signals:
            if isinstance(signal, Touch):
                bench.offer(signal)

    for n in range(200_000):
        now_ns += chance.randrange(jumps[min(4, int(chance.expovariate(0.9)))])
        # One in fifty bears a stamp from anywhere, also from the future.
        stray = chance.randrange(-(10**18), 10**18) if chance.random() < 0.02 else 0
        at_ns = now_ns - chance.randrange(2 * MS) + (stray >> chance.randrange(60))
        kind = EdgeKind.POLL if chance.random() < 0.1 else EdgeKind.EDGE
        span_ns = chance.choice((0, 0, 5 * MS, 10**12))
        take(
            contacts.feed(Edge(kind, chance.choice(names), chance.getrandbits(1), at_ns, n, now_ns, span_ns))
        )
        if n % 4 == 0:
            take(contacts.advance(now_ns))
            while (due := bench.next(now_ns, timer_ns, contacts.candidates())) is not None:
                let += isinstance(due, Let)
                if isinstance(due, TimerDue):
                    timer_ns = max(now_ns, due.at_ns) + chance.randrange(1, S)
            wake = contacts.wake_at_ns
            assert wake is None or wake > now_ns
            wake = bench.arbiter.wake_at_ns(timer_ns, contacts.candidates())
            assert wake is None or wake > now_ns
    assert let > 500
