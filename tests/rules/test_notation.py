"""Commands and events as one line of text: every value comes back, and a text means one thing or nothing."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.rules import (
    PACK,
    Abandon,
    Agree,
    BadNotation,
    Card,
    Command,
    Cover,
    DeadHeat,
    Event,
    Go,
    Reason,
    Timer,
)
from firmware.rules.events import Covered, Ended, Excuse, Ignored, Redealt, Turned
from firmware.rules.notation import COMMANDS, EVENTS, command_from_text, event_from_text, to_text

READ: dict[str, Callable[[str], Command | Event]] = {
    **dict.fromkeys(COMMANDS, command_from_text),
    **dict.fromkeys(EVENTS, event_from_text),
}
KINDS = {**COMMANDS, **EVENTS}
QUICK = settings(deadline=None, derandomize=True, max_examples=100)
WHOLE = st.integers(-(2**63), 2**63)


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a field's type."""
    if kind is int:
        return WHOLE
    if kind is str:
        return st.from_regex(r"[a-z][a-z_]{0,11}", fullmatch=True)
    if kind is bool:
        return st.booleans()
    if kind is Card:
        return st.sampled_from(PACK)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    if isinstance(kind, types.UnionType):
        return st.one_of([st.none() if arg is types.NoneType else values(arg) for arg in kind.__args__])
    assert typing.get_origin(kind) is tuple, f"no values known for {kind}"
    inner = typing.get_args(kind)
    if inner[-1] is Ellipsis:
        return st.lists(values(inner[0]), min_size=1, max_size=5).map(tuple)
    return st.tuples(*map(values, inner))


def things(name: str) -> st.SearchStrategy[Any]:
    """Any command or event of that name."""
    kind = KINDS[name]
    hints = typing.get_type_hints(kind)
    return st.builds(kind, **{field.name: values(hints[field.name]) for field in fields(kind)})


def test_notation_has_a_word_for_every_command_and_event() -> None:
    assert set(COMMANDS.values()) == set(typing.get_args(Command))
    assert set(EVENTS.values()) == set(typing.get_args(Event))
    assert not set(COMMANDS) & set(EVENTS)


@pytest.mark.parametrize("name", KINDS)
def test_notation_everything_written_is_read_again(name: str) -> None:
    @QUICK
    @given(things(name))
    def check(thing: Any) -> None:
        text = to_text(thing)
        assert "\n" not in text
        assert text.isascii()
        assert READ[name](text) == thing

    check()


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (Go(0), "0 go"),
        (Cover(1_500_000_000, 1, 3), "1500000000 cover seat=1 slot=3"),
        (Agree(7, 0), "7 agree seat=0"),
        (DeadHeat(9, ((0, 2), (1, 2)), None), "9 dead_heat contestants=0:2,1:2 winner=-"),
        (DeadHeat(9, ((0, 2), (1, 3)), 1), "9 dead_heat contestants=0:2,1:3 winner=1"),
        (Timer(5, "turn", 1), "5 timer what=turn index=1"),
        (Abandon(5), "5 abandon"),
        (Covered(1, 0, 3, Card.parse("7h")), "1 covered seat=0 slot=3 card=7h"),
        (Turned(1, 1, Card.parse("Ts")), "1 turned seat=1 card=Ts"),
        (Ignored(1, 0, None, Excuse.PENALTY), "1 ignored seat=0 slot=- excuse=penalty"),
        (Redealt(1, True), "1 redealt is_rush=yes"),
        (Ended(1, Reason.TIE, None), "1 ended reason=tie winner=-"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_notation_reads_like_this(thing: Command | Event, text: str) -> None:
    # Journals are kept: what is written here may not change.
    assert to_text(thing) == text
    assert READ[text.split()[1]](text) == thing


@pytest.mark.parametrize(
    "text",
    [
        "",
        "go",
        "x go",
        "5",
        "5 ",
        " 5 go",
        "5  go",
        "5 go ",
        "5 GO",
        "+5 go",
        "-0 go",
        "05 go",
        "1_0 go",
        "5.0 go",
        "5 cover",
        "5 cover seat=0",
        "5 cover slot=0 seat=0",
        "5 cover seat=0 slot=0 slot=1",
        "5 cover seat=0 slot=0 card=7h",
        "5 cover seat=0  slot=0",
        "5 cover seat= slot=0",
        "5 cover seat=- slot=0",
        "5 cover seat=0 slot=0\n",
        "5 dead_heat contestants= winner=-",
        "5 dead_heat contestants=0:1:2,1:2 winner=-",
        "5 dead_heat contestants=0,1 winner=-",
        "5 timer what index=0",
        "5 timer what= index=0",
        "5 timer what=a=b index=0",
        "5 covered seat=0 slot=0 card=7h",
        "9" * 5000 + " go",
    ],
)
def test_notation_bad_text_is_refused_and_named(text: str) -> None:
    with pytest.raises(BadNotation) as caught:
        command_from_text(text)
    assert repr(text) in str(caught.value)


def check_any(text: str) -> None:
    """*text* is refused as bad notation, or is the one way to write what it says."""
    for read in (command_from_text, event_from_text):
        try:
            thing = read(text)
        except BadNotation:
            continue
        assert to_text(thing) == text


@settings(QUICK, max_examples=300)
@given(st.text(max_size=40))
def test_notation_any_text_is_bad_notation_or_has_one_meaning(text: str) -> None:
    check_any(text)


@settings(QUICK, max_examples=600)
@given(st.data())
def test_notation_damaged_line_is_bad_notation_or_has_one_meaning(data: st.DataObject) -> None:
    text = to_text(data.draw(things(data.draw(st.sampled_from(sorted(KINDS))))))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 3)))
    patch = data.draw(st.one_of(st.text(max_size=3), st.text(alphabet=" =-:,0123456789ach_", max_size=3)))
    check_any(text[:start] + patch + text[end:])
