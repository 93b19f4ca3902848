"""Which card fits on which, as a picture beside the words of the start."""

from __future__ import annotations

from firmware.rules import Card, find
from firmware.rules.shared_piles import Match, SharedPiles
from firmware.seats import Seat
from firmware.show.items import Back, Box, Face
from firmware.show.look import Look
from firmware.show.places import ACTIVE_HEIGHT, CARD_RATIO, Items, Places, beneath, even

_CARDS = {
    Match.RANK: ("Qs", "Qh"),
    Match.SUIT: ("7h", "Qh"),
    Match.RANK_OR_SUIT: ("Qs", "Qh"),
    Match.NEXT_RANK: ("Js", "Qh"),
    None: ("Qs", "Qh"),
}
"""A pile, and a card that fits on it; None: two piles that match, where any card fits on (D-2)."""

# Lengths as on a screen 720 pixels high.
_CARD = ACTIVE_HEIGHT * 720
_DOWN, _RIGHT = 84, 58
"""How far a card that is laid on a pile is shifted."""
_PAIR_CARD, _PAIR_GAP = 0.8 * _CARD, 18
_BACK_DOWN, _BACK_LEFT = 104, 52
"""How far from the right pile of a pair the card lies that comes."""
_TOP, _MARGIN = 46, 24
"""Below the middle of the screen; from its edge."""


def example(places: Places, seat: Seat, look: Look, game_id: str, room: int) -> Items:
    """The picture before *seat*, as small as it has to be to be *room* pixels wide at most."""
    game = find(game_id).game
    match = game.match if isinstance(game, SharedPiles) else None
    pile, card = (Card.parse(text) for text in _CARDS.get(match, _CARDS[None]))

    def face(box: Box, card: Card) -> Items:
        return beneath(box, 0, places), Face(box=box, card=card, four_colours=look.four_colours)

    if isinstance(game, SharedPiles):
        unit, right = _scaled(places, room, _CARD, _CARD * CARD_RATIO + _RIGHT, _CARD + _DOWN)
        lower = right._replace(x=right.x - round(_RIGHT * unit))
        laid = face(right._replace(y=right.y + round(_DOWN * unit)), card)
        return (beneath(lower, 1, places), face(lower, pile)[1], *laid)
    width = 2 * _PAIR_CARD * CARD_RATIO + _PAIR_GAP
    unit, right = _scaled(places, room, _PAIR_CARD, width, _PAIR_CARD + _BACK_DOWN)
    left = right._replace(x=right.x - round(_PAIR_GAP * unit) - right.w)
    back = right._replace(x=right.x - round(_BACK_LEFT * unit), y=right.y + round(_BACK_DOWN * unit))
    comes = beneath(back, 0, places), Back(box=back, player=look.players[seat])
    return (*face(left, pile), *face(right, card), *comes)


def _scaled(places: Places, room: int, card: float, width: float, height: float) -> tuple[float, Box]:
    """Pixels per unit of a picture *width* × *height*, and its upper right *card*, all in units."""
    scale = min(1.0, room / (width * places.unit))
    unit = scale * places.unit
    h = even(card * unit)
    w = even(h * CARD_RATIO)
    # It shrinks towards its own middle.
    top = places.size[1] // 2 + places.px(_TOP + (1 - scale) * height / 2)
    return unit, Box(places.safe.right - places.px(_MARGIN) - w, top, w, h)
