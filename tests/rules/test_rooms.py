"""The house's rooms: what each may import (a pure room has no clock, no device and no chance of its own)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
IMPURE = {
    "time", "datetime", "secrets", "os", "sys", "io", "pathlib", "socket", "subprocess", "threading",
    "multiprocessing", "asyncio", "queue", "uuid", "signal", "select", "logging",
}  # fmt: skip
"""Of the standard library: clocks, devices, other threads, chance that no seed gives."""


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it, each with the name taken from it."""
    package = ("firmware", *path.relative_to(FIRMWARE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield name.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            for name in node.names:
                yield f"{module}.{name.name}"


def files(room: str) -> list[Path]:
    """The files of a room or of one file's name; none where it is not there yet."""
    path = FIRMWARE / room
    return sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.exists() else []


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@pytest.mark.parametrize("path", files("rules"), ids=lambda path: path.name)
def test_rules_import_the_standard_library_and_themselves_only(path: Path) -> None:
    for name in imports(path):
        top = name.partition(".")[0]
        assert is_in(name, "firmware.rules") or top in sys.stdlib_module_names, name


PURE = [*files("rules"), *files("touch/contact.py"), *files("touch/arbiter.py"), *files("show/scene.py")]


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.name)
def test_pure_files_have_no_clock_no_device_and_no_chance_of_their_own(path: Path) -> None:
    for name in imports(path):
        assert name.partition(".")[0] not in IMPURE, name
        # The global generator is seeded by the moment; Random(text) is not.
        assert not is_in(name, "random") or name == "random.Random", name


@pytest.mark.parametrize("room", ["touch", "show", "keep"])
def test_touch_show_and_keep_never_import_one_another(room: str) -> None:
    others = {"touch", "show", "keep"} - {room}
    for path in files(room):
        for name in imports(path):
            for other in others:
                assert not is_in(name, f"firmware.{other}"), f"{path.name} imports {name}"


def test_imports_are_found_wherever_they_stand() -> None:
    found = set(imports(FIRMWARE / "rules" / "deal.py"))
    assert {"random.Random", "collections.abc.Sequence"} <= found
    assert "firmware.rules.cards.Card" in set(imports(FIRMWARE / "rules" / "shared_piles.py"))
