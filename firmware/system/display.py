"""Why there is no picture: what SDL sums up as "kmsdrm not available" has five causes, told apart here.

No display device; no permission; a library missing; nothing plugged in; another program that draws.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from firmware.clock import NS_PER_S, Clock
from firmware.errors import ScreenError

LIBRARIES: Final = ("libdrm.so.2", "libgbm.so.1", "libEGL.so.1", "libGLESv2.so.2")
"""What SDL's kmsdrm driver opens by name."""

PACKAGES: Final = {
    "libdrm.so.2": "libdrm2",
    "libgbm.so.1": "libgbm1",
    "libEGL.so.1": "libegl1",
    "libGLESv2.so.2": "libgles2",
}
"""Debian's package of each."""

# DRM_IOCTL_AUTH_MAGIC, _IOW('d', 0x11, struct drm_auth): refused to all but the one that draws. It is how
# drmIsMaster of libdrm asks.
_AUTH_MAGIC: Final = 0x40046411


class Cause(Enum):
    """Why there is no display."""

    NO_DEVICE = "no display device"
    NO_PERMISSION = "no permission"
    NO_LIBRARY = "a library is missing"
    NOT_CONNECTED = "no display is connected"
    TAKEN = "another program has the display"


@dataclass(frozen=True, slots=True)
class Trouble:
    """What stands in the way of a picture: the cause, ``found`` in words, and what ``to_do`` about it."""

    cause: Cause
    found: str
    to_do: str

    def __str__(self) -> str:
        return f"{self.found}; {self.to_do}"


@dataclass(frozen=True, slots=True)
class Connector:
    """A socket for a display: ``name`` ("HDMI-A-1"), the ``card`` it belongs to, and the mode it prefers."""

    card: str
    name: str
    is_connected: bool
    mode: str | None


def connectors(root: Path = Path("/")) -> list[Connector]:
    """The sockets for displays, as the kernel sees them."""
    found = []
    for folder in _sockets(root):
        card, _, name = folder.name.partition("-")
        found.append(Connector(card, name, _is_connected(folder), _first_line(folder / "modes")))
    return found


def has_lost_display(root: Path = Path("/")) -> bool:
    """Are there sockets, and nothing plugged into any of them?

    Asks for the state last seen only, for which the kernel does not wait: this is the thread that draws.
    """
    sockets = _sockets(root)
    return bool(sockets) and not any(map(_is_connected, sockets))


def _sockets(root: Path) -> list[Path]:
    """Their folders, without those that only copy the picture into memory."""
    folders = sorted((root / "sys/class/drm").glob("card*-*"))
    return [folder for folder in folders if "-Writeback-" not in folder.name]


def _is_connected(folder: Path) -> bool:
    return _first_line(folder / "status") == "connected"


def _first_line(path: Path) -> str | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    return lines[0] if lines else None


def can_load(library: str) -> bool:
    """Can *library* be loaded?"""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def open_card(device: Path) -> bool:
    """Can we draw on *device*? False if another program does. Raises :class:`OSError` if it cannot be opened.

    Nothing is drawn. Where nobody draws, whoever opens the device may, until it is closed.
    """
    import fcntl  # exists where there are such devices

    file = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.ioctl(file, _AUTH_MAGIC, (0).to_bytes(4, "little"))
    except OSError as error:
        # EINVAL: 0 is nobody's number, but we may ask.
        return error.errno != errno.EACCES
    finally:
        os.close(file)
    return True


def trouble(
    root: Path = Path("/"),
    *,
    load: Callable[[str], bool] = can_load,
    draw: Callable[[Path], bool] = open_card,
) -> Trouble | None:
    """What stands in the way of a picture on the bare display; None: nothing that can be seen.

    ``load``, ``draw``: see :func:`can_load` and :func:`open_card`.
    """
    sockets = connectors(root)
    cards = [root / "dev/dri" / card for card in dict.fromkeys(socket.card for socket in sockets)]
    there = [card for card in cards if card.exists()]
    if not there:
        has_any = (root / "dev/dri").is_dir()
        return Trouble(
            Cause.NO_DEVICE,
            "/dev/dri has no card with a socket for a display" if has_any else "there is no /dev/dri",
            "config.txt needs the line dtoverlay=vc4-kms-v3d; then reboot",
        )
    missing = [library for library in LIBRARIES if not load(library)]
    if missing:
        return Trouble(
            Cause.NO_LIBRARY,
            f"{', '.join(missing)} cannot be loaded",
            f"sudo apt install {' '.join(PACKAGES[library] for library in missing)} libgl1-mesa-dri",
        )
    may_draw = False
    for card in there:
        try:
            may_draw = draw(card) or may_draw
        except PermissionError:
            return Trouble(
                Cause.NO_PERMISSION,
                f"/dev/dri/{card.name} may not be opened",
                "the user has to be in the groups 'video' and 'render'",
            )
        except OSError as error:
            return Trouble(
                Cause.NO_DEVICE,
                f"/dev/dri/{card.name} cannot be opened: {error.strerror}",
                "reboot; if it stays so, look into `sudo dmesg`",
            )
    if not any(socket.is_connected for socket in sockets):
        names = ", ".join(socket.name for socket in sockets)
        return Trouble(
            Cause.NOT_CONNECTED,
            f"nothing is plugged into {names}, or it is off",
            "plug it in or switch it on; if the display does not report itself, "
            "cmdline.txt needs video=HDMI-A-1:1920x1080@60D",
        )
    if not may_draw:
        return Trouble(
            Cause.TAKEN,
            "another program has the display",
            "stop it: a desktop (sudo systemctl set-default multi-user.target; reboot) or a second game",
        )
    return None


LOOK_EVERY_NS: Final = NS_PER_S
LOST_AFTER: Final = 3
"""So many looks in a row without a display: it is lost. Switching a television's input takes less."""


class DisplayWatch:
    """Notices that the display is no longer plugged in. SDL does not: it would draw on for nobody."""

    def __init__(self, clock: Clock, is_lost: Callable[[], bool] = has_lost_display) -> None:
        self._clock = clock
        self._is_lost = is_lost
        self._next_ns = clock.now_ns() + LOOK_EVERY_NS
        self._lost = 0

    def look(self) -> None:
        """Call this in every turn of the loop; raises :class:`ScreenError` once it is lost."""
        now_ns = self._clock.now_ns()
        if now_ns < self._next_ns:
            return
        self._next_ns = now_ns + LOOK_EVERY_NS
        self._lost = self._lost + 1 if self._is_lost() else 0
        if self._lost >= LOST_AFTER:
            raise ScreenError("the display is lost: nothing is plugged in any more, or it is off")
