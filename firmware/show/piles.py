"""The piles in the middle, and cards in the air."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from firmware.rules import AnyTable, Card
from firmware.rules.events import Dealt
from firmware.rules.rows import Rows
from firmware.seats import SIDES, Seat
from firmware.session.view import Stage, View
from firmware.show import palette
from firmware.show.buttons import buttons, told_at_piles
from firmware.show.items import Back, Box, Face, Frame, Item, Panel, Place, Seal, Under
from firmware.show.look import Look
from firmware.show.motion import Flight, Slide, Wake, between, flights, slides
from firmware.show.places import Items, Places, beneath, even
from firmware.show.signs import signs, taken

VEIL = 96
"""How much a frozen pile is darkened, of 255: its rank can still be read."""


class Lying(NamedTuple):
    """How a pile looks. ``under``: the card whose index shows beneath the top one (D-8). ``sealed``: whose
    row it belongs to, where that has to be told. ``taken``: who has just covered it."""

    top: Card
    layers: int
    under: Card | None
    is_raised: bool
    sealed: Seat | None
    is_frozen: bool
    taken: Seat | None


def piles(view: View, places: Places, look: Look, wake: Wake) -> Items:
    """All that lies in the middle, moving cards included."""
    table = view.table
    in_air = [] if look.reduced_motion else flights(view.recent, wake.now_ns)
    on_the_way = [] if look.reduced_motion else slides(view.recent, wake.now_ns)
    by_whom = taken(view, wake)
    arriving = Counter(flight.event.slot for flight in in_air)
    lying = {} if table is None else _lying(table, arriving, by_whom)
    shows_places = view.stage is not Stage.COUNTDOWN or places.layout.sides == 1
    items: Items = ()
    for slot in range(places.layout.places):
        if slot in lying:
            items += _pile(places, slot, lying[slot], look)
        elif shows_places:
            items += _no_pile(places, slot)
    words = signs(view, look, wake)
    items += buttons(view, places, look, by_whom, words)
    if in_air or on_the_way:
        wake.next_frame()
        items += tuple(_sliding(slide, places, look) for slide in on_the_way)
        items += tuple(_flying(flight, places, look) for flight in in_air)
    return items + told_at_piles(places, look, words)


def _lying(table: AnyTable, arriving: Counter[int], by_whom: dict[int, Seat]) -> dict[int, Lying]:
    """What lies on each slot as long as *arriving* cards are still in the air; none where nothing does."""
    raised: tuple[int, ...] = ()
    has_index, columns = False, table.game.layout.columns
    if isinstance(table.game, Rows):
        raised, has_index = table.game.raised(table), table.game.doubles
    frozen = [slot for slot, _ in table.frozen]
    are_more = len(table.holdings) > SIDES
    found: dict[int, Lying] = {}
    for slot, pile in enumerate(table.piles):
        lying = len(pile.cards) - arriving.get(slot, 0)
        if lying > 0:
            is_still = slot not in arriving
            found[slot] = Lying(
                pile.cards[lying - 1],
                _layers(lying),
                pile.cards[lying - 2] if has_index and lying > 1 else None,
                is_still and slot in raised,
                # Has to be told only where it does not lie before its owner, or others play too.
                pile.owner if are_more or pile.owner != slot // columns else None,
                slot in frozen,
                by_whom.get(slot) if is_still else None,
            )
    return found


def _layers(cards: int) -> int:
    """Edges seen under the top card: more cards, more edges, but not one each."""
    return 0 if cards < 2 else 1 if cards < 5 else 2 if cards < 10 else 3


@lru_cache(maxsize=32)
def _no_pile(places: Places, slot: int) -> Items:
    box = places.piles[places.nth(0, slot)]
    return (Place(box=box, colour=palette.PLACE, thick=places.px(2)),)


@lru_cache(maxsize=512)
def _pile(places: Places, slot: int, lying: Lying, look: Look) -> Items:
    box = places.piles[places.nth(0, slot)]
    items: list[Item] = [beneath(box, lying.layers, places)]
    if lying.is_raised:
        # Nearer to the eye, so larger, and with a ring: by its shape, for a shadow is lost on a dark table.
        box = box.grown(places.px(3), places.px(4))
        ring = places.px(6)
        items.append(
            Panel(
                box=box.grown(ring, ring),
                fill=palette.PANEL,
                rim=palette.CREAM,
                radius=places.px(18),
                thick=places.px(3),
            )
        )
    if lying.under is not None:
        tab = even(40 * places.unit)
        items.append(
            Under(box=box.grown(tab, 0), card=lying.under, top=(box.w, box.h), four_colours=look.four_colours)
        )
    items.append(Face(box=box, card=lying.top, four_colours=look.four_colours))
    if lying.sealed is not None:
        seal = box.centred(even(36 * places.unit), even(20 * places.unit))
        items.append(Seal(box=seal, player=look.players[lying.sealed]))
    thick = places.px(4)
    colour = palette.CREAM if lying.is_frozen else None
    if lying.taken is not None and not lying.is_frozen:
        colour = look.players[lying.taken].colour
    if colour is not None:
        items.append(
            Frame(
                box=box.grown(thick, thick),
                card=(box.w, box.h),
                colour=colour,
                thick=thick,
                veil=VEIL if lying.is_frozen else 0,
            )
        )
    return tuple(items)


def _home(places: Places, seat: Seat, side: Seat, *, is_active: bool) -> Box:
    """Where cards of *seat* leave from and go back to, as *side* sees it."""
    if seat >= SIDES:
        return places.others[seat - SIDES]
    return places.active if is_active else places.draw


def _way(places: Places, seat: Seat, slot: int, *, is_active: bool = False) -> tuple[Box, Box, Seat]:
    """From the cards of *seat* to the pile at *slot*, and for whom that is laid out: the seat itself, or
    where it has no side of its own the one on which the pile lies."""
    side = seat if seat < SIDES else slot // places.layout.columns
    end = places.piles[places.nth(side, slot)]
    # As large as at its end all the way: a card does not grow.
    start = _home(places, seat, side, is_active=is_active).centred(end.w, end.h)
    start = start._replace(
        x=min(start.x, places.safe.right - end.w), y=min(start.y, places.safe.bottom - end.h)
    )
    return start, end, side


def _flying(flight: Flight, places: Places, look: Look) -> Item:
    event = flight.event
    start, end, side = _way(places, event.seat, event.slot, is_active=not isinstance(event, Dealt))
    face = Face(box=between(start, end, flight.share), card=event.card, four_colours=look.four_colours)
    return face if side == 0 else face.turned(places.size)


def _sliding(slide: Slide, places: Places, look: Look) -> Item:
    end, start, side = _way(places, slide.seat, slide.slot)
    back = Back(box=between(start, end, slide.share), player=look.players[slide.seat])
    return back if side == 0 else back.turned(places.size)
