"""A Pi made of a folder and of answers: what `install` changes can be looked at, and stopped at any step."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from firmware.system import shipped
from firmware.system.install import SLOW, Report, Source, install, uninstall
from firmware.system.machine import Done, Machine
from firmware.system.wheel import Wheel

CMDLINE = b"console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootfstype=ext4 loglevel=7 rootwait\n"
CONFIG = (
    b"# For more options see the documentation \xe2\x80\x94 caf\xe9\ndtparam=audio=on\ncamera_auto_detect=1\n"
    b"display_auto_detect=1\ndtoverlay=vc4-kms-v3d\nmax_framebuffers=2\n[cm4]\notg_mode=1\n[all]"
)
MOUNTS = "/dev/mmcblk0p2 / ext4 rw,noatime 0 0\n/dev/mmcblk0p1 /boot/firmware vfat rw 0 0\n"
HDMI = "sys/class/drm/card1-HDMI-A-1"
PACKAGES = (
    "libdrm2", "libgbm1", "libegl1", "libgles2", "libgl1-mesa-dri", "libudev1", "libasound2",
    "libasound2t64", "python3-venv", "python3-lgpio",
)  # fmt: skip


class Interrupted(BaseException):
    """The plug was pulled."""


class FakePi:
    """A Pi 4 with Raspberry Pi OS Lite, bookworm unless told otherwise."""

    def __init__(self, root: Path, *, release: str = "bookworm", python: str = "3 11") -> None:
        self.root = root
        self.python = python
        self.architecture = "arm64"
        self.packages = {"libdrm2", "libudev1", "libasound2"}
        self.enabled = {"bluetooth.service", "avahi-daemon.service", "apt-daily.timer", "ssh.service"}
        self.state = "inactive"
        self.restarts = "0"
        self.status = "Classic"
        self.is_online = True
        self.bad_versions: set[str] = set()
        self.now_s = 1_800_000_000.0
        self.answers: dict[str, Done] = {}
        self.commands: list[str] = []
        self.after: Callable[[str], None] = lambda command: None
        for path, content in {
            "etc/os-release": f'PRETTY_NAME="Debian GNU/Linux"\nID=debian\nVERSION_CODENAME={release}\n',
            "proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\0",
            "proc/mounts": MOUNTS,
            "proc/cmdline": CMDLINE.decode(),
            "proc/asound/cards": " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0\n",
            "etc/group": "".join(f"{name}:x:1:\n" for name in ("video", "render", "input", "audio", "gpio")),
            "etc/passwd": "root:x:0:0::/root:/bin/bash\n",
            "etc/cloud/cloud.cfg": "",
            "dev/dri/card1": "",
            "dev/watchdog": "",
            f"{HDMI}/status": "connected\n",
            f"{HDMI}/modes": "1920x1080\n1280x720\n",
            "sys/class/drm/card1-Writeback-1/status": "unknown\n",
            "sys/class/thermal/thermal_zone0/temp": "48300\n",
        }.items():
            self.write(path, content)
        boot = root / "boot/firmware"
        boot.mkdir(parents=True)
        (boot / "cmdline.txt").write_bytes(CMDLINE)
        (boot / "config.txt").write_bytes(CONFIG)

    def write(self, path: str, content: str) -> None:
        """Have *content* in the file at *path* below the root."""
        place = self.machine.path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)

    @property
    def machine(self) -> Machine:
        """This Pi, to be worked on."""
        return Machine(
            self.root, self.run, pause=lambda seconds: None, now_s=lambda: self.now_s, free=lambda path: 2**32
        )

    def install(self, source: Source, **named: object) -> Report:
        """Install *source*."""
        return install(self.machine, source, **named)  # type: ignore[arg-type]  # handed on as they come

    def uninstall(self, **named: object) -> Report:
        """Uninstall."""
        return uninstall(self.machine, **named)  # type: ignore[arg-type]  # handed on as they come

    def files(self) -> dict[str, bytes | str]:
        """Every file below the root, and where each link points."""
        return {
            str(path.relative_to(self.root)): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }

    @property
    def current(self) -> str:
        """The version that is played."""
        return os.readlink(self.root / shipped.CURRENT.lstrip("/"))

    def run(self, words: Sequence[str]) -> Done:
        """Answer a command, and do what it does."""
        command = " ".join(words)
        self.commands.append(command)
        done = self._done(list(words), command)
        self.after(command)
        return done

    def _done(self, words: list[str], command: str) -> Done:
        for start, answer in self.answers.items():
            if command.startswith(start):
                return answer
        match words:
            case ["dpkg", "--print-architecture"]:
                return Done(0, self.architecture + "\n")
            case ["dpkg-query", "-W", "-f", _, *names]:
                lines = [f"{name} installed 1.0\n" for name in names if name in self.packages]
                return Done(0 if len(lines) == len(names) else 1, "".join(lines), "no packages found")
            case ["/usr/bin/python3", "-c", *_]:
                return Done(0, self.python + "\n")
            case ["/usr/bin/python3", "-I", "-m", "venv", *options, folder]:
                self._file(Path(folder) / "bin/python", "")
                self._file(Path(folder) / "pyvenv.cfg", " ".join(options))
            case [python, "-I", "-m", "pip", "install", *_]:
                version = Path(python).parent.parent
                unit = f"firmware/systemd/{shipped.SERVICE}"
                with zipfile.ZipFile(version / words[-1].removesuffix("[pi]")) as archive:
                    self._file(version / "lib/python3.11/site-packages" / unit, archive.read(unit).decode())
                self._file(version / "bin/speed-cabinet", "")
            case ["apt-get", "update"]:
                return Done(0) if self.is_online else Done(100, err="E: no network")
            case ["apt-get", "install", "-y", "--no-install-recommends", *names]:
                if not self.is_online and not any(name.endswith(".deb") for name in names):
                    return Done(100, err="E: Unable to fetch some archives")
                self.packages |= set(names) if self.is_online else set(PACKAGES)
            case ["systemctl", *rest]:
                return self._systemctl(rest)
            case ["timedatectl", *_]:
                return Done(0, "yes\n")
            case ["vcgencmd", "get_throttled"]:
                return Done(0, "throttled=0x0\n")
            case ["systemd-sysusers", _]:
                self.write("etc/passwd", "root:x:0:0::/root:/bin/bash\nspeed-cabinet:x:9:9::/:/bin/false\n")
            case ["udevadm", *_] | [_, "--version"] | ["sync"]:
                pass
            case _:
                return Done(127, err=f"{words[0]}: not found")
        return Done(0)

    def _systemctl(self, words: list[str]) -> Done:
        match words:
            case ["list-unit-files", "--no-legend", "--state=enabled", *names]:
                return Done(0, "".join(f"{name} enabled enabled\n" for name in names if name in self.enabled))
            case ["is-enabled", name]:
                return Done(0, "enabled\n") if name in self.enabled else Done(1, "disabled\n")
            case ["disable", "--now", name]:
                self.enabled.discard(name)
                self.state = "inactive"
            case ["disable", *names]:
                self.enabled -= set(names)
            case ["enable", *names]:
                self.enabled |= set(names)
            case ["restart", shipped.SERVICE]:
                is_bad = any(self.current.startswith(bad) for bad in self.bad_versions)
                self.state = "activating" if is_bad else "active"
                return Done(1, err="Job for speed-cabinet.service failed.") if is_bad else Done(0)
            case ["show", shipped.SERVICE, "--property=ActiveState", "--value"]:
                return Done(0, self.state + "\n")
            case ["show", shipped.SERVICE, _]:
                enabled = "enabled" if shipped.SERVICE in self.enabled else "disabled"
                shown = f"LoadState=loaded\nActiveState={self.state}\nUnitFileState={enabled}\n"
                return Done(0, f"{shown}NRestarts={self.restarts}\nStatusText={self.status}\n")
            case ["show", "--property=RuntimeWatchdogUSec", "--value"]:
                return Done(0, "15s\n")
            case ["daemon-reload"]:
                pass
            case _:
                raise AssertionError(f"systemctl {words}")
        return Done(0)

    @staticmethod
    def _file(path: Path, content: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def a_wheel(version: str) -> Wheel:
    """A wheel of which only the name matters."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as wheel:
        for name in shipped.FILES:
            content = (shipped.folder() / name).read_text() + f"# {version}\n"
            wheel.writestr(zipfile.ZipInfo(f"firmware/systemd/{name}"), content)
    return Wheel(f"california_speed_cabinet-{version}-py3-none-any.whl", version, archive.getvalue())


def a_source(version: str = "1.0") -> Source:
    """What is installed when only the version matters."""
    return Source(a_wheel(version))


def enabled_slow(pi: FakePi) -> set[str]:
    """What is on of that which `install` switches off."""
    return pi.enabled & set(SLOW)
