"""From bouncing contact to first touch (pure: time is passed in).

A switch does not close once: it bounces for 1.6 ms in the mean, 6.2 ms at worst (Ganssle), with breaks
of a few microseconds, and a long cabinet wire picks up spikes. Waiting for it to settle before
taking the time makes the bouncier switch lose. So the time is taken first and the touch believed later::

            any edge, t0              confirmed: Touch at t0
    OPEN ───────────────► PENDING ────────────────────────────► CLOSED ──10 s──► STUCK
     ▲ ▲                   │    │                                │  ▲              │
     │ └──open for 8 ms────┘    └──unsettled for 50 ms: noise───►│  └──────────────┤
     │        (spike)                                            │                 │
     └──────────────────open for rearm: Release──────────────────┴─────────────────┘

*Any* edge on a line believed open begins a candidate, even one reported as an opening: the kernel
keeps one stamp a line and reads the direction late, so the first touch of a fast bounce can be
reported so. A candidate is confirmed by level: closed without a break for ``confirm``, or for 5/8 of
the last two. However long it bounces, the touch keeps t0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from firmware.seats import Seat
from firmware.touch.edges import Edge, EdgeKind

NS_PER_MS = 1_000_000
START = -1
"""The number of a seat's START button; pile buttons count from 0, the leftmost as its player sees them."""

LEVELS_KEPT = 64
"""Edges of a button remembered, so that it can be said whether it was held when another was touched."""
HELD_REACH_NS = 3 * NS_PER_MS


@dataclass(frozen=True, slots=True)
class Button:
    """A seat's button: ``number`` from 0, or :data:`START`."""

    seat: Seat
    number: int


@dataclass(frozen=True, slots=True)
class Times:
    """How long a contact takes for what, in ns. ``confirm_ns``: 2–3 ms. ``rearm_ns``: 15–25 ms.

    ``spike_ns``: open for so long, a candidate was a spike. ``noise_ns``: unsettled for so long, it is not a
    touch but a fault. ``worn_ns``: a new touch so soon after the last one opened may be a worn switch.
    """

    confirm_ns: int = 2_500_000
    rearm_ns: int = 20 * NS_PER_MS
    stuck_ns: int = 10_000 * NS_PER_MS
    spike_ns: int = 8 * NS_PER_MS
    noise_ns: int = 50 * NS_PER_MS
    worn_ns: int = 250 * NS_PER_MS


@dataclass(frozen=True, slots=True)
class Touch:
    """A first touch. The true moment lies between ``at_ns - uncertain_ns`` and ``at_ns``."""

    button: Button
    at_ns: int
    uncertain_ns: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """A button opened at ``at_ns`` and has stayed open since."""

    button: Button
    at_ns: int


class Fault(Enum):
    """What a contact can have that an operator wants to know."""

    SPIKE = "spike"
    NOISE = "noise"
    WORN = "worn"
    LOST_EDGE = "lost_edge"
    STUCK = "stuck"
    FREED = "freed"
    """A stuck button opened again and is back in play."""


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """A fault of a button, to be counted."""

    button: Button
    fault: Fault
    at_ns: int


Signal = Touch | Release | FaultSeen


class State(Enum):
    """See the module's picture."""

    OPEN = "open"
    PENDING = "pending"
    CLOSED = "closed"
    STUCK = "stuck"


