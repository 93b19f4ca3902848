"""The doctor on an installed cabinet: content with a sound one, and each fault is named."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gpiod

from firmware.chips import find_chip
from firmware.commands.doctor import this_patient
from firmware.lines import Line
from firmware.system import shipped
from firmware.system.doctor import examine
from firmware.system.notify import WITHOUT_SCREEN
from firmware.system.patient import Finding, State
from tests.vm.guest.installed import Installed, told
from tests.vm.guest.pictures import seen
from tests.vm.guest.trial import Trial

IS_CABINET = True
NOT_IN_A_VIRTUAL_PI = ("watchdog", "power", "heat")
"""What such a machine has not; it has to be told so."""
SETTINGS = Path("/etc/california-speed-cabinet/settings.toml")
CARDS = Path("/sys/class/drm")
CHIP_IS_LIVE = Path("/sys/kernel/config/gpio-sim/pi/live")
LIBRARY = Path("/usr/lib/x86_64-linux-gnu/libGLESv2.so.2")


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for the whole scenario in seconds."""
    return 300


def run(trial: Trial) -> None:
    """See the module."""
    game = Installed()
    told("systemctl", "restart", shipped.SERVICE)
    game.wait_on()
    sound(trial)
    for fault in while_playing(game):
        find(trial, fault)
    told("systemctl", "stop", shipped.SERVICE)
    for fault in while_stopped(game):
        find(trial, fault)
    told("systemctl", "start", shipped.SERVICE)
    game.wait_on()
    lost_display(trial, game)
    sound(trial)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: how it is made, and mended on leaving; which ``check`` has to name it, with which words.

    ``is_fresh``: the doctor has to be a process of its own.
    """

    inject: Callable[[], AbstractContextManager[None]]
    check: str
    words: str
    is_fresh: bool = False


def asked() -> tuple[list[Finding], int]:
    """What the doctor's own command finds, and its exit code."""
    done = subprocess.run([shipped.COMMAND, "doctor", "--json"], capture_output=True, text=True, env=PLAIN)
    rows = json.loads(done.stdout)
    return [
        Finding(row["check"], State(row["state"]), row["found"], row["to_do"]) for row in rows
    ], done.returncode


PLAIN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def sound(trial: Trial) -> None:
    """Nothing is wrong."""
    findings, code = asked()
    for finding in findings:
        trial.say(f"{finding.check}: {finding.state}: {finding.found}")
    wrong = [f"{finding.check}: {finding.found}" for finding in findings if finding.state is State.WRONG]
    trial.expect(not wrong and code == 0, f"a sound cabinet, and the doctor (exit code {code}) finds {wrong}")
    absent = tuple(finding.check for finding in findings if finding.state is State.NOT_HERE)
    trial.expect(absent == NOT_IN_A_VIRTUAL_PI, f"the doctor says that {absent} are not here")
    trial.figure(
        "sound", f"{sum(one.state is State.WELL for one in findings)} well, not here: {', '.join(absent)}"
    )


def find(trial: Trial, fault: Fault) -> None:
    """The doctor names *fault* while it lasts, says what to do, and names nothing in its place."""
    with fault.inject():
        findings = asked()[0] if fault.is_fresh else examine(this_patient(None))
    wrong = [finding for finding in findings if finding.state is State.WRONG]
    named = [finding for finding in wrong if finding.check == fault.check and fault.words in finding.found]
    found = "; ".join(f"{finding.check}: {finding.found}" for finding in wrong) or "nothing"
    trial.expect(bool(named), f"{fault.check}, {fault.words!r}: found was {found}")
    trial.expect(all(finding.to_do for finding in named), f"{fault.check}, {fault.words!r}: nothing to do")
    trial.memory["named"] = trial.memory.get("named", 0) + bool(named)
    trial.figure("faults named", trial.memory["named"])


def while_playing(game: Installed) -> Iterator[Fault]:
    """Faults of a machine on which the game runs."""
    yield Fault(broken_settings, "settings", "settings.toml")
    yield Fault(full_disk, "storage", "MiB free")
    yield Fault(no_group, "groups", "the group gpio")
    yield Fault(no_library, "display", f"{LIBRARY.name} cannot be loaded", is_fresh=True)
    yield Fault(not_enabled, "service", "it is disabled")
    yield Fault(unset_clock, "clock", "not set")
    yield Fault(lambda: crashed(game), "service", "started afresh 1 times", is_fresh=True)
    yield Fault(lambda: login_on_our_console(game), "service", "it is inactive")


