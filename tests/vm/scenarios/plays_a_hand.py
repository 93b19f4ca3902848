"""A whole hand on simulated lines: buttons are pulled, lamps are read back, and the journal says the same.

The cabinet's own process, gpiozero over lgpio over the kernel's lines; nobody looks at the screen.
"""

from __future__ import annotations

import time
from random import Random
from typing import Any

from firmware.clock import NS_PER_MS
from firmware.keep import journal
from firmware.rules.events import Covered, Penalised
from firmware.seats import SIDES
from firmware.session.hand import COUNTDOWN_NS
from firmware.touch.contact import START
from firmware.touch.recording import read_edges
from tests.vm.guest.daemon import NO_SCREEN, Daemon
from tests.vm.guest.players import Players
from tests.vm.guest.trial import Trial
from tests.vm.guest.wires import Wires

SEED = 20
LONGEST_HAND_S = 180
FEWEST_COVERS = 10
OFFENCE_AFTER = (5, 10)
"""After so many covers seat 0, then seat 1, presses wrongly."""
STAMP_LATE_NS = NS_PER_MS // 5
"""A simulated line raises its interrupt from a soft interrupt, which may come just after the write."""
FORGIVEN_S = 0.3
"""After a card has landed a wrong press may be forgiven for 200 ms (T-4)."""
LAMPS_LATE_S = 0.5
PENALTY_SHORT_MS, PENALTY_LONG_MS = 150, 500
"""How much of a penalty may be missing or too much as seen by its lamps, on a slow machine."""
FLASH_MS = 400
"""Until a lamp must have answered; longer than any flash, so that one missed here was none."""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return LONGEST_HAND_S + 150


def run(trial: Trial) -> None:
    """See the module."""
    wires = Wires()
    with Daemon(trial, seed=SEED, environment=NO_SCREEN) as daemon:
        players = Players(daemon, wires)
        players.wait_until_on()
        start(trial, players)
        play(trial, players)
        players.wait("START lamps blink after the hand", lambda: players.changes(0, START, 1) > 0, 20)
        stop(trial, daemon)
    lit = sum(players.is_lit(seat, n) for seat in range(SIDES) for n in (START, 0, 1, 2, 3))
    trial.expect(lit == 0, f"{lit} lamps are lit after the end")
    compare(trial, players, daemon)
    wires.close()


def start(trial: Trial, players: Players) -> None:
    """Who has not pressed START sees it blink, who has sees it steady; the countdown is dark."""
    blinks = [players.changes(seat, START, 2) for seat in range(SIDES)]
    trial.expect(min(blinks) >= 3, f"START lamps changed {blinks} times in 2 s, not at least 3")
    players.tap(0, START)
    time.sleep(0.5)
    steady, blinking = players.changes(0, START, 1.2), players.changes(1, START, 1.2)
    trial.expect(steady == 0 and players.is_lit(0, START), "START pressed, and its lamp is not steady")
    trial.expect(blinking > 0, "START not pressed, and its lamp does not blink")
    second = players.tap(1, START)
    players.begin()
    time.sleep(0.5)
    lit = [players.lit_piles(seat) + players.is_lit(seat, START) for seat in range(SIDES)]
    trial.expect(lit == [0, 0], f"{lit} lamps are lit in the countdown")
    players.wait("pile lamps lit", lambda: players.lit_piles(0) > 0, 30)
    late_ms = (time.monotonic_ns() - COUNTDOWN_NS - second.to_ns) / NS_PER_MS
    trial.figure("GO to lamps, ms", round(late_ms, 1))
    trial.expect(late_ms >= 0, f"lamps lit {-late_ms:.1f} ms before GO")


