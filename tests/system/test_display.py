"""Why there is no picture, told apart; and a display that is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pygame
import pytest

from firmware.clock import NS_PER_S, ManualClock
from firmware.commands import screens
from firmware.errors import ScreenError
from firmware.settings import defaults
from firmware.system.display import (
    Cause,
    Connector,
    DisplayWatch,
    Trouble,
    connectors,
    has_lost_display,
    trouble,
)
from firmware.system.renderer import renderer_name


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine with a renderer that has no socket, as card 0, and a display plugged into card 1."""
    for path, content in {
        "dev/dri/card0": "",
        "dev/dri/card1": "",
        "sys/class/drm/card0/dev": "226:0",
        "sys/class/drm/card1-HDMI-A-1/status": "connected\n",
        "sys/class/drm/card1-HDMI-A-1/modes": "1920x1080\n800x600\n",
        "sys/class/drm/card1-HDMI-A-2/status": "disconnected\n",
        "sys/class/drm/card1-HDMI-A-2/modes": "",
        "sys/class/drm/card1-Writeback-1/status": "unknown\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def found(
    root: Path,
    *,
    load: Callable[[str], bool] = lambda library: True,
    draw: Callable[[Path], bool] = lambda card: True,
) -> Cause | None:
    """The cause of what is in the way."""
    seen = trouble(root, load=load, draw=draw)
    return None if seen is None else seen.cause


def test_sockets_are_listed_with_what_is_plugged_in(root: Path) -> None:
    assert connectors(root) == [
        Connector("card1", "HDMI-A-1", True, "1920x1080"),
        Connector("card1", "HDMI-A-2", False, None),
    ]


def test_a_display_is_lost_when_nothing_is_plugged_in_anywhere(root: Path, tmp_path: Path) -> None:
    assert not has_lost_display(root)
    (root / "sys/class/drm/card1-HDMI-A-1/status").write_text("disconnected\n")
    assert has_lost_display(root)
    assert not has_lost_display(tmp_path / "nowhere"), "a machine that tells of no socket has lost none"


def test_nothing_is_in_the_way(root: Path) -> None:
    asked: list[str] = []

    def draw(card: Path) -> bool:
        asked.append(card.name)
        return True

    assert found(root, draw=draw) is None
    assert asked == ["card1"], "a card without a socket shows nothing"


def test_no_device(root: Path, tmp_path: Path) -> None:
    (root / "dev/dri/card1").unlink()
    assert found(root) is Cause.NO_DEVICE
    assert found(tmp_path / "nowhere") is Cause.NO_DEVICE


def test_a_card_that_cannot_be_opened_is_no_device(root: Path) -> None:
    def draw(card: Path) -> bool:
        raise OSError(19, "No such device")

    assert found(root, draw=draw) is Cause.NO_DEVICE


def test_no_permission(root: Path) -> None:
    def draw(card: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    assert found(root, draw=draw) is Cause.NO_PERMISSION


@pytest.mark.parametrize("library", ["libdrm.so.2", "libgbm.so.1", "libEGL.so.1", "libGLESv2.so.2"])
def test_no_library(root: Path, library: str) -> None:
    seen = trouble(root, load=lambda name: name != library, draw=lambda card: True)
    assert seen is not None
    assert seen.cause is Cause.NO_LIBRARY
    assert library in str(seen)
    assert "sudo apt install lib" in str(seen)


def test_nothing_plugged_in(root: Path) -> None:
    (root / "sys/class/drm/card1-HDMI-A-1/status").write_text("disconnected\n")
    assert found(root) is Cause.NOT_CONNECTED


def test_another_program_draws(root: Path) -> None:
    assert found(root, draw=lambda card: False) is Cause.TAKEN


# A display that is lost while it is drawn on


def test_a_display_is_lost_after_three_looks_without() -> None:
    clock, is_lost = ManualClock(0), [False]
    watch = DisplayWatch(clock, lambda: is_lost[0])

    def look(times: int) -> None:
        for _ in range(times):
            clock.move_to(clock.now_ns() + NS_PER_S)
            watch.look()
            watch.look()

    look(10)
    is_lost[0] = True
    look(2)
    is_lost[0] = False
    look(1)
    is_lost[0] = True
    look(2)
    with pytest.raises(ScreenError, match="lost"):
        look(1)


# What is never taken for a screen


@pytest.fixture
def no_window(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SDL's driver that shows nothing, and says so."""
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


@pytest.mark.usefixtures("no_window")
def test_the_renderer_is_known_by_its_name() -> None:
    assert renderer_name() is None, "nothing is open"
    pygame.display.init()
    pygame.display.set_mode((320, 240))
    assert renderer_name() is None, "a plain window has none"
    with pytest.warns(Warning, match="no fast renderer"):
        pygame.display.set_mode((320, 240), pygame.SCALED)
    assert renderer_name() == "software"


@pytest.mark.usefixtures("no_window")
@pytest.mark.parametrize("renderer", ["opengles2", "software", "opengl"])
def test_desktop_opengl_on_a_bare_display_is_no_screen(
    monkeypatch: pytest.MonkeyPatch, renderer: str
) -> None:
    monkeypatch.setattr(screens, "is_bare", lambda: True)
    monkeypatch.setattr(screens, "renderer_name", lambda: renderer)
    if renderer == "opengl":
        with pytest.raises(ScreenError, match="SDL_RENDER_DRIVER to opengles2"):
            screens.open_screen(defaults())
        assert not pygame.display.get_init()
    else:
        screens.open_screen(defaults()).close()


def test_sdls_own_void_is_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "offscreen")
    with pytest.raises(ScreenError, match="no display"):
        screens.open_screen(defaults())


@pytest.mark.parametrize(
    ("model", "asked", "told"),
    [
        ("Raspberry Pi 4 Model B Rev 1.4", None, "nothing is plugged into HDMI-A-1; plug it in"),
        (None, "kmsdrm", "nothing is plugged into HDMI-A-1; plug it in"),
        (None, None, "neither DISPLAY nor WAYLAND_DISPLAY is set; .*ssh -X.*speed-cabinet demo"),
    ],
)
def test_where_there_is_no_display_the_advice_fits_the_machine(
    monkeypatch: pytest.MonkeyPatch, model: str | None, asked: str | None, told: str
) -> None:
    why = Trouble(Cause.NOT_CONNECTED, "nothing is plugged into HDMI-A-1", "plug it in")
    pygame.display.quit()
    for name in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SDL_RENDER_DRIVER", "SDL_VIDEO_DOUBLE_BUFFER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    if asked is not None:
        monkeypatch.setenv("SDL_VIDEODRIVER", asked)
    monkeypatch.setattr("firmware.system.machine.Machine.model", lambda machine: model)
    monkeypatch.setattr("firmware.system.display.trouble", lambda: why)
    monkeypatch.setattr(screens, "Screen", _no_screen)
    for _ in range(2):  # a second try is told the same
        with pytest.raises(ScreenError, match=told):
            screens.open_screen(defaults())
    assert os.environ.get("SDL_VIDEODRIVER") == asked


def _no_screen(*asked: object, **named: object) -> None:
    raise ScreenError("no display: kmsdrm not available")


@pytest.mark.parametrize("asked", ["kmsdrm", "KMSDRM"])
def test_whoever_names_kmsdrm_gets_the_renderer_that_shows(
    monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    for name in ("SDL_RENDER_DRIVER", "SDL_VIDEO_DOUBLE_BUFFER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("SDL_VIDEODRIVER", asked)
    screens.prepare()
    assert os.environ["SDL_RENDER_DRIVER"] == "opengles2"
