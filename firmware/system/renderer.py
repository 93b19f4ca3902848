"""Which of SDL's renderers draws: asked of the very SDL that pygame has loaded, because pygame does not tell.

With only the GLES libraries installed SDL may pick its renderer for desktop OpenGL, find none of its
functions, and show black while every frame succeeds. Nothing else gives that away.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

import pygame

MAPS: Final = Path("/proc/self/maps")
"""Which files this process has loaded."""


class _Info(ctypes.Structure):
    """SDL_RendererInfo (SDL_render.h of SDL 2)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint32),
        ("num_texture_formats", ctypes.c_uint32),
        ("texture_formats", ctypes.c_uint32 * 16),
        ("max_texture_width", ctypes.c_int),
        ("max_texture_height", ctypes.c_int),
    )


def renderer_name() -> str | None:
    """The name of the renderer behind pygame's display ("opengles2", "opengl", "software").

    None where there is none, as for a plain window, or where it cannot be asked.
    """
    path = _loaded_sdl()
    if path is None or not pygame.display.get_init():
        return None
    sdl = ctypes.CDLL(path)  # the one already loaded, by the same path
    sdl.SDL_GetWindowFromID.restype = ctypes.c_void_p
    sdl.SDL_GetWindowFromID.argtypes = [ctypes.c_uint32]
    sdl.SDL_GetRenderer.restype = ctypes.c_void_p
    sdl.SDL_GetRenderer.argtypes = [ctypes.c_void_p]
    sdl.SDL_GetRendererInfo.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Info)]
    windows = filter(None, map(sdl.SDL_GetWindowFromID, _WINDOW_IDS))
    renderer = next(filter(None, map(sdl.SDL_GetRenderer, windows)), None)
    info = _Info()
    if renderer is None or sdl.SDL_GetRendererInfo(renderer, ctypes.byref(info)) != 0:
        return None
    name: bytes = info.name or b""
    return name.decode(errors="replace")


_WINDOW_IDS: Final = range(1, 100)
"""SDL counts its windows from 1, anew with every start of its display; pygame has one at a time."""


def _loaded_sdl() -> str | None:
    try:
        maps = MAPS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    files = (line.split(maxsplit=5)[-1] for line in maps.splitlines() if "libSDL2-" in line)
    return next((file for file in files if "libSDL2-" in Path(file).name), None)
