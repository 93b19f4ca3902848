"""Whether a machine can be made a cabinet, and what it lacks."""

from __future__ import annotations

from typing import Final

from firmware.system import shipped
from firmware.system.machine import Machine

RELEASES: Final = ("bookworm", "trixie")
"""The releases of Raspberry Pi OS, and of Debian, that the game was made for."""
ARCHITECTURES: Final = ("arm64", "amd64")
"""Debian's names of the 64-bit systems that pygame-ce has wheels for."""
OLDEST_PYTHON: Final = (3, 11)
NO_LGPIO_WHEEL: Final = (3, 13)
"""From this Python on lgpio has no wheel, and the system's python3-lgpio is used."""
SYSTEM_PYTHON: Final = "/usr/bin/python3"
"""The service's Python: no person's own, which might lie where the service may not look."""


def system_python(machine: Machine) -> tuple[int, int] | None:
    """The version of :data:`SYSTEM_PYTHON`; None if there is none."""
    done = machine.ask(SYSTEM_PYTHON, "-c", "import sys; print(*sys.version_info[:2])")
    numbers = done.out.split()
    return (int(numbers[0]), int(numbers[1])) if done.is_well and len(numbers) == 2 else None


def architecture(machine: Machine) -> str:
    """Debian's name of what the programs are for. A 64-bit kernel may well run a 32-bit system."""
    return machine.ask("dpkg", "--print-architecture").out.strip()


def unfit(machine: Machine, user: int, *, any_board: bool = False) -> list[str]:
    """What forbids an installation, each with what to do; nothing if all is well.

    ``user``: the number of who asks, 0 is root. ``any_board``: be content with a machine that is no Pi.
    """
    found = unchangeable(machine, user)
    if not any_board and not machine.is_pi:
        found.append("this is not a Raspberry Pi; --any-board installs all the same")
    kind = architecture(machine)
    if kind not in ARCHITECTURES:
        found.append(
            f"the system is {kind or 'not Debian'}, allowed are {' and '.join(ARCHITECTURES)}: "
            "write Raspberry Pi OS Lite (64-bit) to the card"
        )
    release = machine.release().get("VERSION_CODENAME", "unknown")
    if release not in RELEASES:
        found.append(f"the release is {release}, allowed are {' and '.join(RELEASES)}")
    python = system_python(machine)
    if python is None or python < OLDEST_PYTHON:
        have = "missing" if python is None else f"{python[0]}.{python[1]}"
        found.append(f"{SYSTEM_PYTHON} is {have}, needed is 3.11 or newer")
    return found


def unchangeable(machine: Machine, user: int) -> list[str]:
    """What forbids any change of the machine, as :func:`unfit`."""
    found = []
    if user != 0:
        found.append("only root can do this: use sudo")
    root = machine.mount_of(shipped.HOME)
    if root is not None and root.is_in_memory:
        found.append(
            f"{root.place} is a {root.kind} in memory and would forget all changes: "
            "sudo raspi-config nonint do_overlayfs 1, reboot, do it again, and switch it on again"
        )
    elif root is not None and root.is_read_only:
        found.append(f"{root.place} is read-only: sudo mount -o remount,rw {root.place}")
    return found


def needed_packages(machine: Machine) -> list[str]:
    """Debian's packages that the game needs, by their names in this release."""
    python = system_python(machine) or OLDEST_PYTHON
    sound = "libasound2" if machine.release().get("VERSION_CODENAME") == "bookworm" else "libasound2t64"
    packages = ["libdrm2", "libgbm1", "libegl1", "libgles2", "libgl1-mesa-dri", "libudev1", sound]
    packages.append("python3-venv")
    if python >= NO_LGPIO_WHEEL:
        packages.append("python3-lgpio")
    return packages


def installed_packages(machine: Machine, names: list[str]) -> dict[str, str]:
    """The versions of those of *names* that are installed."""
    done = machine.ask("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status} ${Version}\n", *names)
    rows = (line.split() for line in done.out.splitlines())
    return {row[0]: row[2] for row in rows if len(row) == 3 and row[1] == "installed"}
