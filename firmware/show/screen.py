"""The screen: draws what has changed since the last picture, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pygame

from firmware.errors import ScreenError
from firmware.rules import find
from firmware.session.view import View
from firmware.show import card_art
from firmware.show.items import Box, Item
from firmware.show.look import Look, plain_look
from firmware.show.paint import Sprites, table_top
from firmware.show.scene import Scene, compose, faces

Size = tuple[int, int]
DESKTOP_SIZE = (1280, 720)
TITLE = "California Speed"
NO_DISPLAY = "offscreen"
"""What SDL picks, without a word, where there is no display: it draws into the void."""


class Screen:
    """A display, or with :meth:`off_display` a picture in memory.

    ``size``: pixels; None: the whole display on a cabinet, a window of 1280×720 on a desktop. Raises
    :class:`ScreenError` if there is no display to be had; ``allow_offscreen`` accepts SDL's invisible one.
    """

    def __init__(
        self, size: Size | None = None, *, look: Look | None = None, allow_offscreen: bool = False
    ) -> None:
        self._target = _opened(size, allow_offscreen)
        self._is_display = True
        self._begin(look)

    @classmethod
    def off_display(cls, size: Size, *, look: Look | None = None) -> Screen:
        """A screen that only :meth:`save` shows; needs no display and opens none."""
        screen = cls.__new__(cls)
        screen._target = pygame.Surface(size, 0, 32)
        screen._is_display = False
        screen._begin(look)
        return screen

    def _begin(self, look: Look | None) -> None:
        self.look = look or plain_look()
        self._is_open = True
        self._sprites = Sprites()
        self._ahead: tuple[tuple[str, Size], Iterator[Item]] | None = None
        self._table = table_top(self.size)
        self._scene: Scene | None = None
        self._view: View | None = None
        self._dirty: list[pygame.Rect] = []

    @property
    def size(self) -> Size:
        """Width and height in pixels."""
        return self._target.get_size()

    @property
    def surface(self) -> pygame.Surface:
        """What is drawn on."""
        return self._target

    @property
    def next_change_ns(self) -> int | None:
        """When the picture last drawn changes by itself; None: with the next view only."""
        return None if self._scene is None else self._scene.next_change_ns

    def draw(self, view: View, now_ns: int) -> bool:
        """Draw and present what *view* shows at *now_ns*; False if nothing changed."""
        if not self.paint(view, now_ns):
            return False
        self.present()
        return True

    def paint(self, view: View, now_ns: int) -> bool:
        """Draw without presenting; False, with nothing drawn, if nothing changed."""
        self._follow_window()
        old = self._scene
        if old is not None and view is self._view:
            due_ns = old.next_change_ns
            if due_ns is None or now_ns < due_ns:
                return bool(self._dirty)
        scene = compose(view, now_ns, self.size, self.look)
        self._scene, self._view = scene, view
        if old is None:
            changed = [self._target.get_rect()]
        else:
            changed = merged(changes(old.items, scene.items), self._target.get_rect())
        for rect in changed:
            self._restore(rect, scene.items)
        self._dirty += changed
        return bool(self._dirty)

    def present(self) -> None:
        """Bring what was drawn before people's eyes. Raises :class:`ScreenError` if the display is lost."""
        if self._is_display and self._dirty:
            try:
                pygame.display.update(self._dirty)
            except pygame.error as error:
                raise ScreenError(f"the display is lost: {error}") from error
        self._dirty = []

    def ahead(self, view: View) -> bool:
        """Draw one card that the game of *view* may yet show; False once all are there.

        A card's first picture takes milliseconds, on a small Pi tens of them. While people wait that costs
        nobody anything, and in play a frame only copies.
        """
        game = find(view.game_id).game
        if self._ahead is None or self._ahead[0] != (game.id, self.size):
            cards = sorted(set(game.pack(game.seats[0], 0)))
            self._ahead = (game.id, self.size), faces(game, self.size, cards, self.look)
        for item in self._ahead[1]:
            if not self._sprites.has(item):
                self._sprites.of(item)
                return True
        return False

    def redraw(self) -> None:
        """Draw everything anew with the next picture: after a change of size, or when asked to."""
        if self._table.get_size() != self.size:
            self._sprites.clear()
            self._ahead = None
            card_art.forget()
            self._table = table_top(self.size)
        self._scene = None

    def save(self, path: str | Path) -> None:
        """Write the picture as PNG. Raises :class:`ScreenError` if the file cannot be written."""
        try:
            with Path(path).open("wb") as file:
                pygame.image.save(self._target, file, ".png")
        except (pygame.error, OSError) as error:
            raise ScreenError(f"{path}: the picture cannot be written: {error}") from error

    def close(self) -> None:
        """Give the display back. Closing twice is closing once."""
        if not self._is_open:
            return
        self._is_open = False
        self._sprites.clear()
        if self._is_display:
            pygame.display.quit()

    def _follow_window(self) -> None:
        """A window whose size has been changed has a new surface."""
        if not self._is_display:
            return
        target = pygame.display.get_surface()
        if target is None:
            raise ScreenError("the display is closed")
        if target is not self._target or self._table.get_size() != target.get_size():
            self._target = target
            self.redraw()

    def _restore(self, rect: pygame.Rect, items: Iterable[Item]) -> None:
        target, sprites = self._target, self._sprites
        target.set_clip(rect)
        target.blit(self._table, rect, rect)
        for item in items:
            if rect.colliderect(item.box):
                target.blit(sprites.of(item), item.box[:2])
        target.set_clip(None)


