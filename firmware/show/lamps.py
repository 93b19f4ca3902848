"""The lamps in the buttons: what they show (pure), and the thread that switches them.

Steady: this button is alive. A flash: what you just covered there was taken. Dark: dead, by a
penalty, a frozen pile or a pause. They never show where a match is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Condition, Lock, Thread

from gpiozero import LED, PWMLED, Factory

from firmware import rules
from firmware.clock import NS_PER_MS, Clock
from firmware.lines import Line
from firmware.pins import refusals
from firmware.rules.events import Covered
from firmware.seats import SIDES
from firmware.session.view import Stage, View

log = logging.getLogger(__name__)

START = -1
FLASH_NS = 120 * NS_PER_MS
BLINK_NS = 400 * NS_PER_MS
"""Half a period: 1.25 Hz, well below the 3 Hz that nothing may exceed."""

Lamp = tuple[int, int]
"""(seat, button), the button counted from 0, START being -1."""


@dataclass(frozen=True, slots=True)
class Levels:
    """The lamps that are lit, and when that changes by itself (None: not until the view does)."""

    lit: frozenset[Lamp]
    until_ns: int | None = None


def levels(view: View, buttons: int, now_ns: int) -> Levels:
    """What the lamps show for *view* at *now_ns*, with *buttons* pile buttons per seat."""
    match view.stage:
        case Stage.HAND if view.table is not None:
            shown = _in_hand(view, view.table, buttons, now_ns)
        case Stage.COUNTDOWN:
            shown = Levels(frozenset())
        case _:
            shown = _waiting(view, now_ns)
    dead = frozenset(view.stuck_buttons)
    return Levels(shown.lit - dead, shown.until_ns)


def _waiting(view: View, now_ns: int) -> Levels:
    """Who has pressed START sees it steady, who has not sees it blink."""
    phase, into_ns = divmod(now_ns - view.stage_since_ns, BLINK_NS)
    lit = {(seat, START) for seat in range(SIDES) if view.is_ready[seat] or phase % 2 == 0}
    until_ns = None if all(view.is_ready) else now_ns - into_ns + BLINK_NS
    return Levels(frozenset(lit), until_ns)


def _in_hand(view: View, table: rules.AnyTable, buttons: int, now_ns: int) -> Levels:
    lit: set[Lamp] = set()
    if table.phase is rules.Phase.PLAY:
        frozen = {slot for slot, _ in table.frozen}
        for seat in range(SIDES):
            holding = table.holdings[seat]
            if holding.penalty_until_ns is None and not holding.is_out:
                for button in range(buttons):
                    slot = table.game.layout.pressed(seat, button, buttons)
                    if slot is not None and slot not in frozen:
                        lit.add((seat, button))
    # A flash is a short dark on a steady lamp, so that it shows at once and never blinks by itself.
    until_ns: int | None = None
    for event in view.recent:
        ends_ns = event.at_ns + FLASH_NS
        if isinstance(event, Covered) and ends_ns > now_ns and event.seat < SIDES:
            lit.discard((event.seat, table.game.layout.button(event.seat, event.slot, buttons)[0]))
            until_ns = ends_ns if until_ns is None else min(until_ns, ends_ns)
    return Levels(frozenset(lit), until_ns)


class _Group:
    """Lamps on one kind of chip, switched by one thread at a time."""

    def __init__(self) -> None:
        self.devices: dict[Lamp, LED | PWMLED] = {}
        self.is_busy = Lock()
        self._lit: frozenset[Lamp] = frozenset()

    def show(self, lit: frozenset[Lamp], brightness: float) -> None:
        """Switch what has changed. One that fails keeps none of the others dark; its error comes last."""
        failure: Exception | None = None
        with self.is_busy:
            for lamp in lit ^ self._lit:
                device = self.devices.get(lamp)
                try:
                    if device is not None:
                        device.value = brightness if lamp in lit else 0
                except Exception as error:
                    failure = error
                else:
                    self._lit ^= {lamp}
        if failure is not None:
            raise failure


class LampLines:
    """The lamps as gpiozero devices. Raises :class:`LineError` that names the line if one cannot be had."""

    def __init__(
        self,
        lines: Mapping[Lamp, Line],
        factory: Callable[[Line], Factory],
        *,
        pwm: bool = False,
        brightness: float = 1.0,
    ) -> None:
        self._header, self._expanders = _Group(), _Group()
        self._brightness = brightness if pwm else 1
        for lamp, line in lines.items():
            is_header = line.chip is None
            group = self._header if is_header else self._expanders
            kind = PWMLED if pwm and is_header else LED
            try:
                with refusals(f"lamp line {line}"):
                    group.devices[lamp] = kind(line.number, pin_factory=factory(line))
            except BaseException:
                self.close()
                raise

    def show(self, lit: frozenset[Lamp]) -> None:
        """Switch what has changed, on all chips. One that fails keeps none of the others dark."""
        try:
            self._header.show(lit, self._brightness)
        finally:
            self._expanders.show(lit, self._brightness)

    def show_header(self, lit: frozenset[Lamp]) -> None:
        """As :meth:`show`, but only lamps on the header, where switching takes microseconds."""
        self._header.show(lit, self._brightness)

    def close(self) -> None:
        """All dark, and the lines let go. May be called twice."""
        for group in (self._header, self._expanders):
            while group.devices:
                lamp, device = group.devices.popitem()
                try:
                    device.close()
                except Exception:
                    # An expander that is gone keeps no other line from being let go.
                    log.exception("the lamp of seat %d, button %d cannot be closed", *lamp)


class LampThread:
    """Keeps the lamps as the latest view wants them; an expander that stalls holds up nobody else."""

    def __init__(self, lines: LampLines, buttons: int, clock: Clock) -> None:
        self._lines = lines
        self._buttons = buttons
        self._clock = clock
        self._view: View | None = None
        self._is_running = True
        self._news = Condition()
        self._thread = Thread(target=self._run, name="lamps", daemon=True)
        self.faults = 0

    def start(self) -> None:
        """Begin to switch."""
        self._thread.start()

    def show(self, view: View) -> None:
        """A new view; the latest wins. Returns at once.

        Lamps on the header are switched here and now: the thread would first have to wait for the
        interpreter, which may be drawing. It does the rest, and what fails here.
        """
        if self._thread.is_alive():
            try:
                self._lines.show_header(levels(view, self._buttons, self._clock.now_ns()).lit)
            except Exception as error:
                log.debug("left to the lamp thread: %s", error)
        with self._news:
            self._view = view
            self._news.notify()

    def step(self) -> int | None:
        """Switch the lamps as they are to be now; gives back when they change by themselves."""
        view = self._view
        if view is None:
            return None
        wanted = levels(view, self._buttons, self._clock.now_ns())
        self._lines.show(wanted.lit)
        return wanted.until_ns

    def _run(self) -> None:
        while self._is_running:
            seen = self._view
            try:
                until_ns = self.step()
            except Exception:
                log.exception("the lamps met a fault and go on")
                self.faults += 1
                until_ns = self._clock.now_ns() + 1_000_000_000
            with self._news:
                if self._view is seen and self._is_running:
                    left_ns = None if until_ns is None else until_ns - self._clock.now_ns()
                    self._news.wait(None if left_ns is None else max(0, left_ns) / 1e9)

    def close(self) -> None:
        """End the thread, all dark. May be called twice."""
        with self._news:
            self._is_running = False
            self._news.notify()
        if self._thread.is_alive():
            self._thread.join(1)
        self._lines.close()
