"""What is told about the seats without buttons (R): sign, name, and how many cards they hold."""

from __future__ import annotations

from functools import lru_cache

from firmware.seats import SIDES, Seat
from firmware.session.view import View
from firmware.show import palette
from firmware.show.items import Item, Shape, Text, Weight
from firmware.show.look import Look
from firmware.show.places import Items, Places, even, facing
from firmware.show.standing import standing


def others(view: View, seat: Seat, places: Places, look: Look) -> Items:
    """All of them, as *seat* reads it; they stand beside its row, so once for each player."""
    table = view.table
    if table is None:
        return ()
    items: Items = ()
    for other in range(SIDES, len(table.holdings)):
        items += _other(places, seat, other, look, len(table.holdings[other].draw), standing(table, other))
    return items


@lru_cache(maxsize=128)
def _other(places: Places, seat: Seat, other: Seat, look: Look, cards: int, stands: str | None) -> Items:
    box, player = places.others[other - SIDES], look.players[other]
    colour = palette.SOFT if stands == "out" else player.colour
    side = even(20 * places.unit)
    upper, lower = box.y + box.h // 2 - places.px(14), box.y + box.h // 2 + places.px(16)
    count = str(cards) if stands is None else look.words(f"standing.{stands}")
    left = box.x + side + places.px(10)
    items: list[Item] = [
        Shape(box=box._replace(y=upper - side // 2, w=side, h=side), figure=player.sign, colour=colour),
        Text(
            box=box._replace(x=left, y=upper - places.px(20), w=box.right - left, h=places.px(40)),
            text=count,
            px=places.px(38 if stands is None else 24),
            weight=Weight.BLACK,
            colour=palette.SOFT if stands == "out" else palette.CREAM,
        ),
        Text(
            box=box._replace(y=lower - places.px(14), h=places.px(28)),
            text=look.name(other),
            px=places.px(20),
            weight=Weight.SEMIBOLD,
            colour=colour,
        ),
    ]
    return facing(seat, places, items)
