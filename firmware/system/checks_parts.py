"""The doctor's look at what is plugged in: lines, display, sound; and at the settings that name them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from firmware.chips import Chip
from firmware.errors import ChipError
from firmware.settings import Use
from firmware.system import display, wiring
from firmware.system.patient import Finding, Patient, not_here, well, wrong

OURS = ("speed-cabinet", "lg")
"""What the game calls itself to the kernel: through libgpiod, and through lgpio."""


def settings(patient: Patient) -> Iterator[Finding]:
    """Whether the settings can be used."""
    if patient.complaint is not None:
        to_do = "mend it there; until then the last good settings are played"
        yield wrong("settings", patient.complaint, to_do)
    else:
        found = f"{patient.settings.buttons} pile buttons for each player, {patient.settings.play.game}"
        yield well("settings", found)


def lines(patient: Patient) -> Iterator[Finding]:
    """Chips, and whether each line can be had and each button is open."""
    if not patient.is_cabinet:
        yield not_here("lines", "no header: keys are the buttons")
        return
    by_chip: dict[Chip, list[Use]] = {}
    refused: set[str | None] = set()
    for use in patient.settings.uses():
        if use.line.chip in refused:
            continue
        try:
            by_chip.setdefault(patient.find_chip(use.line), []).append(use)
        except ChipError as error:
            refused.add(use.line.chip)
            yield wrong("chips", str(error), _chip_advice(patient, use))
    if not refused:
        found = ", ".join(f"{chip.name} [{chip.label}]" for chip in by_chip)
        yield well("chips", found)
    faults = [fault for chip, uses in by_chip.items() for fault in _line_faults(patient, chip, uses)]
    yield from faults
    if not faults and by_chip:
        count = sum(map(len, by_chip.values()))
        yield well("lines", f"{count} lines, {'played on' if patient.is_on else 'free and open'}")


def _chip_advice(patient: Patient, use: Use) -> str:
    overlays = wiring.overlays(patient.settings)
    if use.line.chip is not None and overlays:
        return f"config.txt needs {' and '.join(overlays)}; check SDA, SCL and 3.3 V, then reboot"
    if use.line.chip is not None:
        return "check its cable, and its dtoverlay in config.txt"
    return "run it on the Pi; `sudo speed-cabinet install` gives the service its groups"


def _line_faults(patient: Patient, chip: Chip, uses: list[Use]) -> Iterator[Finding]:
    free: list[Use] = []
    for use in uses:
        try:
            who = patient.consumer_of(chip.device, use.line.number)
        except OSError as error:
            found = f"line {use.line} ({use.role}): {error.strerror or error}"
            yield wrong("lines", found, "ask as root, or as a member of the group gpio")
            return
        if not who and not use.is_lamp:
            free.append(use)
        elif who and not who.startswith(OURS):
            to_do = "switch off what takes it in config.txt (SPI, I²S, PWM, one-wire), or use another line"
            yield wrong("lines", f"line {use.line} ({use.role}): taken by {who}", to_do)
    if not free:
        return
    try:
        levels = patient.levels_of(chip.device, [use.line.number for use in free])
    except OSError as error:
        found = f"{chip.name}: the buttons cannot be read: {error.strerror or error}"
        yield wrong("lines", found, "ask as root, or as a member of the group gpio")
        return
    for use, level in zip(free, levels, strict=True):
        if level == 0:
            to_do = "let go of the button; if nobody holds it, it is stuck, or its wire touches ground"
            yield wrong("lines", f"line {use.line} ({use.role}): closed", to_do)


def screen(patient: Patient) -> Iterator[Finding]:
    """The display: what is plugged in, and what stands in the way of a picture."""
    sockets = display.connectors(patient.machine.root)
    shown = ", ".join(
        f"{socket.name} {'empty' if not socket.is_connected else socket.mode or 'connected'}"
        for socket in sockets
    )
    if not patient.is_cabinet:
        found = "a window on the desktop" if patient.has_desktop else "no desktop here"
        yield not_here("display", found)
        return
    trouble = display.trouble(patient.machine.root, load=patient.load, draw=patient.draw)
    is_ours = patient.is_on and trouble is not None and trouble.cause is display.Cause.TAKEN
    if trouble is None or is_ours:
        yield well("display", shown)
    else:
        yield wrong("display", trouble.found, trouble.to_do)


def sound(patient: Patient) -> Iterator[Finding]:
    """The sound cards, and whether the one that the settings name is there."""
    text = patient.machine.read("/proc/asound/cards")
    # " 0 [vc4hdmi0       ]: vc4-hdmi - vc4-hdmi-0"
    cards = re.findall(r"^ *\d+ \[(\S+) *\]", text or "", re.MULTILINE)
    wanted = re.search(r"CARD=([^,]+)", patient.settings.sound.device)
    if not patient.is_cabinet:
        yield not_here("sound", ", ".join(cards) or "as the desktop has it")
    elif not cards:
        to_do = "a display with sound, or headphones; config.txt needs dtoverlay=vc4-kms-v3d without noaudio"
        yield wrong("sound", "there is no sound card: the game is silent", to_do)
    elif wanted is not None and wanted[1] not in cards:
        found = f"there is no card {wanted[1]!r}, which the settings name"
        yield wrong("sound", found, f"sound.device: one of {', '.join(cards)}, or \"auto\"")
    else:
        yield well("sound", ", ".join(cards))
