"""The disk of the virtual Pi: built once, kept outside the repository under the hash of its recipe."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
QEMU = "qemu-system-x86_64"
CANNOT_FETCH = 77
RECIPE = tuple(HERE / name for name in ("build.sh", "trial.service", "header.service", "guest/header.sh"))
CONSTRAINTS = REPOSITORY / "systemd" / "constraints.txt"
"""The versions that `install` asks for."""


class PartMissing(Exception):
    """A part of the virtual Pi cannot be had on this machine; the text says which."""


@dataclass(frozen=True, slots=True)
class Image:
    """Files of a built virtual Pi."""

    kernel: Path
    initrd: Path
    disk: Path


def cache() -> Path:
    """Where images and runs are kept."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "california-speed-cabinet-vm"


def requirements() -> list[str]:
    """What pip installs in the guest: the project's dependencies, with lgpio.

    Without their markers, which speak of the machine that installs and not of the guest.
    """
    with (REPOSITORY / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["pi"]]
    return [requirement.partition(";")[0].strip() for requirement in wanted]


def image() -> Image:
    """The image, built if it is not there yet (about two minutes).

    Raises :class:`PartMissing`, and :class:`RuntimeError` if it could not be built from what there is.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise PartMissing(f"an x86-64 Linux: this is {sys.platform} on {platform.machine()}")
    recipe = [path.read_text() for path in (*RECIPE, CONSTRAINTS)] + requirements()
    folder = cache() / f"image-{hashlib.sha256(chr(0).join(recipe).encode()).hexdigest()[:12]}"
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w") as lock:
        # Two runs at once build one image.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists() or shutil.which(QEMU) is None:
            _build(folder)
    return Image(folder / "kernel", folder / "initrd.img", folder / "disk.img")


def _build(folder: Path) -> None:
    release = Path("/etc/os-release")
    if not release.exists() or not re.search(r"^VERSION_CODENAME=bookworm$", release.read_text(), re.M):
        raise PartMissing("Debian bookworm, to build the image on")
    if shutil.which("apt-get") is None:
        raise PartMissing("apt, which fetches the kernel")
    if os.geteuid() != 0:
        raise PartMissing("root, to install packages and build the image")
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    print(f"building the image, about two minutes: {folder}", flush=True)
    command = [str(HERE / "build.sh"), str(unfinished), str(CONSTRAINTS), *requirements()]
    built = subprocess.run(
        command, cwd=HERE, env={**os.environ, "PYTHON": sys.executable}, capture_output=True, text=True
    )
    if built.returncode == CANNOT_FETCH:
        raise PartMissing(built.stderr.strip())
    if built.returncode != 0:
        raise RuntimeError(f"the image could not be built:\n{built.stdout}{built.stderr}")
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
