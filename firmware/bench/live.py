"""Races as they happen: mock pins, real threads, the kernel's clock, every processor busy with other work.

A press goes the way it goes in the cabinet: a pin is pushed with its stamp, the edge waits in the source's
queue, the referee's thread takes it through contacts and arbiter to the rules. The stamps are the truth, so
it is known exactly who was first. Several races run at once, each on a pile of its own.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing import get_context
from random import Random
from threading import Event, Thread
from typing import Any

from firmware.bench.bouts import MOST_BUTTONS, Bout, Bouts, Taken, referee, wires
from firmware.bench.finger import Hand, Pair, keep_busy, make, wait_until
from firmware.bench.races import MATCH_SD_MS, REACTION_SD_MS, Court, Race, apart, places, races, spread, truth
from firmware.bench.switches import Finger
from firmware.bench.tally import Clear, Tally
from firmware.clock import NS_PER_MS, Clock, MonotonicClock
from firmware.lines import Line
from firmware.pins import PushPin, mock_pins
from firmware.prompt import be_prompt
from firmware.seats import SIDES, opposite
from firmware.touch.arbiter import SLACK_NS
from firmware.touch.contact import Button
from firmware.touch.gpiozero_lines import GpiozeroLines

CLOSE_MS = (1.05, 5)
"""Gaps of every second race: too large for a dead heat, and hardly so."""
NEXT_MS = (80, 120)
"""From one race to the next, which is on another pile."""
RACES_PER_S = 9
REST_NS = 150 * NS_PER_MS
"""A pile rests for so long after a race: a button re-arms in a tenth of it."""
LONGEST_BREAK_NS = 7_500_000
LATER_BREAK_NS = 1_500_000
"""Held up in the midst of a bounce, the fingers may make a contact do what none does. It is odd if it is open
for longer than this (the worst of sixteen switches bounces for 6.2 ms) and by this longer than was drawn;"""
LATEST_NS = 20 * NS_PER_MS
"""or if the whole bounce is by so much longer."""
ROUNDS = 4
"""So often at most is a race run that was held up."""
AFTERWARDS_S = 0.5
"""After the last change, long enough for every verdict."""


def draw(count: int, seed: int) -> list[Race]:
    """*count* races (one more if odd) that follow from *seed*: each drawn once and run from either side."""
    once = (count + 1) // 2
    kinds = (
        apart(lambda chance: chance.uniform(*CLOSE_MS) * NS_PER_MS),
        spread(MATCH_SD_MS),
        apart(lambda chance: chance.uniform(*CLOSE_MS) * NS_PER_MS),
        spread(REACTION_SD_MS),
    )
    drawn = [
        race
        for nth, touches in enumerate(kinds)
        for race in races(
            places(seed), len(range(nth, once, len(kinds))), f"{seed}/live/{nth}", touches, is_disturbed=False
        )
    ]
    both = [one for race in drawn for one in (race, race.swapped())]
    Random(f"{seed}/live").shuffle(both)
    return both


@dataclass(eq=False)
class Run:
    """A race that is run live on the pins of its pile, and what its fingers did.

    ``made_ns``: the stamp of each change, by seat; ``told_ns``: when its edge was in the source's queue.
    """

    race: Race
    pins: Sequence[PushPin]
    made_ns: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    told_ns: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    bout: Bout | None = None

    @property
    def seats(self) -> tuple[int, int]:
        """Who touches first, and the other."""
        return self.race.first, opposite(self.race.first)

    def was_held_up(self) -> bool:
        """Did a line do what no switch does, or an edge come later than any kernel tells of it?"""
        return any(map(_is_odd, self.race.fingers, self.made_ns, self.told_ns))

    def taken(self) -> Taken:
        """What the cabinet made of the race as it was truly run."""
        assert self.bout is not None, "a race that was run has begun"
        near, far = (
            _as_made(finger, [at_ns - self.bout.base_ns for at_ns in made_ns])
            for finger, made_ns in zip(self.race.fingers, self.made_ns, strict=True)
        )
        return self.bout.taken(replace(self.race, fingers=(near, far)))


def _is_odd(finger: Finger, made_ns: Sequence[int], told_ns: Sequence[int]) -> bool:
    """Is this what no finger does on any switch, or no kernel tells so late?"""
    if any(told - made > SLACK_NS for made, told in zip(made_ns, told_ns, strict=True)):
        return True
    late_ns = 0
    for nth, ((at_ns, level), (next_ns, _)) in enumerate(pairwise(finger.changes), 1):
        if nth == finger.closing:
            late_ns = 0  # held: letting go is a burst of its own
            continue
        lasted_ns, planned_ns = told_ns[nth] - made_ns[nth - 1], next_ns - at_ns
        late_ns += made_ns[nth] - made_ns[nth - 1] - planned_ns
        is_long = lasted_ns > max(LONGEST_BREAK_NS, planned_ns + LATER_BREAK_NS)
        if (level == 1 and is_long) or late_ns > LATEST_NS:
            return True
    return False


def _as_made(finger: Finger, made_ns: Sequence[int]) -> Finger:
    levels = [level for _, level in finger.changes]
    return Finger(made_ns[0], made_ns[finger.closing], tuple(zip(made_ns, levels, strict=True)))


def _hand(finger: Finger) -> Hand:
    times = [at_ns for at_ns, _ in finger.changes]
    closing, opening = times[: finger.closing], times[finger.closing :]
    return Hand(
        tuple(at_ns - closing[0] for at_ns in closing),
        finger.release_ns - finger.touch_ns,
        tuple(at_ns - opening[0] for at_ns in opening),
    )


class Piles:
    """*races* on the piles of a box in turn, before the cabinet's referee on mock pins.

    ``pairs``: what the fingers have to do. ``referee``: to be run, or stepped with the edges of ``source``.
    """

    def __init__(self, races: Sequence[Race], clock: Clock, seed: int) -> None:
        self._clock = clock
        self._pins = mock_pins()
        self._buttons = wires(MOST_BUTTONS)
        lines = {button: Line(None, gpio) for gpio, button in self._buttons.items()}
        self.source = GpiozeroLines(lines.values(), self._pins.factory, clock)
        self._bouts = Bouts(clock)
        self.referee = referee(self.source, self._buttons, self._bouts, clock)
        self.pairs: list[Pair] = []
        self.runs: list[Run] = []
        chance = Random(f"{seed}/piles")
        free_ns = [0] * MOST_BUTTONS
        began_ns = 0
        for nth, race in enumerate(races):
            pile = nth % MOST_BUTTONS
            next_ns = began_ns + round(chance.uniform(*NEXT_MS) * NS_PER_MS)
            begin_ns = max(next_ns, free_ns[pile])
            run = Run(race, [self._pins.mock_pin(lines[Button(seat, pile)]) for seat in range(SIDES)])
            first, second = (_hand(race.fingers[seat]) for seat in run.seats)
            self.runs.append(run)
            self.pairs.append(Pair(begin_ns - began_ns, race.gap_ns, (first, second)))
            free_ns[pile] = begin_ns + race.lasts_ns + REST_NS
            began_ns = begin_ns

    @property
    def counts(self) -> Counter[str]:
        """Faults that were seen."""
        return self._bouts.counts

    def change(self, at_ns: int, number: int) -> None:
        """The line of hand *number* changed at *at_ns*."""
        pair, nth = divmod(number, 2)
        run = self.runs[pair]
        seat = run.seats[nth]
        made_ns = run.made_ns[seat]
        level = run.race.fingers[seat].changes[len(made_ns)][1]
        made_ns.append(at_ns)
        if run.bout is None:
            run.bout = Bout(Court(run.race.position, at_ns), at_ns)
            pile = pair % MOST_BUTTONS
            self._bouts.begin(run.bout, [Button(seat, pile) for seat in range(SIDES)])
        run.pins[seat].push(at_ns, level)
        run.told_ns[seat].append(self._clock.now_ns())

    def close(self) -> None:
        """Let go of the pins."""
        self.source.close()
        self._pins.close()


@dataclass
class Live:
    """What came of races that were run live. ``held_up``: by no fault of the cabinet's, and so not judged."""

    tally: Tally = field(default_factory=Tally)
    clear: Clear = field(default_factory=Clear)
    late: int = 0
    held_up: int = 0

    def add(self, run: Run) -> bool:
        """One more race; False if it cannot be judged."""
        if run.was_held_up():
            self.held_up += 1
            return False
        taken = run.taken()
        self.tally.add(taken.race, truth(taken.race), taken.outcome, taken.presses)
        self.clear.add(taken)
        self.late += taken.late
        return True

    def figures(self) -> dict[str, float]:
        """As ``--json`` prints them."""
        return {
            "races": self.tally.races,
            "held_up": self.held_up,
            **self.clear.figures(),
            "late": self.late,
            **self.tally.figures(),
        }