def while_stopped(game: Installed) -> Iterator[Fault]:
    """Faults of a machine on which it does not.

    A button that is stuck is not among them: gpio-sim lets it go when the doctor asks for a pull-up.
    """
    (first, *_) = game.settings.seat[0].piles
    yield Fault(lambda: nothing(), "service", "it is inactive")
    yield Fault(lambda: taken(first), "lines", "taken by somebody else")
    yield Fault(no_chip, "chips", "not found")
    yield Fault(in_memory, "storage", "lies in memory")
    yield Fault(read_only, "storage", "read-only")
    yield Fault(display_taken, "display", "another program has the display")


@contextmanager
def nothing() -> Iterator[None]:
    """As it is."""
    yield


@contextmanager
def broken_settings() -> Iterator[None]:
    """The operator has mistyped something."""
    SETTINGS.write_text("[play]\npenalty_ms = 300\n")
    yield
    SETTINGS.unlink()


@contextmanager
def full_disk() -> Iterator[None]:
    """Somebody has left no room."""
    litter = Path("/var/litter")
    state = os.statvfs("/")
    with litter.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - 50 * 1024 * 1024)
    yield
    litter.unlink()


@contextmanager
def mounted(*words: str) -> Iterator[None]:
    """Something is mounted over the game's state."""
    subprocess.run(["mount", *words, shipped.STATE], check=True)
    yield
    subprocess.run(["umount", shipped.STATE], check=True)


def in_memory() -> AbstractContextManager[None]:
    """The data partition is an overlay in memory."""
    return mounted("-t", "tmpfs", "tmpfs")


def read_only() -> AbstractContextManager[None]:
    """The card has given up."""
    return mounted("--bind", "-o", "ro", shipped.STATE)


@contextmanager
def no_group() -> Iterator[None]:
    """The group of the lines is gone."""
    subprocess.run(["groupmod", "-n", "another", "gpio"], check=True)
    yield
    subprocess.run(["groupmod", "-n", "gpio", "another"], check=True)


@contextmanager
def no_library() -> Iterator[None]:
    """A package was taken away."""
    aside = LIBRARY.with_name("aside")
    LIBRARY.rename(aside)
    yield
    aside.rename(LIBRARY)


@contextmanager
def not_enabled() -> Iterator[None]:
    """Somebody has switched it off for the next start."""
    told("systemctl", "disable", shipped.SERVICE)
    yield
    told("systemctl", "enable", shipped.SERVICE)


@contextmanager
def unset_clock() -> Iterator[None]:
    """A Pi without a network."""
    now_s, began_s = time.time(), time.monotonic()
    time.clock_settime(time.CLOCK_REALTIME, 1_600_000_000)
    yield
    time.clock_settime(time.CLOCK_REALTIME, now_s + time.monotonic() - began_s)


@contextmanager
def crashed(game: Installed) -> Iterator[None]:
    """It was started afresh."""
    pid = game.pid
    os.kill(pid, 9)
    game.wait_on(not_pid=pid)
    yield


@contextmanager
def login_on_our_console(game: Installed) -> Iterator[None]:
    """A login has taken the console: the two exclude each other."""
    told("systemctl", "start", "getty@tty1.service")
    yield
    told("systemctl", "start", shipped.SERVICE)
    game.wait_on()


@contextmanager
def taken(line: Line) -> Iterator[None]:
    """Something else has a line."""
    with gpiod.request_lines(find_chip(line).device, {line.number: None}, consumer="somebody else"):
        yield


@contextmanager
def no_chip() -> Iterator[None]:
    """The header is gone."""
    CHIP_IS_LIVE.write_text("0")
    yield
    CHIP_IS_LIVE.write_text("1")


@contextmanager
def display_taken() -> Iterator[None]:
    """Another program draws: whoever opens the device first."""
    (card,) = Path("/dev/dri").glob("card*")
    file = os.open(card, os.O_RDWR)
    yield
    os.close(file)


def lost_display(trial: Trial, game: Installed) -> None:
    """The display is unplugged in play, named, and plugged in again."""
    (socket,) = CARDS.glob("card*-*")
    pid = game.pid
    (socket / "status").write_text("off")
    game.wait_on(not_pid=pid)
    until = time.monotonic() + 30
    while WITHOUT_SCREEN not in game.show("StatusText")["StatusText"] and time.monotonic() < until:
        time.sleep(0.5)
    find(trial, Fault(nothing, "display", "nothing is plugged into"))
    find(trial, Fault(nothing, "service", "started afresh"))
    (socket / "status").write_text("detect")
    until = time.monotonic() + 30
    while WITHOUT_SCREEN in game.show("StatusText")["StatusText"] and time.monotonic() < until:
        time.sleep(0.5)
    time.sleep(1)
    seen(trial, "plugged in again")
    told("systemctl", "restart", shipped.SERVICE)
    game.wait_on()
