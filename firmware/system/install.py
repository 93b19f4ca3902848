"""Making a machine a cabinet, making it a newer one, and making it again what it was.

Each version lives in a folder of its own below /opt, with its own Python environment; ``current`` is a link
to the one that is played. A new version is whole before the link is moved, and the old one goes only when
the new one has started; if it does not, the link goes back.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from firmware.system import boot_files, display, fitness, shipped
from firmware.system.machine import Machine
from firmware.system.shipped import COMMAND, CURRENT, HOME, SERVICE, UNIT
from firmware.system.wheel import Wheel
from firmware.system.work import CannotInstall, Work

SLOW: Final = (
    "NetworkManager-wait-online.service", "systemd-networkd-wait-online.service", "ModemManager.service",
    "bluetooth.service", "hciuart.service", "avahi-daemon.service", "avahi-daemon.socket",
    "apt-daily.timer", "apt-daily-upgrade.timer",
    "userconfig.service",  # asks for a name and a password on the screen, for ever
)  # fmt: skip
"""What holds up the start, or comes in between; switched off where it is on, and remembered."""
NO_CLOUD: Final = "/etc/cloud/cloud-init.disabled"
"""With this file cloud-init does nothing (its documentation, "How to disable cloud-init")."""
RECORD: Final = f"{HOME}/installed.json"
"""What was changed, and is changed back by an uninstallation."""
WHOLE: Final = "is-whole"
"""A file in a version's folder: everything is there."""
STARTED: Final = "has-started"
"""A file in a version's folder: it has been seen running."""
SETTLE_S: Final = 5.0
"""How long a version that says it is ready is watched for a crash right after."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is installed: a wheel; ``find_links``: a folder with all else, where there is no network.

    ``overlays``: lines for config.txt that the chips of the settings need.
    """

    wheel: Wheel
    find_links: Path | None = None
    overlays: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """What was done, step by step; what else is to be known; is a reboot needed?"""

    did: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    needs_reboot: bool = False


def install(
    machine: Machine,
    source: Source,
    *,
    is_dry: bool = False,
    tell: Callable[[str], None] = lambda what: None,
) -> Report:
    """Make *machine* a cabinet. Running it again changes nothing; after an interruption it goes on.

    Raises :class:`~firmware.system.work.CannotInstall` with the step that failed.
    """
    work = Work(machine, tell, is_dry=is_dry)
    report = Report(work.told)
    _packages(work, source)
    version = _version(work, source)
    for name, place in shipped.PLACES.items():
        work.write(place, source.wheel.shipped(name))
    if not _has_watchdog(machine):
        work.write(shipped.WATCHDOG, source.wheel.shipped("watchdog.conf"))
    work.do("systemd-sysusers", str(machine.path(shipped.PLACES["sysusers.conf"])))
    work.do("udevadm", "control", "--reload", may_fail=True)
    work.do("udevadm", "trigger", "--subsystem-match=gpio", may_fail=True)
    _boot_files(work, source, report)
    _switch_off_slow(work, report)
    work.link(COMMAND, f"{CURRENT}/bin/speed-cabinet")
    _take_over(work, source, version, report)
    # Whoever reads that it is installed may pull the plug.
    work.do("sync")
    return report


def _packages(work: Work, source: Source) -> None:
    needed = fitness.needed_packages(work.machine)
    there = fitness.installed_packages(work.machine, needed)
    missing = [package for package in needed if package not in there]
    if not missing:
        return
    offline = sorted(map(str, source.find_links.glob("*.deb"))) if source.find_links else []
    if not offline:
        work.do("apt-get", "update", may_fail=True)
    try:
        work.do("apt-get", "install", "-y", "--no-install-recommends", *(offline or missing))
    except CannotInstall as error:
        text = f"{error}; missing are {' '.join(missing)}: "
        raise CannotInstall(f"{text}without a network, put them as .deb files into --find-links") from error


