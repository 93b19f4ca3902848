"""The running installation made into a wheel: pip takes it, and it is whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution
from pathlib import Path

import pytest

import firmware
from firmware.system import shipped
from firmware.system.wheel import Wheel, WheelError, read_wheel, wheel_of

ITSELF = Path(firmware.__file__).parent


class Installed(Distribution):
    """An installation as pip leaves one."""

    def read_text(self, filename: str) -> str | None:
        """What it says of itself."""
        return {
            "METADATA": "Metadata-Version: 2.1\nName: california-speed-cabinet\nVersion: 7.8.9\n",
            "entry_points.txt": "[console_scripts]\nspeed-cabinet = firmware.cli:main\n",
        }.get(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Where it lies."""
        return ITSELF.parent / path


class Nameless(Installed):
    """One that says nothing."""

    def read_text(self, filename: str) -> str | None:
        """What it says of itself."""
        return None if filename == "entry_points.txt" else super().read_text(filename)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, which nobody works on."""
    copy = tmp_path_factory.mktemp("installed") / "firmware"
    shutil.copytree(ITSELF, copy, ignore=shutil.ignore_patterns("systemd"))
    return copy


@pytest.fixture(scope="module")
def wheel(package: Path) -> Wheel:
    return wheel_of(Installed(), package, shipped.folder())


def test_the_same_files_make_the_same_wheel(wheel: Wheel, package: Path) -> None:
    assert wheel == wheel_of(Installed(), package, shipped.folder())
    assert (wheel.name, wheel.version) == ("california_speed_cabinet-7.8.9-py3-none-any.whl", "7.8.9")


def test_pip_takes_it_and_it_needs_no_checkout(wheel: Wheel, package: Path, tmp_path: Path) -> None:
    file = tmp_path / wheel.name
    file.write_bytes(wheel.content)
    target = tmp_path / "target"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile"]
    command = [*pip, "--target", str(target), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (target / "bin/speed-cabinet").is_file()
    asked = "from firmware.system import shipped; print(shipped.folder())"
    said = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.strip() == str(target / "firmware/systemd")
    for path in package.rglob("*.py"):
        assert (target / "firmware" / path.relative_to(package)).read_bytes() == path.read_bytes()
    assert (target / "firmware/show/words/en.toml").is_file()


def test_a_wheel_is_read_back(wheel: Wheel, tmp_path: Path) -> None:
    file = tmp_path / wheel.name
    file.write_bytes(wheel.content)
    assert read_wheel(file) == wheel
    assert wheel.shipped(shipped.SERVICE) == (shipped.folder() / shipped.SERVICE).read_bytes()


def test_what_is_no_wheel_of_ours_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "pygame_ce-2.5.8-cp311-cp311-manylinux2014_aarch64.whl"
    with pytest.raises(WheelError, match="allowed is california_speed_cabinet"):
        read_wheel(other)
    ours = tmp_path / "california_speed_cabinet-1.0-py3-none-any.whl"
    with pytest.raises(WheelError, match="No such file"):
        read_wheel(ours)
    ours.write_bytes(b"half a downlo")
    with pytest.raises(WheelError, match="not a whole wheel"):
        read_wheel(ours)
    with zipfile.ZipFile(ours, "w") as archive:
        archive.writestr("firmware/__init__.py", "")
    with pytest.raises(WheelError, match=r"speed-cabinet\.service"):
        read_wheel(ours)


def test_an_installation_that_does_not_say_what_it_is_makes_no_wheel() -> None:
    with pytest.raises(WheelError, match="--wheel FILE"):
        wheel_of(Nameless(), ITSELF, shipped.folder())
