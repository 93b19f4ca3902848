"""Buttons through gpiozero: mock pins on a desktop, lgpio on a Pi.

The callbacks do nothing but put into a queue, because an exception or a wait in one of them would
end or stall the only thread that delivers edges. They are methods of an object that we keep, because
gpiozero holds them by weak reference only: a local function would silently disable its line. No
``Button`` (a thread for each) and no ``bounce_time`` (it reports the time *after* the contact has settled).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import count
from queue import Empty, SimpleQueue

from gpiozero import Factory, InputDevice

from firmware.clock import NS_PER_S, Clock
from firmware.errors import CabinetError
from firmware.lines import Line
from firmware.pins import refusals
from firmware.touch.edges import Edge, EdgeKind

log = logging.getLogger(__name__)


def ns_of(ticks: float) -> int:
    """gpiozero's seconds as whole nanoseconds: those that the kernel gave, for 97 days of uptime.

    The product of all of it would be rounded once more, and be one off between day 48 and day 52.
    """
    whole = int(ticks)
    return whole * NS_PER_S + round((ticks - whole) * 1e9)


class _Listener:
    """One line: turns gpiozero's callback into an :class:`Edge`."""

    def __init__(self, source: GpiozeroLines, line: Line, factory: Factory, now_ns: int) -> None:
        self.name = str(line)
        self.source = source
        self.read_ns = now_ns
        self.is_mute = False
        with refusals(f"line {line}"):
            self.device = InputDevice(line.number, pull_up=True, pin_factory=factory)
            self.pin = self.device.pin
            try:
                self.pin.bounce = None
                self.pin.edges = "both"
                self.level = int(self.pin.state)
            except BaseException:
                self.device.close()
                raise

    def listen(self) -> None:
        self.pin.when_changed = self.changed

    def changed(self, ticks: float, state: int) -> None:
        """gpiozero's callback, in its thread."""
        self.level = int(state)
        uncertain_ns = getattr(self.pin, "uncertain_ns", 0)
        self.source.put(self.name, self.level, ns_of(ticks), uncertain_ns)

    def read(self) -> int | None:
        """Its level now; None if it cannot be read, which is logged once."""
        try:
            level = int(self.pin.state)
        except Exception:
            if not self.is_mute:
                log.exception("line %s cannot be read", self.name)
            self.is_mute = True
            return None
        self.is_mute = False
        return level

    def close(self) -> None:
        try:
            self.pin.when_changed = None
            self.device.close()
        except Exception:
            # An expander that is gone keeps no other line from being let go.
            log.exception("line %s cannot be closed", self.name)


class GpiozeroLines:
    """An :class:`~firmware.touch.edges.EdgeSource` of gpiozero input devices.

    Raises :class:`LineError` that names the line if one cannot be had; then none is kept. Unless
    ``is_patient``: then it is in :attr:`missing`, until :meth:`mend` finds it.
    """

    def __init__(
        self,
        lines: Iterable[Line],
        factory: Callable[[Line], Factory],
        clock: Clock,
        *,
        is_patient: bool = False,
    ) -> None:
        self._clock = clock
        self._factory = factory
        self._queue: SimpleQueue[Edge | None] = SimpleQueue()
        self._seq = count(1)
        self._listeners: list[_Listener] = []
        self._lines = {str(line): line for line in lines} if is_patient else {}
        self.missing: dict[str, CabinetError] = {}
        try:
            if is_patient:
                self._open(self._lines.values())
            else:
                for line in lines:
                    self._listeners.append(_Listener(self, line, factory(line), clock.now_ns()))
        except BaseException:
            self.close()
            raise
        self._closed = frozenset(one.name for one in self._listeners if one.level == 0)
        for listener in self._listeners:
            listener.listen()

    def mend(self) -> None:
        """Ask again for all lines that are missing; one that is closed counts for nothing until released."""
        had = len(self._listeners)
        self._open([self._lines[name] for name in self.missing])
        for listener in self._listeners[had:]:
            listener.listen()

    def _open(self, lines: Iterable[Line]) -> None:
        for line in lines:
            try:
                listener = _Listener(self, line, self._factory(line), self._clock.now_ns())
            except CabinetError as error:
                self.missing[str(line)] = error
            else:
                self.missing.pop(str(line), None)
                self._listeners.append(listener)

    def put(self, line: str, level: int, at_ns: int, uncertain_ns: int) -> None:
        """One edge has come; called from the thread that delivers them."""
        arrived_ns = self._clock.now_ns()
        self._queue.put(Edge(EdgeKind.EDGE, line, level, at_ns, next(self._seq), arrived_ns, uncertain_ns))

    def wait(self, timeout_s: float | None) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        edges: list[Edge] = []
        try:
            edge = self._queue.get(timeout=timeout_s) if timeout_s != 0 else self._queue.get_nowait()
            while True:
                if edge is not None:
                    edges.append(edge)
                edge = self._queue.get_nowait()
        except Empty:
            return edges

    def poll(self, now_ns: int) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        edges: list[Edge] = []
        for listener in self._listeners:
            level = listener.read()
            if level is None:
                continue
            since_ns, listener.read_ns = listener.read_ns, now_ns
            if level != listener.level:
                listener.level = level
                # After the reading: the kernel's own stamp of this change must not be the later one.
                at_ns = self._clock.now_ns()
                number, span_ns = next(self._seq), max(0, at_ns - since_ns)
                edges.append(Edge(EdgeKind.POLL, listener.name, level, at_ns, number, at_ns, span_ns))
        return edges

    def closed_at_start(self) -> frozenset[str]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        return self._closed

    def wake(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        self._queue.put(None)

    def close(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        while self._listeners:
            self._listeners.pop().close()
