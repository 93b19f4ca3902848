"""The pictures around a hand: the start of a match, and how a hand or the match ended."""

from __future__ import annotations

from functools import lru_cache

from firmware.rules import Card, Match, find
from firmware.rules.shared_piles import Match as Fit
from firmware.rules.shared_piles import SharedPiles
from firmware.seats import Seat
from firmware.session.view import View
from firmware.show import palette
from firmware.show.block import pips, prompt, tone_colour
from firmware.show.items import Align, Back, Box, Face, Figure, Item, Panel, Rule, Shape, Text, Weight
from firmware.show.lines import Said
from firmware.show.look import Look
from firmware.show.motion import Wake
from firmware.show.palette import Colour
from firmware.show.places import ACTIVE_HEIGHT, CARD_RATIO, Items, Places, beneath, even, facing
from firmware.show.standing import verdict
from firmware.show.told import is_begun, tell

_EXAMPLES = {
    Fit.RANK: ("Qs", "Qh"),
    Fit.SUIT: ("7h", "Qh"),
    Fit.RANK_OR_SUIT: ("Qs", "Qh"),
    Fit.NEXT_RANK: ("Js", "Qh"),
    None: ("Qs", "Qh"),
}
"""A pile, and a card that fits on it; None: two piles that match, where any card fits on (D-2)."""


def start(view: View, seat: Seat, places: Places, look: Look, wake: Wake) -> Items:
    """Title, game and rule, and who is ready, for *seat*."""
    told = tell(view, seat, look, wake)
    assert told.line is not None, "the start always says what to do"
    ready = view.is_ready[seat]
    return _start(places, seat, look, view.game_id, view.match, ready, told.line, told.sub, told.hint)


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
) -> Items:
    words, player = look.words, look.players[seat]
    entry = find(game_id)
    mode = words(f"mode.{game_id}") if f"mode.{game_id}" in words else entry.name
    rule = words(f"rule.{game_id}") if f"rule.{game_id}" in words else entry.sentence
    hands = words("title.one_hand") if match.best_of == 1 else words("title.best_of", n=match.best_of)
    items: list[Item] = list(_example(places, seat, look, game_id))

    def say(centre: float, text: str, px: int, weight: Weight, colour: Colour, width: float = 700) -> None:
        items.append(
            Text(
                box=places.row(centre, px * 1.4, width=width),
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
    for said, centre in ((hint, 293), (sub, 313 if hint is None else 321)):
        if said is not None:
            say(centre, said.text, 22, Weight.SEMIBOLD, tone_colour(said, seat, look))
    names_match = is_begun(match) or hint is not None
    pill = places.row(254 if hint is None else 244, 60, width=340 if names_match else 300)
    # Before a match one sign says who the player is; later they count the hands won.
    wins, signs = (match.wins[seat], match.needed) if is_begun(match) else (1, 1)
    side, pitch = even(26 * places.unit), places.px(36)
    # The signs reach half to the left and push the prompt half to the right, so that all stays centred.
    pill = pill._replace(x=pill.x + places.px(92) + (signs - 1) * pitch // 2)
    sign = pill.centred(side, side)._replace(x=pill.x - places.px(22) - side - (signs - 1) * pitch)
    name_right = sign.x - places.px(12)
    name_x = max(places.safe.x, name_right - places.px(260))
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


def _example(places: Places, seat: Seat, look: Look, game_id: str) -> Items:
    """Which card fits on which, as a picture."""
    game = find(game_id).game
    pile, card = (
        Card.parse(text)
        for text in _EXAMPLES.get(game.match if isinstance(game, SharedPiles) else None, _EXAMPLES[None])
    )
    h = even(ACTIVE_HEIGHT * 720 * places.unit)
    w = even(h * CARD_RATIO)
    lower = Box(places.safe.right - places.px(24 + 58) - w, places.size[1] // 2 + places.px(46), w, h)
    if not isinstance(game, SharedPiles):
        return _pair(places, seat, look, lower, pile, card)
    upper = lower._replace(x=lower.x + places.px(58), y=lower.y + places.px(84))
    return (
        beneath(lower, 1, places),
        Face(box=lower, card=pile, four_colours=look.four_colours),
        beneath(upper, 0, places),
        Face(box=upper, card=card, four_colours=look.four_colours),
    )


def _pair(places: Places, seat: Seat, look: Look, box: Box, one: Card, other: Card) -> Items:
    """Two equal piles beside each other, and a face-down card on its way to the one."""
    w, h = even(box.w * 0.8), even(box.h * 0.8)
    right = Box(places.safe.right - places.px(24) - w, box.y, w, h)
    left = right._replace(x=right.x - places.px(18) - w)
    back = right._replace(x=right.x - places.px(52), y=right.y + places.px(104))
    return (
        beneath(left, 0, places),
        Face(box=left, card=one, four_colours=look.four_colours),
        beneath(right, 0, places),
        Face(box=right, card=other, four_colours=look.four_colours),
        beneath(back, 0, places),
        Back(box=back, player=look.players[seat]),
    )


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
