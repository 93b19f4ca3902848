"""Who was first: one timeline of touches and timers (pure; knows no rules and no clock).

Touches are believed only milliseconds after they happened, and those of different lines come in any
order. So each is held back until nothing earlier can come any more, and let out in the order of
the stamps. How long follows from the window and the time that an edge may take to be delivered; it is
never set by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from firmware.touch.contact import Touch

SLACK_NS = 4_000_000
"""How long an edge may be on its way from the interrupt to us and still be in time."""

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Ruling(Generic[V]):
    """What a judge says of touches too close to call.

    ``touches``: those that are settled now; the others wait for their turn. ``verdict``: what
    the judge wants to hear again when they are let out (None: the one touch, as it is).
    """

    touches: tuple[Touch, ...]
    verdict: V | None = None


@dataclass(frozen=True, slots=True)
class Let(Generic[V]):
    """Touches let out at ``at_ns``. ``is_late``: it came after something later had been let out."""

    at_ns: int
    touches: tuple[Touch, ...]
    verdict: V | None = None
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class TimerDue:
    """The timer at ``at_ns`` is due, and no touch before it can come any more."""

    at_ns: int


def _place(touch: Touch) -> tuple[int, int, int]:
    """Its place in the timeline. Equal stamps must not be put in order by who was confirmed first."""
    return touch.at_ns, touch.button.number, touch.button.seat


Judge = Callable[[tuple[Touch, ...]], Ruling[V]]


class Arbiter(Generic[V]):
    """Holds touches back and lets them out in order.

    ``window_ns``: touches of different seats closer than this are a dead heat if they are in each
    other's way (T-5): the second one's uncertainty counts towards the first one, whose own changes nothing.
    ``slack_ns``: how long an edge may be on its way. ``settle_ns``: how long after a touch other buttons
    may still have a say in what it means. ``late``: how many touches came too late to be put in their place.
    """

    def __init__(self, window_ns: int, slack_ns: int = SLACK_NS, settle_ns: int = 0) -> None:
        self.window_ns = window_ns
        self.slack_ns = slack_ns
        self.settle_ns = settle_ns
        self.late = 0
        self._held: list[Touch] = []
        self._last_ns = 0

    @property
    def hold_back_ns(self) -> int:
        """How long a touch is held back at least."""
        return max(self.window_ns, self.settle_ns) + self.slack_ns

    def offer(self, touch: Touch) -> None:
        """A confirmed touch, in any order."""
        self._held.append(touch)

    def clear(self) -> None:
        """Forget what is held back: it belongs to something that is over."""
        self._held.clear()

    def next(
        self,
        now_ns: int,
        next_timer_at_ns: int | None,
        candidates: Sequence[Touch],
        judge: Judge[V],
    ) -> Let[V] | TimerDue | None:
        """The next thing in the timeline, None if it is too early to say.

        *next_timer_at_ns*: the next timer of the hand, if any; at the same moment it comes before a
        touch. *candidates*: touches not yet confirmed. Call again until None comes.
        """
        ready_ns = self.wake_at_ns(next_timer_at_ns, candidates)
        if ready_ns is None or now_ns < ready_ns:
            return None
        head = self._head()
        if head is None or self._is_timer_first(next_timer_at_ns, head):
            assert next_timer_at_ns is not None, "something is ready, and it is no touch"
            self._last_ns = max(self._last_ns, next_timer_at_ns)
            return TimerDue(next_timer_at_ns)
        rivals = self._rivals(head)
        ruling: Ruling[V] = judge((head, *rivals)) if rivals else Ruling((head,))
        for touch in ruling.touches:
            self._held.remove(touch)
        late = sum(touch.at_ns < self._last_ns for touch in ruling.touches)
        self.late += late
        self._last_ns = max(head.at_ns, self._last_ns)
        return Let(self._last_ns, ruling.touches, ruling.verdict, late > 0)

    def wake_at_ns(self, next_timer_at_ns: int | None, candidates: Sequence[Touch]) -> int | None:
        """When :meth:`next` has something to say if nothing new comes.

        None where it waits for nothing, or for a candidate to be settled: then it is to be asked again.
        """
        head = self._head()
        if next_timer_at_ns is not None and self._is_timer_first(next_timer_at_ns, head):
            is_blocked = any(touch.at_ns < next_timer_at_ns for touch in candidates)
            return None if is_blocked else next_timer_at_ns + self.slack_ns
        if head is None or any(self._may_concern(head, touch) for touch in candidates):
            return None
        return self._release_at(head)

    def _head(self) -> Touch | None:
        return min(self._held, key=_place, default=None)

    def _is_timer_first(self, next_timer_at_ns: int | None, head: Touch | None) -> bool:
        if next_timer_at_ns is None:
            return False
        # A late touch is let out where the timeline is; what is due there comes first.
        return head is None or next_timer_at_ns <= max(head.at_ns, self._last_ns)

    def _release_at(self, head: Touch) -> int:
        return head.at_ns + self.hold_back_ns

    def _is_close(self, head: Touch, other: Touch) -> bool:
        # Head's own doubt is no matter: were it earlier than its stamp, it would be first all the more.
        earliest_ns = other.at_ns - other.uncertain_ns
        return earliest_ns - head.at_ns < self.window_ns

    def _may_concern(self, head: Touch, candidate: Touch) -> bool:
        if _place(candidate) < _place(head):
            return True
        return candidate.button.seat != head.button.seat and self._is_close(head, candidate)

    def _rivals(self, head: Touch) -> list[Touch]:
        """The first touch of each other seat that is too close to *head* to call."""
        first: dict[int, Touch] = {}
        for touch in sorted(self._held, key=_place):
            if touch.button.seat != head.button.seat and self._is_close(head, touch):
                first.setdefault(touch.button.seat, touch)
        return [first[seat] for seat in sorted(first)]
