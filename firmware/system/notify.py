"""Telling systemd how we are: the lines of sd_notify(3), over the socket that it hands us.

Where there is no systemd all of this does nothing. ``WATCHDOG=1`` comes from the loop that draws, and only
while the threads live without which there is no game: a loop that hangs, or a dead thread, starves the
watchdog, and systemd starts the game afresh.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterable, Mapping

from firmware.clock import NS_PER_S, Clock

VITAL = ("referee", "keeper")
"""The threads that have to live, by name: who reads the buttons, and who keeps what was played."""

WITHOUT_SCREEN = "without a screen"
"""Stands in the status while the game plays on where nobody sees it."""

LONGEST_SILENCE_NS = 5 * NS_PER_S
"""How long the referee may leave an errand undone. It looks round every few milliseconds."""


def missing_threads(names: Iterable[str] = VITAL) -> list[str]:
    """Those of *names* that no living thread bears."""
    living = {thread.name for thread in threading.enumerate()}
    return [name for name in names if name not in living]


class Notifier:
    """Says to systemd what it wants to hear.

    *send*: takes one message; None: nobody listens. *interval_ns*: how long the watchdog waits; None: there
    is none.
    """

    def __init__(self, send: Callable[[bytes], None] | None, interval_ns: int | None = None) -> None:
        self._send = send
        self._interval_ns = interval_ns
        self._status: str | None = None
        self._is_ready = False

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Notifier:
        """The one that the environment asks for (``NOTIFY_SOCKET``, ``WATCHDOG_USEC``, ``WATCHDOG_PID``)."""
        address = environment.get("NOTIFY_SOCKET", "")
        if not address.startswith(("/", "@")):
            return cls(None)
        interval = environment.get("WATCHDOG_USEC", "")
        is_ours = environment.get("WATCHDOG_PID") in (None, str(os.getpid()))
        return cls(_sender(address), int(interval) * 1000 if interval.isdigit() and is_ours else None)

    @property
    def beat_every_ns(self) -> int:
        """How often to say that we live: four times within what the watchdog waits."""
        return NS_PER_S if self._interval_ns is None else self._interval_ns // 4

    def ready(self, status: str) -> None:
        """The game is there; said once, further calls change the status."""
        if self._is_ready:
            self.status(status)
            return
        self._is_ready = True
        self._status = status
        self._say(f"READY=1\nSTATUS={_line(status)}")

    def status(self, status: str) -> None:
        """One line for ``systemctl status``."""
        if status != self._status:
            self._status = status
            self._say(f"STATUS={_line(status)}")

    def alive(self) -> None:
        """Feed the watchdog, where there is one."""
        if self._interval_ns is not None:
            self._say("WATCHDOG=1")

    def stopping(self) -> None:
        """We end in good order."""
        self._say("STOPPING=1")

    def _say(self, text: str) -> None:
        if self._send is None:
            return
        # The game does not end because nobody listens; a watchdog that hears nothing will end it.
        with contextlib.suppress(OSError):
            self._send(text.encode())


def _line(text: str) -> str:
    return " ".join(text.split())


def _sender(address: str) -> Callable[[bytes], None]:
    family = socket.AF_UNIX  # exists where NOTIFY_SOCKET does
    place = "\0" + address[1:] if address.startswith("@") else address

    def send(message: bytes) -> None:
        with socket.socket(family, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as wire:
            # Never held up by a systemd that is busy: this is the thread that draws.
            wire.setblocking(False)
            wire.sendto(message, place)

    return send


class Pulse:
    """Tells systemd that the loop that draws turns, while all that matters lives.

    *post* has an errand done in the referee's thread: a referee that does none any more is dead, whether or
    not its thread lives. *missing*: see :func:`missing_threads`.
    """

    def __init__(
        self,
        notifier: Notifier,
        clock: Clock,
        post: Callable[[Callable[[int], None]], None],
        missing: Callable[[], list[str]] = missing_threads,
    ) -> None:
        self._notifier = notifier
        self._clock = clock
        self._post = post
        self._missing = missing
        self._next_ns = clock.now_ns()
        self._asked_ns: int | None = None

    def beat(self, status: str) -> None:
        """Call this in every turn of the loop, with how things are; most of the time it does nothing.

        The first time it says that the game is there. It feeds no watchdog where something is dead.
        """
        now_ns = self._clock.now_ns()
        if now_ns < self._next_ns:
            return
        self._next_ns = now_ns + self._notifier.beat_every_ns
        why = self._deadly(now_ns)
        if why is not None:
            self._notifier.status(f"about to start afresh: {why}")
            return
        self._notifier.ready(status)
        self._notifier.alive()

    def _deadly(self, now_ns: int) -> str | None:
        """What is dead; None: nothing."""
        dead = self._missing()
        if dead:
            return f"the {' and the '.join(dead)} ended"
        asked_ns = self._asked_ns
        if asked_ns is None:
            self._asked_ns = now_ns
            self._post(self._answered)
        elif now_ns - asked_ns > LONGEST_SILENCE_NS:
            return "the buttons are no longer read"
        return None

    def _answered(self, now_ns: int) -> None:
        """In the referee's thread."""
        self._asked_ns = None
