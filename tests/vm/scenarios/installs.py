"""Installed as by its operator, and cut off right afterwards: the game comes by itself, and can be played."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from firmware.system import shipped
from tests.vm.guest.installed import Installed, told
from tests.vm.guest.pictures import seen
from tests.vm.guest.players import Players
from tests.vm.guest.trial import SHARE, Trial
from tests.vm.guest.wires import Wires
from tests.vm.scenarios.picture import LANDED_S, look_at_play

SEED = 5
LONGEST_HAND_S = 180
BOARD = f"/etc/systemd/system/{shipped.SERVICE}.d/board.conf"
BOARD_CONF = """\
# gpiozero asks /proc/cpuinfo for the board, where there is no device tree. systemd gives the service a /proc
# of its own, in which what is mounted over this file is not seen.
[Service]
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for each boot in seconds."""
    return LONGEST_HAND_S + 150


def run(trial: Trial) -> None:
    """See the module."""
    if trial.resets == 0:
        install(trial)
        trial.reset_in(0)
    else:
        play(trial)


def install(trial: Trial) -> None:
    """As the README says for a machine without a network."""
    (wheel,) = (SHARE / "wheel").iterdir()
    place = Path(BOARD)
    place.parent.mkdir(parents=True)
    place.write_text(BOARD_CONF)
    began = time.monotonic()
    command = [sys.executable, "-m", "firmware", "install", "--any-board"]
    command += ["--wheel", str(wheel), "--find-links", "/opt/wheels"]
    with (trial.folder / "install.log").open("wb") as log:
        done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT)
    trial.figure("install, s", round(time.monotonic() - began, 1))
    trial.expect(done.returncode == 0, f"install: exit code {done.returncode}, see install.log")


def play(trial: Trial) -> None:
    """The start picture, a hand in play, its result kept."""
    game = Installed()
    ready_s, start_s = game.wait_on()
    trial.figure("power-on to READY, s", round(ready_s, 1))
    trial.figure("of that the service, s", round(start_s, 1))
    shell = told("systemctl", "is-active", "getty@tty1.service").strip()
    trial.expect(shell == "inactive", f"a login on the game's console is {shell}")
    # READY is for a picture, not for the promise of one.
    seen(trial, "start")
    trial.expect("no display" not in game.log, "the game began before its display was there")
    wires = Wires()
    players = Players(game, wires)
    players.wait_until_on()
    look_at_play(trial, players)
    chance = Random(SEED)
    until = time.monotonic() + LONGEST_HAND_S
    while not players.settle().is_over and time.monotonic() < until:
        players.cover(chance.choice(players.moves()))
    dealt = players.followed.dealt
    assert dealt is not None, "the hand has begun"
    players.wait("the result on disk", lambda: dealt.seed in game.results(), 10)
    time.sleep(LANDED_S)
    seen(trial, "result")
    trial.expect(game.show("NRestarts")["NRestarts"] == "0", "the game was started afresh meanwhile")
    trial.expect("Traceback" not in game.log, "the game's log has a traceback")
    wires.close()
