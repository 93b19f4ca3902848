"""From a TOML file to a typed, checked value; and, where it is wrong, one sentence that says where.

The sentence is made from the types themselves: ``cabinet.toml, line 7: input.confirm_us: found 9000,
allowed are whole numbers from 500 to 5000``. Only the first thing that is wrong is told.
"""

from __future__ import annotations

import json
import re
import reprlib
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from firmware.errors import CabinetError, SettingsError
from firmware.lines import WRITTEN, Line

MOST_BYTES = 256 * 1024
"""A larger file is not a settings file."""

Key = tuple[str | int, ...]
S = TypeVar("S", bound=msgspec.Struct)


class WrongSetting(SettingsError):
    """A setting that cannot be: ``key`` is the way to it, ``text`` what was found and what is allowed."""

    def __init__(self, key: Key, text: str, *, is_missing: bool = False) -> None:
        super().__init__(f"{dotted(key)}: {text}")
        self.key = key
        self.text = text
        self.is_missing = is_missing


def dotted(key: Key) -> str:
    """*key* as people write it: ``seat[1].piles[2]``."""
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            bare = re.fullmatch(r"[\w-]+", part, re.ASCII)
            text += ("." if text else "") + (part if bare else shown(part))
    return text


def shown(value: object) -> str:
    """*value* much as TOML writes it, and short."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value if len(value) <= 60 else value[:57] + "...", ensure_ascii=False)
        case dict():
            return "a table"
        case list() | tuple() if any(isinstance(one, dict) for one in value):
            return f"{len(value)} table{'s' if len(value) > 1 else ''}"
        case list() | tuple():
            few = ["[...]" if isinstance(one, list | tuple) else shown(one) for one in value[:12]]
            return f"[{', '.join(few)}{', ...' if len(value) > 12 else ''}]"
    try:
        return reprlib.repr(value) if isinstance(value, int) else str(value)
    except ValueError:  # thousands of digits, which Python refuses to print
        return "a number of thousands of digits"


def read(path: str | Path) -> str:
    """The text of the file at *path*; raises :class:`SettingsError` for whatever is not a text file."""
    try:
        place = Path(path)
        if place.is_dir():
            raise SettingsError(f"{path}: found a directory, allowed are files")
        if place.exists() and not place.is_file():  # a pipe or a device might never end
            raise SettingsError(f"{path}: found something else than a file, allowed are files")
        with place.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise SettingsError(f"{path}: there is no such file") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in the path
        raise SettingsError(f"{str(path)!r}: not a path: {error}") from None
    if len(content) > MOST_BYTES:
        raise SettingsError(f"{path}: found a larger file, allowed are {MOST_BYTES // 1024} KiB")
    try:
        return content.decode("utf-8-sig")  # editors on Windows put a mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{content[error.start]:02x}"
        raise SettingsError(f"{path}, line {line}: found {found}, allowed is UTF-8 text") from None


def decode(text: str, name: str, kind: type[S]) -> S:
    """The value of type *kind* that the TOML *text* holds; *name* stands in front of every complaint.

    Raises :class:`SettingsError`.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).rpartition(" (at ")
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else text.count("\n") + 1
        raise SettingsError(f"{name}, line {number}: not TOML: {what or error}") from None
    except (ValueError, RecursionError) as error:  # a number of 5000 digits; a thousand brackets
        raise SettingsError(f"{name}: not TOML that can be read: {error}") from None
    try:
        return msgspec.convert(raw, kind, dec_hook=_custom)
    except msgspec.ValidationError as error:
        wrong = _explain(error, raw, kind)
    is_written = _holds(raw, wrong.key)
    begins = _line_of(wrong.key if is_written else wrong.key[:-1], text)
    where = name if begins is None else f"{name}, line {begins}"
    hint = "" if is_written or wrong.is_missing else " (left out, so the default)"
    raise SettingsError(f"{where}: {dotted(wrong.key)}{hint}: {wrong.text}")


def encode(settings: msgspec.Struct) -> str:
    """*settings* as a TOML file that :func:`decode` reads back to the same value."""
    lines: list[str] = []
    raw: dict[str, Any] = msgspec.to_builtins(settings, enc_hook=lambda line: line.written)
    for section, content in raw.items():
        if content is None:
            continue
        several = not isinstance(content, dict)
        for table in content if several else [content]:
            lines += ["", f"[[{section}]]" if several else f"[{section}]"]
            lines += [f"{key} = {_toml(value)}" for key, value in table.items() if value is not None]
    return "\n".join(lines).lstrip() + "\n"


