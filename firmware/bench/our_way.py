"""How the cabinet takes presses: its own source, contacts, arbiter and referee, on a simulated kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random
from typing import cast

from firmware.bench.other_ways import Press
from firmware.bench.races import RACE_NS, Court, Outcome, Race
from firmware.bench.simulated_kernel import LOADED, Load, SimulatedLines
from firmware.bench.switches import Changes
from firmware.clock import NS_PER_MS, ManualClock
from firmware.lines import HEADER_LINES, Line
from firmware.referee import Referee
from firmware.rules import Cover, DeadHeat, First
from firmware.session.session import Session
from firmware.settings import Input
from firmware.touch.arbiter import Arbiter, Let, Ruling
from firmware.touch.contact import Button, Contacts, FaultSeen, Release, Times, Touch

BUTTONS = 8
"""Of each player: one for each slot of every game that is raced for."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What the cabinet made of a race: the presses it took, and what came of them."""

    race: Race
    outcome: Outcome
    presses: tuple[Press, ...]
    late: int


@dataclass
class _Bench:
    """What the referee takes for a session: one race at a time."""

    clock: ManualClock
    next_timer_at_ns: int | None = None
    court: Court | None = None
    presses: list[Press] = field(default_factory=list)
    late: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def _cover(self, touch: Touch) -> Cover:
        assert self.court is not None
        return self.court.cover(touch.button.seat, touch.at_ns)

    def judge(self, touches: tuple[Touch, ...]) -> Ruling[DeadHeat]:
        """As :meth:`firmware.session.session.Session.judge`."""
        assert self.court is not None
        verdict = self.court.judge([self._cover(touch) for touch in touches])
        seats = {verdict.cover.seat} if isinstance(verdict, First) else {s for s, _ in verdict.contestants}
        settled = tuple(touch for touch in touches if touch.button.seat in seats)
        return Ruling(settled, None if isinstance(verdict, First) else verdict)

    def touched(self, let: Let[DeadHeat]) -> None:
        """As :meth:`firmware.session.session.Session.touched`."""
        assert self.court is not None
        now_ns = self.clock.now_ns()
        self.presses += [Press(t.button.seat, t.at_ns, now_ns, t.uncertain_ns) for t in let.touches]
        self.late += let.is_late
        if let.verdict is not None:
            self.court.enter(let.verdict)
        else:
            cover = self._cover(let.touches[0])
            shift_ns = let.at_ns - let.touches[0].at_ns
            self.court.enter(replace(cover, at_ns=cover.at_ns + shift_ns))

    def fault(self, seen: FaultSeen) -> None:
        """A fault of a contact is counted."""
        self.counts[seen.fault.value] += 1

    def released(self, release: Release) -> None:
        """Nothing hangs on it here."""


class OurWay:
    """A cabinet without screen and session. ``is_rewired``: each player has the other's GPIO numbers."""

    def __init__(self, seed: str, *, load: Load = LOADED, is_rewired: bool = False) -> None:
        self._clock = ManualClock(RACE_NS)
        wires: dict[int, Button] = {}
        pairs = zip(HEADER_LINES[::2], HEADER_LINES[1::2], strict=True)
        for number, pair in islice(enumerate(pairs), BUTTONS):
            # As in the reference cabinet, the lower number of each pair alternates between the players.
            for side, gpio in enumerate(pair):
                wires[gpio] = Button(side ^ (number % 2) ^ is_rewired, number)
        self._gpio = {button: gpio for gpio, button in wires.items()}
        self._chance = Random(f"{seed}/kernel")
        lines = [Line(None, gpio) for gpio in wires]
        self._source = SimulatedLines(lines, self._clock, load, self._chance)
        settings = Input()
        times = Times(settings.confirm_ns, settings.rearm_ns, settings.stuck_ns)
        self._bench = _Bench(self._clock)
        self.window_ns = settings.dead_heat_window_ns
        self._arbiter: Arbiter[DeadHeat] = Arbiter(self.window_ns)
        self._referee = Referee(
            self._source,
            Contacts({str(gpio): button for gpio, button in wires.items()}, times),
            self._arbiter,
            cast(Session, self._bench),
            self._clock,
            poll_ns=settings.poll_ns,
        )

    @property
    def counts(self) -> Counter[str]:
        """Faults of contacts that were seen."""
        return self._bench.counts

    def take(self, races: Iterable[Race]) -> Iterator[Taken]:
        """What the cabinet makes of each of *races*, one after the other."""
        for race in races:
            yield self._take(race)
        self._source.close()

    def _take(self, race: Race) -> Taken:
        bench, clock = self._bench, self._clock
        base_ns = clock.now_ns()
        bench.court, bench.presses, bench.late = Court(race.position, base_ns), [], 0
        changes: dict[int, Changes] = {
            self._gpio[Button(seat, race.position.slots[seat])]: [
                (base_ns + at_ns, level) for at_ns, level in line
            ]
            for seat, line in race.lines.items()
        }
        self._source.wires.play(changes)
        moments = sorted(at_ns for line in changes.values() for at_ns, _ in line)
        end_ns = base_ns + RACE_NS
        while clock.now_ns() < end_ns:
            self._step(min(end_ns, self._quiet_until(moments, end_ns)))
        presses = tuple(
            replace(one, at_ns=one.at_ns - base_ns, seen_ns=one.seen_ns - base_ns) for one in bench.presses
        )
        return Taken(race, bench.court.outcome, presses, bench.late)

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