def changes(old: tuple[Item, ...], new: tuple[Item, ...]) -> list[Box]:
    """The boxes where two pictures differ: what came, what went, and what changed its place in the order."""
    if old == new:
        return []
    # Most of both are the very same objects, which is seen sooner than that they are equal.
    kept = set(map(id, old)) & set(map(id, new))
    gone = {item for item in old if id(item) not in kept}
    come = {item for item in new if id(item) not in kept}
    boxes = [item.box for item in gone ^ come]
    stayed = [item for item in old if id(item) in kept or item in come]
    now = [item for item in new if id(item) in kept or item in gone]
    boxes += [
        item.box for item, other in zip(stayed, now, strict=True) if item is not other and item != other
    ]
    return boxes


def merged(boxes: Iterable[Box], within: pygame.Rect) -> list[pygame.Rect]:
    """The same area as few rectangles, cut to *within*.

    Two become one where that is no more to draw; rectangles that only graze each other stay two, and what
    lies in both is drawn twice, to the same effect.
    """
    rects: list[pygame.Rect] = []
    for box in boxes:
        rect = pygame.Rect(box).clip(within)
        nth = 0
        while nth < len(rects):
            other = rects[nth]
            both = rect.union(other)
            if both.w * both.h <= rect.w * rect.h + other.w * other.h:
                rect = both
                del rects[nth]
                nth = 0
            else:
                nth += 1
        if rect.w and rect.h:
            rects.append(rect)
    return rects


def _opened(size: Size | None, allow_offscreen: bool) -> pygame.Surface:
    """The display's surface: a window on a desktop, the whole screen where nothing else draws."""
    try:
        pygame.display.init()
        pygame.font.init()
    except pygame.error as error:
        wanted = os.environ.get("SDL_VIDEODRIVER", "any driver")
        raise ScreenError(f"no display: {error} (asked for {wanted})") from error
    driver = pygame.display.get_driver()
    if driver == NO_DISPLAY and not allow_offscreen:
        pygame.display.quit()
        raise ScreenError(
            "no display: SDL found none and would draw where nobody sees it; "
            "set SDL_VIDEODRIVER to kmsdrm on a cabinet, or start from a desktop"
        )
    try:
        surface = _set_mode(driver, size)
    except pygame.error as error:
        pygame.display.quit()
        raise ScreenError(f"the display ({driver}) cannot be opened: {error}") from error
    pygame.display.set_caption(TITLE)
    pygame.mouse.set_visible(False)
    return surface


def _set_mode(driver: str, size: Size | None) -> pygame.Surface:
    # SDL takes the name in any case, and answers in capitals.
    if driver.lower() != "kmsdrm":
        return pygame.display.set_mode(size or DESKTOP_SIZE, pygame.RESIZABLE)
    flags = pygame.SCALED | pygame.FULLSCREEN
    whole = size or pygame.display.get_desktop_sizes()[0]
    try:
        return pygame.display.set_mode(whole, flags, vsync=1)
    except pygame.error:
        return pygame.display.set_mode(whole, flags)