def _toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _custom(kind: type, value: Any) -> Any:
    if kind is not Line:
        raise NotImplementedError(kind)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError("not a line")  # told in the words of _allowed
    return Line.parse(value)


def _explain(error: msgspec.ValidationError, raw: Any, kind: type) -> WrongSetting:
    """What *error* means: msgspec tells the place and half the story, the types tell what is allowed."""
    from msgspec import inspect  # needed only when something is wrong

    place = re.search(r" - at `\$([^`]*)`$", str(error))
    parts = re.findall(r"\.(\w+)|\[(\d+)\]", place[1] if place else "")
    key: Key = tuple(int(index) if index else name for name, index in parts)
    cause = error.__cause__
    if isinstance(cause, WrongSetting):
        return WrongSetting(key + cause.key, cause.text)
    if isinstance(cause, CabinetError):
        return WrongSetting(key, str(cause))
    value, type_ = raw, inspect.type_info(kind)
    for part in key:
        value, type_ = value[part], _inner(type_, part)
    if isinstance(type_, inspect.StructType) and isinstance(value, dict):
        fields = {field.encode_name: field for field in type_.fields}
        for name in [name for name in value if name not in fields]:
            return WrongSetting((*key, name), f"unknown key, allowed are {', '.join(fields)}")
        for name in [name for name, field in fields.items() if field.required and name not in value]:
            text = f"missing, allowed are {_allowed(fields[name].type)}"
            return WrongSetting((*key, name), text, is_missing=True)
    return WrongSetting(key, f"found {shown(value)}, allowed are {_allowed(type_)}")


def _inner(type_: Any, part: str | int) -> Any:
    """The type of *part* of a value of *type_*."""
    if isinstance(part, str):
        return next(field.type for field in type_.fields if field.encode_name == part)
    for choice in getattr(type_, "types", (type_,)):
        if hasattr(choice, "item_types"):
            return choice.item_types[part]
        if hasattr(choice, "item_type"):
            return choice.item_type
    return type_


def _allowed(type_: Any) -> str:
    """The values of *type_* in words."""
    from msgspec import inspect

    match type_:
        case inspect.BoolType():
            return "true and false"
        case inspect.IntType(ge=low, le=high) | inspect.FloatType(ge=low, le=high):
            numbers = "whole numbers" if isinstance(type_, inspect.IntType) else "numbers"
            return numbers if low is None else f"{numbers} from {low} to {high}"
        case inspect.StrType():
            return "texts in quotes"
        case inspect.LiteralType(values=values):
            return ", ".join(shown(value) for value in values)
        case inspect.EnumType(cls=cls):
            return ", ".join(shown(member.value) for member in cls)
        case inspect.CustomType():
            return WRITTEN
        case inspect.VarTupleType(item_type=item, min_length=None):
            return f"lists of {_allowed(item)}"
        case inspect.VarTupleType(item_type=item, min_length=low, max_length=high):
            return f"lists of {low} to {high}: {_allowed(item)}"
        case inspect.TupleType(item_types=(inspect.StructType(), *_) as items):
            return f"{len(items)} {_allowed(items[0])}"
        case inspect.TupleType(item_types=items):
            return f"lists of {len(items)}: {_allowed(items[0])}"
        case inspect.StructType(fields=fields):
            return f"tables with the keys {', '.join(field.encode_name for field in fields)}"
        case inspect.UnionType(types=types):
            return ", or ".join(_allowed(one) for one in types if not isinstance(one, inspect.NoneType))
    return "other values"


def _line_of(key: Key, text: str) -> int | None:
    """The line on which *key* begins: the first that, added to those before, makes the key appear.

    Asking the TOML reader itself is right for every way to write a key. None if the key is not in the text.
    """
    name = [part for part in key if isinstance(part, str)][-1]
    lines = text.split("\n")
    readings = 200  # a settings file needs a handful; a monster shall not take minutes to be refused
    for start in (number for number, line in enumerate(lines) if name in line):
        for end in range(start + 1, len(lines) + 1):  # a value may take several lines
            readings -= 1
            if readings < 0:
                return None
            try:
                raw = tomllib.loads("\n".join(lines[:end]))
            except ValueError:
                continue
            if _holds(raw, key):
                return start + 1
            break
    return None


def _holds(raw: Any, key: Key) -> bool:
    for part in key:
        try:
            raw = raw[part]
        except (KeyError, IndexError, TypeError):
            return False
    return True
