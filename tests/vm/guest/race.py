"""Races on simulated lines: the firmware's own way from edges to verdicts, without rules and screen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import cast

import msgspec

from firmware.clock import MonotonicClock
from firmware.lines import Line
from firmware.referee import Referee
from firmware.rules import DeadHeat
from firmware.session.session import Session
from firmware.settings import Settings
from firmware.touch.arbiter import Arbiter, Let, Ruling
from firmware.touch.contact import Button, Contacts, FaultSeen, Release, Times, Touch
from firmware.touch.edges import Edge, EdgeSource
from tests.vm.guest.finger import Made, Pair
from tests.vm.guest.metronome import Stretch

STAMP_LATE_NS = 200_000
"""A simulated line raises its interrupt from a soft interrupt, which may come just after the write."""
LONGEST_PAIR_S = 1.0
PUZZLE_NS = 50_000_000
MOST_PUZZLES = 4
WARM_UP = 6
"""Pairs made before any counts: the code of both sides is read from a disk that takes what time it likes."""
AROUND_NS = 10_000_000
"""A machine that stood still so shortly before or after a pair may have had a part in it."""


@dataclass
class Verdicts:
    """Stands where the session stands: notes what is let out and when; all that is close is a dead heat."""

    clock: MonotonicClock
    let: list[tuple[int, Let[DeadHeat]]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    next_timer_at_ns: int | None = None

    def judge(self, touches: tuple[Touch, ...]) -> Ruling[DeadHeat]:
        """Too close to call."""
        contestants = tuple((touch.button.seat, touch.button.number) for touch in touches)
        return Ruling(touches, DeadHeat(touches[0].at_ns, contestants, None))

    def touched(self, let: Let[DeadHeat]) -> None:
        """A verdict."""
        self.let.append((self.clock.now_ns(), let))

    def released(self, release: Release) -> None:
        """Of no interest."""

    def fault(self, seen: FaultSeen) -> None:
        """Count it."""
        self.counts[seen.fault.value] += 1

    def tell(self, fault: str, at_ns: int, *, is_over: bool = False) -> None:
        """Count it."""
        self.counts[fault] += 1

    def give_up(self, at_ns: int) -> None:
        """Count it."""
        self.counts["given up"] += 1


def run(source: EdgeSource, buttons: dict[Line, Button], settings: Settings, pairs: list[Pair]) -> Outcome:
    """Have a finger make *pairs* while contacts and arbiter judge what *source* tells; closes *source*.

    The first pairs are made once more before, to no account.
    """
    clock = MonotonicClock()
    verdicts = Verdicts(clock)
    wanted = settings.input
    times = Times(confirm_ns=wanted.confirm_ns, rearm_ns=wanted.rearm_ns, stuck_ns=wanted.stuck_ns)
    contacts = Contacts({str(line): button for line, button in buttons.items()}, times)
    arbiter: Arbiter[DeadHeat] = Arbiter(wanted.dead_heat_window_ns)
    session = cast(Session, verdicts)
    edges: list[Edge] = []
    referee = Referee(source, contacts, arbiter, session, clock, poll_ns=wanted.poll_ns, record=edges.append)
    warming = pairs[:WARM_UP]
    metronomes = begin_metronomes()
    thread = Thread(target=referee.run, name="referee")
    thread.start()
    try:
        finger = subprocess.run(
            ["nice", "-n", "-10", sys.executable, "-m", "tests.vm.guest.finger"],
            input=msgspec.json.encode(warming + pairs),
            stdout=subprocess.PIPE,
            check=True,
            timeout=30 + LONGEST_PAIR_S * len(pairs),
        )
        time.sleep(1)
    finally:
        referee.stop()
        thread.join()
        source.close()
    stretches = stood_still(metronomes)
    made = msgspec.json.decode(finger.stdout, type=list[Made])[2 * len(warming) :]
    numbers = {button: line.number for line, button in buttons.items()}
    return Outcome(made, verdicts, edges, stretches, numbers, arbiter.window_ns)


def begin_metronomes() -> list[subprocess.Popen[bytes]]:
    """One on each processor."""
    command = [sys.executable, "-m", "tests.vm.guest.metronome"]
    cpus = sorted(os.sched_getaffinity(0))
    return [
        subprocess.Popen([*command, str(cpu)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for cpu in cpus
    ]


def stood_still(metronomes: list[subprocess.Popen[bytes]]) -> list[Stretch]:
    """When any of the processors did not run."""
    told = [metronome.communicate()[0] for metronome in metronomes]
    return sorted(stretch for one in told for stretch in msgspec.json.decode(one, type=list[Stretch]))


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that do nothing but take a processor, meanwhile."""
    command = ["nice", "-n", "10", sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


@dataclass(frozen=True, slots=True)
class Seen:
    """A touch that was let out: ``nth`` in the order, ``at_ns``: when."""

    nth: int
    at_ns: int
    touch: Touch
    is_late: bool


class Outcome:
    """What was made and what was judged, laid side by side."""

    def __init__(
        self,
        made: list[Made],
        verdicts: Verdicts,
        edges: list[Edge],
        stretches: list[Stretch],
        numbers: dict[Button, int],
        window_ns: int,
    ) -> None:
        self._edges = edges
        self._stretches = stretches
        self._window_ns = window_ns
        self.made = made
        self.counts = verdicts.counts
        self._seen: dict[int, list[Seen]] = {}
        for nth, (at_ns, let) in enumerate(verdicts.let):
            for touch in let.touches:
                seen = Seen(nth, at_ns, touch, let.is_late)
                self._seen.setdefault(numbers[touch.button], []).append(seen)
        self._of = [self._touches(one) for one in made]
        known = {id(seen) for touches in self._of for seen in touches}
        everything = [seen for touches in self._seen.values() for seen in touches]
        self.phantoms = sum(
            id(seen) not in known
            and seen.touch.at_ns >= made[0].from_ns
            and not self._stood_still(seen.touch.at_ns, seen.touch.at_ns)
            for seen in everything
        )

    def _stood_still(self, from_ns: int, to_ns: int) -> bool:
        """Did the machine stand still between these, or shortly before or after?"""
        return any(
            since_ns < to_ns + AROUND_NS and until_ns > from_ns - AROUND_NS
            for since_ns, until_ns in self._stretches
        )

    def is_clean(self, pair: int) -> bool:
        """Did the machine run all the while that this pair was made and judged?"""
        both = self.made[2 * pair], self.made[2 * pair + 1]
        return not self._stood_still(min(one.from_ns for one in both), max(one.opened_ns for one in both))

    def _touches(self, made: Made) -> list[Seen]:
        """What was seen on its line while it was closed, or claims to be of then."""
        return [
            seen
            for seen in self._seen.get(made.line, [])
            if seen.touch.at_ns >= made.from_ns
            and seen.touch.at_ns - seen.touch.uncertain_ns <= made.opened_ns
        ]

    def puzzles(self) -> list[str]:
        """What the source told around a few presses that were lost, doubled or stamped wrongly.

        Times in ms after the press.
        """
        told: list[str] = []
        for nth, (made, touches) in enumerate(zip(self.made, self._of, strict=True)):
            is_right = len(touches) == 1 and self._late_ns(nth, touches[0]) <= STAMP_LATE_NS
            if not is_right and self.is_clean(nth // 2) and len(told) < MOST_PUZZLES:
                edges = ", ".join(
                    f"{edge.kind} {edge.level} at {_ms(edge.at_ns - made.from_ns)}"
                    f" (doubt {_ms(edge.uncertain_ns)}, came {_ms(edge.arrived_ns - made.from_ns)})"
                    for edge in self._edges
                    if edge.line == str(made.line) and abs(edge.at_ns - made.from_ns) < PUZZLE_NS
                )
                settled, opened = _ms(made.settled_ns - made.from_ns), _ms(made.opened_ns - made.from_ns)
                told.append(f"line {made.line}, settled {settled}, opened {opened}: {len(touches)}: {edges}")
        return told

    def figures(self, asked: list[int]) -> dict[str, float]:
        """What came of these pairs, as far as the machine ran; see README."""
        chosen = [nth for nth in asked if self.is_clean(nth)]
        presses = [nth for pair in chosen for nth in (2 * pair, 2 * pair + 1)]
        first = {nth: self._of[nth][0] for nth in presses if self._of[nth]}
        stamps = [seen.touch.at_ns - self.made[nth].to_ns for nth, seen in first.items()]
        after = [self._late_ns(nth, seen) for nth, seen in first.items()]
        doubts = sorted(seen.touch.uncertain_ns for seen in first.values())
        waits = sorted(seen.at_ns - self.made[nth].from_ns for nth, seen in first.items())
        both = [(2 * pair, 2 * pair + 1) for pair in chosen if {2 * pair, 2 * pair + 1} <= set(first)]
        return {
            "pairs": len(chosen),
            "stalled": len(asked) - len(chosen),
            "lost": len(presses) - len(first),
            "phantom": sum(len(self._of[nth]) - 1 for nth in first),
            "wrong": sum(self._is_wrong(*pair, first) for pair in both),
            "heats": sum(first[one].nth == first[other].nth for one, other in both),
            "vain heats": sum(self._is_vain(*pair, first) for pair in both),
            "exact %": round(100 * sum(late_ns <= STAMP_LATE_NS for late_ns in stamps) / max(1, len(stamps))),
            "untrue": sum(late_ns > STAMP_LATE_NS for late_ns in after),
            "by ms": _ms(max(0, *after)) if after else 0.0,
            "doubt p50": _ms(_at(doubts, 0.5)),
            "p99": _ms(_at(doubts, 0.99)),
            "verdict p50": _ms(_at(waits, 0.5)),
            "p99 ": _ms(_at(waits, 0.99)),
            "late": sum(seen.is_late for seen in first.values()),
        }

    def _late_ns(self, nth: int, seen: Seen) -> int:
        """How long after the press the earliest moment is that the touch claims to have happened at."""
        return seen.touch.at_ns - seen.touch.uncertain_ns - self.made[nth].to_ns

    def _gap_ns(self, one: int, other: int) -> int:
        """How much earlier *one* was than *other*, at least; below zero if that cannot be said."""
        return self.made[other].from_ns - self.made[one].to_ns

    def _is_wrong(self, one: int, other: int, first: dict[int, Seen]) -> bool:
        """Were they let out in an order that cannot have been?"""
        order = first[one].nth - first[other].nth
        return (order > 0 and self._gap_ns(one, other) > 0) or (order < 0 and self._gap_ns(other, one) > 0)

    def _is_vain(self, one: int, other: int, first: dict[int, Seen]) -> bool:
        """Was it a dead heat though they were further apart than window and doubts?"""
        doubt_ns = first[one].touch.uncertain_ns + first[other].touch.uncertain_ns
        gap_ns = max(self._gap_ns(one, other), self._gap_ns(other, one))
        return first[one].nth == first[other].nth and gap_ns > self._window_ns + doubt_ns + STAMP_LATE_NS


def _at(ordered: list[int], share: float) -> int:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0


def _ms(ns: int) -> float:
    return round(ns / 1e6, 2)
