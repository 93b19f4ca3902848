"""The GPIO chips of this machine, found by what they are and never by their number.

The header has been chip 0, 4 and 11. Asked of the kernel directly (``GPIO_GET_CHIPINFO_IOCTL``), so that they
are found whatever library drives the lines, and whichever of its versions is installed.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware.errors import ChipError
from firmware.lines import HEADER_CHIPS, Line

HEADER_COMPATIBLE: Final = ("brcm,bcm2835-gpio", "brcm,bcm2711-gpio", "raspberrypi,rp1-gpio")
"""What the device tree calls the header's chip."""

_CHIP_INFO: Final = struct.Struct("=32s32sI")
_GET_CHIP_INFO: Final = 0x8044B401  # _IOR(0xB4, 0x01, struct gpiochip_info), <linux/gpio.h>
_SYSFS: Final = Path("/sys/bus/gpio/devices")


@dataclass(frozen=True, slots=True)
class Chip:
    """A GPIO chip: its ``name`` in the kernel ("gpiochip0"), its ``label`` (what it is), how many ``lines``.

    ``address``: on the I²C bus, else None. ``is_on_bus``: behind I²C, SPI or USB; such a chip cannot be read
    in an interrupt, and its edges are stamped late.
    """

    name: str
    label: str
    lines: int
    address: int | None = None
    is_on_bus: bool = False

    @property
    def device(self) -> str:
        """The device file."""
        return f"/dev/{self.name}"

    @property
    def number(self) -> int:
        """The number in the name of the device file, which may be another one after the next start."""
        return int(self.name.removeprefix("gpiochip"))


def chips() -> list[Chip]:
    """The GPIO chips of this machine; raises :class:`ChipError` if one may not be opened."""
    found: list[Chip] = []
    for device in sorted(Path("/dev").glob("gpiochip*")):
        try:
            found.append(_chip(device))
        except PermissionError as error:
            text = f"{device}: {error.strerror}; the user has to be in the group 'gpio'"
            raise ChipError(text) from error
        except OSError as error:
            raise ChipError(f"{device}: {error.strerror}") from error
    return found


def _chip(device: Path) -> Chip:
    import fcntl  # exists where there are GPIO chips

    file = os.open(device, os.O_RDWR | os.O_CLOEXEC)
    try:
        answer = fcntl.ioctl(file, _GET_CHIP_INFO, bytes(_CHIP_INFO.size))
    finally:
        os.close(file)
    name, label, lines = _CHIP_INFO.unpack(answer)
    parent = (_SYSFS / device.name).resolve().parent
    bus = (parent / "subsystem").resolve().name
    # A device on the I²C bus is called by bus and address: "1-0021".
    address = parent.name.partition("-")[2] if bus == "i2c" else ""
    return Chip(
        _text(name), _text(label), lines, int(address, 16) if address else None, bus in ("i2c", "spi", "usb")
    )


def _text(field: bytes) -> str:
    return field.split(b"\0")[0].decode(errors="replace")


def has_header() -> bool:
    """Is there a Pi's header, whether or not this user may use it?"""
    return any(_is_compatible_header(device.name) for device in _SYSFS.glob("gpiochip*")) or any(
        chip.label in HEADER_CHIPS for chip in _known()
    )


def _known() -> list[Chip]:
    try:
        return chips()
    except ChipError:
        return []


def _is_compatible_header(name: str) -> bool:
    try:
        compatible = (_SYSFS / name / "of_node" / "compatible").read_bytes()
    except OSError:
        return False
    return any(one.encode() in compatible.split(b"\0") for one in HEADER_COMPATIBLE)


def find_chip(line: Line) -> Chip:
    """The chip that *line* hangs on. Raises :class:`ChipError` that names the chips there are."""
    there = chips()
    for chip in there:
        if _is_chip_of(line, chip):
            return chip
    have = ", ".join(f"{chip.name} [{chip.label}]" for chip in there) or "none"
    wanted = line.chip or " or ".join(HEADER_CHIPS)
    raise ChipError(f"GPIO chip {wanted}: not found; this machine has {have}")


def _is_chip_of(line: Line, chip: Chip) -> bool:
    if line.label is None:
        return chip.label in HEADER_CHIPS or _is_compatible_header(chip.name)
    is_named = line.label in (chip.label, chip.name)
    return is_named and line.address in (None, chip.address)
