"""Opening the screen that the settings ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import pygame

from firmware.errors import ScreenError
from firmware.settings import Settings
from firmware.show.look import Look
from firmware.show.screen import DESKTOP_SIZE, Screen
from firmware.system import display
from firmware.system.machine import Machine
from firmware.system.renderer import renderer_name
from firmware.touch.contact import Button

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
KMSDRM = "kmsdrm"
"""SDL's driver for a display without a desktop; it calls itself "KMSDRM"."""
NO_DESKTOP = (
    f"neither {DISPLAYS[0]} nor {DISPLAYS[1]} is set; start it from a terminal of the desktop, over ssh with "
    "`ssh -X`, or without a desktop with SDL_VIDEODRIVER=kmsdrm; `speed-cabinet demo` tells a match here"
)
"""What to do where this is no Pi: nobody wants to make a cabinet of their laptop."""


def has_desktop() -> bool:
    """Is there a desktop to open a window on? Whoever names SDL's driver says that there is a screen."""
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, (*DISPLAYS, "SDL_VIDEODRIVER")))


def prepare() -> None:
    """Tell SDL what it would guess wrongly; before it is asked for anything.

    Without a desktop it would draw into the void (driver "offscreen"), and with only the GLES libraries
    there its renderer for desktop OpenGL would show black. SIGTERM is ours to handle. Whoever has set
    one of these knows better.
    """
    if not has_desktop() and sys.platform == "linux":
        os.environ.setdefault("SDL_VIDEODRIVER", KMSDRM)
    if os.environ.get("SDL_VIDEODRIVER", "").lower() == KMSDRM:
        os.environ.setdefault("SDL_RENDER_DRIVER", "opengles2")
        os.environ.setdefault("SDL_VIDEO_DOUBLE_BUFFER", "1")
    # A window is drawn in memory and needs no OpenGL, which would bring in 100 MB of drivers.
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")


def open_screen(settings: Settings, keys: Mapping[Button, str] | None = None) -> Screen:
    """The display; raises :class:`~firmware.errors.ScreenError` that says why there is none.

    *keys*: what the buttons are called, where they are keys; see :func:`~firmware.touch.keyboard.key_names`.
    """
    is_guess = "SDL_VIDEODRIVER" not in os.environ
    prepare()
    try:
        screen = Screen(_size(settings), look=_look(settings, keys or {}))
    except ScreenError as error:
        trouble = _trouble(is_guess=is_guess)
        if is_guess:
            # A guess that was wrong is nobody's wish: the next try guesses anew.
            os.environ.pop("SDL_VIDEODRIVER", None)
        if trouble is None:
            raise
        raise ScreenError(f"no display: {trouble} ({error.__cause__ or error})") from error
    if is_bare():
        try:
            refuse_black(renderer_name())
        except ScreenError:
            screen.close()
            raise
    return screen


def _trouble(*, is_guess: bool) -> str | None:
    """Why there is no bare display and what to do; None: a desktop was asked, and SDL has said it."""
    if os.environ.get("SDL_VIDEODRIVER", "").lower() != KMSDRM:
        return None
    if is_guess and not Machine().is_pi:
        return NO_DESKTOP
    trouble = display.trouble()
    return None if trouble is None else str(trouble)


def is_bare() -> bool:
    """Is the open display one without a desktop?"""
    return pygame.display.get_init() and pygame.display.get_driver().lower() == KMSDRM


def refuse_black(renderer: str | None) -> None:
    """Raises :class:`~firmware.errors.ScreenError` for the *renderer* that draws black on a bare display."""
    if renderer == "opengl":
        raise ScreenError(
            "no display: SDL draws with desktop OpenGL, which shows black here; "
            "set SDL_RENDER_DRIVER to opengles2, and: sudo apt install libegl1 libgles2 libgl1-mesa-dri"
        )


def off_display(settings: Settings) -> Screen:
    """A picture in memory, that needs no display."""
    pygame.font.init()
    return Screen.off_display(_size(settings) or DESKTOP_SIZE, look=_look(settings, {}))


def _size(settings: Settings) -> tuple[int, int] | None:
    size = settings.screen.size
    return None if size == "auto" else size


def _look(settings: Settings, keys: Mapping[Button, str]) -> Look:
    screen = settings.screen
    return Look(
        four_colours=screen.four_colour,
        reduced_motion=screen.reduced_motion,
        keys={(button.seat, button.number): key.upper() for button, key in keys.items()},
    )
