"""The first start of an installed cabinet: the game comes by itself, and a hand is played on its buttons."""

from __future__ import annotations

import time
from random import Random
from typing import Any

from tests.vm.guest.installed import Installed, told
from tests.vm.guest.pictures import seen
from tests.vm.guest.players import Players
from tests.vm.guest.trial import Trial
from tests.vm.guest.wires import Wires
from tests.vm.scenarios.picture import LANDED_S, look_at_play

IS_CABINET = True
SEED = 5
LONGEST_HAND_S = 180


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return LONGEST_HAND_S + 150


def run(trial: Trial) -> None:
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
