"""The screen itself: SDL's kmsdrm on a virtual display, looked at from outside while a hand is played."""

from __future__ import annotations

import time
from typing import Any

from tests.vm.guest.daemon import Daemon
from tests.vm.guest.pictures import expect_piles, seen
from tests.vm.guest.players import Players
from tests.vm.guest.trial import Trial
from tests.vm.guest.wires import Wires

SEED = 7
COVERS = 4
LANDED_S = 1
"""Software draws slowly: let all that flies land."""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 240


def run(trial: Trial) -> None:
    """See the module."""
    wires = Wires()
    # From a bare console, where the firmware has to find the screen by itself.
    with Daemon(trial, seed=SEED, environment={}) as daemon:
        players = Players(daemon, wires)
        players.wait_until_on()
        time.sleep(LANDED_S)
        seen(trial, "start")
        look_at_play(trial, players)
        stop(trial, daemon)
    wires.close()


def look_at_play(trial: Trial, players: Players) -> None:
    """A hand is begun, a few cards are laid, and the picture shows where."""
    players.start_hand()
    for _ in range(COVERS):
        if players.settle().is_over:
            break
        players.cover(players.moves()[0])
    table = players.settle()
    time.sleep(LANDED_S)
    expect_piles(trial, seen(trial, "play"), table)


def stop(trial: Trial, daemon: Daemon) -> None:
    """SIGTERM, also with a screen."""
    code, seconds = daemon.stop(20)
    trial.figure("SIGTERM to exit, s", round(seconds, 2))
    trial.expect(code == 0, f"SIGTERM: exit code {code}, not 0: {daemon.log[-500:]}")
    trial.expect("Traceback" not in daemon.log, "the cabinet's log has a traceback")
