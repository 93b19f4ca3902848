"""What is soldered where: the table, the picture, and wiring.md, which promises both."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from gpiozero.pins.pi import PiBoardInfo

from firmware.lines import DUTIES, HEADER_LINES, Line
from firmware.profiles import PROFILES, profile
from firmware.settings import Settings, defaults, parse
from firmware.system.wiring import (
    HEADER,
    as_dict,
    as_picture,
    as_table,
    as_text,
    header_pin,
    overlays,
    table,
)

PAGE = (Path(__file__).parents[1] / "wiring.md").read_text(encoding="utf-8")
BOARDS = {"3B": 0xA02082, "3B+": 0xA020D3, "4B": 0xC03111, "5B": 0xC04170}


def rows_of(*heads: str) -> list[list[str]]:
    """The rows of every table in wiring.md whose head is *heads*."""
    head = "| " + " | ".join(heads) + " |\n"
    parts = PAGE.split(head)[1:]
    assert parts, f"wiring.md has no table {heads}"
    rows: list[list[str]] = []
    for part in parts:
        for line in part.splitlines()[1:]:
            if not line.startswith("|"):
                break
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


# The header


@pytest.mark.parametrize("board", BOARDS)
def test_the_header_is_that_of_every_board(board: str) -> None:
    info = PiBoardInfo.from_revision(BOARDS[board])
    assert board in info.description
    names = {"3V3": "3.3 V", "5V": "5 V", "GND": "ground"}
    header = info.headers["J8"]
    assert len(HEADER) == len(header.pins) == 40
    for number, pin in header.pins.items():
        what = HEADER[number - 1]
        assert what == (int(pin.name.removeprefix("GPIO")) if "GPIO" in pin.name else names[pin.name])
    pulled_up = {int(pin.name[4:]) for pin in header.pins.values() if pin.pull == "up"}
    assert pulled_up == {gpio for gpio, duty in DUTIES.items() if "fixed pull-ups" in duty}


def test_every_bcm_line_has_its_pin() -> None:
    assert sorted(what for what in HEADER if isinstance(what, int)) == list(range(28))
    assert header_pin(4) == 7
    with pytest.raises(ValueError, match="not in tuple"):
        header_pin(28)


# Table, picture, dict


def test_a_row_says_role_line_pin_and_mode() -> None:
    rows = {row.role: row for row in table(defaults())}
    assert len(rows) == 20
    place = rows["player 1, place 3"]
    assert (place.line, place.gpio, place.pin, place.contact) == ("8", 8, 24, "GPIO8 = pin 24")
    assert place.mode == "input, pulled up, closed = low"
    assert rows["player 2 START lamp"].mode == "output, lit when high"


def test_lines_of_an_expander_are_told_by_the_chips_own_pins() -> None:
    rows = {row.line: row for row in table(profile("7-buttons"))}
    assert rows["mcp23017:0"].contact == "GPA0 = pin 21 of mcp23017"
    assert rows["mcp23017:7"].contact == "GPA7 = pin 28 of mcp23017"
    assert rows["mcp23017:8"].contact == "GPB0 = pin 1 of mcp23017"
    assert rows["mcp23017:15"].contact == "GPB7 = pin 8 of mcp23017"
    assert rows["mcp23017:15"].gpio is None
    assert rows["mcp23017:15"].pin is None


def test_other_chips_are_told_by_line() -> None:
    rows = {row.role: row for row in table(parse('input.coin = "gpiochip5:3"'))}
    assert rows["coin switch"].contact == "line 3 of gpiochip5"


def test_an_expander_needs_its_overlay_without_interrupts() -> None:
    assert overlays(defaults()) == []
    assert overlays(profile("6-buttons")) == ["dtoverlay=mcp23017,addr=0x20,noints"]
    assert overlays(profile("10-buttons")) == [
        "dtoverlay=mcp23017,addr=0x20,noints",
        "dtoverlay=mcp23017,addr=0x21,noints",
    ]
    assert "In config.txt:" in as_text(profile("10-buttons"))
    assert "config.txt" not in as_text(defaults())


@pytest.mark.parametrize("settings", PROFILES.values(), ids=PROFILES)
def test_the_picture_shows_each_role_beside_its_pin(settings: Settings) -> None:
    lines = as_picture(settings).splitlines()
    assert len(lines) == 20
    assert len({line.index(" o o ") for line in lines}) == 1
    for row in table(settings):
        if row.pin is None:
            continue
        left, right = lines[(row.pin - 1) // 2].split(" o o ")
        side = left if row.pin % 2 else right
        assert f"{row.role}, GPIO{row.gpio}" in side
        assert str(row.pin) in side
    free = sum("free" in half for line in lines for half in line.split(" o o "))
    assert free == 22 - sum(row.pin is not None for row in table(settings))


def test_the_table_has_a_line_for_each_wire() -> None:
    text = as_table(defaults())
    assert len(text.splitlines()) == 21
    assert "player 2, place 4 lamp  22    GPIO22 = pin 15  output, lit when high\n" in text
    assert as_text(defaults()).startswith(text)


def test_programs_get_the_same_as_plain_values() -> None:
    wires = json.loads(json.dumps(as_dict(profile("8-buttons"))))
    assert wires["wires"][0] == {
        "role": "player 1, place 1",
        "line": "4",
        "gpio": 4,
        "pin": 7,
        "contact": "GPIO4 = pin 7",
        "mode": "input, pulled up, closed = low",
    }
    assert len(wires["wires"]) == 36
    assert len(wires["config_txt"]) == 2


# wiring.md


def test_the_page_shows_the_default_settings() -> None:
    shown = {}
    for button, gpio, pin, lamp, lamp_gpio, lamp_pin in rows_of(
        "button", "GPIO", "pin", "lamp", "GPIO", "pin"
    ):
        shown[button] = (int(gpio), int(pin))
        shown[lamp] = (int(lamp_gpio), int(lamp_pin))
    assert shown == {row.role: (row.gpio, row.pin) for row in table(defaults())}


def test_the_page_shows_the_picture_of_the_default_settings() -> None:
    assert f"```text\n{as_picture(defaults())}```" in PAGE


def test_the_page_names_free_lines_and_grounds_rightly() -> None:
    used = {row.gpio for row in table(defaults())}
    assert [gpio for gpio in HEADER_LINES if gpio not in used] == [26, 27]
    assert f"GPIO 26 (pin {header_pin(26)}) and 27 (pin {header_pin(27)}) are free" in PAGE
    assert parse("[input]\ncoin = 26\nservice = 27").input.service == Line.parse(27)
    grounds = [int(pin) for cell, _ in rows_of("ground pin", "for") for pin in cell.split(",")]
    assert sorted(grounds) == [pin for pin, what in enumerate(HEADER, 1) if what == "ground"]


@pytest.mark.parametrize("board", BOARDS)
def test_the_reserved_pins_of_the_page_are_right(board: str) -> None:
    header = PiBoardInfo.from_revision(BOARDS[board]).headers["J8"]
    for first, second, pins in ((0, 1, "27, 28"), (2, 3, "3, 5"), (14, 15, "8, 10")):
        assert re.search(rf"{first} and {second} \(pins {pins}:", PAGE)
        numbers = [int(pin) for pin in pins.split(", ")]
        assert [header.pins[number].name for number in numbers] == [f"GPIO{first}", f"GPIO{second}"]


def test_every_lamp_resistor_of_the_page_keeps_the_current_within_bounds() -> None:
    def between(text: str) -> tuple[float, float]:
        low, high = re.findall(r"\d\.\d", text)
        return float(low), float(high)

    def milliamps(text: str) -> float:
        return float(text.removesuffix(" mA"))

    direct = rows_of("LED", "forward voltage", "resistor", "current at the lowest", "at the highest")
    assert len(direct) == 3
    for _, forward, resistor, most, least in direct:
        low, high = between(forward)
        ohms = int(resistor.removesuffix(" Ω"))
        assert milliamps(most) == pytest.approx((3.3 - low) / ohms * 1000, abs=0.06)
        assert milliamps(least) == pytest.approx((3.3 - high) / ohms * 1000, abs=0.06)
        assert milliamps(most) <= 4
    driven = rows_of("LED", "supply", "resistor", "current at the lowest", "at the highest")
    assert len(driven) == 4
    for led, supply, resistor, most, least in driven:
        low, high = between(led)
        volts, ohms = int(supply.removesuffix(" V")), int(resistor.removesuffix(" Ω"))
        assert milliamps(most) == pytest.approx((volts - 0.8 - low) / ohms * 1000, abs=0.06)
        assert milliamps(least) == pytest.approx((volts - 0.8 - high) / ohms * 1000, abs=0.06)
        assert milliamps(most) <= 20


def test_the_page_gives_the_overlays_of_the_larger_profiles() -> None:
    for line in overlays(profile("10-buttons")):
        assert line in PAGE
    sizes = re.search(r"Profiles with ([\d, and]+) buttons", PAGE)
    assert sizes is not None
    assert [int(n) for n in re.findall(r"\d+", sizes[1])] == [s.buttons for s in PROFILES.values()][1:]
