"""The files below systemd/: what the unit has to say, what systemd thinks of it, and that all are shipped."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from firmware.system import shipped
from firmware.system.checks_system import GROUPS

ROOT = Path(__file__).parents[2]
UNITS = ROOT / "systemd"
UNIT = (UNITS / shipped.SERVICE).read_text()
ANALYZE = shutil.which("systemd-analyze")
ESCAPED = r"var-lib-california\x2dspeed\x2dcabinet.mount"


def section(name: str, text: str = UNIT) -> dict[str, list[str]]:
    """The settings of a section; one that stands several times has several values."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        if line.startswith("["):
            current = line.strip("[]")
        elif current == name and "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        ("Unit", "StartLimitIntervalSec", "0"),
        ("Unit", "Conflicts", "getty@tty1.service"),
        ("Service", "Type", "notify"),
        ("Service", "WatchdogSec", "10"),
        ("Service", "WatchdogSignal", "SIGABRT"),
        ("Service", "Restart", "always"),
        ("Service", "RestartSec", "2"),
        ("Service", "TimeoutStopSec", "5"),
        ("Service", "User", "speed-cabinet"),
        ("Service", "SupplementaryGroups", " ".join(GROUPS)),
        ("Service", "TTYPath", "/dev/tty1"),
        ("Service", "StandardInput", "tty-force"),
        ("Service", "StateDirectory", "california-speed-cabinet"),
        ("Service", "WorkingDirectory", "%t/california-speed-cabinet"),
        ("Service", "ExecStartPre", "-/usr/bin/udevadm settle --timeout=10"),
        ("Service", "ExecStart", f"{shipped.CURRENT}/bin/speed-cabinet"),
        ("Install", "WantedBy", "multi-user.target"),
    ],
)
def test_the_unit_says(where: str, key: str, value: str) -> None:
    assert section(where)[key] == [value]


def test_the_unit_waits_for_the_console_and_for_no_network() -> None:
    after = " ".join(section("Unit")["After"]).split()
    assert "getty@tty1.service" in after
    assert not [unit for unit in after if "network" in unit or unit == "multi-user.target"]


def test_the_unit_tells_sdl_what_it_would_guess_wrongly() -> None:
    words = " ".join(section("Service")["Environment"]).split()
    assert {
        "SDL_VIDEODRIVER=kmsdrm",
        "SDL_RENDER_DRIVER=opengles2",
        "SDL_VIDEO_DOUBLE_BUFFER=1",
        "SDL_AUDIODRIVER=alsa",
        "SDL_NO_SIGNAL_HANDLERS=1",
        "PYTHONFAULTHANDLER=1",
    } <= set(words)


@pytest.mark.parametrize(
    "breaks",
    [
        "PrivateDevices",
        "ProtectClock",
        "DeviceAllow",
        "MemoryDenyWriteExecute",
        "ProcSubset",
        "PrivateNetwork",
        "PrivateUsers",
        "PAMName",
    ],
)
def test_the_unit_takes_nothing_away_that_the_game_needs(breaks: str) -> None:
    assert breaks not in section("Service")


def test_every_group_of_the_unit_is_made_where_it_is_missing() -> None:
    lines = (UNITS / "sysusers.conf").read_text().splitlines()
    made = {line.split()[1] for line in lines if line.startswith("g ")}
    assert made == set(GROUPS)
    assert any(line.startswith("u speed-cabinet ") for line in lines)


def test_the_data_partition_holds_up_nobody() -> None:
    text = (UNITS / "data.mount").read_text()
    assert "nofail" in section("Mount", text)["Options"][0].split(",")
    assert section("Mount", text)["Type"] == ["ext4"]
    assert section("Mount", text)["Where"] == [shipped.STATE]
    assert section("Mount", text)["What"][0].startswith("/dev/disk/by-label/")
    assert section("Unit", text)["JobTimeoutSec"] == ["10"]


if ANALYZE is not None:

    def analyzed(tmp_path: Path, name: str, text: str, *words: str) -> subprocess.CompletedProcess[str]:
        """What systemd says of a unit."""
        path = tmp_path / name
        # The program of an installed cabinet is not here; everything else is as shipped.
        path.write_text(text.replace(f"{shipped.CURRENT}/bin/speed-cabinet", sys.executable))
        command = [str(ANALYZE), *words, str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @pytest.mark.parametrize(
        ("name", "text"), [(shipped.SERVICE, UNIT), (ESCAPED, (UNITS / "data.mount").read_text())]
    )
    def test_systemd_has_nothing_to_say_against_it(tmp_path: Path, name: str, text: str) -> None:
        done = analyzed(tmp_path, name, text, "verify")
        about_ours = [line for line in done.stderr.splitlines() if name in line or str(tmp_path) in line]
        assert (done.returncode, about_ours) == (0, []), done.stderr

    def test_little_is_left_to_whoever_breaks_in(tmp_path: Path) -> None:
        done = analyzed(
            tmp_path, shipped.SERVICE, UNIT, "security", "--offline=true", "--no-pager", "--threshold=20"
        )
        exposure = re.search(r"Overall exposure level .*: ([0-9.]+)", done.stdout)
        assert exposure is not None, done.stderr
        assert float(exposure[1]) <= 2.0
        assert done.returncode == 0

else:

    def test_systemd_analyze_is_not_here_so_the_units_were_only_read() -> None:
        assert UNIT


# What comes with the wheel


def test_the_wheel_brings_the_folder_along() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included == {"systemd": "firmware/systemd"}
    assert all((UNITS / name).is_file() for name in shipped.FILES)
    assert (shipped.folder() / shipped.SERVICE).is_file()


def test_every_dependency_has_its_exact_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (UNITS / "constraints.txt").read_text().splitlines()
    pins = [re.fullmatch(r"([\w-]+)==([\w.]+)(; python_version < \"3\.13\")?", line) for line in lines
            if line and not line.startswith("#")]  # fmt: skip
    versions = {pin[1].lower(): pin[2] for pin in pins if pin}
    assert len(versions) == len(pins)
    for wanted in [*project["dependencies"], *project["optional-dependencies"]["pi"]]:
        match = re.match(r"([\w-]+)>=([\w.]+)", wanted)
        assert match is not None, wanted
        assert _numbers(versions[match[1]]) >= _numbers(match[2]), wanted


def _numbers(version: str) -> list[int]:
    return list(map(int, re.findall(r"\d+", version)))
