"""The pictures around a hand: the start of a match, and how a hand or the match ended."""

from __future__ import annotations

from functools import lru_cache

from firmware.rules import Match, find
from firmware.seats import Seat
from firmware.session.view import View
from firmware.show import palette
from firmware.show.block import pips, prompt, tone_colour
from firmware.show.example import example
from firmware.show.items import Align, Box, Face, Figure, Item, Panel, Rule, Shape, Text, Weight
from firmware.show.lines import Said, Tone
from firmware.show.look import Look
from firmware.show.motion import Wake
from firmware.show.palette import Colour
from firmware.show.places import Items, Places, even, facing
from firmware.show.standing import verdict
from firmware.show.told import is_begun, tell

_LEAST_WORDS, _MOST_WORDS = 640, 700
"""Width of the words at the start, on a screen 720 pixels high: the title has 562, the prompt with name and
signs up to 600."""
_LINES = {
    (False, False): (254, 293, 313, 322),
    (False, True): (244, 293, 321, 322),
    (True, False): (248, 280, 299, 322),
    (True, True): (240, 280, 301, 322),
}
"""How far below the middle prompt, hint, line and keys are, by whether there are keys and a hint."""
_APART, _EDGE = 16, 24
"""Of the words from the example, and of that from the safe edge."""


def start(view: View, seat: Seat, places: Places, look: Look, wake: Wake) -> Items:
    """Title, game and rule, and who is ready, for *seat*."""
    told = tell(view, seat, look, wake)
    assert told.line is not None, "the start always says what to do"
    ready, is_troubled = view.is_ready[seat], bool(view.faults or view.stuck_buttons)
    return _start(
        places, seat, look, view.game_id, view.match, ready, told.line, told.sub, told.hint, is_troubled
    )


