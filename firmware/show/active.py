"""The place of the active card before a player: the card, the countdown, or what keeps it empty."""

from __future__ import annotations

from functools import lru_cache

from firmware.rules import AnyTable, Card
from firmware.rules.events import PutBack
from firmware.seats import Seat
from firmware.session.view import Stage, View
from firmware.show import palette
from firmware.show.items import Align, Back, Box, Face, Figure, Item, Place, Shape, Text, Weight
from firmware.show.look import Look
from firmware.show.motion import FLY_NS, Wake, between, eased
from firmware.show.palette import Colour
from firmware.show.places import Items, Places, beneath, even, facing

NS_PER_S = 1_000_000_000


@lru_cache(maxsize=128)
def _face(places: Places, seat: Seat, card: Card, four_colours: bool) -> Items:
    return facing(
        seat,
        places,
        (beneath(places.active, 0, places), Face(box=places.active, card=card, four_colours=four_colours)),
    )


@lru_cache(maxsize=32)
def _empty(places: Places, seat: Seat, is_penalised: bool) -> Items:
    colour = palette.PENALTY if is_penalised else palette.PLACE
    items: list[Item] = [Place(box=places.active, colour=colour, thick=places.px(2))]
    if is_penalised:
        side = even(66 * places.unit)
        items.append(
            Shape(box=places.active.centred(side, side), figure=Figure.CROSS, colour=palette.PENALTY)
        )
    return facing(seat, places, items)


@lru_cache(maxsize=32)
def _counted(places: Places, seat: Seat, text: str, px: int, colour: Colour) -> Items:
    """Large letters in the empty place of the active card, or where the row will lie."""
    inside = places.digit.grown(-places.px(8), 0)
    letters = Text(
        box=inside, text=text, px=places.px(px), weight=Weight.BLACK, colour=colour, align=Align.CENTRE
    )
    if places.layout.sides == 2:
        return facing(seat, places, (letters,))
    place = Place(box=places.digit, colour=palette.PLACE, thick=places.px(2))
    return facing(seat, places, (place, letters))


def active(view: View, table: AnyTable, seat: Seat, places: Places, look: Look, wake: Wake) -> Items:
    holding = table.holdings[seat]
    if view.stage is Stage.COUNTDOWN and view.go_at_ns is not None:
        seconds = max(1, -(-(view.go_at_ns - wake.now_ns) // NS_PER_S))
        wake.at(view.go_at_ns - (seconds - 1) * NS_PER_S)
        colour = palette.PENALTY_TEXT if holding.has_false_start else palette.CREAM
        return _counted(places, seat, str(seconds), 150, colour)
    if places.layout.sides == 2:
        return ()
    if holding.active is not None:
        return _face(places, seat, holding.active, look.four_colours)
    is_penalised = holding.penalty_until_ns is not None
    items = _empty(places, seat, is_penalised)
    if look.reduced_motion:
        return items
    card = _in_between(view, table, seat, places, wake)
    if card is None:
        return items
    return items + facing(seat, places, (Back(box=card, player=look.players[seat]),))


def _in_between(view: View, table: AnyTable, seat: Seat, places: Places, wake: Wake) -> Box | None:
    """Where the back of a card is that turns next, or goes back on the draw pile; None: nowhere."""
    holding = table.holdings[seat]
    # It has the size of the place it lies in next to the piles all the way: a card does not grow.
    draw = places.draw.centred(places.active.w, places.active.h)._replace(y=places.active.y)
    for event in view.recent:
        if isinstance(event, PutBack) and event.seat == seat and wake.now_ns < event.at_ns + FLY_NS:
            wake.next_frame()
            return between(places.active, draw, eased(event.at_ns, wake.now_ns))
    turns_at_ns = holding.turns_at_ns
    if turns_at_ns is None and holding.draw:
        turns_at_ns = holding.penalty_until_ns
    if turns_at_ns is None:
        return None
    starts_at_ns = turns_at_ns - FLY_NS
    if wake.is_before(starts_at_ns):
        return None
    if wake.now_ns < turns_at_ns:
        wake.next_frame()
    return between(draw, places.active, eased(starts_at_ns, wake.now_ns))
