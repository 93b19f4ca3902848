"""Installing, updating, being interrupted, and making everything what it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.system import boot_files, shipped
from firmware.system.install import NO_CLOUD, STARTED, Source
from firmware.system.machine import Done, run_command
from firmware.system.work import CannotInstall
from tests.system.pi import CMDLINE, CONFIG, FakePi, Interrupted, a_source, a_wheel, enabled_slow

MakePi = Callable[..., FakePi]


@pytest.fixture
def make_pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakePi:
    """Makes one Pi after the other, on a disk that takes no time."""
    monkeypatch.setattr("os.fsync", lambda file: None)
    made: list[FakePi] = []

    def make(**named: str) -> FakePi:
        made.append(FakePi(tmp_path / str(len(made)), **named))
        return made[-1]

    return make


@pytest.fixture
def pi(make_pi: MakePi) -> FakePi:
    return make_pi()


def test_a_fresh_pi_starts_into_the_game_after_a_reboot(pi: FakePi) -> None:
    report = pi.install(a_source())
    files = pi.files()
    assert files[shipped.UNIT[1:]] == a_wheel("1.0").shipped(shipped.SERVICE)
    assert shipped.SERVICE in pi.enabled
    assert pi.current.startswith("1.0-")
    assert (pi.root / "opt/california-speed-cabinet/current/bin/speed-cabinet").exists()
    assert files["usr/local/bin/speed-cabinet"] == "/opt/california-speed-cabinet/current/bin/speed-cabinet"
    assert "etc/sysusers.d/speed-cabinet.conf" in files
    assert "etc/udev/rules.d/60-speed-cabinet.rules" in files
    assert {"libgbm1", "libegl1", "libgles2", "libgl1-mesa-dri", "python3-venv"} <= pi.packages
    assert not enabled_slow(pi)
    assert "ssh.service" in pi.enabled, "nobody is locked out"
    assert NO_CLOUD[1:] in files
    assert report.needs_reboot
    assert "systemctl restart" not in " ".join(pi.commands), "the operator may sit on that very console"


@pytest.mark.parametrize("scene", ["install", "update", "uninstall"])
def test_once_it_is_said_to_be_done_it_is_on_the_disk(scene: str, pi: FakePi) -> None:
    _prepared(pi, scene)
    assert _act(pi, scene)[-1] == "run sync"


def test_the_start_becomes_quiet_and_the_display_driver_stays(pi: FakePi) -> None:
    pi.install(a_source())
    words = (pi.root / "boot/firmware/cmdline.txt").read_text().split()
    assert set(boot_files.QUIET) <= set(words)
    assert "loglevel=7" not in words
    assert "root=PARTUUID=1-02" in words
    config = (pi.root / "boot/firmware/config.txt").read_bytes()
    assert config.startswith(CONFIG + b"\n")
    assert config.count(b"dtoverlay=vc4-kms-v3d") == 1
    for line in (b"disable_splash=1", b"boot_delay=0", b"camera_auto_detect=0", b"display_auto_detect=0"):
        assert line in config.splitlines()[len(CONFIG.splitlines()) :]


def test_a_ribbon_display_is_still_found(pi: FakePi) -> None:
    pi.write("sys/class/drm/card1-DSI-1/status", "connected\n")
    pi.install(a_source())
    assert b"display_auto_detect=0" not in (pi.root / "boot/firmware/config.txt").read_bytes()


def test_lamp_chips_of_the_settings_get_their_overlays(pi: FakePi) -> None:
    pi.install(Source(a_wheel("1.0"), overlays=("dtoverlay=mcp23017,addr=0x20,noints",)))
    assert b"dtoverlay=mcp23017,addr=0x20,noints\n" in (pi.root / "boot/firmware/config.txt").read_bytes()


def test_twice_is_once(pi: FakePi) -> None:
    pi.install(a_source())
    files, enabled, packages = pi.files(), set(pi.enabled), set(pi.packages)
    report = pi.install(a_source())
    assert (pi.files(), pi.enabled, pi.packages) == (files, enabled, packages)
    assert not [what for what in report.did if what.startswith(("write", "link", "remove"))]
    assert not [what for what in report.did if "pip" in what or "apt-get" in what]


def test_a_dry_run_tells_the_same_and_does_nothing(pi: FakePi, make_pi: MakePi) -> None:
    before, enabled, packages = pi.files(), set(pi.enabled), set(pi.packages)
    told = pi.install(a_source(), is_dry=True).did
    assert (pi.files(), pi.enabled, pi.packages) == (before, enabled, packages)
    other = make_pi()
    done = other.install(a_source()).did
    assert [what.replace(str(pi.root), "") for what in told] == [
        what.replace(str(other.root), "") for what in done
    ]


def a_stop_at(step: int) -> Callable[[str], None]:
    """Pulls the plug when *step* is told, counted from 0."""
    left = [step]

    def tell(what: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Interrupted

    return tell


def _prepared(pi: FakePi, scene: str) -> None:
    """*pi* as it is before the last step of *scene*."""
    if scene == "update":
        pi.install(a_source("1.0"))
        pi.state = "active"
        pi.install(a_source("1.0"))
    if scene == "uninstall":
        pi.install(a_source())


def _act(pi: FakePi, scene: str, tell: Callable[[str], None] = lambda what: None) -> list[str]:
    if scene == "uninstall":
        return pi.uninstall(tell=tell).did
    return pi.install(a_source("2.0"), tell=tell).did


@pytest.mark.parametrize("scene", ["install", "update", "uninstall"])
def test_interrupted_at_any_step_and_run_again_it_ends_the_same(scene: str, make_pi: MakePi) -> None:
    whole = make_pi()
    _prepared(whole, scene)
    steps = _act(whole, scene)
    assert len(steps) > 5
    for step in range(len(steps)):
        pi = make_pi()
        _prepared(pi, scene)
        with pytest.raises(Interrupted):
            _act(pi, scene, a_stop_at(step))
        _act(pi, scene)
        assert pi.files() == whole.files(), steps[step]
        assert (pi.enabled, pi.packages) == (whole.enabled, whole.packages), steps[step]
        assert pi.state == whole.state, steps[step]


@pytest.mark.parametrize("scene", ["install", "update"])
def test_interrupted_after_any_command_and_run_again_it_ends_the_same(scene: str, make_pi: MakePi) -> None:
    whole = make_pi()
    _prepared(whole, scene)
    before = len(whole.commands)
    _act(whole, scene)
    count = len(whole.commands) - before
    for number in range(count):
        pi = make_pi()
        _prepared(pi, scene)
        pi.after = a_stop_at(number)
        with pytest.raises(Interrupted):
            _act(pi, scene)
        pi.after = lambda command: None
        _act(pi, scene)
        assert pi.files() == whole.files(), whole.commands[before + number]
        assert (pi.enabled, pi.state) == (whole.enabled, whole.state)


def test_an_update_replaces_the_old_version_once_the_new_one_plays(pi: FakePi) -> None:
    _prepared(pi, "update")
    old = pi.current
    pi.install(a_source("2.0"))
    assert pi.current.startswith("2.0-")
    assert pi.state == "active"
    assert not (pi.root / "opt/california-speed-cabinet" / old).exists()
    assert (pi.root / "opt/california-speed-cabinet" / pi.current / STARTED).exists()


def test_an_update_that_does_not_start_goes_back_to_the_old_version(pi: FakePi) -> None:
    _prepared(pi, "update")
    old = pi.current
    pi.bad_versions = {"2.0"}
    with pytest.raises(CannotInstall, match=r"2\.0-\w+ does not start: .*failed.*1\.0-\w+ plays again"):
        pi.install(a_source("2.0"))
    assert (pi.current, pi.state) == (old, "active")
    assert pi.files()[shipped.UNIT[1:]] == a_wheel("1.0").shipped(shipped.SERVICE)
    pi.bad_versions.clear()
    pi.install(a_source("2.0"))
    assert pi.current.startswith("2.0-"), "what is mended can be tried again"


def test_an_update_that_crashes_right_after_its_start_goes_back(pi: FakePi) -> None:
    _prepared(pi, "update")
    old = pi.current
    pi.restarts = "1"
    with pytest.raises(CannotInstall, match="crashed right after"):
        pi.install(a_source("2.0"))
    assert pi.current == old


def test_the_old_version_stays_while_the_new_one_has_not_been_seen_running(pi: FakePi) -> None:
    pi.install(a_source("1.0"))
    old = pi.current
    pi.install(a_source("2.0"))
    assert (pi.root / "opt/california-speed-cabinet" / old).is_dir()


def test_uninstalling_puts_everything_back_byte_for_byte(pi: FakePi) -> None:
    before, enabled = pi.files(), set(pi.enabled)
    pi.install(a_source("1.0"))
    pi.state = "active"
    pi.install(a_source("2.0"))
    pi.uninstall()
    after = pi.files()
    assert after.pop("etc/passwd") != before.pop("etc/passwd"), "the user stays, for what belongs to it"
    assert after == before
    assert pi.enabled == enabled
    assert pi.state == "inactive"


def test_uninstalling_keeps_what_others_have_changed_since(pi: FakePi) -> None:
    pi.install(a_source())
    boot = pi.root / "boot/firmware"
    (boot / "config.txt").write_bytes((boot / "config.txt").read_bytes() + b"dtparam=ant2\n")
    words = (boot / "cmdline.txt").read_text()
    (boot / "cmdline.txt").write_text(words.replace("quiet", "quiet ipv6.disable=1"))
    pi.uninstall()
    assert (boot / "config.txt").read_bytes() == CONFIG + b"\ndtparam=ant2\n"
    left = (boot / "cmdline.txt").read_text().split()
    assert sorted(left) == sorted([*CMDLINE.decode().split(), "ipv6.disable=1"])


def test_without_a_network_a_stick_has_everything(pi: FakePi, tmp_path: Path) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    pi.is_online = False
    with pytest.raises(CannotInstall, match=r"libgbm1.*\.deb.*--find-links"):
        pi.install(Source(a_wheel("1.0"), find_links=stick))
    (stick / "libgbm1_1_arm64.deb").touch()
    pi.install(Source(a_wheel("1.0"), find_links=stick))
    pip = next(command for command in pi.commands if "-m pip install" in command)
    assert f"--no-index --find-links {stick}" in pip
    assert "--constraint" in pip
    assert pip.endswith("california_speed_cabinet-1.0-py3-none-any.whl[pi]")


def test_on_python_3_13_the_lines_come_from_the_system(make_pi: MakePi) -> None:
    pi = make_pi(release="trixie", python="3 13")
    pi.install(a_source())
    assert {"python3-lgpio", "libasound2t64"} <= pi.packages
    assert any("-m venv --system-site-packages" in command for command in pi.commands)


def test_a_watchdog_of_the_systems_own_is_left_alone(make_pi: MakePi) -> None:
    pi = make_pi()
    pi.write("usr/lib/systemd/system.conf.d/40-rpi.conf", "[Manager]\nRuntimeWatchdogSec=1m\n")
    pi.install(a_source())
    assert not (pi.root / shipped.WATCHDOG[1:]).exists()
    other = make_pi()
    other.install(a_source())
    assert (other.root / shipped.WATCHDOG[1:]).exists()


def test_a_failing_step_is_named(pi: FakePi) -> None:
    pi.answers["systemd-sysusers"] = Done(1, err="Failed to create user: disk full\n")
    with pytest.raises(CannotInstall, match=r"systemd-sysusers .*disk full"):
        pi.install(a_source())


def test_without_a_boot_partition_there_is_nothing_to_make_quiet(pi: FakePi) -> None:
    (pi.root / "boot/firmware/cmdline.txt").unlink()
    report = pi.install(a_source())
    assert any("cmdline.txt" in note for note in report.notes)


def test_a_command_runs_in_plain_words_without_this_pythons_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere/else")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    done = run_command(["/usr/bin/env"])
    assert done.is_well
    assert "PYTHONPATH" not in done.out
    assert "LC_ALL=C.UTF-8\n" in done.out
    missing = run_command(["/no/such/program"])
    assert (missing.code, missing.last_words) == (127, "/no/such/program: No such file or directory")


def test_a_first_version_that_does_not_start_is_said_so(pi: FakePi) -> None:
    pi.install(a_source("1.0"))
    pi.state = "activating"
    pi.bad_versions = {"1.0"}
    wanted = r"the game does not start: .*journalctl -u speed-cabinet\.service"
    with pytest.raises(CannotInstall, match=wanted):
        pi.install(a_source("1.0"))
