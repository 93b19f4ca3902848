"""The wheel that `install` takes: one that was given, or this very installation made into one.

A wheel is a zip archive (PyPA, "Binary distribution format"): the package, and a folder that says what it is
and holds a checksum of every file. Ours is pure Python: the files of an installation are all there is.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import firmware
from firmware.errors import CabinetError
from firmware.system import shipped

PROJECT: Final = "california-speed-cabinet"
_NAME: Final = re.compile(r"california_speed_cabinet-(?P<version>[^-]+)-py3-none-any\.whl")
_WHEEL: Final = b"Wheel-Version: 1.0\nGenerator: speed-cabinet\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class WheelError(CabinetError, ValueError):
    """There is no wheel to install."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its file's ``name``, the ``version`` in it, and its ``content``."""

    name: str
    version: str
    content: bytes

    def shipped(self, name: str) -> bytes:
        """What the wheel has as ``systemd/`` *name*; raises :class:`WheelError` if it has no such file."""
        try:
            with zipfile.ZipFile(io.BytesIO(self.content)) as archive:
                return archive.read(f"firmware/systemd/{name}")
        except (KeyError, zipfile.BadZipFile) as error:
            text = f"{self.name}: has no firmware/systemd/{name}: not a whole wheel of this project"
            raise WheelError(text) from error


def read_wheel(path: Path) -> Wheel:
    """The wheel in the file at *path*. Raises :class:`WheelError` for whatever is not one of this project."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        allowed = "california_speed_cabinet-…-py3-none-any.whl"
        raise WheelError(f"{path}: found {path.name!r}, allowed is {allowed}")
    try:
        wheel = Wheel(path.name, match["version"], path.read_bytes())
    except OSError as error:
        raise WheelError(f"{path}: cannot be read: {error.strerror}") from error
    for name in shipped.FILES:
        wheel.shipped(name)
    return wheel


def own_wheel() -> Wheel:
    """The running installation as a wheel. Raises :class:`WheelError` where nothing is installed."""
    try:
        return wheel_of(distribution(PROJECT), Path(firmware.__file__).parent, shipped.folder())
    except PackageNotFoundError as error:
        text = "this runs without having been installed: pip install it first, or give --wheel FILE"
        raise WheelError(text) from error


def wheel_of(installed: Distribution, package: Path, units: Path) -> Wheel:
    """A wheel of the *package* folder with the *units* folder in it; what it is is told by *installed*.

    The same files make the same wheel, byte for byte. Raises :class:`WheelError` if something is missing.
    """
    metadata, entry_points = (installed.read_text(name) for name in ("METADATA", "entry_points.txt"))
    if metadata is None or entry_points is None:
        raise WheelError(f"{PROJECT}: this installation does not say what it is; give --wheel FILE")
    version = installed.version
    about = f"california_speed_cabinet-{version}.dist-info"
    files = dict(sorted(_files(package, units)))
    files |= {
        f"{about}/METADATA": metadata.encode(),
        f"{about}/WHEEL": _WHEEL,
        f"{about}/entry_points.txt": entry_points.encode(),
    }
    record = "".join(f"{name},{_checksum(content)},{len(content)}\n" for name, content in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # dated 1980, whenever that is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)
    return Wheel(f"california_speed_cabinet-{version}-py3-none-any.whl", version, archive.getvalue())


def _files(package: Path, units: Path) -> Iterator[tuple[str, bytes]]:
    for path in package.rglob("*"):
        inside = path.relative_to(package)
        if path.is_file() and "__pycache__" not in inside.parts and inside.parts[0] != "systemd":
            yield f"firmware/{inside.as_posix()}", path.read_bytes()
    for path in units.iterdir():
        if path.is_file():
            yield f"firmware/systemd/{path.name}", path.read_bytes()


def _checksum(content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
    return f"sha256={digest.decode()}"
