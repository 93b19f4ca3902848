"""The main thread: screen and keys. It draws the latest view, and waits for the next or for a key."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event
from typing import Protocol

import pygame

from firmware.cabinet import Cabinet
from firmware.clock import NS_PER_MS
from firmware.errors import ScreenError
from firmware.session.view import Stage, View
from firmware.touch.keyboard import Keyboard

log = logging.getLogger(__name__)

LONGEST_WAIT_NS = 250 * NS_PER_MS
"""So often the main thread looks round even if nothing happens."""
AT_REST = (Stage.START, Stage.RESULT, Stage.MATCH_END)
"""Where nobody minds if a picture comes some milliseconds later."""
WAIT_GRAIN_NS = 2 * NS_PER_MS
"""How late SDL may notice a key while it waits: where it cannot sleep on the display's own queue it looks
once a millisecond (SDL_WaitEventTimeout in SDL 2.32), and the thread has to be woken."""


class Picture(Protocol):
    """What the main thread needs of the screen."""

    @property
    def next_change_ns(self) -> int | None:
        """When the picture changes by itself."""
        ...

    def ahead(self, view: View) -> bool:
        """Prepare something that *view*'s game may yet show; False once nothing is left to prepare."""
        ...

    def draw(self, view: View, now_ns: int) -> bool:
        """Bring the picture up to date; True if anything changed."""
        ...

    def redraw(self) -> None:
        """Draw everything anew with the next picture: the window has changed."""
        ...


class Front:
    """Runs screen and keys until the window is closed or :meth:`stop` is called.

    *shown* is told when a view is on the screen. *keyboard* is None where there are real buttons. *turned* is
    called in every turn of the loop, after a picture: while the loop hangs it is not.
    """

    def __init__(
        self,
        cabinet: Cabinet,
        screen: Picture,
        *,
        keyboard: Keyboard | None = None,
        shown: Callable[[View, int], None] | None = None,
        turned: Callable[[], None] = lambda: None,
    ) -> None:
        self._cabinet = cabinet
        self._screen = screen
        self._keyboard = keyboard
        self._shown = shown or cabinet.shown
        self._turned = turned
        self._shown_id: int | None = None
        self._is_running = True
        self._is_woken = Event()
        self._wake_event = pygame.event.custom_type()
        self.faults = 0
        cabinet.listen(self._wake)

    def _wake(self, view: View) -> None:
        """A new view has come, in the referee's thread. One wake-up in the queue is enough."""
        if not self._is_woken.is_set():
            self._is_woken.set()
            pygame.event.post(pygame.event.Event(self._wake_event))

    def stop(self) -> None:
        """Let :meth:`run` return; may be called from a signal handler."""
        self._is_running = False

    def run(self, until: Callable[[View], bool] = lambda view: False) -> None:
        """Draw and listen until the end; *until* is asked with every view drawn.

        Raises :class:`~firmware.errors.ScreenError` if the display is lost.
        """
        while self._is_running:
            try:
                if until(self._draw()):
                    return
                self._turned()
                self._listen()
            except ScreenError:
                raise
            except Exception:
                # A picture that cannot be drawn must not end the hand.
                log.exception("the screen met a fault and goes on")
                self.faults += 1
                self._screen.redraw()
                if self.faults > 100:
                    raise

    def _draw(self) -> View:
        clock = self._cabinet.clock
        self._is_woken.clear()
        view = self._cabinet.view
        has_drawn = self._screen.draw(view, clock.now_ns())
        if has_drawn and view.state_id != self._shown_id:
            self._shown_id = view.state_id
            self._shown(view, clock.now_ns())
        return view

    def _listen(self) -> None:
        """Wait for a key, for a new view or for the picture to change by itself."""
        clock = self._cabinet.clock
        events = pygame.event.get()
        at_ns = clock.now_ns()
        if not events:
            self._pumped(at_ns)
            events = [pygame.event.wait(self._longest_wait_ms(at_ns))]
            at_ns = clock.now_ns()
            self._pumped(at_ns - WAIT_GRAIN_NS)
        for event in events:
            self._take(event, at_ns)
        self._pumped(at_ns)

    def _pumped(self, at_ns: int) -> None:
        if self._keyboard is not None:
            self._keyboard.pumped(at_ns)

    def _longest_wait_ms(self, now_ns: int) -> int:
        until_ns = now_ns + LONGEST_WAIT_NS
        if self._screen.next_change_ns is not None:
            until_ns = min(until_ns, self._screen.next_change_ns)
        if self._cabinet.view.stage in AT_REST and self._screen.ahead(self._cabinet.view):
            return 1
        return max(1, (until_ns - now_ns) // NS_PER_MS)

    def _take(self, event: pygame.event.Event, at_ns: int) -> None:
        is_key = event.type in (pygame.KEYDOWN, pygame.KEYUP)
        is_escape = event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE
        if event.type == pygame.QUIT or is_escape:
            self.stop()
        elif is_key and self._keyboard is not None:
            self._keyboard.key(event.scancode, is_down=event.type == pygame.KEYDOWN, at_ns=at_ns)
        elif event.type in (pygame.VIDEORESIZE, pygame.WINDOWEXPOSED):
            self._screen.redraw()
