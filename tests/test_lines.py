"""Lines: how they are written, and which may be used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.errors import LineError
from firmware.lines import DUTIES, HEADER_LINES, WRITTEN, Line, lines

_chips = st.none() | st.from_regex(r"\A[a-z][a-z0-9_-]{0,10}(@[0-9a-f]{2})?\Z").filter(
    lambda chip: not chip.startswith(("mcp", "pinctrl"))
)


@given(_chips, st.integers(0, 999))
def test_a_line_reads_back_from_its_text(chip: str | None, number: int) -> None:
    if chip is None:
        number = HEADER_LINES[number % len(HEADER_LINES)]
    line = Line(chip, number)
    assert Line.parse(str(line)) == line == Line.parse(line.written)
    assert hash(Line.parse(str(line))) == hash(line)
    assert (line.chip, line.number) == (chip, number)
    assert eval(repr(line)) == line


def test_line_knows_label_and_address() -> None:
    line = Line.parse("mcp23017@21:7")
    assert (line.chip, line.label, line.address, line.number) == ("mcp23017@21", "mcp23017", 0x21, 7)
    header = Line.parse("27")
    assert (header.chip, header.label, header.address, header.number) == (None, None, None, 27)
    assert header == Line.parse(27) != Line.parse("gpiochip0:27")
    assert lines(4, "gpiochip5:3") == (Line(None, 4), Line("gpiochip5", 3))


@pytest.mark.parametrize(
    "text",
    ["", ":", "4:", ":4", "a:b", "a:1000", "4.0", "²", "４", " 4", "4\n", "a b:1", "a@2:1", "x" * 40 + ":1"],
)
def test_other_text_is_no_line(text: str) -> None:
    with pytest.raises(LineError, match=f"which is not a line; allowed are {WRITTEN}"):
        Line.parse(text)


def test_every_header_line_is_usable_or_has_another_duty() -> None:
    assert sorted((*HEADER_LINES, *DUTIES)) == list(range(28))
    assert len(HEADER_LINES) == 22


def test_a_number_too_long_to_print_is_no_line() -> None:
    with pytest.raises(LineError, match="found a far larger number, which the header does not have"):
        Line(None, 16**5000)
