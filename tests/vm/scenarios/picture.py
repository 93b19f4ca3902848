"""The screen itself: SDL's kmsdrm on a virtual display, looked at from outside while a hand is played."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pygame

from firmware.seats import SIDES
from firmware.show import palette
from firmware.show.items import Box
from firmware.show.places import shared_places
from firmware.touch.contact import START
from tests.vm.guest.daemon import CABINET, Daemon
from tests.vm.guest.players import Players
from tests.vm.guest.trial import Trial
from tests.vm.guest.wires import Wires

SEED = 7
COVERS = 4
CARD_SHARE = 0.4
"""Of a face-up card at least so much is plain card, between rank and suit."""
NEAR = (12, 12, 12, 255)


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 240


def run(trial: Trial) -> None:
    """See the module."""
    wires = Wires()
    # From a bare console, where the firmware has to find the screen by itself; then as its service runs.
    with Daemon(trial, seed=SEED, environment={}) as daemon:
        Players(daemon, wires).wait_until_on()
        time.sleep(3)
        seen(trial, trial.screendump("start"))
        stop(trial, daemon)
    with Daemon(trial, seed=SEED, environment=CABINET) as daemon:
        players = Players(daemon, wires)
        players.wait_until_on()
        play(trial, players)
        stop(trial, daemon)
    wires.close()


def play(trial: Trial, players: Players) -> None:
    """A hand is begun, a few cards are laid, and the picture shows where."""
    for seat in range(SIDES):
        players.tap(seat, START)
    players.begin()
    for _ in range(COVERS):
        if players.settle().is_over:
            break
        seat, slot = players.moves()[0]
        players.press_pile(seat, slot)
        players.wait_entered()
        players.release(seat, players.button(seat, slot))
    table = players.settle()
    time.sleep(4)  # software draws a few frames a second: let all that flies land
    dump = trial.screendump("play")
    picture = seen(trial, dump)
    piles = shared_places(picture.get_size(), len(table.piles)).piles
    shares = [share_of(picture, box, palette.CARD) for box in piles]
    trial.figure("plain card at the four piles", [round(share, 2) for share in shares])
    for nth, share in enumerate(shares):
        trial.expect(share >= CARD_SHARE, f"pile {nth}: {share:.0%} of it has the colour of a card")
    between = Box(piles[0].right + 6, piles[0].y, piles[1].x - piles[0].right - 12, piles[0].h)
    share = share_of(picture, between, palette.CARD)
    trial.expect(share < 0.05, f"between two piles {share:.0%} has the colour of a card")


def stop(trial: Trial, daemon: Daemon) -> None:
    """SIGTERM, also with a screen."""
    code, seconds = daemon.stop(20)
    trial.figure("SIGTERM to exit, s", round(seconds, 2))
    trial.expect(code == 0, f"SIGTERM: exit code {code}, not 0: {daemon.log[-500:]}")
    trial.expect("Traceback" not in daemon.log, "the cabinet's log has a traceback")


def seen(trial: Trial, path: Path) -> pygame.Surface:
    """The picture at *path*; a black one, or one of a single colour, is a problem."""
    picture = pygame.image.load(path)
    width, height = picture.get_size()
    seen = {tuple(picture.get_at((x, y)))[:3] for x in range(0, width, 8) for y in range(0, height, 8)}
    trial.figure(f"{path.stem}: size, colours", (width, height, len(seen)))
    trial.expect(max(map(max, seen)) > 128 and len(seen) > 20, f"{path.stem}: black, or nearly")
    return picture


def share_of(picture: pygame.Surface, box: Box, colour: tuple[int, int, int]) -> float:
    """How much of *box* has *colour*."""
    part = picture.subsurface(pygame.Rect(box))
    return pygame.mask.from_threshold(part, (*colour, 255), NEAR).count() / (box.w * box.h)