def measure(count: int, seed: int = 1) -> dict[str, Any]:
    """*count* races, :data:`RACES_PER_S` in a second, while every processor is kept busy."""
    found, faults = Live(), Counter[str]()
    interval_s = sys.getswitchinterval()
    be_prompt()
    try:
        with _busy() as processors:
            waiting = draw(count, seed)
            for _ in range(ROUNDS):
                piles = _run(waiting, seed)
                faults += piles.counts
                waiting = [run.race for run in piles.runs if not found.add(run)]
                if not waiting:
                    break
    finally:
        sys.setswitchinterval(interval_s)
    return {"busy_processors": processors, "live": found.figures(), "faults": dict(faults)}


def _run(races: Sequence[Race], seed: int) -> Piles:
    """Run *races* on the piles of one box."""
    piles = Piles(races, MonotonicClock(), seed)
    thread = Thread(target=piles.referee.run, name="referee", daemon=True)
    thread.start()
    try:
        make(piles.pairs, wait_until, piles.change)
        Event().wait(AFTERWARDS_S)
    finally:
        piles.referee.stop()
        thread.join()
        piles.close()
    return piles


def problems(figures: Mapping[str, Any]) -> list[str]:
    """What in :func:`measure`'s *figures* is not as promised, in words."""
    live, found = figures["live"], []
    if not live["clear"]:
        found.append("there was no clear race that could be judged")
    if live["wrong"]:
        found.append(f"{live['wrong']:,} of {live['clear']:,} clear races decided wrongly")
    found += [
        f"{live[f'{what}_presses']:,} presses {what}"
        for what in ("lost", "phantom")
        if live[f"{what}_presses"]
    ]
    found += [
        f"{name.replace('_', ' ')}: {figures['faults'][name]:,}"
        for name in ("referee_faults", "given_up")
        if name in figures["faults"]
    ]
    return found


@contextmanager
def _busy() -> Iterator[int]:
    """A process for each processor that does nothing but take it, meanwhile; how many those are."""
    context = get_context("spawn")
    begun = context.Semaphore(0)
    count = os.cpu_count() or 1
    processes = [context.Process(target=keep_busy, args=(begun,), daemon=True) for _ in range(count)]
    try:
        for process in processes:
            process.start()
        for _ in processes:
            begun.acquire()
        yield count
    finally:
        for process in processes:
            if process.pid is not None:
                process.kill()
                process.join()
