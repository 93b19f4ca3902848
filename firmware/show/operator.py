"""Small lines for whoever looks after the box: what is out of play, what is wrong, how presses are timed."""

from __future__ import annotations

import textwrap
from functools import lru_cache

from firmware.seats import Seat
from firmware.session.view import View
from firmware.show import palette
from firmware.show.items import Box, Text, Weight
from firmware.show.look import START, Look
from firmware.show.places import Items, Places, facing

MOST_LINES = 7
_PX = 17
_LEADING = 22
_LETTERS_PER_EM = 2.0


def operator_lines(view: View, seat: Seat, places: Places, look: Look) -> Items:
    """The lines as *seat* reads them, at the left of its block."""
    said: list[str] = []
    for whose, button in view.stuck_buttons:
        key = "operator.stuck_start" if button == START else "operator.stuck_button"
        said.append(look.words(key, player=look.name(whose), n=button + 1))
    said += view.faults
    if view.input_note is not None:
        said.append(look.words("operator.input", note=view.input_note))
    return _lines(places, seat, tuple(said)) if said else ()


@lru_cache(maxsize=32)
def _lines(places: Places, seat: Seat, said: tuple[str, ...]) -> Items:
    area = places.operator
    letters = max(8, int(area.w / places.px(_PX) * _LETTERS_PER_EM))
    lines = [line for text in said for line in textwrap.wrap(text, letters)]
    leading = places.px(_LEADING)
    lines = lines[: min(MOST_LINES, area.h // leading)]
    top = area.bottom - leading * len(lines)
    return facing(
        seat,
        places,
        [
            Text(
                box=Box(area.x, top + nth * leading, area.w, leading),
                text=line,
                px=places.px(_PX),
                weight=Weight.SEMIBOLD,
                colour=palette.SOFT,
            )
            for nth, line in enumerate(lines)
        ],
    )
