"""Which library the buttons come from, and which chip they hang on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from firmware import cabinet, chips
from firmware.cabinet import choose_pins, choose_source
from firmware.chips import Chip, find_chip
from firmware.clock import ManualClock
from firmware.errors import ChipError
from firmware.lines import Line, lines
from firmware.pins import Pins, PushPin, mock_pins
from firmware.settings import Input, Settings, Source
from firmware.touch import gpiod_lines
from firmware.touch.edges import EdgeSource
from firmware.touch.gpiod_lines import GpiodLines
from firmware.touch.gpiozero_lines import GpiozeroLines
from firmware.touch.mending import Mending
from tests.fakes.kernel_lines import FakeKernel

HEADER = Chip("gpiochip4", "pinctrl-rp1", 54)
CHIPS = [
    Chip("gpiochip0", "gpio-brcmstb@107d508500", 32),
    Chip("gpiochip2", "mcp23017", 16, 0x20, is_on_bus=True),
    Chip("gpiochip3", "mcp23017", 16, 0x21, is_on_bus=True),
    HEADER,
]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(chips, "chips", lambda: CHIPS)
    monkeypatch.setattr(chips, "_SYSFS", tmp_path)
    for name, compatible in (("gpiochip0", b"brcm,brcmstb-gpio"), ("gpiochip4", b"raspberrypi,rp1-gpio")):
        node = tmp_path / name / "of_node"
        node.mkdir(parents=True)
        (node / "compatible").write_bytes(compatible + b"\0")


# Chips


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("line", "name"),
    [
        (4, "gpiochip4"),
        ("mcp23017:3", "gpiochip2"),
        ("mcp23017@21:3", "gpiochip3"),
        ("gpiochip3:3", "gpiochip3"),
    ],
)
def test_chip_is_found_by_label_address_or_name(line: int | str, name: str) -> None:
    chip = find_chip(Line.parse(line))
    assert (chip.name, chip.device, chip.number) == (name, f"/dev/{name}", int(name[-1]))


@pytest.mark.usefixtures("machine")
def test_header_of_a_kernel_that_labels_it_otherwise_is_found_by_the_device_tree(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = [*CHIPS[:3], Chip("gpiochip4", "some new label", 54)]
    monkeypatch.setattr(chips, "chips", lambda: other)
    assert find_chip(Line(None, 4)).name == "gpiochip4"
    assert chips.has_header()


@pytest.mark.usefixtures("machine")
def test_missing_chip_is_told_with_those_there_are() -> None:
    with pytest.raises(ChipError, match=r"mcp23017@22: not found; .*gpiochip4 \[pinctrl-rp1\]") as caught:
        find_chip(Line.parse("mcp23017@22:3"))
    assert isinstance(caught.value, OSError)


# Pins


@pytest.mark.usefixtures("machine")
def test_auto_takes_the_header_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not choose_pins(Settings()).is_mock
    monkeypatch.setattr(cabinet, "has_header", lambda: False)
    assert choose_pins(Settings()).is_mock
    assert not choose_pins(Settings(input=Input(source=Source.GPIOD))).is_mock
    assert choose_pins(Settings(input=Input(source=Source.MOCK))).is_mock


@pytest.mark.usefixtures("machine")
def test_header_that_may_not_be_used_is_told_and_not_taken_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> list[Chip]:
        raise ChipError("/dev/gpiochip0: Permission denied; the user has to be in the group 'gpio'")

    monkeypatch.setattr(chips, "chips", refuse)
    with pytest.raises(ChipError, match="the group 'gpio'"):
        choose_pins(Settings())


# Sources

Chooser = Callable[[Source], EdgeSource]


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chooser]:
    kernel = FakeKernel()
    on_fake = partial(GpiodLines, find=kernel.find, request_lines=kernel.request_lines)
    monkeypatch.setattr(gpiod_lines, "GpiodLines", on_fake)
    mock = mock_pins()
    pins = Pins(mock.factory, is_mock=False, is_kernel=True)
    chosen: list[EdgeSource] = []

    def chooser(source: Source) -> EdgeSource:
        settings = Settings(input=Input(source=source))
        chosen.append(choose_source(settings, pins, ManualClock(1), lambda fault, *, is_over=False: None))
        return chosen[-1]

    yield chooser
    for source in chosen:
        source.close()
    pins.close()


def inner(source: EdgeSource) -> type[Any]:
    assert isinstance(source, Mending)
    return type(source._source)


@pytest.mark.parametrize("source", [Source.AUTO, Source.GPIOD])
def test_buttons_of_a_pi_come_by_gpiod(choose: Chooser, source: Source) -> None:
    assert inner(choose(source)) is GpiodLines


def test_gpiozero_can_be_forced(choose: Chooser) -> None:
    assert inner(choose(Source.GPIOZERO)) is GpiozeroLines


@pytest.mark.parametrize("installed", [None, "version 1"])
def test_without_gpiod_2_auto_takes_gpiozero_and_gpiod_says_what_to_install(
    choose: Chooser, monkeypatch: pytest.MonkeyPatch, installed: str | None
) -> None:
    # Version 1, as Debian 12 has it, is one module of the same name, without `gpiod.line`.
    monkeypatch.delitem(sys.modules, "firmware.touch.gpiod_lines", raising=False)
    monkeypatch.delitem(sys.modules, "firmware.touch.kernel", raising=False)
    name = "gpiod" if installed is None else "gpiod.line"
    monkeypatch.setitem(sys.modules, name, None)
    assert inner(choose(Source.AUTO)) is GpiozeroLines
    with pytest.raises(ChipError, match=r"gpiod 2 is not installed: pip install 'gpiod>=2\.2'"):
        choose(Source.GPIOD)


def test_patient_gpiozero_lines_go_without_what_is_missing_and_get_it_back() -> None:
    pins, clock = mock_pins(), ManualClock(1)
    other = GpiozeroLines(lines(5), pins.factory, clock)
    source = GpiozeroLines(lines(4, 5, 6), pins.factory, clock, is_patient=True)
    assert list(source.missing) == ["5"]
    assert str(source.missing["5"]).startswith("line 5: ")
    source.mend()
    assert list(source.missing) == ["5"]
    other.close()
    source.mend()
    assert source.missing == {}
    pin = pins.mock_pin(Line(None, 5))
    assert isinstance(pin, PushPin)
    pin.push(7, 0)
    assert [edge.line for edge in source.wait(0)] == ["5"]
    source.close()
    pins.close()