def _version(work: Work, source: Source) -> str:
    """Have the version in a folder of its own, whose name follows from what is in it and is given back."""
    wheel, constraints = source.wheel, source.wheel.shipped("constraints.txt")
    python = fitness.system_python(work.machine) or fitness.OLDEST_PYTHON
    sees_system = python >= fitness.NO_LGPIO_WHEEL
    digest = hashlib.sha256(b"\0".join((wheel.content, constraints, repr(python).encode()))).hexdigest()
    version = f"{wheel.version}-{digest[:10]}"
    folder = f"{HOME}/{version}"
    place = work.machine.path(folder)
    if (place / WHOLE).is_file():
        return version
    work.remove(folder)
    options = ["--system-site-packages"] if sees_system else []
    work.do(fitness.SYSTEM_PYTHON, "-I", "-m", "venv", *options, str(place))
    work.write(f"{folder}/{wheel.name}", wheel.content)
    work.write(f"{folder}/constraints.txt", constraints)
    # -I: without packages in root's own home, which the service will not see. Nothing is compiled on a Pi.
    pip = [str(place / "bin/python"), "-I", "-m", "pip", "install", "--no-input", "--only-binary=:all:"]
    pip.append("--disable-pip-version-check")
    if source.find_links is not None:
        pip += ["--no-index", "--find-links", str(source.find_links)]
    work.do(*pip, "--constraint", str(place / "constraints.txt"), f"{place / wheel.name}[pi]")
    work.do(str(place / "bin/speed-cabinet"), "--version")
    # On the disk before anything says so: a power cut must not leave half a version that passes for whole.
    work.do("sync")
    work.write(f"{folder}/{WHOLE}", b"")
    return version


def _has_watchdog(machine: Machine) -> bool:
    """Does the system ask for the board's watchdog by itself?"""
    places = [machine.path("/etc/systemd/system.conf")]
    for folder in ("/etc/systemd", "/usr/lib/systemd", "/lib/systemd", "/run/systemd"):
        places += machine.path(f"{folder}/system.conf.d").glob("*.conf")
    own = machine.path(shipped.WATCHDOG)
    return any(
        line.strip().startswith("RuntimeWatchdogSec=")
        for place in places
        if place != own and place.is_file()
        for line in place.read_text(errors="replace").splitlines()
    )


def _boot_files(work: Work, source: Source, report: Report) -> None:
    machine = work.machine
    if not machine.path(boot_files.CMDLINE).is_file():
        report.notes.append(f"{boot_files.CMDLINE} is not there: the start was not made quiet")
        return
    has_ribbon = any(
        socket.is_connected and socket.name.startswith(("DSI", "DPI"))
        for socket in display.connectors(machine.root)
    )

    def config(text: str) -> str:
        return boot_files.cabinet_config(text, source.overlays, has_ribbon_display=has_ribbon)

    for path, edit in ((boot_files.CMDLINE, boot_files.quiet_cmdline), (boot_files.CONFIG, config)):
        content = machine.path(path).read_bytes() if machine.path(path).is_file() else b""
        # Byte for byte, whatever encoding somebody's editor used.
        edited = edit(content.decode("latin-1")).encode("latin-1")
        if edited == content:
            continue
        if not machine.path(path + boot_files.BACKUP).exists():
            work.write(path + boot_files.BACKUP, content)
        work.write(path, edited)
        report.needs_reboot = True
    running = (machine.read("/proc/cmdline") or "").split()
    if any(word not in running for word in boot_files.QUIET):
        report.needs_reboot = True


def _enabled(machine: Machine) -> list[str]:
    done = machine.ask("systemctl", "list-unit-files", "--no-legend", "--state=enabled", *SLOW)
    listed = {line.split()[0] for line in done.out.splitlines() if line.split()}
    return [unit for unit in SLOW if unit in listed]


def _switch_off_slow(work: Work, report: Report) -> None:
    machine = work.machine
    record = read_record(machine)
    found = _enabled(machine)
    switched_off = sorted({*record["switched_off"], *found})
    is_cloud = machine.path("/etc/cloud").is_dir() and not machine.path(NO_CLOUD).exists()
    made_files = sorted({*record["made_files"], *([NO_CLOUD] if is_cloud else [])})
    # Remembered before it is done: an interruption in between forgets nothing.
    text = json.dumps({"switched_off": switched_off, "made_files": made_files}, indent=1) + "\n"
    work.write(RECORD, text.encode())
    if found:
        work.do("systemctl", "disable", *found)
    if is_cloud:
        work.write(NO_CLOUD, b"# speed-cabinet: holds up the start\n")
    if "avahi-daemon.service" in found:
        report.notes.append("avahi is off: reach this machine by its address, no longer as NAME.local")


def read_record(machine: Machine) -> dict[str, list[str]]:
    """What earlier installations have changed: the lists ``switched_off`` and ``made_files``."""
    try:
        read = json.loads(machine.read(RECORD) or "{}")
    except ValueError:
        read = {}
    return {key: list(read.get(key, [])) for key in ("switched_off", "made_files")}


def is_on(machine: Machine) -> bool:
    """Is the service running, or being started over and over?"""
    state = machine.ask("systemctl", "show", SERVICE, "--property=ActiveState", "--value").out.strip()
    return state in ("active", "activating", "reloading", "deactivating")


