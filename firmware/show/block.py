"""A player's own place: draw pile, active card, name, hands won, what just happened.

Composed once, for the near edge, and turned for the player opposite.
"""

from __future__ import annotations

from functools import lru_cache

from firmware.rules.frustration import SMALL_SHARE, Frustration
from firmware.seats import Seat, opposite
from firmware.session.view import View
from firmware.show import palette
from firmware.show.active import active
from firmware.show.items import (
    Align,
    Back,
    Bar,
    Box,
    Figure,
    Item,
    Pill,
    Place,
    Player,
    Shape,
    Text,
    Weight,
)
from firmware.show.lines import Said, Told, Tone
from firmware.show.look import Look
from firmware.show.motion import Wake
from firmware.show.palette import Colour
from firmware.show.places import Items, Places, beneath, even, facing
from firmware.show.standing import standing
from firmware.show.told import tell


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
        items += active(view, table, seat, places, look, wake)
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
    return facing(seat, places, (*items, *pips(places.pips._replace(x=first), pitch, player, wins, needed)))


def pips(first: Box, pitch: int, player: Player, wins: int, needed: int) -> Items:
    """*needed* signs, *pitch* pixels from one to the next: as many filled as hands won."""
    return tuple(
        Shape(
            box=first._replace(x=first.x + nth * pitch),
            figure=player.sign if nth < wins else player.open_sign,
            colour=player.colour,
        )
        for nth in range(needed)
    )


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
