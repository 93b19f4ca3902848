"""The cabinet: the only place that knows all rooms. Builds them from settings, runs them, stops them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from threading import Thread

from firmware.chips import find_chip, has_header
from firmware.clock import Clock
from firmware.errors import CabinetError, ChipError
from firmware.lines import HEADER_LINES, Line
from firmware.pins import Pins, lgpio_pins, mock_pins
from firmware.prompt import be_prompt
from firmware.referee import Referee
from firmware.rules import DeadHeat, find
from firmware.rules.layout import Layout
from firmware.seats import SIDES
from firmware.session.phases import Box
from firmware.session.records import HandEnded, Interrupted, Record, Shown
from firmware.session.session import Session
from firmware.session.view import View
from firmware.settings import Settings, Source
from firmware.show.lamps import LampLines, LampThread
from firmware.touch.arbiter import Arbiter
from firmware.touch.contact import HELD_REACH_NS, START, Button, Contacts, Times
from firmware.touch.edges import Edge, EdgeSource
from firmware.touch.gpiozero_lines import GpiozeroLines
from firmware.touch.mending import Complain, Mending

log = logging.getLogger(__name__)


def buttons_of(settings: Settings) -> dict[Line, Button]:
    """The button on each line."""
    return {
        use.line: Button(use.seat, START if use.place is None else use.place)
        for use in settings.uses()
        if use.seat is not None and not use.is_lamp
    }


def lamps_of(settings: Settings) -> dict[tuple[int, int], Line]:
    """The line of each lamp, by (seat, button)."""
    return {
        (use.seat, START if use.place is None else use.place): use.line
        for use in settings.uses()
        if use.seat is not None and use.is_lamp
    }


def cpu_buttons_of(seats: int, layout: Layout) -> dict[str, Button]:
    """Buttons of the seats beyond the two at the table: one for each slot, on lines that no chip has."""
    cpu = [Button(seat, slot) for seat in range(SIDES, seats) for slot in range(layout.places)]
    return {_cpu_line(button): button for button in cpu}


def _cpu_line(button: Button) -> str:
    return f"cpu{button.seat + 1}:{button.number}"


def choose_pins(settings: Settings) -> Pins:
    """Real pins where there is a header, mock pins elsewhere; or what ``input.source`` forces.

    Raises :class:`ChipError` where real pins were asked for and are not to be had.
    """
    match settings.input.source:
        case Source.MOCK:
            return mock_pins()
        case Source.AUTO:
            if not has_header():
                return mock_pins()
            find_chip(Line(None, HEADER_LINES[0]))
    return lgpio_pins()


def choose_source(settings: Settings, pins: Pins, clock: Clock, complain: Complain) -> EdgeSource:
    """The edges of all buttons: of the kernel's lines by gpiod, else of *pins*.

    *complain* is told of lines that are missing, and again when they are back. Raises :class:`ChipError`
    where gpiod was asked for and is not to be had.
    """
    lines = buttons_of(settings)
    if not pins.is_kernel:
        return GpiozeroLines(lines, pins.factory, clock)
    if settings.input.source is not Source.GPIOZERO:
        try:
            from firmware.touch.gpiod_lines import GpiodLines

            return Mending(GpiodLines(lines, clock), clock, complain)
        except ImportError as error:
            # Debian 12 has version 1 under the same name.
            if settings.input.source is Source.GPIOD:
                raise ChipError(f"gpiod 2 is not installed: pip install 'gpiod>=2.2' ({error})") from error
    return Mending(GpiozeroLines(lines, pins.factory, clock, is_patient=True), clock, complain)


class Cabinet:
    """All rooms of one cabinet, built but not running: :meth:`start` starts the threads, tests step by hand.

    ``seeds``: one for each hand. ``keep``: takes what is to be kept. ``source``: edges from elsewhere than
    the pins. ``record``: is given every edge. ``interrupted``: the match that was going on before.
    """

    def __init__(
        self,
        settings: Settings,
        pins: Pins,
        clock: Clock,
        seeds: Iterator[int],
        *,
        keep: Callable[[Record], None] = lambda record: None,
        source: EdgeSource | None = None,
        record: Callable[[Edge], None] | None = None,
        input_note: Callable[[], str | None] = lambda: None,
        interrupted: Interrupted | None = None,
    ) -> None:
        self.settings = settings
        self.pins = pins
        self.clock = clock
        self._keep = keep
        self._listeners: list[Callable[[View], None]] = []
        self.show_faults = 0
        buttons = buttons_of(settings)
        self._lines = {button: line for line, button in buttons.items()}
        entry = find(settings.play.game)
        cpu_buttons = cpu_buttons_of(settings.players, entry.game.layout)
        self.source: EdgeSource = source or choose_source(settings, pins, clock, self.tell)
        try:
            lamp_lines = LampLines(
                lamps_of(settings),
                pins.factory,
                pwm=settings.lamps.pwm,
                brightness=settings.lamps.brightness,
            )
        except CabinetError:
            self.source.close()
            raise
        self.lamps = LampThread(lamp_lines, settings.buttons, clock)
        times = Times(
            confirm_ns=settings.input.confirm_ns,
            rearm_ns=settings.input.rearm_ns,
            stuck_ns=settings.input.stuck_ns,
        )
        wired = {str(line): button for line, button in buttons.items()}
        contacts = Contacts(wired | cpu_buttons, times)
        box = Box(
            entry=entry,
            options=settings.options(),
            best_of=settings.best_of,
            seats=settings.players,
            buttons=settings.buttons,
            seeds=seeds,
            keep=keep,
            was_held=contacts.was_held,
        )
        self.session = Session(
            box, self._show, clock.now_ns(), input_note=input_note, interrupted=interrupted
        )
        self._arbiter: Arbiter[DeadHeat] = Arbiter(
            settings.input.dead_heat_window_ns,
            # Whether START was held is known a little later than the touch itself.
            settle_ns=HELD_REACH_NS if box.has_second_bank else 0,
        )
        self.referee = Referee(
            self.source,
            contacts,
            self._arbiter,
            self.session,
            clock,
            poll_ns=settings.input.poll_ns,
            record=record,
        )
        self._thread = Thread(target=self.referee.run, name="referee", daemon=True)

    @property
    def view(self) -> View:
        """What is to be seen now."""
        return self.session.view

    @property
    def hold_back_ns(self) -> int:
        """How long a clean touch waits: until it is confirmed, and until none earlier can come."""
        return max(self.settings.input.confirm_ns, self._arbiter.hold_back_ns)

    def listen(self, listener: Callable[[View], None]) -> None:
        """Call *listener* with every new view, in the referee's thread: it must return at once."""
        self._listeners.append(listener)

    def _show(self, view: View) -> None:
        for listener in (self.lamps.show, *self._listeners):
            try:
                listener(view)
            except Exception:
                # Whoever cannot show must not undo what was decided.
                log.exception("a view could not be handed on")
                self.show_faults += 1

    def tell(self, fault: str, *, is_over: bool = False) -> None:
        """Something is wrong, or right again: the operator reads it on the screen. From any thread."""
        self.referee.post(lambda now_ns: self.session.tell(fault, now_ns, is_over=is_over))

    def saved(self, ended: HandEnded) -> None:
        """That hand is on disk. From any thread."""
        self.referee.post(lambda now_ns: self.session.saved(ended, now_ns))

    def shown(self, view: View, at_ns: int) -> None:
        """The screen shows *view* since *at_ns*."""
        self._keep(Shown(view.state_id, at_ns))

    def push(self, button: Button, at_ns: int, level: int) -> None:
        """Push the mock pin of *button* to *level* at *at_ns*; a CPU player beyond the two has no pin."""
        if button in self._lines:
            self.pins.mock_pin(self._lines[button]).push(at_ns, level)
        else:
            self.source.put(_cpu_line(button), level, at_ns, 0)

    def line(self, button: Button) -> Line:
        """The line of *button*."""
        return self._lines[button]

    def start(self) -> None:
        """Start the threads."""
        be_prompt()
        self.lamps.start()
        self._thread.start()

    def close(self) -> None:
        """Stop the threads and let go of all lines. May be called twice."""
        self.referee.stop()
        if self._thread.is_alive():
            self._thread.join(2)
        self.lamps.close()
        self.source.close()
        self.pins.close()