def _take_over(work: Work, source: Source, version: str, report: Report) -> None:
    """Make *version* the one that is played."""
    machine = work.machine
    was_on = is_on(machine)
    started = machine.path(f"{HOME}/{version}/{STARTED}")
    before = _earlier(machine, version)
    is_new = work.link(CURRENT, version)
    is_new = work.write(UNIT, source.wheel.shipped(SERVICE)) or is_new
    work.do("systemctl", "daemon-reload")
    work.do("systemctl", "enable", SERVICE)
    if not was_on:
        report.notes.append(f"the game starts with the next power-on, or now: sudo systemctl start {SERVICE}")
        return
    if is_new or not started.is_file():
        trouble = _restart(work)
        if trouble is not None:
            _go_back(work, version, before, trouble)
        work.write(f"{HOME}/{version}/{STARTED}", b"")
    for folder in _versions(machine):
        if folder != version:
            work.remove(f"{HOME}/{folder}")


def _go_back(work: Work, version: str, before: str | None, trouble: str) -> NoReturn:
    """Play the version *before* again; raises :class:`CannotInstall` in any case."""
    look = f"see: journalctl -u {SERVICE}"
    if before is None:
        raise CannotInstall(f"the game does not start: {trouble}; {look}")
    work.link(CURRENT, before)
    pattern = f"lib/python3*/site-packages/firmware/systemd/{SERVICE}"
    for unit in work.machine.path(f"{HOME}/{before}").glob(pattern):
        work.write(UNIT, unit.read_bytes())
    work.do("systemctl", "daemon-reload")
    work.do("systemctl", "restart", SERVICE, may_fail=True)
    work.do("sync")
    raise CannotInstall(f"version {version} does not start: {trouble}; {before} plays again; {look}")


def _versions(machine: Machine) -> list[str]:
    """The folders of all versions."""
    home = machine.path(HOME)
    return sorted(path.name for path in home.glob("*") if path.is_dir() and not path.is_symlink())


def _earlier(machine: Machine, version: str) -> str | None:
    """The version to go back to, should *version* not start."""
    current = machine.path(CURRENT)
    linked = os.readlink(current) if current.is_symlink() else None
    others = [
        name
        for name in _versions(machine)
        if name != version and machine.path(f"{HOME}/{name}/{WHOLE}").is_file()
    ]
    if linked in others:
        return linked
    return others[0] if others else None


def _restart(work: Work) -> str | None:
    """Start the service afresh; what is wrong if it does not stay up."""
    done = work.do("systemctl", "restart", SERVICE, may_fail=True)
    if work.is_dry:
        return None
    if not done.is_well:
        return done.last_words or "it does not get ready"
    work.machine.pause(SETTLE_S)
    asked = work.machine.ask("systemctl", "show", SERVICE, "--property=ActiveState,NRestarts")
    shown = dict(line.split("=", 1) for line in asked.out.split() if "=" in line)
    if shown.get("ActiveState") != "active":
        return f"it is {shown.get('ActiveState', 'gone')}"
    return None if shown.get("NRestarts") == "0" else "it crashed right after its start"


def uninstall(
    machine: Machine, *, is_dry: bool = False, tell: Callable[[str], None] = lambda what: None
) -> Report:
    """Make *machine* what it was. Results, settings, Debian's packages and the user stay."""
    work = Work(machine, tell, is_dry=is_dry)
    report = Report(work.told)
    record = read_record(machine)
    if machine.path(UNIT).exists():
        work.do("systemctl", "disable", "--now", SERVICE, may_fail=True)
    for path in (UNIT, *shipped.PLACES.values(), shipped.WATCHDOG, COMMAND, shipped.CACHE):
        work.remove(path)
    work.do("systemctl", "daemon-reload")
    work.do("udevadm", "control", "--reload", may_fail=True)
    for path, undo in (
        (boot_files.CMDLINE, boot_files.plain_cmdline),
        (boot_files.CONFIG, boot_files.plain_config),
    ):
        backup = machine.path(path + boot_files.BACKUP)
        if backup.is_file():
            before, now = backup.read_bytes(), machine.path(path).read_bytes()
            plain = undo(now.decode("latin-1"), before.decode("latin-1"))
            work.write(path, plain.encode("latin-1"))
            work.remove(path + boot_files.BACKUP)
            report.needs_reboot = True
    for path in record["made_files"]:
        work.remove(path)
    if record["switched_off"]:
        work.do("systemctl", "enable", *record["switched_off"], may_fail=True)
    # Last, for it holds the record, and the program that is running.
    work.remove(HOME)
    work.do("sync")
    report.notes.append(f"left there: the results in {shipped.STATE}, the user speed-cabinet, apt's packages")
    return report
