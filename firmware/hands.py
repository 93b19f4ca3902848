"""Hands that push mock pins for the CPU players, by the manual clock or in a thread of their own."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Condition, Thread

from firmware.cabinet import Cabinet
from firmware.clock import ManualClock
from firmware.session.bots import Bot
from firmware.session.view import View


class Hands:
    """Shows views to the *bots*, and pushes the pins of *cabinet* as they want."""

    def __init__(self, cabinet: Cabinet, bots: Iterable[Bot]) -> None:
        self._cabinet = cabinet
        self._bots = tuple(bots)
        self._news = Condition()
        self._shown: tuple[View, int] | None = None
        self._is_running = True
        self._thread = Thread(target=self._run, name="hands", daemon=True)

    def see(self, view: View, shown_ns: int) -> None:
        """The screen shows *view* since *shown_ns*."""
        with self._news:
            self._shown = view, shown_ns
            self._news.notify()

    @property
    def next_at_ns(self) -> int | None:
        """When a finger next moves."""
        times = [bot.next_at_ns for bot in self._bots]
        return min((at_ns for at_ns in times if at_ns is not None), default=None)

    def step(self, now_ns: int) -> None:
        """Look at what is shown, and push what is due by *now_ns*."""
        with self._news:
            shown, self._shown = self._shown, None
        for bot in self._bots:
            if shown is not None:
                bot.see(*shown)
            for push in bot.due(now_ns):
                self._cabinet.push(push.button, now_ns, push.level)

    def start(self) -> None:
        """Begin to play, in a thread."""
        self._thread.start()

    def _run(self) -> None:
        clock = self._cabinet.clock
        while self._is_running:
            self.step(clock.now_ns())
            with self._news:
                if self._shown is None and self._is_running:
                    at_ns = self.next_at_ns
                    left_ns = None if at_ns is None else at_ns - clock.now_ns()
                    self._news.wait(None if left_ns is None else max(0, left_ns) / 1e9)

    def close(self) -> None:
        """Stop playing. May be called twice."""
        with self._news:
            self._is_running = False
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(1)


FRAME_NS = 16_000_000
"""How long after a change a 60 Hz screen shows it at the latest; what bots without a screen assume."""


def play_by_hand(cabinet: Cabinet, hands: Hands, clock: ManualClock, until_ns: int) -> None:
    """One step on the manual clock: to the next moment at which anything happens, *until_ns* at most.

    The same path as in real time: pins, contacts, arbiter, rules; only nobody waits.
    """
    times = [until_ns, cabinet.referee.wake_at_ns()]
    if (push_ns := hands.next_at_ns) is not None:
        times.append(push_ns)
    clock.move_to(max(clock.now_ns(), min(times)))
    before = cabinet.view
    hands.step(clock.now_ns())
    cabinet.referee.step(cabinet.source.wait(0))
    cabinet.lamps.step()
    if cabinet.view is not before:
        hands.see(cabinet.view, clock.now_ns() + FRAME_NS)
