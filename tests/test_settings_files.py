"""Settings: the file itself, whatever lies there."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.errors import SettingsError
from firmware.settings import defaults, load


def test_load_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "cabinet.toml"
    path.write_text('[play]\ngame = "classic"\n', encoding="utf-8")
    assert load(path).play.game == "classic"
    path.write_bytes(b'\xef\xbb\xbf[play]\r\ngame = "suit"\r\n')
    assert load(str(path)).play.game == "suit"
    path.write_bytes(b"")
    assert load(path) == defaults()


def test_load_names_the_file_and_the_line(tmp_path: Path) -> None:
    path = tmp_path / "cabinet.toml"
    path.write_text("[lamps]\npwm = 3\n")
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value) == f"{path}, line 2: lamps.pwm: found 3, allowed are true and false"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\x7fELF\x00\x00", ", line 1: not TOML:"),
        (b'[play]\ngame = "\xe9"', ", line 2: found byte 0xe9, allowed is UTF-8 text"),
        ("[play]".encode("utf-16"), ", line 1: found byte 0xff, allowed is UTF-8 text"),
        (b"#" * 300_000, ": found a larger file, allowed are 256 KiB"),
    ],
)
def test_load_refuses_what_is_no_text(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "cabinet.toml"
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}{told}")


def test_load_refuses_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no such file"):
        load(tmp_path / "nothing.toml")
    with pytest.raises(SettingsError, match="found a directory, allowed are files"):
        load(tmp_path)
    with pytest.raises(SettingsError, match="found something else than a file"):
        load("/dev/zero")
    with pytest.raises(SettingsError, match="not a path"):
        load("a\0b")
    with pytest.raises(SettingsError, match="cannot be read"):
        load("x" * 5000)


def test_load_says_so_when_a_file_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cabinet.toml"
    path.write_text("")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SettingsError, match=r"cabinet\.toml: cannot be read: Permission denied"):
        load(path)