@dataclass(slots=True)
class Contact:
    """The switch of one button, fed with its edges in the order of their stamps."""

    button: Button
    times: Times
    state: State = State.OPEN
    _level_closed: bool = False
    _level_since_ns: int = 0
    _closed_since_ns: int = 0
    _touch_ns: int = 0
    _uncertain_ns: int = 0
    _is_from_poll: bool = False
    _read: tuple[int, int] | None = None
    """Where the level is known from a reading: since when it had been the other one, and when it was read."""
    _last_open_ns: int | None = None
    _levels: deque[tuple[int, bool]] = field(default_factory=lambda: deque(maxlen=LEVELS_KEPT))
    _closings: list[tuple[int, int]] = field(default_factory=list)
    """Finished closed spans (from, to) since the candidate began."""

    def begin_closed(self, at_ns: int) -> None:
        """The button is held while we start: that is no touch, and counts for nothing until released."""
        self.state = State.CLOSED
        self._level_closed, self._level_since_ns, self._closed_since_ns = True, at_ns, at_ns
        self._levels.append((at_ns, True))

    @property
    def candidate(self) -> Touch | None:
        """The touch that may turn out to have happened."""
        if self.state is State.PENDING:
            return Touch(self.button, self._touch_ns, self._uncertain_ns)
        return None

    def feed(self, edge: Edge) -> list[Signal]:
        """One more edge of this line; what became certain before it is given back."""
        signals = self.advance(edge.at_ns)
        is_closed = edge.level == 0
        self._levels.append((edge.at_ns, is_closed))
        if self.state is State.OPEN:
            # What is older than the span in which it proved open tells nothing new.
            is_news = edge.at_ns >= self._level_since_ns
            if is_news and (edge.kind is EdgeKind.EDGE or is_closed):
                self._begin(edge, is_closed)
        elif (
            self.state is State.PENDING
            and self._is_from_poll
            and edge.kind is EdgeKind.EDGE
            and edge.at_ns <= self._touch_ns
        ):
            # The poll was quicker than the kernel's event: the stamp is the better knowledge.
            self._touch_ns, self._uncertain_ns = edge.at_ns, edge.uncertain_ns
            self._is_from_poll = False
        else:
            self._set_level(edge, is_closed)
        return signals

    def was_held(self, at_ns: int) -> bool:
        """Was the button closed for most of the time from 3 ms before *at_ns* to 3 ms after?"""
        begin, end = at_ns - HELD_REACH_NS, at_ns + HELD_REACH_NS
        closed_ns, since, was_closed = 0, begin, False
        for change_ns, is_closed in (*sorted(self._levels), (end, False)):
            upto = min(max(change_ns, since), end)
            closed_ns += was_closed * (upto - since)
            since, was_closed = upto, is_closed
        return closed_ns > HELD_REACH_NS

    def _begin(self, edge: Edge, is_closed: bool) -> None:
        self.state = State.PENDING
        self._touch_ns, self._uncertain_ns = edge.at_ns, edge.uncertain_ns
        self._is_from_poll = edge.kind is EdgeKind.POLL
        self._closings.clear()
        self._level_closed, self._level_since_ns = is_closed, edge.at_ns

    def _set_level(self, edge: Edge, is_closed: bool) -> None:
        at_ns = edge.at_ns
        if self._read is not None and at_ns < self._read[1]:
            # Older than a later reading: nothing new about the level. But where both say the same it has been
            # so since the stamp, and a button that opened long ago may be pressed again at once.
            after_ns, read_ns = self._read
            if after_ns <= at_ns and self.state is not State.PENDING:
                self._level_since_ns = at_ns if is_closed == self._level_closed else read_ns
            return
        if at_ns < self._level_since_ns:
            return
        self._read = (self._level_since_ns, at_ns) if edge.kind is EdgeKind.POLL else None
        if is_closed == self._level_closed:
            # Two edges with the same direction: the opposite one between them was lost, so there was a break.
            if self.state is State.PENDING and is_closed:
                self._closings.append((self._level_since_ns, at_ns))
            self._level_since_ns = at_ns
            return
        if self.state is State.PENDING and self._level_closed:
            self._closings.append((self._level_since_ns, at_ns))
            # What no later confirmation can reach back to.
            while self._closings[0][1] <= at_ns - 2 * self.times.confirm_ns:
                del self._closings[0]
        self._level_closed, self._level_since_ns = is_closed, at_ns

    def _confirmed_at(self) -> int | None:
        """When the candidate is confirmed if the level stays as it is; None while it is open."""
        if not self._level_closed:
            return None
        confirm, since = self.times.confirm_ns, self._level_since_ns
        # The last two spans reach back to here; they move on as time passes, and over an older closed
        # span nothing is gained by it.
        back = begin = since - 2 * confirm
        missing = confirm * 5 // 4 - sum(max(0, end - max(start, begin)) for start, end in self._closings)
        for start, end in self._closings:
            gained = max(0, start - back)
            if gained >= missing:
                break
            if end > back:
                missing, back = missing - gained, end
        return since + min(confirm, max(0, back - begin + missing))

    @property
    def wake_at_ns(self) -> int | None:
        """When :meth:`advance` will next have something to say if no edge comes."""
        match self.state:
            case State.OPEN:
                return None
            case State.PENDING:
                noise_ns = self._touch_ns + self.times.noise_ns
                settled_ns = self._confirmed_at()
                if settled_ns is None:
                    settled_ns = self._level_since_ns + self.times.spike_ns
                return min(noise_ns, settled_ns)
            case _ if not self._level_closed:
                return self._level_since_ns + self.times.rearm_ns
            case State.CLOSED:
                return self._closed_since_ns + self.times.stuck_ns
        return None

    def advance(self, now_ns: int) -> list[Signal]:
        """Everything that has become certain by *now_ns*."""
        signals: list[Signal] = []
        while (due_ns := self.wake_at_ns) is not None and due_ns <= now_ns:
            if self.state is State.PENDING:
                signals += self._settle(due_ns)
            elif not self._level_closed:
                if self.state is State.STUCK:
                    signals.append(FaultSeen(self.button, Fault.FREED, due_ns))
                self.state = State.OPEN
                self._last_open_ns = self._level_since_ns
                signals.append(Release(self.button, self._level_since_ns))
            else:
                self.state = State.STUCK
                signals.append(FaultSeen(self.button, Fault.STUCK, due_ns))
        return signals

    def _settle(self, due_ns: int) -> Iterable[Signal]:
        if self._is_from_poll:
            yield FaultSeen(self.button, Fault.LOST_EDGE, due_ns)
        confirmed_ns = self._confirmed_at()
        if confirmed_ns is not None and confirmed_ns <= due_ns:
            self.state, self._closed_since_ns = State.CLOSED, self._touch_ns
            yield Touch(self.button, self._touch_ns, self._uncertain_ns)
            last_ns = self._last_open_ns
            if last_ns is not None and self._touch_ns - last_ns < self.times.worn_ns:
                yield FaultSeen(self.button, Fault.WORN, due_ns)
        elif due_ns >= self._touch_ns + self.times.noise_ns:
            self.state, self._closed_since_ns = State.CLOSED, self._touch_ns
            yield FaultSeen(self.button, Fault.NOISE, due_ns)
        else:
            self.state = State.OPEN
            yield FaultSeen(self.button, Fault.SPIKE, due_ns)


