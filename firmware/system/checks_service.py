"""The doctor's look at what survives: storage, the root's kind, the service, and the board's watchdog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware.system import shipped
from firmware.system.notify import WITHOUT_SCREEN
from firmware.system.patient import Finding, Patient, not_here, well, wrong

FEW: Final = 100 * 1024 * 1024
"""Fewer free bytes than this will not do: a thousand kept hands take about 10 MB, logs and updates more."""


def storage(patient: Patient) -> Iterator[Finding]:
    """Where results go: is it there, can it be written to, is there room, does it survive?"""
    machine, directory = patient.machine, patient.directory
    places = [directory, *map(str, Path(directory).parents)]
    place = next((place for place in places if machine.path(place).is_dir()), "/")
    mount = machine.mount_of(directory)
    if mount is not None and mount.is_in_memory:
        found = f"{directory} lies in memory ({mount.kind} on {mount.place}): results are forgotten"
        to_do = "mount a data partition there by a unit, and use overlayroot=tmpfs:recurse=0; "
        yield wrong("storage", found, to_do + f"see {shipped.folder() / 'read-only-root.md'}")
        return
    if mount is not None and mount.is_read_only:
        found = f"{mount.place} is read-only: nothing is kept"
        to_do = "look into `sudo dmesg` for errors of the card: it may be worn out; else remount it"
        yield wrong("storage", found, to_do)
        return
    # What belongs to the service's user is none of anybody else's business.
    is_ours = patient.user == 0 or not patient.is_installed
    if is_ours and not machine.may_write(machine.path(place)):
        yield wrong("storage", f"{place} may not be written to", f"sudo chown $USER {place}")
        return
    free = machine.free(machine.path(place))
    where = f"{directory}, {free // 1024**2} MiB free"
    if free < FEW:
        yield wrong("storage", where, "make room: sudo apt clean; sudo journalctl --vacuum-size=50M")
    else:
        yield well("storage", where)


def root(patient: Patient) -> Iterator[Finding]:
    """Whether the system's own partition is protected."""
    mount = patient.machine.mount_of("/")
    asked = "overlayroot=" in (patient.machine.read("/proc/cmdline") or "")
    asked = asked and "overlayroot=disabled" not in (patient.machine.read("/proc/cmdline") or "")
    if not patient.is_cabinet:
        yield not_here("root", "a desktop's is writable")
    elif mount is not None and mount.is_in_memory:
        yield well("root", "read-only, changes stay in memory")
    elif asked:
        found = "cmdline.txt asks for a read-only root, and it is not"
        yield wrong("root", found, "sudo update-initramfs -u, reboot, and look again: findmnt /")
    else:
        yield well("root", "writable")


def service(patient: Patient) -> Iterator[Finding]:
    """Whether the game starts with the power, runs, and has not crashed."""
    if not patient.is_installed:
        if patient.machine.is_pi:
            yield wrong("service", "not installed", "sudo speed-cabinet install")
        else:
            yield not_here("service", "not installed")
        return
    shown = patient.service
    active, enabled = shown.get("ActiveState", "unknown"), shown.get("UnitFileState", "unknown")
    restarts, status = shown.get("NRestarts", "0"), shown.get("StatusText", "")
    look = f"journalctl -u {shipped.SERVICE} -e"
    if enabled != "enabled":
        yield wrong("service", f"it is {enabled}", f"sudo systemctl enable --now {shipped.SERVICE}")
    if active != "active":
        to_do = f"{look}; sudo systemctl start {shipped.SERVICE}"
        yield wrong("service", f"it is {active}", to_do)
    elif restarts not in ("", "0"):
        yield wrong("service", f"started afresh {restarts} times", look)
    elif WITHOUT_SCREEN in status:
        yield wrong("service", f"it plays where nobody sees it: {status}", f"mend the display; {look}")
    elif enabled == "enabled":
        yield well("service", status or "active")
    asked = patient.machine.ask("systemctl", "is-enabled", "userconfig.service")
    if asked.out.strip() == "enabled":
        found = "userconfig.service asks for a name and a password in front of the game"
        yield wrong("service", found, "sudo systemctl disable userconfig.service, then reboot")


def watchdog(patient: Patient) -> Iterator[Finding]:
    """Whether the board starts afresh when the whole system hangs."""
    machine = patient.machine
    if not patient.is_cabinet:
        yield not_here("watchdog", "a desktop needs none")
        return
    if not machine.path("/dev/watchdog").exists():
        if machine.is_pi:
            yield wrong("watchdog", "the board has none", "config.txt must not hold dtparam=watchdog=off")
        else:
            yield not_here("watchdog", "the board has none")
        return
    asked = machine.ask("systemctl", "show", "--property=RuntimeWatchdogUSec", "--value").out.strip()
    if asked in ("", "0", "infinity"):
        yield wrong("watchdog", "not used", "sudo speed-cabinet install, then reboot")
    else:
        yield well("watchdog", f"the board starts afresh after {asked}")
