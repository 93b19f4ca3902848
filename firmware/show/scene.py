"""From what there is to see (:class:`View`) to things to draw: a pure function of view, time and size.

Each player's half is composed as its own player sees it and turned for the far side, so that nobody
sees more, larger or sooner than the other. How the piles lie is a function per kind of table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from firmware.rules import Card, find
from firmware.rules.game import Game
from firmware.seats import SIDES
from firmware.session.view import Stage, View
from firmware.show.block import block
from firmware.show.items import Face, Item
from firmware.show.look import Look, plain_look
from firmware.show.motion import Wake
from firmware.show.operator import operator_lines
from firmware.show.others import others
from firmware.show.piles import piles
from firmware.show.places import Items, Places, shared_places
from firmware.show.row_places import row_places
from firmware.show.stages import result, start
from firmware.show.told import REVEAL_NS

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture. ``items``: distinct, later ones on top. ``next_change_ns``: when it changes by itself, which
    is now while something moves; None: not before there is a new view."""

    size: Size
    items: tuple[Item, ...]
    next_change_ns: int | None


def compose(view: View, now_ns: int, size: Size, look: Look | None = None) -> Scene:
    """The picture of *view* at *now_ns* for a screen of *size* pixels.

    Raises :class:`~firmware.rules.UnknownGame` for a game that the catalogue does not hold.
    """
    look = look or plain_look()
    places = places_of(find(view.game_id).game if view.table is None else view.table.game, size)
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
            middle = piles(view, places, look, wake)
        for seat in (0, 1):
            items += block(view, seat, places, look, wake)
            items += others(view, seat, places, look)
        items += middle
    for seat in (0, 1):
        items += operator_lines(view, seat, places, look)
    return Scene(size, tuple(items), wake.at_ns)


def faces(game: Game[Any], size: Size, cards: Iterable[Card], look: Look) -> Iterator[Item]:
    """Every face that a table of *game* may show at rest: each card at each size that cards have there."""
    places = places_of(game, size)
    has_active = game.layout.sides == 1
    boxes = (places.piles[0], places.active) if has_active else (places.piles[0],)
    for card in cards:
        for box in boxes:
            yield Face(box=box, card=card, four_colours=look.four_colours)


def places_of(game: Game[Any], size: Size) -> Places:
    """Where things lie in *game* on a screen of *size* pixels."""
    layout = game.layout
    if layout.sides == 1:
        return shared_places(size, layout.columns)
    return row_places(size, layout.columns, game.seats[-1] - SIDES)