def play(trial: Trial, players: Players) -> None:
    """Play the hand to its end: legal presses, and a wrong one of each seat."""
    chance = Random(SEED)
    flashes: list[float] = []
    covers = 0
    offenders = list(zip(OFFENCE_AFTER, range(SIDES), strict=True))
    until = time.monotonic() + LONGEST_HAND_S
    while not players.settle().is_over and time.monotonic() < until:
        if not players.within(LAMPS_LATE_S, lambda: players.lit_piles(0) + players.lit_piles(1) == 8):
            lit = [players.lit_piles(seat) for seat in range(SIDES)]
            trial.expect(False, f"after {len(players.presses)} presses {lit} pile lamps are lit, not all")
        if offenders and covers >= offenders[0][0]:
            time.sleep(FORGIVEN_S)
            slot = players.offence(offenders[0][1])
            if slot is not None:
                offend(trial, players, offenders.pop(0)[1], slot)
                continue
        seat, slot = chance.choice(players.moves())
        number = players.button(seat, slot)
        players.press_pile(seat, slot)
        dark_ms = players.until_lamp(seat, number, lit=False, longest_ms=FLASH_MS)
        if dark_ms is not None:
            flashes.append(round(dark_ms, 1))
        players.wait_entered()
        players.release(seat, number)
        events = players.followed.events
        trial.expect(any(isinstance(one, Covered) for one in events), f"a legal press, and {events} of it")
        covers += 1
    flashes.sort()
    trial.figure("covers", covers)
    trial.figure("hand", str(players.table.outcome))
    trial.figure("lamps that flashed in time", f"{len(flashes)} of {covers}")
    trial.figure("press to flash, ms (median, longest)", (flashes[len(flashes) // 2], flashes[-1]))
    trial.expect(covers >= FEWEST_COVERS, f"only {covers} covers")
    trial.expect(len(flashes) >= covers // 2, f"only {len(flashes)} of {covers} lamps flashed")
    trial.expect(not offenders, "no wrong press was to be had")


def offend(trial: Trial, players: Players, seat: int, slot: int) -> None:
    """A wrong press: all pile buttons of this seat go dark for the penalty, nobody else's."""
    number = players.button(seat, slot)
    players.press_pile(seat, slot)
    dark_ms = players.until_lamp(seat, number, lit=False, longest_ms=FLASH_MS)
    began_ns = time.monotonic_ns()
    trial.expect(dark_ms is not None, f"seat {seat}: lamps not dark at a penalty")
    time.sleep(0.1)
    lit = players.lit_piles(seat), players.lit_piles(1 - seat)
    trial.expect(lit == (0, 4), f"penalty of seat {seat}: {lit[0]} of its and {lit[1]} other lamps are lit")
    players.until_lamp(seat, number, lit=True, longest_ms=2000)
    length_ms = (time.monotonic_ns() - began_ns) / NS_PER_MS
    players.wait_entered()
    players.release(seat, number)
    events = players.followed.events
    trial.expect(any(isinstance(one, Penalised) for one in events), f"a wrong press, and {events} of it")
    trial.figure(f"penalty of seat {seat} by its lamps, ms", round(length_ms))
    wanted = players.settings.options().penalty_ms[0]
    is_right = wanted - PENALTY_SHORT_MS <= length_ms <= wanted + PENALTY_LONG_MS
    trial.expect(is_right, f"lamps dark for {length_ms:.0f} ms, not {wanted}")


def stop(trial: Trial, daemon: Daemon) -> None:
    """SIGTERM ends it, well and soon."""
    code, seconds = daemon.stop()
    trial.figure("SIGTERM to exit, s", round(seconds, 2))
    trial.expect(code == 0, f"SIGTERM: exit code {code}, not 0: {daemon.log[-500:]}")
    trial.expect("Traceback" not in daemon.log, "the cabinet's log has a traceback")


def compare(trial: Trial, players: Players, daemon: Daemon) -> None:
    """The journal holds the very presses that were made, with the moments at which they were made.

    Each lies within the span that the edge of its stamp claims: the kernel's stamp, exact; or, where an edge
    is long on its way, that of a reading of the line, with the time since the reading before as its doubt.
    """
    followed = players.followed
    read = journal.read(followed.path)
    for _ in read.replay():
        pass
    trial.expect(read.outcome is not None, "the journal has no outcome")
    trial.expect(followed.go_at_ns == read.hand.at_ns + COUNTDOWN_NS, "GO was not 3 s after the second START")
    pressed = [(press.seat, press.slot) for press in players.presses]
    entered = [(one.command.seat, one.command.slot) for one in followed.covers]
    trial.expect(entered == pressed, f"pressed {pressed}, in the journal {entered}")
    edges = {edge.at_ns: edge for edge in read_edges(daemon.edges)}
    doubts: list[int] = []
    for press, one in zip(players.presses, followed.covers, strict=False):
        edge = edges.get(one.touched_ns)
        if edge is None:
            trial.expect(False, f"{press}: no edge has the journal's stamp {one.touched_ns}")
            continue
        doubts.append(edge.uncertain_ns)
        earliest_ns = edge.at_ns - edge.uncertain_ns - STAMP_LATE_NS
        is_within = press.span.from_ns <= edge.at_ns and earliest_ns <= press.span.to_ns
        trial.expect(is_within, f"{press}: {edge.kind} at {edge.at_ns}, doubt {edge.uncertain_ns} ns")
    by_kernel = sum(doubt == 0 for doubt in doubts)
    trial.figure("presses with the kernel's stamp", f"{by_kernel} of {len(doubts)}")
    trial.figure("longest doubt, ms", round(max(doubts) / NS_PER_MS, 2))
    trial.figure("applied late", sum(one.is_late for one in followed.covers))
