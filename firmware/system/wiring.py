"""What is soldered where, for the settings in force: as a table, a picture of the header, and a dict.

Pin numbers: the 40-pin header of every Pi since the B+, and the 28-pin package of the MCP23017
(Microchip DS20001952, pin diagrams).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from firmware.lines import DUTIES, HEADER_LINES, Line
from firmware.settings import Settings, Use

HEADER: Final[tuple[int | str, ...]] = (
    "3.3 V", "5 V", 2, "5 V", 3, "ground", 4, 14, "ground", 15,
    17, 18, 27, "ground", 22, 23, "3.3 V", 24, 10, "ground",
    9, 25, 11, 8, "ground", 7, 0, 1, 5, "ground",
    6, 12, 13, "ground", 19, 16, 26, 20, "ground", 21,
)  # fmt: skip
"""What each header pin is, from pin 1: a BCM number, or a supply."""


@dataclass(frozen=True, slots=True)
class Row:
    """One wire.

    ``role``: "player 1, place 3". ``line``: as in the settings. ``gpio``: the BCM number, ``pin``: the pin
    of the 40-pin header; both None for a line on another chip. ``contact``: where to solder, in words.
    ``mode``: what the firmware makes of the line.
    """

    role: str
    line: str
    gpio: int | None
    pin: int | None
    contact: str
    mode: str


def header_pin(gpio: int) -> int:
    """The pin of the 40-pin header that bears BCM line *gpio*; raises :class:`ValueError` if none does."""
    return HEADER.index(gpio) + 1


def table(settings: Settings) -> list[Row]:
    """Every wire, buttons first."""
    return [_row(use) for use in settings.uses()]


def overlays(settings: Settings) -> list[str]:
    """The lines for the Pi's config.txt that the chips in *settings* need.

    Without ``noints`` the overlay would take header line 4, a button, for the chip's interrupt.
    """
    chips = dict.fromkeys(use.line.chip for use in settings.uses() if use.line.label == "mcp23017")
    addresses = [Line(chip, 0).address or 0x20 for chip in chips]
    return [f"dtoverlay=mcp23017,addr={address:#x},noints" for address in addresses]


def as_text(settings: Settings) -> str:
    """The table and the picture, for the command line and for wiring.md."""
    parts = [as_table(settings), as_picture(settings)]
    needed = overlays(settings)
    if needed:
        parts.append("\n".join(["In config.txt:", *(f"  {line}" for line in needed)]) + "\n")
    return "\n".join(parts)


def as_table(settings: Settings) -> str:
    """The rows of :func:`table` as lines of text."""
    head = ("what", "line", "where", "mode")
    cells = [head, *((row.role, row.line, row.contact, row.mode) for row in table(settings))]
    widths = [max(len(row[column]) for row in cells) for column in range(3)]
    return "".join(
        "  ".join((*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3])) + "\n"
        for row in cells
    )


def as_picture(settings: Settings) -> str:
    """The 40-pin header seen from above, pin 1 top left, with what hangs on each pin."""
    roles = {use.line.number: use.role for use in settings.uses() if use.line.chip is None}
    needs_bus = bool(overlays(settings))
    labels = [_pin_label(what, roles, needs_bus) for what in HEADER]
    width = max(len(label) for label in labels[::2])
    lines = [
        f"{labels[pin - 1]:>{width}}  {pin:2} o o {pin + 1:<2}  {labels[pin]}" for pin in range(1, 40, 2)
    ]
    return "\n".join(lines) + "\n"


def as_dict(settings: Settings) -> dict[str, object]:
    """The same for programs: made of dicts, lists, texts, numbers and None only."""
    return {"wires": [asdict(row) for row in table(settings)], "config_txt": overlays(settings)}


def _row(use: Use) -> Row:
    line = use.line
    mode = "output, lit when high" if use.is_lamp else "input, pulled up, closed = low"
    if line.chip is None:
        pin = header_pin(line.number)
        return Row(use.role, str(line), line.number, pin, f"GPIO{line.number} = pin {pin}", mode)
    return Row(use.role, str(line), None, None, _chip_contact(line), mode)


def _chip_contact(line: Line) -> str:
    if line.label != "mcp23017":
        return f"line {line.number} of {line.chip}"
    port, number = "AB"[line.number // 8], line.number % 8
    package_pin = number + (21 if port == "A" else 1)
    return f"GP{port}{number} = pin {package_pin} of {line.chip}"


def _pin_label(what: int | str, roles: dict[int, str], needs_bus: bool) -> str:
    if isinstance(what, str):
        return what
    if what in roles:
        return f"{roles[what]}, GPIO{what}"
    if what in HEADER_LINES:
        return f"free, GPIO{what}"
    if what in (2, 3) and needs_bus:
        return f"{'SDA' if what == 2 else 'SCL'} of the lamp chips, GPIO{what}"
    return f"({DUTIES[what]}, GPIO{what})"
