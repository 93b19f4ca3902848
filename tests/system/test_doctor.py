"""The doctor: a healthy Pi is well, and every fault is found and named with what to do."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from firmware.chips import Chip
from firmware.commands.doctor import run as run_doctor
from firmware.commands.doctor import this_patient
from firmware.errors import ChipError
from firmware.lines import Line
from firmware.profiles import profile
from firmware.settings import Settings, Sound
from firmware.system import shipped
from firmware.system.doctor import CHECKS, examine, is_well
from firmware.system.machine import Done, Machine
from firmware.system.patient import Finding, Patient, State
from tests.system.pi import HDMI, MOUNTS, PACKAGES, FakePi, a_source

HEADER = Chip("gpiochip0", "pinctrl-bcm2711", 58)
VERSIONS = {
    "pygame-ce": "2.5.8", "gpiozero": "2.0.1.post3", "gpiod": "2.5.0", "msgspec": "0.23.0", "rich": "15.0.0",
    "font-source-sans-pro": "0.0.1", "lgpio": "0.2.2.0",
}  # fmt: skip


def only_the_header(line: Line) -> Chip:
    """Finds the header's chip, and no other."""
    if line.chip is not None:
        raise ChipError(f"GPIO chip {line.chip}: not found; this machine has gpiochip0 [pinctrl-bcm2711]")
    return HEADER


def all_open(device: str, offsets: Sequence[int]) -> list[int]:
    """No button is pressed."""
    return [1] * len(offsets)


class Clinic:
    """A Pi on which the game is installed and runs, and what can be made wrong with it."""

    def __init__(self, root: Path) -> None:
        self.pi = FakePi(root)
        self.pi.packages = set(PACKAGES)
        self.pi.install(a_source())
        self.pi.state = "active"
        (root / shipped.STATE[1:]).mkdir(parents=True)
        self.taken: dict[int, str] = {}
        self.closed: set[int] = set()
        self.patient = Patient(
            machine=self.pi.machine,
            python=(3, 11, 2),
            version_of=VERSIONS.get,
            find_chip=only_the_header,
            consumer_of=lambda device, offset: self.taken.get(offset, ""),
            levels_of=lambda device, offsets: [int(offset not in self.closed) for offset in offsets],
            load=lambda library: True,
            draw=lambda device: True,
        )

    def change(self, **named: object) -> None:
        """Make something of the patient other than it is."""
        self.patient = replace(self.patient, **named)  # type: ignore[arg-type]  # handed on as they come

    def answer(self, command: str, out: str, code: int = 0) -> None:
        """Have *command* say *out*."""
        self.pi.answers[command] = Done(code, out)

    def write(self, path: str, content: str) -> None:
        """Have *content* in a file of the Pi."""
        self.pi.write(path, content)

    def remove(self, path: str) -> None:
        """Have no such file on the Pi."""
        (self.pi.root / path).unlink()

    def examine(self) -> list[Finding]:
        """What the doctor finds, and has not asked before."""
        return examine(replace(self.patient))


@pytest.fixture
def clinic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Clinic:
    monkeypatch.setattr("os.fsync", lambda file: None)
    return Clinic(tmp_path / "pi")


def test_a_healthy_pi_is_well(clinic: Clinic) -> None:
    findings = clinic.examine()
    assert [finding for finding in findings if finding.state is not State.WELL] == []
    assert is_well(findings)
    assert len({finding.check for finding in findings}) >= len(CHECKS)


IN_MEMORY = f"overlayroot / overlay rw 0 0\ntmpfs {shipped.STATE} tmpfs rw 0 0\n"


def machine(**named: object) -> Callable[[Clinic], None]:
    """Changes functions of the patient's machine."""

    def change(clinic: Clinic) -> None:
        clinic.change(machine=replace(clinic.patient.machine, **named))  # type: ignore[arg-type]

    return change


def refuse(text: str) -> Callable[..., list[int]]:
    """A function that raises what the kernel raises."""

    def fail(*asked: object) -> list[int]:
        raise PermissionError(13, text)

    return fail


def desktop_draws(clinic: Clinic) -> None:
    """Another program has the display, and the game does not run."""
    clinic.change(draw=lambda device: False)
    clinic.pi.state = "inactive"


