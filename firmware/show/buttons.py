"""What stands at a pile for each player: a tick for the button that addresses it, or the verdict."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from firmware.rules import Phase
from firmware.seats import Seat, opposite
from firmware.session.view import Stage, View
from firmware.show import palette
from firmware.show.items import Figure, Item, Pill, Shape
from firmware.show.look import Look
from firmware.show.places import Items, Places, even, facing
from firmware.show.signs import Manner, Sign, Signs


def buttons(view: View, places: Places, look: Look, by_whom: dict[int, Seat], words: Signs) -> Items:
    """The ticks of both players. *by_whom*: the piles just taken; *words*: signs stand instead."""
    table = view.table
    dead = frozenset(slot for slot, _ in table.frozen) if table is not None else frozenset()
    if places.layout.sides == 2 and table is not None:
        dead |= {slot for slot, pile in enumerate(table.piles) if not pile.cards}
    items: Items = ()
    for seat in (0, 1):
        items += _ticks(
            places,
            seat,
            look,
            _are_alive(view, seat),
            _Bank(view.needs_second_bank, view.has_second_bank[seat]),
            dead,
            frozenset(button for whose, button in view.stuck_buttons if whose == seat),
            frozenset(slot for slot, owner in by_whom.items() if owner == seat),
            frozenset(slot for slot, reader in words if reader == seat),
        )
    return items


def told_at_piles(places: Places, look: Look, words: Signs) -> Items:
    """The signs *words*, each upright for the player who reads it."""
    items: Items = ()
    columns = places.layout.columns
    said: set[int] = set()
    for (slot, seat), sign in sorted(words.items(), key=lambda word: not word[1].is_own):
        column, is_far = places.layout.place(seat, slot)
        if is_far:
            # Between the rows there is room for one word in a column, of either player: the newest that is
            # about its reader goes first.
            between = column if seat == 0 else columns - 1 - column
            if between in said:
                continue
            said.add(between)
        items += _signed(places, seat, places.nth(seat, slot), sign, look)
    return items


def _are_alive(view: View, seat: Seat) -> bool:
    """Do presses of *seat* count now?"""
    table = view.table
    return (
        table is not None
        and view.stage is Stage.HAND
        and table.phase is Phase.PLAY
        and table.holdings[seat].penalty_until_ns is None
        and not table.holdings[seat].is_out
    )


class _Bank(NamedTuple):
    """Has a seat to hold START for the far side, and does it?"""

    is_needed: bool
    is_held: bool


@lru_cache(maxsize=256)
def _ticks(
    places: Places,
    seat: Seat,
    look: Look,
    are_alive: bool,
    bank: _Bank,
    dead: frozenset[int],
    stuck: frozenset[int],
    taking: frozenset[int],
    signed: frozenset[int],
) -> Items:
    """A bar at each pile for each button of *seat*, except where a sign stands.

    Full where a press counts, larger where one has just taken the pile, hollow where none counts; a cross
    where the button is out of play. Where START has to be held for the far side, that has ticks only then.
    Where the buttons are keys, each tick has the name of its key.
    """
    player, layout = look.players[seat], places.layout
    side = even(16 * places.unit)
    ticks: list[Item] = []
    for slot in range(layout.places):
        column, is_far = layout.place(seat, slot)
        if slot in signed or (is_far and bank.is_needed and not bank.is_held):
            continue
        button = column if bank.is_needed or not is_far else layout.columns + column
        box, figure, colour = places.ticks[places.nth(seat, slot)], player.bar, player.colour
        if button in stuck:
            box, figure, colour = box.centred(side, side), Figure.CROSS, palette.PENALTY
        elif not are_alive or slot in dead or (bank.is_held and not is_far):
            figure, colour = player.open_bar, palette.mixed(colour, palette.TABLE_MIDDLE, 0.45)
        elif slot in taking:
            box = box.grown(even(box.w * 0.4), even(3 * places.unit))
        ticks.append(Shape(box=box, figure=figure, colour=colour))
        key = look.keys.get((seat, button))
        if key is not None and (is_far or not bank.is_held):
            ticks.append(_key(places, places.nth(seat, slot), key))
    return facing(seat, places, ticks)


def _key(places: Places, nth: int, key: str) -> Pill:
    """What the button of the *nth* place is called on the keyboard: beside its tick, and quiet."""
    h = even(20 * places.unit)
    pill = places.pills[nth]
    box = pill.centred(even(30 * places.unit), h)._replace(x=places.ticks[nth].right + places.px(4))
    return Pill(box=box, text=key, px=places.px(17), ink=palette.SOFT, fill=palette.PANEL)


@lru_cache(maxsize=256)
def _signed(places: Places, seat: Seat, nth: int, sign: Sign, look: Look) -> Items:
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
    pill = Pill(box=places.pills[nth], text=sign.text, px=places.px(20), ink=ink, fill=fill, rim=rim)
    return facing(seat, places, (pill,))
