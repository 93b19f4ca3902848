"""A player's own place: draw pile, active card, name, hands won, what just happened.

Composed once, for the near edge, and turned for the player opposite.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from firmware.rules import AnyTable, Card
from firmware.rules.events import PutBack
from firmware.rules.frustration import SMALL_SHARE, Frustration
from firmware.seats import Seat, opposite
from firmware.session.view import Stage, View
from firmware.show import palette
from firmware.show.items import (
    Align,
    Back,
    Bar,
    Beneath,
    Box,
    Face,
    Figure,
    Item,
    Pill,
    Place,
    Shape,
    Text,
    Weight,
)
from firmware.show.lines import Said, Told, Tone
from firmware.show.look import Look
from firmware.show.motion import FLY_NS, Wake, between, eased
from firmware.show.palette import Colour
from firmware.show.places import Places, even
from firmware.show.standing import standing
from firmware.show.told import tell

Items = tuple[Item, ...]
NS_PER_S = 1_000_000_000


def facing(seat: Seat, places: Places, items: Iterable[Item]) -> Items:
    """*items*, laid out for the near edge, as they lie before *seat*."""
    return tuple(items) if seat == 0 else tuple(item.turned(places.size) for item in items)


def tone_colour(said: Said, seat: Seat, look: Look) -> Colour:
    """The colour of a line told to *seat*."""
    match said.tone:
        case Tone.OWN:
            return look.players[seat].colour
        case Tone.OTHER:
            return look.players[opposite(seat) if said.whose is None else said.whose].colour
        case Tone.PENALTY:
            return palette.PENALTY_TEXT
        case Tone.SOFT:
            return palette.SOFT
        case Tone.PLAIN:
            return palette.CREAM


def block(view: View, seat: Seat, places: Places, look: Look, wake: Wake) -> Items:
    """Everything that lies before *seat*, except cards in the air."""
    items = identity(places, seat, look, view.match.wins[seat], view.match.needed)
    table = view.table
    if table is not None:
        holding = table.holdings[seat]
        if places.layout.sides == 1:
            items += draw_pile(places, seat, look, len(holding.draw), holding.left)
        else:
            is_dead, stands = holding.penalty_until_ns is not None, standing(table, seat)
            items += draw_pile(places, seat, look, len(holding.draw), holding.left, is_dead, stands)
            if isinstance(table.game, Frustration):
                items += _share(places, seat, look, table.game.share(table, seat))
        items += _active(view, table, seat, places, look, wake)
    told = tell(view, seat, look, wake)
    if told.is_prompt and told.line is not None:
        items += prompt(places, seat, look, places.prompt, told.line.text, 26, view.is_ready[seat])
        items += _lines(places, seat, look, None, told.sub, has_prompt=True)
    else:
        items += _lines(places, seat, look, told.line, told.sub)
    return items + _bar(told, seat, places, wake)


@lru_cache(maxsize=64)
def identity(places: Places, seat: Seat, look: Look, wins: int, needed: int) -> Items:
    """Name, and hands won, each in the player's own shape."""
    player = look.players[seat]
    items: list[Item] = [
        Text(
            box=places.name,
            text=look.name(seat),
            px=places.px(34),
            weight=Weight.BLACK,
            colour=player.colour,
            align=Align.CENTRE if places.is_centred else Align.LEFT,
        ),
    ]
    pitch = places.px(32)
    first = places.pips.x - (pitch * (needed - 1) // 2 if places.is_centred else 0)
    for nth in range(needed):
        figure = player.sign if nth < wins else player.open_sign
        pip = places.pips._replace(x=first + nth * pitch)
        items.append(Shape(box=pip, figure=figure, colour=player.colour))
    return facing(seat, places, items)


@lru_cache(maxsize=128)
def draw_pile(
    places: Places,
    seat: Seat,
    look: Look,
    drawable: int,
    left: int,
    is_dead: bool = False,
    stands: str | None = None,
) -> Items:
    """The draw pile, and how many cards the seat has left, its active one counted as S-6 does.

    *is_dead*: crossed out, where the seat has no active card whose place could say so. *stands*: ``safe`` or
    ``out``, which is said instead where its cards are laid aside (R-3).
    """
    card = places.draw
    align = Align.LEFT if places.is_centred else Align.RIGHT
    items: list[Item] = []
    if drawable:
        layers = min(4, (drawable + 3) // 5)
        items.append(beneath(card, layers, places))
        items.append(Back(box=card, player=look.players[seat]))
    else:
        items.append(Place(box=card, colour=palette.PLACE, thick=places.px(2)))
    if is_dead:
        plate, cross = even(46 * places.unit), even(24 * places.unit)
        items.append(Shape(box=card.centred(plate, plate), figure=Figure.DISC, colour=palette.PANEL))
        items.append(Shape(box=card.centred(cross, cross), figure=Figure.CROSS, colour=palette.PENALTY))
    items.append(
        Text(
            box=places.count,
            text=str(left) if stands is None else look.words(f"standing.{stands}"),
            px=places.px(54 if stands is None else 38),
            weight=Weight.BLACK,
            colour=palette.CREAM,
            align=align,
        )
    )
    if stands is not None:
        return facing(seat, places, items)
    label = look.words("block.cards_one" if left == 1 else "block.cards")
    items.append(
        Text(
            box=places.count_label,
            text=label,
            px=places.px(22),
            weight=Weight.SEMIBOLD,
            colour=palette.SOFT,
            align=align,
        )
    )
    return facing(seat, places, items)


@lru_cache(maxsize=64)
def _share(places: Places, seat: Seat, look: Look, share: int) -> Items:
    """F-2: what the seat wants to be small, beside the count of its draw pile."""
    right = places.px(12)
    says = (
        (places.count, str(share), 54, Weight.BLACK, palette.CREAM),
        (places.count_label, look.words("block.share", small=SMALL_SHARE), 22, Weight.SEMIBOLD, palette.SOFT),
    )
    return facing(
        seat,
        places,
        [
            Text(
                box=box._replace(x=box.right + right, w=places.px(140)),
                text=text,
                px=places.px(px),
                weight=weight,
                colour=colour,
            )
            for box, text, px, weight, colour in says
        ],
    )


def beneath(card: Box, layers: int, places: Places) -> Beneath:
    """The shadow and edges of *layers* cards under the one at *card*."""
    step = places.edge
    spread = places.px(9)
    return Beneath(
        box=card.grown(spread, spread + layers * step), card=(card.w, card.h), layers=layers, step=step
    )


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


def _active(view: View, table: AnyTable, seat: Seat, places: Places, look: Look, wake: Wake) -> Items:
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


@lru_cache(maxsize=256)
def _lines(
    places: Places,
    seat: Seat,
    look: Look,
    line: Said | None,
    sub: Said | None,
    *,
    has_prompt: bool = False,
) -> Items:
    items: list[Item] = []
    # What only happened to the other stands in the line's place, but no louder than below it.
    below = places.below_prompt if has_prompt else places.sub if line else places.line
    for said, box, px, weight in (
        (line, places.line, 29, Weight.BLACK),
        (sub, below, 22, Weight.SEMIBOLD),
    ):
        if said is not None:
            items.append(
                Text(
                    box=box,
                    text=said.text,
                    px=places.px(px),
                    weight=weight,
                    colour=tone_colour(said, seat, look),
                )
            )
    return facing(seat, places, items)


@lru_cache(maxsize=32)
def prompt(places: Places, seat: Seat, look: Look, box: Box, text: str, px: int, is_ready: bool) -> Items:
    """What START would do, or, filled and with a check, that it has been pressed."""
    colour = look.players[seat].colour
    pill = Pill(
        box=box,
        text=text,
        px=places.px(px),
        ink=palette.INK if is_ready else colour,
        fill=colour if is_ready else palette.PANEL,
        rim=colour,
    )
    if not is_ready:
        return facing(seat, places, (pill,))
    side = even(box.h * 0.44)
    check = box.centred(side, side)._replace(x=box.x + box.h // 2)
    return facing(seat, places, (pill, Shape(box=check, figure=Figure.CHECK, colour=palette.INK)))


def _bar(told: Told, seat: Seat, places: Places, wake: Wake) -> Items:
    if told.until_ns is None:
        return ()
    filled = wake.left(told.until_ns, told.total_ns, places.bar.w)
    colour = palette.PENALTY if told.is_penalty else palette.CREAM
    track = palette.PENALTY_TRACK if told.is_penalty else palette.TRACK
    return facing(seat, places, (Bar(box=places.bar, filled=filled, colour=colour, track=track),))
