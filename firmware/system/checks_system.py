"""The doctor's look at the system: release, Python, packages, groups, clock, power and heat."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firmware.system import fitness, shipped
from firmware.system.patient import Finding, Patient, not_here, well, wrong

PACKAGES: Final = {
    "pygame-ce": (2, 5, 4),
    "gpiozero": (2, 0, 1),
    "gpiod": (2, 2),
    "msgspec": (0, 19),
    "rich": (13,),
    "font-source-sans-pro": (),
}
"""The Python packages that the game needs, and the oldest version of each that does."""

GROUPS: Final = ("video", "render", "input", "audio", "gpio")
"""Who may use the display, the keys, the sound and the lines."""

EARLIEST_S: Final = 1_735_689_600
"""The first of January 2025, in seconds since 1970: a clock that stands earlier was never set."""

HOT: Final = 80.0
"""From this many degrees Celsius on a Pi slows down (Raspberry Pi documentation, "Thermal control")."""


def system(patient: Patient) -> Iterator[Finding]:
    """Release, 64 bit and board."""
    machine = patient.machine
    release = machine.release()
    name = release.get("PRETTY_NAME", "an unknown system")
    kind = fitness.architecture(machine)
    found = ", ".join(filter(None, (name, kind, machine.model())))
    if not patient.is_cabinet:
        yield not_here("system", f"{found}: a desktop, where keys are the buttons")
    elif kind not in fitness.ARCHITECTURES:
        yield wrong("system", found, "write Raspberry Pi OS Lite (64-bit) to the card")
    elif release.get("VERSION_CODENAME") not in fitness.RELEASES:
        allowed = " or ".join(fitness.RELEASES)
        yield wrong("system", found, f"write Raspberry Pi OS Lite (64-bit), {allowed}, to the card")
    else:
        yield well("system", found)


def python(patient: Patient) -> Iterator[Finding]:
    """Python's own version."""
    found = ".".join(map(str, patient.python))
    if patient.python < fitness.OLDEST_PYTHON:
        yield wrong("Python", found, "3.11 or newer is needed: use Raspberry Pi OS bookworm or trixie")
    else:
        yield well("Python", found)


def packages(patient: Patient) -> Iterator[Finding]:
    """The Python packages, in the environment that the doctor runs in."""
    needed = dict(PACKAGES)
    if patient.machine.is_pi:
        needed["lgpio"] = ()  # lamps; a desktop has none
    lacking, there = [], []
    for name, oldest in needed.items():
        version = patient.version_of(name)
        if version is None:
            lacking.append(f"{name} is missing")
        elif tuple(map(int, re.findall(r"\d+", version)))[: len(oldest)] < oldest:
            lacking.append(f"{name} {version} is older than {'.'.join(map(str, oldest))}")
        else:
            there.append(f"{name} {version}")
    if not lacking:
        yield well("packages", ", ".join(there))
        return
    to_do = "install it again: sudo speed-cabinet install, or pip install 'california-speed-cabinet[pi]'"
    if "lgpio is missing" in lacking and patient.python[:2] >= fitness.NO_LGPIO_WHEEL:
        to_do = "sudo apt install python3-lgpio, and an environment made with --system-site-packages"
    yield wrong("packages", ", ".join(lacking), to_do)


def system_packages(patient: Patient) -> Iterator[Finding]:
    """Debian's packages, which SDL opens by name."""
    if not patient.is_cabinet:
        yield not_here("system packages", "a desktop brings its own")
        return
    needed = fitness.needed_packages(patient.machine)
    there = fitness.installed_packages(patient.machine, needed)
    missing = [name for name in needed if name not in there]
    if missing:
        to_do = f"sudo apt install {' '.join(missing)}"
        yield wrong("system packages", f"missing: {', '.join(missing)}", to_do)
    else:
        found = ", ".join(f"{name} {version}" for name, version in there.items())
        yield well("system packages", found)


def groups(patient: Patient) -> Iterator[Finding]:
    """Who may use display, keys, sound and lines."""
    machine = patient.machine
    if patient.is_installed:
        there = _names(machine.read("/etc/group"))
        missing = [f"the group {name}" for name in GROUPS if name not in there]
        if "speed-cabinet" not in _names(machine.read("/etc/passwd")):
            missing.append("the user speed-cabinet")
        if missing:
            found = f"there is not {' nor '.join(missing)}"
            to_do = f"sudo systemd-sysusers {shipped.PLACES['sysusers.conf']}"
            yield wrong("groups", found, to_do)
        else:
            yield well("groups", f"speed-cabinet may use {', '.join(GROUPS)}")
    elif not machine.is_pi:
        yield not_here("groups", "a desktop needs none")
    elif patient.user == 0:
        yield well("groups", "root may use everything")
    else:
        lacking = [name for name in GROUPS if name not in patient.groups]
        if lacking:
            to_do = f'sudo usermod -aG {",".join(lacking)} "$USER", then log out and in again'
            yield wrong("groups", f"this user is not in {', '.join(lacking)}", to_do)
        else:
            yield well("groups", f"this user is in {', '.join(GROUPS)}")


def _names(text: str | None) -> set[str]:
    return {line.partition(":")[0] for line in (text or "").splitlines()}


def clock(patient: Patient) -> Iterator[Finding]:
    """Whether the clock on the wall has ever been set."""
    if patient.machine.now_s() < EARLIEST_S:
        to_do = "let it reach a network once, or add a clock with a battery; until then no dates are shown"
        yield wrong("clock", "not set since it was switched on", to_do)
        return
    asked = patient.machine.ask("timedatectl", "show", "--property=NTPSynchronized", "--value")
    by_network = asked.out.strip() == "yes"
    yield well("clock", "set by the network" if by_network else "set")


_THROTTLED: Final = {0: "under-voltage", 1: "slowed down by its voltage", 2: "throttled", 3: "too hot"}
"""Bits of get_throttled: now; 16 more: since the power came (Raspberry Pi documentation, "vcgencmd")."""


def power(patient: Patient) -> Iterator[Finding]:
    """Under-voltage and heat."""
    asked = patient.machine.ask("vcgencmd", "get_throttled")
    match = re.search(r"throttled=0x([0-9a-fA-F]+)", asked.out)
    if match is None and patient.machine.is_pi and asked.code != 127:
        yield wrong("power", "vcgencmd tells nothing", "ask as root, or as a member of the group video")
    elif match is None:
        yield not_here("power", "nobody here tells of voltage")
    else:
        bits = int(match[1], 16)
        now = [text for bit, text in _THROTTLED.items() if bits >> bit & 1]
        earlier = [text for bit, text in _THROTTLED.items() if bits >> (bit + 16) & 1 and text not in now]
        parts = [f"{', '.join(now)} now"] if now else []
        parts += [f"{', '.join(earlier)} since it was switched on"] if earlier else []
        if parts:
            to_do = "a better supply with a short thick cable; air for the board"
            yield wrong("power", "; ".join(parts), to_do)
        else:
            yield well("power", "the voltage has been well since it was switched on")
    yield from _heat(patient)


def _heat(patient: Patient) -> Iterator[Finding]:
    text = (patient.machine.read("/sys/class/thermal/thermal_zone0/temp") or "").strip()
    if not text.isdigit():
        yield not_here("heat", "nobody here tells of heat")
        return
    degrees = int(text) / 1000
    found = f"{degrees:.0f} °C"
    if degrees >= HOT:
        yield wrong("heat", found, "give the board air, or a fan: from 80 °C on it slows down")
    else:
        yield well("heat", found)
