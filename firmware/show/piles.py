"""The shared piles in the middle, what tells whose buttons are alive, and cards in the air (RULES S)."""

from __future__ import annotations

from functools import lru_cache

from firmware.rules import Card, Phase
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
    table = view.table
    layout = Layout(len(places.piles))
    in_air = [] if look.reduced_motion else flights(view.recent, wake.now_ns)
    by_whom = taken(view, wake)
    frozen = frozenset(slot for slot, _ in table.frozen) if table is not None else frozenset()
    items: Items = ()
    for slot in range(layout.columns):
        cards = table.piles[slot].cards if table is not None and slot < len(table.piles) else ()
        lying = len(cards)
        for flight in in_air:
            lying -= flight.event.slot == slot
        top = cards[lying - 1] if lying else None
        owner = by_whom.get(slot) if lying == len(cards) else None
        items += _pile(places, slot, top, _layers(lying), slot in frozen, owner, look)
    words = signs(view, look, wake)
    for seat in (0, 1):
        items += _ticks(
            places,
            seat,
            look,
            _are_alive(view, seat),
            frozen,
            frozenset(button for whose, button in view.stuck_buttons if whose == seat),
            frozenset(slot for slot, owner in by_whom.items() if owner == seat),
            frozenset(slot for slot, reader in words if reader == seat),
        )
    if in_air:
        wake.next_frame()
        items += tuple(_flying(flight, places, layout, look) for flight in in_air)
    for (slot, seat), sign in words.items():
        items += _signed(places, seat, layout.place(seat, slot)[0], sign, look)
    return items


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


def _are_alive(view: View, seat: Seat) -> bool:
    """Do presses of *seat* count now?"""
    table = view.table
    return (
        table is not None
        and view.stage is Stage.HAND
        and table.phase is Phase.PLAY
        and table.holdings[seat].penalty_until_ns is None
    )


@lru_cache(maxsize=256)
def _ticks(
    places: Places,
    seat: Seat,
    look: Look,
    are_alive: bool,
    frozen: frozenset[int],
    stuck: frozenset[int],
    taking: frozenset[int],
    signed: frozenset[int],
) -> Items:
    """A bar at each pile for each button of *seat*, except where a sign stands.

    Full where a press counts, larger where one has just taken the pile, hollow where none counts; a cross
    where the button is out of play.
    """
    player, layout = look.players[seat], Layout(len(places.piles))
    side = even(16 * places.unit)
    ticks: list[Item] = []
    for slot in range(layout.columns):
        column = layout.place(seat, slot)[0]
        box, figure, colour = places.ticks[column], player.bar, player.colour
        if slot in signed:
            continue
        if column in stuck:
            box, figure, colour = box.centred(side, side), Figure.CROSS, palette.PENALTY
        elif not are_alive or slot in frozen:
            figure, colour = player.open_bar, palette.mixed(colour, palette.TABLE_MIDDLE, 0.45)
        elif slot in taking:
            box = box.grown(even(box.w * 0.4), even(3 * places.unit))
        ticks.append(Shape(box=box, figure=figure, colour=colour))
    return facing(seat, places, ticks)


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
    start = start._replace(y=min(start.y, places.safe.bottom - end.h))
    box = between(start, end, flight.share)
    face = Face(box=box, card=event.card, four_colours=look.four_colours)
    return face if event.seat == 0 else face.turned(places.size)
