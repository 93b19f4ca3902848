"""How the cabinet takes presses: its own source, contacts, arbiter and referee, on a simulated kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from firmware.bench.bouts import Bout, Bouts, Taken, referee, wires
from firmware.bench.races import RACE_NS, Court, Race
from firmware.bench.simulated_kernel import LOADED, Load, SimulatedLines
from firmware.bench.switches import Changes
from firmware.clock import NS_PER_MS, ManualClock
from firmware.lines import Line
from firmware.touch.contact import Button

BUTTONS = 8
"""Of each player: one for each slot of every game that is raced for."""


class OurWay:
    """A cabinet without screen and session. ``is_rewired``: each player has the other's GPIO numbers."""

    def __init__(self, seed: str, *, load: Load = LOADED, is_rewired: bool = False) -> None:
        self._clock = ManualClock(RACE_NS)
        buttons = wires(BUTTONS, is_rewired=is_rewired)
        self._gpio = {button: gpio for gpio, button in buttons.items()}
        self._chance = Random(f"{seed}/kernel")
        lines = [Line(None, gpio) for gpio in buttons]
        self._source = SimulatedLines(lines, self._clock, load, self._chance)
        self._bouts = Bouts(self._clock)
        self._referee = referee(self._source, buttons, self._bouts, self._clock)

    @property
    def counts(self) -> Counter[str]:
        """Faults that were seen."""
        return self._bouts.counts

    def take(self, races: Iterable[Race]) -> Iterator[Taken]:
        """What the cabinet makes of each of *races*, one after the other."""
        for race in races:
            yield self._take(race)
        self._source.close()

    def _take(self, race: Race) -> Taken:
        clock = self._clock
        base_ns = clock.now_ns()
        bout = Bout(Court(race.position, base_ns), base_ns)
        buttons = [Button(seat, slot) for seat, slot in enumerate(race.position.slots)]
        self._bouts.begin(bout, buttons)
        changes: dict[int, Changes] = {
            self._gpio[button]: [(base_ns + at_ns, level) for at_ns, level in race.lines[button.seat]]
            for button in buttons
        }
        self._source.wires.play(changes)
        moments = sorted(at_ns for line in changes.values() for at_ns, _ in line)
        end_ns = base_ns + RACE_NS
        while clock.now_ns() < end_ns:
            self._step(min(end_ns, self._quiet_until(moments, end_ns)))
        return bout.taken(race)

    def _quiet_until(self, moments: list[int], end_ns: int) -> int:
        """Polls in a long silence find nothing and are left out, up to shortly before something happens."""
        now_ns = self._clock.now_ns()
        while moments and moments[0] < now_ns - QUIET_NS:
            moments.pop(0)
        next_ns = moments[0] if moments else end_ns
        # Not by a whole number of polls: none is to meet a touch more often than by chance.
        early_ns = QUIET_NS + round(self._chance.random() * 10 * NS_PER_MS)
        return next_ns - early_ns if next_ns - now_ns > 2 * QUIET_NS else 0

    def _step(self, quiet_ns: int) -> None:
        now_ns = self._clock.now_ns()
        times = [self._referee.wake_at_ns()]
        if (event_ns := self._source.wires.wake_ns) is not None:
            times.append(event_ns)
        self._clock.move_to(max(now_ns, quiet_ns or min(times)))
        self._referee.step(self._source.wait(0))


QUIET_NS = 25 * NS_PER_MS
"""Longer than any contact takes to settle or to re-arm, and any touch to be let out."""
