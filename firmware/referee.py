"""The referee: one thread that takes edges in and lets decisions out.

``step`` is the whole of it; a thread calls it when edges come or something is due, a test calls it on
the manual clock.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from threading import Event

from firmware.clock import NS_PER_MS, Clock
from firmware.rules import DeadHeat
from firmware.session.session import Session
from firmware.touch.arbiter import Arbiter, TimerDue
from firmware.touch.contact import Contacts, FaultSeen, Release, Signal, Touch
from firmware.touch.edges import Edge, EdgeSource

log = logging.getLogger(__name__)

POLL_NS = 10 * NS_PER_MS
"""How often levels are read to mend lost edges."""
UNSETTLED_POLL_NS = NS_PER_MS
"""How often while a contact is not yet settled: the last edge of a bounce may have been misread."""

BLIND = "the buttons cannot be read: lost edges are not mended"

FAULT_PAUSE_S = 0.05


class Referee:
    """Edges → contacts → arbiter → session, in one thread.

    *record* is given every edge that comes in. A fault inside is logged and counted, and the hand goes on.
    """

    def __init__(
        self,
        source: EdgeSource,
        contacts: Contacts,
        arbiter: Arbiter[DeadHeat],
        session: Session,
        clock: Clock,
        *,
        poll_ns: int = POLL_NS,
        record: Callable[[Edge], None] | None = None,
    ) -> None:
        self._source = source
        self._contacts = contacts
        self._arbiter = arbiter
        self._session = session
        self._clock = clock
        self._poll_ns = poll_ns
        self._record = record
        self._is_blind = False
        self._faults: deque[FaultSeen] = deque()
        self._is_running = True
        self._pause = Event()
        self._errands: SimpleQueue[Callable[[int], None]] = SimpleQueue()
        now_ns = clock.now_ns()
        self._next_poll_ns = now_ns + poll_ns
        contacts.begin_closed(source.closed_at_start(), now_ns)

    def wake_at_ns(self) -> int:
        """When :meth:`step` has to be called even if no edge comes."""
        due_ns = self._arbiter.wake_at_ns(self._session.next_timer_at_ns, self._contacts.candidates())
        times = (self._next_poll_ns, self._contacts.wake_at_ns, due_ns)
        return min(at_ns for at_ns in times if at_ns is not None)

    def post(self, errand: Callable[[int], None]) -> None:
        """Have *errand* done in the referee's thread, soon, with the time it is then; from any thread."""
        self._errands.put(errand)
        self._source.wake()

    def step(self, edges: Iterable[Edge]) -> None:
        """Take *edges* in, and let out all that is certain by now."""
        # Looked at first: what comes while these are taken in has not been seen yet. But what came between
        # the wait and this moment has to be, for this thread may have been kept meanwhile.
        now_ns = self._clock.now_ns()
        while not self._errands.empty():
            self._errands.get()(now_ns)
        for edge in (*edges, *self._source.wait(0)):
            self._feed(edge)
        # A candidate is confirmed by level, so it is read more often while there is one.
        if now_ns >= self._next_poll_ns or self._contacts.is_unsettled:
            for edge in self._poll(now_ns):
                self._feed(edge)
            unsettled = self._contacts.is_unsettled
            self._next_poll_ns = now_ns + (UNSETTLED_POLL_NS if unsettled else self._poll_ns)
        self._take(self._contacts.advance(now_ns))
        # Only now, when every edge has reached its contact, is anybody told who may fail.
        while self._faults:
            self._session.fault(self._faults.popleft())
        while self._let_out(now_ns):
            pass

    def _poll(self, now_ns: int) -> list[Edge]:
        try:
            edges = self._source.poll(now_ns)
        except Exception:
            # Edges still come, and what has come is still to be decided.
            if not self._is_blind:
                log.exception("levels cannot be read")
                self._is_blind = True
                self._session.tell(BLIND, now_ns)
            return []
        if self._is_blind:
            self._is_blind = False
            self._session.tell(BLIND, now_ns, is_over=True)
        return edges

    def _feed(self, edge: Edge) -> None:
        if self._record is not None:
            self._record(edge)
        self._take(self._contacts.feed(edge))

    def _take(self, signals: Iterable[Signal]) -> None:
        for signal in signals:
            match signal:
                case Touch():
                    self._arbiter.offer(signal)
                case FaultSeen():
                    self._faults.append(signal)
                case Release():
                    self._session.released(signal)

    def _let_out(self, now_ns: int) -> bool:
        session = self._session
        try:
            due = self._arbiter.next(
                now_ns, session.next_timer_at_ns, self._contacts.candidates(), session.judge
            )
            if isinstance(due, TimerDue):
                session.timer(due.at_ns)
            elif due is not None:
                session.touched(due)
        except Exception:
            # What could not be decided once will not be the next time: without this hand the box goes on.
            log.exception("the hand met a fault and is given up")
            self._arbiter.clear()
            session.give_up(now_ns)
            return True
        return due is not None

    def run(self) -> None:
        """Step for ever, until :meth:`stop`."""
        while self._is_running:
            try:
                wait_ns = self.wake_at_ns() - self._clock.now_ns()
                self.step(self._source.wait(max(0, wait_ns) / 1e9))
            except Exception:
                # Whatever it was, it must not end the game for the two at the table.
                log.exception("the referee met a fault and goes on")
                self._session.counts["referee_faults"] += 1
                # A fault that lasts (a source that is dead) must not take the processor from the others.
                self._pause.wait(FAULT_PAUSE_S)

    def stop(self) -> None:
        """Let :meth:`run` return."""
        self._is_running = False
        self._pause.set()
        self._source.wake()