class Contacts:
    """All buttons of the box, by line."""

    def __init__(self, buttons: Mapping[str, Button], times: Times) -> None:
        self._by_line = {line: Contact(button, times) for line, button in buttons.items()}

    def begin_closed(self, lines: Iterable[str], at_ns: int) -> None:
        """These lines are closed while we start."""
        for line in lines:
            if line in self._by_line:
                self._by_line[line].begin_closed(at_ns)

    def feed(self, edge: Edge) -> list[Signal]:
        """One more edge; edges of lines without a button are none of ours."""
        contact = self._by_line.get(edge.line)
        return [] if contact is None else contact.feed(edge)

    def advance(self, now_ns: int) -> list[Signal]:
        """Everything that has become certain by *now_ns*, on any line."""
        return [signal for contact in self._by_line.values() for signal in contact.advance(now_ns)]

    def candidates(self) -> list[Touch]:
        """Touches that may turn out to have happened."""
        return [touch for contact in self._by_line.values() if (touch := contact.candidate)]

    @property
    def wake_at_ns(self) -> int | None:
        """When :meth:`advance` will next have something to say if no edge comes."""
        times = (contact.wake_at_ns for contact in self._by_line.values())
        return min((at_ns for at_ns in times if at_ns is not None), default=None)

    def was_held(self, button: Button, at_ns: int) -> bool:
        """Was *button* held at *at_ns* (RULES "Places and buttons": closed for most of ± 3 ms)?"""
        return any(
            contact.was_held(at_ns) for contact in self._by_line.values() if contact.button == button
        )

    @property
    def is_unsettled(self) -> bool:
        """True while any button has a candidate that is neither confirmed nor dismissed."""
        return any(contact.state is State.PENDING for contact in self._by_line.values())
