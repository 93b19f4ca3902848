"""Opening the screen that the settings ask for."""

from __future__ import annotations

import os
import sys

import pygame

from firmware.settings import Settings
from firmware.show.look import Look
from firmware.show.screen import DESKTOP_SIZE, Screen

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


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
        os.environ.setdefault("SDL_VIDEODRIVER", "kmsdrm")
        os.environ.setdefault("SDL_RENDER_DRIVER", "opengles2")
        os.environ.setdefault("SDL_VIDEO_DOUBLE_BUFFER", "1")
    # A window is drawn in memory and needs no OpenGL, which would bring in 100 MB of drivers.
    os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")


def open_screen(settings: Settings) -> Screen:
    """The display; raises :class:`~firmware.errors.ScreenError` if there is none."""
    prepare()
    return Screen(_size(settings), look=_look(settings))


def off_display(settings: Settings) -> Screen:
    """A picture in memory, that needs no display."""
    pygame.font.init()
    return Screen.off_display(_size(settings) or DESKTOP_SIZE, look=_look(settings))


def _size(settings: Settings) -> tuple[int, int] | None:
    size = settings.screen.size
    return None if size == "auto" else size


def _look(settings: Settings) -> Look:
    screen = settings.screen
    return Look(four_colours=screen.four_colour, reduced_motion=screen.reduced_motion)
