"""The game is killed and hung at random moments of a hand: it is there again, and nothing is lost."""

from __future__ import annotations

import os
import signal
import time
from random import Random
from threading import Timer
from typing import Any

from firmware.keep import journal
from firmware.system import shipped
from tests.vm.guest.installed import Installed, told
from tests.vm.guest.pictures import seen
from tests.vm.guest.players import Players
from tests.vm.guest.trial import Impossible, Trial
from tests.vm.guest.wires import Wires

IS_CABINET = True
SEED = 11
BLOWS = (signal.SIGKILL, signal.SIGSTOP, signal.SIGKILL)
MOMENTS_S = (0.5, 6.0)
"""When a blow falls, from the hand's beginning, of which 3 s are the countdown."""
LONGEST_BACK_S = {signal.SIGKILL: 20.0, signal.SIGSTOP: 25.0}
"""Until it is ready again. A hung game is noticed by the watchdog, after 10 s."""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 100.0 * (len(BLOWS) + 1)


def run(trial: Trial) -> None:
    """See the module."""
    chance = Random(SEED)
    game = Installed()
    game.wait_on()
    wires = Wires()
    for nth, blow in enumerate(BLOWS):
        before = game.results()
        back_s = struck(trial, game, Players(game, wires), blow, chance)
        wires.open_all()
        trial.figure(f"{blow.name} {nth + 1} to READY, s", round(back_s, 1))
        trial.expect(back_s <= LONGEST_BACK_S[blow], f"{blow.name}: back after {back_s:.1f} s")
        trial.expect(game.results() == before, f"{blow.name}: results {before} became {game.results()}")
        trial.expect("damaged" not in game.log, f"{blow.name}: the game's log tells of damage")
    seen(trial, "back")
    trial.figure("times started afresh, as systemd counts", game.show("NRestarts")["NRestarts"])
    wires.close()
    told("systemctl", "restart", shipped.SERVICE)


def struck(trial: Trial, game: Installed, players: Players, blow: signal.Signals, chance: Random) -> float:
    """A hand is begun, and *blow* falls; how many seconds later the game is ready again."""
    players.wait_until_on()
    pid = game.pid
    fell: list[float] = []

    def strike() -> None:
        fell.append(time.monotonic())
        os.kill(pid, blow)

    players.start_hand()
    timer = Timer(chance.uniform(*MOMENTS_S), strike)
    timer.start()
    try:
        while not fell:
            players.cover(chance.choice(players.moves() if not players.settle().is_over else []))
    except (Impossible, IndexError) as end:
        trial.say(f"{blow.name}: {end}")
    timer.join()
    ready_s, _ = game.wait_on(not_pid=pid)
    kept = journal.read(players.followed.path)
    trial.say(f"{blow.name} {fell[0]:.3f}: {len(players.followed.covers)} covers, torn: {kept.torn}")
    steps = sum(1 for _ in kept.replay())
    trial.expect(steps >= len(players.followed.covers), f"{blow.name}: the journal has lost lines: {steps}")
    return ready_s - fell[0]
