"""Commands and events as one line of text, and back.

``1500000000 covered seat=0 slot=3 card=7h``: the time in nanoseconds, the name, the fields. Every
value can be written and read again unchanged, so logs, journals and tests share one notation.
Seats and slots count from 0 here; people are shown 1 and up.
"""

from __future__ import annotations

import re
import types
import typing
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any

from firmware.rules import commands, events
from firmware.rules.cards import BadNotation, Card


def name_of(kind: type) -> str:
    """The word for a command or event class: ``DeadHeat`` → ``dead_heat``."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", kind.__name__).lower()


COMMANDS: dict[str, type] = {name_of(kind): kind for kind in typing.get_args(commands.Command)}
EVENTS: dict[str, type] = {name_of(kind): kind for kind in typing.get_args(events.Event)}


def to_text(thing: commands.Command | events.Event) -> str:
    """One line for a command or event."""
    words = [str(thing.at_ns), name_of(type(thing))]
    for field in fields(thing):
        if field.name != "at_ns":
            words.append(f"{field.name}={_value_text(getattr(thing, field.name))}")
    return " ".join(words)


def as_fields(thing: commands.Command | events.Event) -> dict[str, object]:
    """A command or event for JSON: its time, its word and its fields; cards in their notation."""
    found: dict[str, object] = {"at_ns": thing.at_ns, "event": name_of(type(thing))}
    for field in fields(thing):
        value = getattr(thing, field.name)
        found[field.name] = _value_text(value) if isinstance(value, Card | Enum) else value
    return found


def command_from_text(text: str) -> commands.Command:
    """The command written as *text*; raises :class:`BadNotation` that names what is wrong."""
    return typing.cast(commands.Command, _parse(text, COMMANDS))


def event_from_text(text: str) -> events.Event:
    """The event written as *text*; raises :class:`BadNotation` that names what is wrong."""
    return typing.cast(events.Event, _parse(text, EVENTS))


def _value_text(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case Card():
            return str(value)
        case Enum():
            return str(value.value)
        case tuple() if value and isinstance(value[0], tuple):
            return ",".join(":".join(map(str, pair)) for pair in value)
        case tuple():
            return ",".join(map(str, value))
    return str(value)


@cache
def _fields(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind) if field.name != "at_ns"}


def _parse(text: str, kinds: dict[str, type]) -> object:
    at_text, _, rest = text.partition(" ")
    name, *words = rest.split(" ")
    kind = kinds.get(name)
    if kind is None:
        raise BadNotation(f"{text!r}: found the word {name!r}, allowed are {', '.join(kinds)}")
    wanted = _fields(kind)
    pairs = [tuple(word.partition("=")[::2]) for word in words]
    if [key for key, _ in pairs] != list(wanted):
        raise BadNotation(f"{text!r}: {name} takes {' '.join(f'{key}=' for key in wanted) or 'nothing'}")
    values = {key: _value(text, key, value, wanted[key]) for key, value in pairs}
    return kind(at_ns=_value(text, "time", at_text, int), **values)


def _value(text: str, key: str, word: str, kind: Any) -> Any:
    if isinstance(kind, types.UnionType):
        if word == "-":
            return None
        kind = next(arg for arg in kind.__args__ if arg is not types.NoneType)
    try:
        if kind is bool:
            return {"yes": True, "no": False}[word]
        if kind is Card:
            return Card.parse(word)
        if kind is int:
            return _whole(word)
        if kind is str and not word.isidentifier():
            raise ValueError(word)
        if kind is str or _is_enum(kind):
            return kind(word)
        parts = word.split(",")
        if typing.get_args(kind)[0] is int:
            return tuple(_whole(part) for part in parts)
        pairs = tuple(tuple(_whole(number) for number in part.split(":")) for part in parts)
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError(word)
        return pairs
    except (ValueError, KeyError):
        raise BadNotation(f"{text!r}: {key} cannot be {word!r}") from None


def _is_enum(kind: Any) -> bool:
    """True for an enumeration class."""
    return isinstance(kind, type) and issubclass(kind, Enum)


def _whole(word: str) -> int:
    # int() would also take '+1', '-0', '1_000' and ' 1': values that do not come back as they were written.
    if not re.fullmatch(r"0|-?[1-9][0-9]*", word):
        raise ValueError(word)
    return int(word)