FAULTS: dict[str, tuple[Callable[[Clinic], None], str, str, str]] = {
    "32 bit": (lambda c: setattr(c.pi, "architecture", "armhf"), "system", "armhf", "(64-bit)"),
    "old release": (
        lambda c: c.write("etc/os-release", "PRETTY_NAME=x\nVERSION_CODENAME=bullseye\n"),
        "system", "x", "bookworm or trixie",
    ),
    "old Python": (lambda c: c.change(python=(3, 9, 2)), "Python", "3.9.2", "3.11 or newer"),
    "no pygame": (
        lambda c: c.change(version_of=lambda name: None if name == "pygame-ce" else VERSIONS[name]),
        "packages", "pygame-ce is missing", "install",
    ),
    "old gpiod": (
        lambda c: c.change(version_of=lambda name: "1.6.3" if name == "gpiod" else VERSIONS[name]),
        "packages", "gpiod 1.6.3 is older than 2.2", "install",
    ),
    "no lgpio on 3.13": (
        lambda c: c.change(
            python=(3, 13, 0), version_of=lambda name: None if name == "lgpio" else VERSIONS[name]
        ),
        "packages", "lgpio is missing", "apt install python3-lgpio",
    ),
    "no GBM": (
        lambda c: c.pi.packages.discard("libgbm1"), "system packages", "libgbm1", "sudo apt install libgbm1",
    ),
    "no group gpio": (
        lambda c: c.write("etc/group", "video:x:1:\nrender:x:1:\ninput:x:1:\naudio:x:1:\n"),
        "groups", "the group gpio", "systemd-sysusers",
    ),
    "no user": (
        lambda c: c.write("etc/passwd", "root:x:0:0::/root:\n"),
        "groups", "user speed-cabinet", "systemd-sysusers",
    ),
    "bad settings": (
        lambda c: c.change(complaint="settings.toml, line 2: play.game: found \"chess\""),
        "settings", "line 2: play.game", "mend",
    ),
    "a chip is missing": (
        lambda c: c.change(settings=profile("5-buttons")),
        "chips", "mcp23017: not found", "dtoverlay=mcp23017,addr=0x20,noints",
    ),
    "a line is taken": (
        lambda c: c.taken.update({8: "spi0 CS0"}),
        "lines", "line 8 (player 1, place 3): taken by spi0 CS0", "SPI",
    ),
    "a button is closed": (
        lambda c: c.closed.add(12), "lines", "line 12 (player 1 START): closed", "stuck",
    ),
    "lines may not be asked": (
        lambda c: c.change(consumer_of=refuse("Permission denied")),
        "lines", "Permission denied", "group gpio",
    ),
    "buttons may not be read": (
        lambda c: c.change(levels_of=refuse("Permission denied")), "lines", "cannot be read", "group gpio",
    ),
    "nothing plugged in": (
        lambda c: c.write(f"{HDMI}/status", "disconnected\n"), "display", "HDMI-A-1", "plug it in",
    ),
    "no display device": (lambda c: c.remove("dev/dri/card1"), "display", "/dev/dri", "vc4-kms-v3d"),
    "no GBM library": (
        lambda c: c.change(load=lambda library: library != "libgbm.so.1"),
        "display", "libgbm.so.1", "libgbm1",
    ),
    "no permission for the display": (
        lambda c: c.change(draw=refuse("Permission denied")), "display", "may not be opened", "'video'",
    ),
    "a desktop has the display": (
        desktop_draws,
        "display", "another program", "multi-user.target",
    ),
    "no sound card": (
        lambda c: c.write("proc/asound/cards", "--- no soundcards ---\n"),
        "sound", "no sound card", "noaudio",
    ),
    "another sound card": (
        lambda c: c.change(settings=Settings(sound=Sound(device="sysdefault:CARD=Headphones"))),
        "sound", "'Headphones'", "vc4hdmi0",
    ),
    "data in memory": (
        lambda c: c.write("proc/mounts", IN_MEMORY),
        "storage", "results are forgotten", "recurse=0",
    ),
    "root in memory, data on it": (
        lambda c: c.write("proc/mounts", "overlayroot / overlay rw,relatime 0 0\n"),
        "storage", "overlay on /", "recurse=0",
    ),
    "a card worn out": (
        lambda c: c.write("proc/mounts", MOUNTS.replace("rw,noatime", "ro,noatime")),
        "storage", "read-only", "dmesg",
    ),
    "not writable": (machine(may_write=lambda path: False), "storage", "may not be written", "chown"),
    "disk full": (machine(free=lambda path: 5_000_000), "storage", "4 MiB free", "make room"),
    "the root is not what was asked for": (
        lambda c: c.write("proc/cmdline", "overlayroot=tmpfs:recurse=0 root=/dev/mmcblk0p2"),
        "root", "asks for a read-only root", "update-initramfs",
    ),
    "not enabled": (
        lambda c: c.pi.enabled.discard(shipped.SERVICE), "service", "disabled", "systemctl enable",
    ),
    "not running": (lambda c: setattr(c.pi, "state", "failed"), "service", "failed", "journalctl"),
    "crashing": (lambda c: setattr(c.pi, "restarts", "3"), "service", "started afresh 3 times", "journalctl"),
    "nobody sees it": (
        lambda c: setattr(c.pi, "status", "Classic, without a screen: kmsdrm not available"),
        "service", "where nobody sees it", "mend the display",
    ),
    "not installed": (
        lambda c: c.remove(shipped.UNIT[1:]),
        "service", "not installed", "speed-cabinet install",
    ),
    "a dialogue in front": (
        lambda c: c.pi.enabled.add("userconfig.service"), "service", "userconfig.service", "disable",
    ),
    "no watchdog": (lambda c: c.remove("dev/watchdog"), "watchdog", "has none", "config.txt"),
    "watchdog not used": (
        lambda c: c.answer("systemctl show --property=RuntimeWatchdogUSec", "0\n"),
        "watchdog", "not used", "install",
    ),
    "clock never set": (machine(now_s=lambda: 1_000_000.0), "clock", "not set", "network"),
    "under-voltage now": (
        lambda c: c.answer("vcgencmd", "throttled=0x50005\n"),
        "power", "under-voltage, throttled now", "supply",
    ),
    "under-voltage before": (
        lambda c: c.answer("vcgencmd", "throttled=0x10000\n"), "power", "under-voltage since", "supply",
    ),
    "vcgencmd refused": (
        lambda c: c.answer("vcgencmd", "VCHI initialization failed", 255),
        "power", "tells nothing", "group video",
    ),
    "hot": (lambda c: c.write("sys/class/thermal/thermal_zone0/temp", "84500\n"), "heat", "84 °C", "fan"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named_with_what_to_do(fault: str, clinic: Clinic) -> None:
    harm, check, found, to_do = FAULTS[fault]
    harm(clinic)
    findings = clinic.examine()
    named = [finding for finding in findings if finding.check == check and finding.state is State.WRONG]
    assert any(found in finding.found and to_do in finding.to_do for finding in named), findings
    assert not is_well(findings)
    for finding in findings:
        assert bool(finding.to_do) == (finding.state is State.WRONG), finding


def test_the_running_game_has_display_and_lines_and_that_is_well(clinic: Clinic) -> None:
    clinic.change(draw=lambda device: False)
    clinic.taken = dict.fromkeys(range(4, 14), "speed-cabinet") | {16: "lg", 17: "lg"}
    assert is_well(clinic.examine())


def test_somebody_without_groups_is_told_which(clinic: Clinic) -> None:
    clinic.remove(shipped.UNIT[1:])
    clinic.change(user=1000, groups=frozenset({"video", "audio", "input"}))
    finding = next(finding for finding in clinic.examine() if finding.check == "groups")
    assert "render, gpio" in finding.found
    assert "usermod -aG render,gpio" in finding.to_do


def test_a_data_partition_beside_a_root_in_memory_is_well(clinic: Clinic) -> None:
    clinic.write("proc/mounts", f"overlayroot / overlay rw 0 0\n/dev/sda1 {shipped.STATE} ext4 rw 0 0\n")
    findings = clinic.examine()
    assert is_well(findings)
    assert any(finding.check == "root" and "read-only" in finding.found for finding in findings)


def test_a_check_that_fails_is_a_finding_and_the_rest_is_looked_at(clinic: Clinic) -> None:
    def broken(*asked: object) -> Done:
        raise RuntimeError("cosmic ray")

    clinic.change(find_chip=broken)
    findings = clinic.examine()
    assert any("cosmic ray" in finding.found for finding in findings)
    assert any(finding.check == "clock" for finding in findings)


def test_a_desktop_needs_less(tmp_path: Path) -> None:
    nothing = Machine(tmp_path, lambda words: Done(127), free=lambda path: 2**32)
    (tmp_path / "etc").mkdir()
    patient = Patient(machine=nothing, user=1000, has_desktop=True, version_of=VERSIONS.get)
    findings = examine(patient)
    assert is_well(findings), findings
    states = {finding.check: finding.state for finding in findings}
    assert states["lines"] is states["service"] is states["display"] is State.NOT_HERE
    assert states["packages"] is State.WELL


def test_the_command_prints_a_table_or_json_and_tells_by_its_exit_code(
    clinic: Clinic, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    assert run_doctor(None, as_json=False, patient=clinic.patient) == 0
    assert "All is well." in capsys.readouterr().out
    clinic.closed.add(4)
    assert run_doctor(None, as_json=False, patient=clinic.patient) == 1
    assert "line 4 (player 1, place 1): closed" in capsys.readouterr().out
    assert run_doctor(None, as_json=True, patient=clinic.patient) == 1
    read = json.loads(capsys.readouterr().out)
    assert {"check", "state", "found", "to_do"} == set(read[0])


def test_this_machine_is_examined_without_a_fault_of_the_doctors_own(tmp_path: Path) -> None:
    bad = tmp_path / "settings.toml"
    bad.write_text("[play]\ngame = 'chess'\n")
    findings = examine(this_patient(bad))
    assert not [finding for finding in findings if "could not be looked at" in finding.found]
    assert any(finding.check == "settings" and "line 2" in finding.found for finding in findings)
