"""From what there is to see (:class:`View`) to things to draw: a pure function of view, time and size.

Each player's half is composed as its own player sees it and turned for the far side, so that nobody
sees more, larger or sooner than the other. How the piles lie is a function per shape of table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware.errors import ScreenError
from firmware.rules import find
from firmware.rules.layout import Layout
from firmware.session.view import Stage, View
from firmware.show.block import Items, block
from firmware.show.items import Item
from firmware.show.look import Look, plain_look
from firmware.show.motion import Wake
from firmware.show.operator import operator_lines
from firmware.show.piles import piles
from firmware.show.places import Places, shared_places
from firmware.show.stages import result, start
from firmware.show.told import REVEAL_NS

Size = tuple[int, int]

PLACES: dict[int, Callable[[Size, int], Places]] = {1: shared_places}
"""By the sides of a layout: where things lie. A table with two rows (D, R, A, F) is one more entry here and
in :data:`MIDDLES`."""
MIDDLES: dict[int, Callable[[View, Places, Look, Wake], Items]] = {1: piles}
"""By the sides of a layout: what lies between the players."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture. ``items``: distinct, later ones on top. ``next_change_ns``: when it changes by itself, which
    is now while something moves; None: not before there is a new view."""

    size: Size
    items: tuple[Item, ...]
    next_change_ns: int | None


def compose(view: View, now_ns: int, size: Size, look: Look | None = None) -> Scene:
    """The picture of *view* at *now_ns* for a screen of *size* pixels.

    Raises :class:`~firmware.rules.UnknownGame` for a game that the catalogue does not hold, and
    :class:`ScreenError` for one whose table is not in :data:`PLACES`.
    """
    look = look or plain_look()
    layout = _layout(view)
    if layout.sides not in PLACES:
        raise ScreenError(
            f"game {view.game_id!r}: found a table of {layout.sides} sides, "
            f"pictures exist for {', '.join(map(str, PLACES))}"
        )
    places = PLACES[layout.sides](size, layout.columns)
    wake = Wake(now_ns)
    items: list[Item] = []
    if view.stage is Stage.START:
        for seat in (0, 1):
            items += start(view, seat, places, look, wake)
    else:
        is_over = view.stage in (Stage.RESULT, Stage.MATCH_END)
        if is_over and not wake.is_before(view.stage_since_ns + REVEAL_NS):
            items += result(view, places, look)
            middle: Items = ()
        else:
            middle = MIDDLES[layout.sides](view, places, look, wake)
        for seat in (0, 1):
            items += block(view, seat, places, look, wake)
        items += middle
    for seat in (0, 1):
        items += operator_lines(view, seat, places, look)
    return Scene(size, tuple(items), wake.at_ns)


def _layout(view: View) -> Layout:
    return find(view.game_id).game.layout if view.table is None else view.table.game.layout
