"""What systemd hears: ready, alive while all that matters lives, and the end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pygame
import pytest

from firmware.cabinet import Cabinet
from firmware.clock import NS_PER_S, ManualClock
from firmware.errors import ScreenError
from firmware.front import Front
from firmware.session.view import View
from firmware.system.notify import VITAL, Notifier, Pulse, missing_threads

ROOT = Path(__file__).parents[2]
Errand = Callable[[int], None]


class Bench:
    """A pulse on a clock moved by hand, and what systemd hears of it."""

    def __init__(self, interval_ns: int | None = 10 * NS_PER_S) -> None:
        self.heard: list[str] = []
        self.clock = ManualClock(NS_PER_S)
        self.dead: list[str] = []
        self.errands: list[Errand] = []
        self.is_referee_well = True
        notifier = Notifier(lambda message: self.heard.append(message.decode()), interval_ns)
        self.pulse = Pulse(notifier, self.clock, self.errands.append, lambda: self.dead)

    def turn(self, seconds: float, status: str = "Classic") -> list[str]:
        """Turn the loop four times a second; what was heard meanwhile."""
        before = len(self.heard)
        for _ in range(int(seconds * 4)):
            self.pulse.beat(status)
            self.clock.move_to(self.clock.now_ns() + NS_PER_S // 4)
            while self.is_referee_well and self.errands:
                self.errands.pop()(self.clock.now_ns())
        return self.heard[before:]


def test_ready_with_the_first_picture_and_then_four_beats_within_the_watchdogs_time() -> None:
    heard = Bench().turn(10)
    assert heard[0] == "READY=1\nSTATUS=Classic"
    assert heard[1:] == ["WATCHDOG=1"] * 4


def test_the_status_follows_and_ready_is_said_once() -> None:
    bench = Bench()
    bench.turn(3, "Classic, without a screen: nothing\nis plugged in")
    heard = bench.turn(3)
    assert bench.heard[0] == "READY=1\nSTATUS=Classic, without a screen: nothing is plugged in"
    assert "STATUS=Classic" in heard
    assert sum("READY" in message for message in bench.heard) == 1


@pytest.mark.parametrize("name", VITAL)
def test_a_dead_thread_starves_the_watchdog(name: str) -> None:
    bench = Bench()
    bench.turn(5)
    bench.dead.append(name)
    assert bench.turn(20) == [f"STATUS=about to start afresh: the {name} ended"]


def test_a_game_that_is_dead_from_the_start_is_never_ready() -> None:
    bench = Bench()
    bench.dead.append("referee")
    assert not any("READY" in message or "WATCHDOG" in message for message in bench.turn(20))


def test_a_referee_that_hangs_starves_the_watchdog_though_its_thread_lives() -> None:
    bench = Bench()
    bench.turn(5)
    bench.is_referee_well = False
    heard = bench.turn(40)
    assert heard.count("WATCHDOG=1") <= 4
    assert heard[-1] == "STATUS=about to start afresh: the buttons are no longer read"


def test_a_referee_that_was_only_slow_is_forgiven() -> None:
    bench = Bench()
    bench.is_referee_well = False
    bench.turn(10)
    bench.is_referee_well = True
    assert "WATCHDOG=1" in bench.turn(5)


def test_without_a_watchdog_none_is_fed() -> None:
    assert Bench(interval_ns=None).turn(10) == ["READY=1\nSTATUS=Classic"]


def test_living_threads_are_known_by_name() -> None:
    done = threading.Event()
    threads = [threading.Thread(target=done.wait, name=name) for name in VITAL]
    for thread in threads:
        thread.start()
    assert missing_threads() == []
    done.set()
    for thread in threads:
        thread.join()
    assert missing_threads() == list(VITAL)


# The socket


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    """The end that systemd listens on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
        wire.bind(str(tmp_path / "notify"))
        wire.settimeout(20)
        yield wire


def test_messages_go_to_the_socket_that_systemd_names(systemd: socket.socket) -> None:
    surroundings = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "10000000"}
    notifier = Notifier.from_environment({**surroundings, "WATCHDOG_PID": str(os.getpid())})
    assert notifier.beat_every_ns == 2_500_000_000
    notifier.ready("Classic")
    assert systemd.recv(1000) == b"READY=1\nSTATUS=Classic"
    notifier.alive()
    assert systemd.recv(1000) == b"WATCHDOG=1"
    notifier.stopping()
    assert systemd.recv(1000) == b"STOPPING=1"


def test_an_abstract_socket_too() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
        wire.bind(f"\0speed-cabinet-{os.getpid()}")
        Notifier.from_environment({"NOTIFY_SOCKET": f"@speed-cabinet-{os.getpid()}"}).stopping()
        assert wire.recv(1000) == b"STOPPING=1"


@pytest.mark.parametrize(
    "surroundings",
    [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1"}, {"NOTIFY_SOCKET": "/nowhere/at/all"}],
)
def test_where_nobody_listens_nothing_happens(surroundings: dict[str, str]) -> None:
    notifier = Notifier.from_environment(surroundings)
    notifier.ready("Classic")
    notifier.alive()
    notifier.stopping()


def test_the_watchdog_of_another_process_is_not_ours(systemd: socket.socket) -> None:
    surroundings = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"}
    Notifier.from_environment(surroundings).alive()
    systemd.setblocking(False)
    with pytest.raises(BlockingIOError):
        systemd.recv(1000)


# The cabinet itself


@pytest.mark.parametrize(
    ("driver", "status"), [("dummy", "Rank or Suit"), ("no_such_driver", "Rank or Suit, without a screen: ")]
)
def test_the_cabinet_tells_systemd_how_it_is(
    systemd: socket.socket, tmp_path: Path, driver: str, status: str
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "firmware"],
        cwd=ROOT,
        env={
            **os.environ,
            "SDL_VIDEODRIVER": driver,
            "STATE_DIRECTORY": str(tmp_path / "state"),
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            "NOTIFY_SOCKET": systemd.getsockname(),
            "WATCHDOG_USEC": "400000",
        },
        stderr=subprocess.PIPE,
    )
    try:
        heard = [systemd.recv(10_000).decode() for _ in range(2)]
        process.send_signal(signal.SIGTERM)
        while heard[-1] != "STOPPING=1":
            heard.append(systemd.recv(10_000).decode())
    finally:
        process.terminate()
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0, said
    assert heard[0].startswith(f"READY=1\nSTATUS={status}"), said
    assert heard[1] == "WATCHDOG=1", said


class LostScreen:
    """A screen whose display is lost."""

    next_change_ns = None

    def draw(self, view: View, now_ns: int) -> bool:
        """Bring the picture up to date."""
        raise ScreenError("the display is lost")

    def ahead(self, view: View) -> bool:
        """Prepare something."""
        return False

    def redraw(self) -> None:
        """Draw anew."""
        raise AssertionError("there is nothing to draw on")


class StillCabinet:
    """What the front asks of a cabinet."""

    clock = ManualClock()
    view = None

    def listen(self, listener: Callable[[View], None]) -> None:
        """Nothing ever changes."""

    def shown(self, view: View, at_ns: int) -> None:
        """It is on the screen."""


def test_a_lost_display_ends_the_loop_instead_of_drawing_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    try:
        with pytest.raises(ScreenError, match="lost"):
            Front(cast(Cabinet, StillCabinet()), LostScreen()).run()
    finally:
        pygame.display.quit()