@lru_cache(maxsize=16)
def _start(
    places: Places,
    seat: Seat,
    look: Look,
    game_id: str,
    match: Match,
    is_ready: bool,
    line: Said,
    sub: Said | None,
    hint: Said | None,
    is_troubled: bool,
) -> Items:
    words, player = look.words, look.players[seat]
    entry = find(game_id)
    room = places.safe.w - places.px(_LEAST_WORDS + _APART + _EDGE)
    shown = example(places, seat, look, game_id, room)
    column = _column(places, min(item.box.x for item in shown if isinstance(item, Face)))
    if is_troubled and 2 * column.x + column.w < places.size[0]:
        # Where it is narrow, the operator has to read what is wrong on that side.
        shown, column = (), _column(places, places.safe.right)
    mode = words(f"mode.{game_id}") if f"mode.{game_id}" in words else entry.name
    rule = words(f"rule.{game_id}") if f"rule.{game_id}" in words else entry.sentence
    hands = words("title.one_hand") if match.best_of == 1 else words("title.best_of", n=match.best_of)
    items: list[Item] = list(shown)

    def row(centre: float, height: float, width: int) -> Box:
        box = places.row(centre, height, width=0)
        return box._replace(x=column.x + (column.w - width) // 2, w=width)

    def say(centre: float, text: str, px: int, weight: Weight, colour: Colour) -> None:
        items.append(
            Text(
                box=row(centre, px * 1.4, column.w),
                text=text,
                px=places.px(px),
                weight=weight,
                colour=colour,
                align=Align.CENTRE,
            )
        )

    say(66, words("title.game"), 76, Weight.BLACK, palette.CREAM)
    say(134, f"{mode}  ·  {hands}", 34, Weight.BLACK, palette.CREAM)
    say(178, rule, 26, Weight.SEMIBOLD, palette.SOFT)
    keys = _keys(places, seat, look)
    pill_centre, *centres = _LINES[keys is not None, hint is not None]
    for said, centre in zip((hint, sub, keys), centres, strict=True):
        if said is not None:
            say(centre, said.text, 22, Weight.SEMIBOLD, tone_colour(said, seat, look))
    names_match = is_begun(match) or hint is not None
    pill = row(pill_centre, 60, even((340 if names_match else 300) * places.unit))
    # Before a match one sign says who the player is; later they count the hands won.
    wins, signs = (match.wins[seat], match.needed) if is_begun(match) else (1, 1)
    side, pitch = even(26 * places.unit), places.px(36)
    # The signs reach half to the left and push the prompt half to the right, so that all stays centred.
    pill = pill._replace(x=pill.x + places.px(92) + (signs - 1) * pitch // 2)
    sign = pill.centred(side, side)._replace(x=pill.x - places.px(22) - side - (signs - 1) * pitch)
    name_right = sign.x - places.px(12)
    name_x = max(column.x, name_right - places.px(260))
    items += [
        *pips(sign, pitch, player, wins, signs),
        Text(
            box=pill._replace(x=name_x, w=name_right - name_x),
            text=look.name(seat),
            px=places.px(34),
            weight=Weight.BLACK,
            colour=player.colour,
            align=Align.RIGHT,
        ),
    ]
    px = 26 if names_match else 34
    return facing(seat, places, items) + prompt(places, seat, look, pill, line.text, px, is_ready)


def _keys(places: Places, seat: Seat, look: Look) -> Said | None:
    """Which keys are the buttons of *seat*, from the left; None where there are real ones."""
    if (seat, 0) not in look.keys:
        return None
    columns = places.layout.columns
    near, far = (
        "  ".join(look.keys.get((seat, button), "") for button in range(first, first + columns))
        for first in (0, columns)
    )
    has_far = places.layout.sides == 2 and (seat, places.layout.places - 1) in look.keys
    return Said(look.words("start.keys_far" if has_far else "start.keys", keys=near, far=far), Tone.SOFT)


def _column(places: Places, example_x: int) -> Box:
    """The column of the words: in the middle, or aside where the example, from *example_x* on, is near."""
    right = example_x - places.px(_APART)
    width = even(_MOST_WORDS * places.unit)
    centred = (2 * right - places.size[0]) & ~1
    if centred >= even(_LEAST_WORDS * places.unit):
        width = min(width, centred)
        return places.safe._replace(x=(places.size[0] - width) // 2, w=width)
    width = min(width, right - places.safe.x)
    return places.safe._replace(x=right - width, w=width)


def result(view: View, places: Places, look: Look) -> Items:
    """Who has won, and why, in the middle of the table."""
    table = view.table
    if table is None or table.outcome is None:
        return ()
    winner = table.outcome.winner
    rim = palette.PLACE if winner is None else look.players[winner].colour
    items: Items = (
        Panel(box=places.middle, fill=palette.PANEL, rim=rim, radius=places.px(22), thick=places.px(3)),
        Rule(
            box=places.middle.centred(places.middle.w - 2 * places.px(40), even(2 * places.unit)),
            colour=palette.PLACE,
        ),
    )
    for seat in (0, 1):
        holding, (headline, why) = table.holdings[seat], verdict(view, look, seat)
        tally = look.words("result.tally", covers=holding.covers, offences=holding.offences)
        last = look.words("result.replay") if winner is None else tally
        items += _half(places, seat, look, winner, headline, why, last)
        if view.is_saved:
            items += _saved(places, seat, look)
    return items


@lru_cache(maxsize=32)
def _half(
    places: Places, seat: Seat, look: Look, winner: Seat | None, headline: str, why: str, last: str
) -> Items:
    colour = palette.CREAM if winner is None else look.players[winner].colour
    items: list[Item] = []
    for centre, text, px, weight, ink in (
        (40, headline, 46, Weight.BLACK, colour),
        (81, why, 26, Weight.SEMIBOLD, palette.CREAM),
        (113, last, 21, Weight.SEMIBOLD, palette.SOFT),
    ):
        items.append(
            Text(
                box=places.row(centre, px * 1.35, width=840),
                text=text,
                px=places.px(px),
                weight=weight,
                colour=ink,
                align=Align.CENTRE,
            )
        )
    return facing(seat, places, items)


@lru_cache(maxsize=8)
def _saved(places: Places, seat: Seat, look: Look) -> Items:
    """That the hand is on disk, quietly in the corner: nobody has to wait for it."""
    row = places.row(113, 21 * 1.35, width=840)
    side = even(14 * places.unit)
    check = row.centred(side, side)._replace(x=row.right - side)
    text = Text(
        box=row._replace(x=check.x - places.px(6) - places.px(140), w=places.px(140)),
        text=look.words("result.saved"),
        px=places.px(19),
        weight=Weight.SEMIBOLD,
        colour=palette.SOFT,
        align=Align.RIGHT,
    )
    return facing(seat, places, (text, Shape(box=check, figure=Figure.CHECK, colour=palette.SOFT)))
