"""``speed-cabinet install``: what it says, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.commands.install import SETTINGS, Asked, run
from firmware.profiles import profile
from firmware.settings import as_toml
from tests.system.pi import FakePi, a_wheel


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePi:
    monkeypatch.setattr("os.fsync", lambda file: None)
    return FakePi(tmp_path / "pi")


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    made = a_wheel("1.0")
    (tmp_path / made.name).write_bytes(made.content)
    return tmp_path / made.name


def test_it_says_what_it_does_and_that_a_reboot_is_needed(
    pi: FakePi, wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(Asked(wheel=wheel), pi.machine, 0) == 0
    out = capsys.readouterr().out
    assert "write /etc/systemd/system/speed-cabinet.service\n" in out
    assert out.endswith("installed. A reboot is needed: sudo reboot\n")
    assert run(Asked(is_uninstall=True), pi.machine, 0) == 0
    assert "uninstalled." in capsys.readouterr().out


def test_a_dry_run_says_what_it_would_do(
    pi: FakePi, wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = pi.files()
    assert run(Asked(wheel=wheel, is_dry=True), pi.machine, 0) == 0
    out = capsys.readouterr().out
    assert "would write /etc/systemd/system/speed-cabinet.service\n" in out
    assert "\nwrite" not in out
    assert "nothing was done." in out
    assert pi.files() == before


def test_json_has_everything(pi: FakePi, wheel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(Asked(wheel=wheel, as_json=True), pi.machine, 0) == 0
    read = json.loads(capsys.readouterr().out)
    assert read["needs_reboot"] is True
    assert read["problems"] == []
    assert "write /etc/systemd/system/speed-cabinet.service" in read["did"]


def test_chips_of_the_settings_are_set_up(pi: FakePi, wheel: Path) -> None:
    pi.write(SETTINGS, as_toml(profile("8-buttons")))
    assert run(Asked(wheel=wheel, as_json=True), pi.machine, 0) == 0
    config = (pi.root / "boot/firmware/config.txt").read_text(encoding="latin-1")
    assert "dtoverlay=mcp23017,addr=0x20,noints\ndtoverlay=mcp23017,addr=0x21,noints\n" in config


UNFIT: dict[str, tuple[Callable[[FakePi], object], int, str]] = {
    "an operator without sudo": (lambda pi: None, 1000, "use sudo"),
    "no Pi": (lambda pi: (pi.root / "proc/device-tree/model").unlink(), 0, "--any-board"),
    "32 bit": (lambda pi: setattr(pi, "architecture", "armhf"), 0, "armhf"),
    "an old release": (lambda pi: pi.write("etc/os-release", "VERSION_CODENAME=bullseye\n"), 0, "bullseye"),
    "an old Python": (lambda pi: setattr(pi, "python", "3 9"), 0, "3.9"),
    "an overlay": (lambda pi: pi.write("proc/mounts", "overlayroot / overlay rw 0 0\n"), 0, "do_overlayfs 1"),
    "read-only": (lambda pi: pi.write("proc/mounts", "/dev/mmcblk0p2 / ext4 ro 0 0\n"), 0, "remount,rw"),
}


@pytest.mark.parametrize("why", UNFIT)
def test_an_unfit_machine_is_refused_and_left_alone(
    why: str, pi: FakePi, wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harm, user, says = UNFIT[why]
    harm(pi)
    before = pi.files()
    assert run(Asked(wheel=wheel), pi.machine, user) == 1
    assert says in capsys.readouterr().err
    assert run(Asked(wheel=wheel, is_dry=True), pi.machine, user) == 1, "a dry run tells, too"
    assert says in capsys.readouterr().err
    assert pi.files() == before


def test_another_board_is_taken_when_asked_for(pi: FakePi, wheel: Path) -> None:
    (pi.root / "proc/device-tree/model").unlink()
    assert run(Asked(wheel=wheel, any_board=True), pi.machine, 0) == 0


def test_a_step_that_fails_ends_with_its_reason(
    pi: FakePi, wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pi.is_online = False
    assert run(Asked(wheel=wheel, as_json=True), pi.machine, 0) == 1
    read = json.loads(capsys.readouterr().out)
    assert "without a network" in read["problems"][0]
    assert read["did"][-1].startswith("run apt-get install")


def test_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["install", "--wheel", str(tmp_path / "other.whl"), "--dry-run", "--any-board"]) == 2
    assert "other.whl" in capsys.readouterr().err
    assert main(["install", "--find-links", str(tmp_path / "nowhere"), "--dry-run"]) == 2
    assert "not a folder" in capsys.readouterr().err
    assert main(["doctor", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)
