"""The shared piles in the middle, what tells whose buttons are alive, and cards in the air (RULES S)."""

from __future__ import annotations

from functools import lru_cache

from firmware.rules import AnyTable, Card, Phase
from firmware.rules.events import Dealt
from firmware.rules.layout import Layout
from firmware.seats import Seat, opposite
from firmware.session.view import Stage, View
from firmware.show import palette
from firmware.show.block import Items, beneath, facing
from firmware.show.items import Face, Figure, Frame, Item, Pill, Place, Shape
from firmware.show.look import Look
from firmware.show.motion import Flight, Wake, between, flights
from firmware.show.places import Places, even
from firmware.show.signs import Manner, Sign, signs, taken

VEIL = 96
"""How much a frozen pile is darkened, of 255: its rank can still be read."""


def piles(view: View, places: Places, look: Look, wake: Wake) -> Items:
    """All that lies in the middle, moving cards included."""
    items: list[Item] = []
    table = view.table
    layout = Layout(len(places.piles))
    in_air = [] if look.reduced_motion else flights(view.recent, wake.now_ns)
    by_whom = taken(view, wake)
    frozen = frozenset(slot for slot, _ in table.frozen) if table is not None else frozenset()
    for slot in range(layout.columns):
        cards = table.piles[slot].cards if table is not None and slot < len(table.piles) else ()
        flying = sum(flight.event.slot == slot for flight in in_air)
        lying = cards[: len(cards) - flying]
        top = lying[-1] if lying else None
        owner = None if flying else by_whom.get(slot)
        items += _pile(places, slot, top, _layers(len(lying)), slot in frozen, owner, look)
    words = signs(view, look, wake)
    for seat in (0, 1):
        for slot in range(layout.columns):
            column = layout.place(seat, slot)[0]
            sign = words.get((slot, seat))
            if sign is None:
                figure = _tick(view, table, seat, slot, column, look)
                is_taken = by_whom.get(slot) == seat
                items += _ticked(places, seat, column, figure, is_taken, look)
    if in_air:
        wake.next_frame()
        items += [_flying(flight, places, layout, look) for flight in in_air]
    for (slot, seat), sign in sorted(words.items(), key=lambda entry: entry[0]):
        items += _signed(places, seat, layout.place(seat, slot)[0], sign, look)
    return tuple(items)


def _layers(cards: int) -> int:
    """Edges seen under the top card: more cards, more edges, but not one each."""
    return 0 if cards < 2 else 1 if cards < 5 else 2 if cards < 10 else 3


@lru_cache(maxsize=256)
def _pile(
    places: Places,
    slot: int,
    top: Card | None,
    layers: int,
    is_frozen: bool,
    owner: Seat | None,
    look: Look,
) -> Items:
    box = places.piles[slot]
    if top is None:
        return (Place(box=box, colour=palette.PLACE, thick=places.px(2)),)
    items: list[Item] = [beneath(box, layers, places)]
    items.append(Face(box=box, card=top, four_colours=look.four_colours))
    thick = places.px(4)
    colour = palette.CREAM if is_frozen else None if owner is None else look.players[owner].colour
    if colour is not None:
        items.append(
            Frame(
                box=box.grown(thick, thick),
                card=(box.w, box.h),
                colour=colour,
                thick=thick,
                veil=VEIL if is_frozen else 0,
            )
        )
    return tuple(items)


def _tick(
    view: View, table: AnyTable | None, seat: Seat, slot: int, column: int, look: Look
) -> tuple[Figure, bool]:
    """The bar at a pile that stands for one button, and whether the button is alive."""
    player = look.players[seat]
    if (seat, column) in view.stuck_buttons:
        return Figure.CROSS, False
    alive = (
        table is not None
        and view.stage is Stage.HAND
        and table.phase is Phase.PLAY
        and table.holdings[seat].penalty_until_ns is None
        and all(slot != frozen for frozen, _ in table.frozen)
    )
    return (player.bar if alive else player.open_bar), alive


@lru_cache(maxsize=256)
def _ticked(
    places: Places, seat: Seat, column: int, tick: tuple[Figure, bool], is_taken: bool, look: Look
) -> Items:
    figure, is_alive = tick
    colour = look.players[seat].colour
    box = places.ticks[column]
    if figure is Figure.CROSS:
        side = even(16 * places.unit)
        box, colour = box.centred(side, side), palette.PENALTY
    elif not is_alive:
        colour = palette.mixed(colour, palette.TABLE_MIDDLE, 0.35)
    elif is_taken:
        box = box.grown(even(box.w * 0.4), even(3 * places.unit))
    return facing(seat, places, (Shape(box=box, figure=figure, colour=colour),))


@lru_cache(maxsize=256)
def _signed(places: Places, seat: Seat, column: int, sign: Sign, look: Look) -> Items:
    player = look.players[seat]
    ink, fill, rim = palette.CREAM, palette.PANEL, None
    match sign.manner:
        case Manner.WON:
            ink, fill = palette.INK, player.colour
        case Manner.LOST:
            rim = look.players[opposite(seat)].colour
        case Manner.PENALTY:
            ink, fill = palette.INK, palette.PENALTY
        case Manner.EVEN:
            ink, fill = palette.INK, palette.CREAM
        case Manner.QUIET:
            ink, rim = palette.SOFT, palette.PLACE
    pill = Pill(box=places.pills[column], text=sign.text, px=places.px(20), ink=ink, fill=fill, rim=rim)
    return facing(seat, places, (pill,))


def _flying(flight: Flight, places: Places, layout: Layout, look: Look) -> Item:
    event = flight.event
    end = places.piles[layout.place(event.seat, event.slot)[0]]
    start = (places.draw if isinstance(event, Dealt) else places.active).centred(end.w, end.h)
    box = between(start, end, flight.share)
    face = Face(box=box, card=event.card, four_colours=look.four_colours)
    return face if event.seat == 0 else face.turned(places.size)
