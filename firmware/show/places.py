"""Where everything lies, in pixels, as the player at the near edge sees it.

The far player's places are these, turned by 180° (:meth:`Box.turned`). The numbers below are those of a
screen 720 pixels high; everything grows with the height, and shrinks where the width is short.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from firmware.rules.layout import Layout
from firmware.seats import Seat
from firmware.show.items import Beneath, Box, Item

SAFE = 0.03
"""Share of each edge that stays empty: television sets hide it."""
PILE_HEIGHT = 0.32
ACTIVE_HEIGHT = 0.2584
DRAW_HEIGHT = 0.2
CARD_RATIO = 5 / 7
NARROWEST = 1.25
"""Width per height below which everything shrinks."""
_NORMAL_GAP = 46
_LEAST_GAP = 14


def even(length: float) -> int:
    """The nearest even number, so that halves fall on whole pixels and turn into each other."""
    return 2 * round(length / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The places of one player, and the piles, for a screen of ``size``.

    ``unit``: pixels per 1/720 of the height. ``piles``, ``ticks``, ``pills``: as the near player sees them,
    counted by :meth:`nth`. ``edge``: pixels from one card's edge to the next in a pile. ``active``: of the
    active card; in a row game, which has none, the place that cards leave from. ``digit``: of the countdown.
    ``is_centred``: do name and hands won stand in the middle of their boxes? ``others``: what is told about
    each seat without buttons.
    """

    size: tuple[int, int]
    unit: float
    layout: Layout
    edge: int
    safe: Box
    active: Box
    digit: Box
    draw: Box
    count: Box
    count_label: Box
    name: Box
    pips: Box
    is_centred: bool
    line: Box
    sub: Box
    bar: Box
    prompt: Box
    below_prompt: Box
    operator: Box
    piles: tuple[Box, ...]
    ticks: tuple[Box, ...]
    pills: tuple[Box, ...]
    middle: Box
    others: tuple[Box, ...]

    def px(self, length: float) -> int:
        """*length* of the 720-line design in pixels, at least one."""
        return max(1, round(length * self.unit))

    def nth(self, seat: Seat, slot: int) -> int:
        """Which place, for *seat*, *slot* is: those of its near side from the left, then the far side's."""
        column, is_far = self.layout.place(seat, slot)
        return column + is_far * self.layout.columns

    def row(self, centre: float, height: float, *, width: float) -> Box:
        """A centred box *width* wide, its middle *centre* below the screen's middle (720-line units)."""
        w, h = even(width * self.unit), even(height * self.unit)
        y = self.size[1] // 2 + round(centre * self.unit) - h // 2
        return Box((self.size[0] - w) // 2, y, w, h)


Items = tuple[Item, ...]


def facing(seat: Seat, places: Places, items: Iterable[Item]) -> Items:
    """*items*, laid out for the near edge, as they lie before *seat*."""
    return tuple(items) if seat == 0 else tuple(item.turned(places.size) for item in items)


def beneath(card: Box, layers: int, places: Places) -> Beneath:
    """The shadow and edges of *layers* cards under the one at *card*."""
    step = places.edge
    spread = places.px(9)
    return Beneath(
        box=card.grown(spread, spread + layers * step), card=(card.w, card.h), layers=layers, step=step
    )


@lru_cache(maxsize=8)
def shared_places(size: tuple[int, int], columns: int) -> Places:
    """The places for *columns* shared piles in one line (RULES S) on a screen of *size* pixels."""
    width, height = size[0] & ~1, size[1] & ~1
    unit = min(height, width / NARROWEST) / 720
    safe_x, safe_y = math.ceil(width * SAFE), math.ceil(height * SAFE)
    safe = Box(safe_x, safe_y, width - 2 * safe_x, height - 2 * safe_y)

    def px(length: float) -> int:
        return max(1, round(length * unit))

    active_h = even(ACTIVE_HEIGHT * 720 * unit)
    active_w = even(active_h * CARD_RATIO)
    active = Box((width - active_w) // 2, safe.bottom - active_h, active_w, active_h)
    draw_h = even(DRAW_HEIGHT * 720 * unit)
    draw_w = even(draw_h * CARD_RATIO)
    draw = Box(active.x - px(56) - draw_w, active.y + (active_h - draw_h) // 2, draw_w, draw_h)
    centre = draw.y + draw_h // 2
    count_w = px(120)
    count_x = draw.x - px(22) - count_w

    column = active.right + px(40)
    column_w = safe.right - column

    def line(below_top: float, height: float) -> Box:
        h = even(height * unit)
        return Box(column, active.y + px(below_top) - h // 2, column_w, h)

    name = line(21, 46)
    pip = even(20 * unit)
    piles = _piles(size, columns, unit, safe)
    gap = active.y - piles[0].bottom
    tick_h, pill_h = even(6 * unit), even(26 * unit)
    tick_y = piles[0].bottom + (gap - tick_h) // 2
    pill_y = piles[0].bottom + (gap - pill_h) // 2
    pile_w = piles[0].w
    tick_w, pill_w = even(min(54 * unit, pile_w * 0.4)), even(min(140 * unit, pile_w * 0.94))
    middle_w = min(even(920 * unit), safe.w)
    middle_h = height - 2 * (safe.y + active_h + px(16))
    operator_w = count_x - px(8) - safe.x + px(30)
    return Places(
        size=(width, height),
        unit=unit,
        layout=Layout(columns),
        edge=px(3),
        safe=safe,
        active=active,
        digit=active,
        draw=draw,
        count=Box(count_x, centre - px(13) - px(35), count_w, px(70)),
        count_label=Box(count_x, centre + px(25) - px(15), count_w, px(30)),
        name=name,
        pips=Box(column, active.y + px(60) - pip // 2, pip, pip),
        is_centred=False,
        line=line(106, 40),
        sub=line(139, 32),
        bar=Box(column, active.bottom - px(5) - even(14 * unit), min(px(260), column_w), even(14 * unit)),
        prompt=Box(
            column,
            active.y + px(112) - even(46 * unit) // 2,
            min(even(270 * unit), column_w),
            even(46 * unit),
        ),
        below_prompt=line(161, 32),
        operator=Box(safe.x, active.y, operator_w, active_h),
        piles=piles,
        ticks=tuple(Box(p.x + (pile_w - tick_w) // 2, tick_y, tick_w, tick_h) for p in piles),
        pills=tuple(Box(p.x + (pile_w - pill_w) // 2, pill_y, pill_w, pill_h) for p in piles),
        middle=Box((width - middle_w) // 2, (height - middle_h) // 2, middle_w, middle_h),
        others=(),
    )


def _piles(size: tuple[int, int], columns: int, unit: float, safe: Box) -> tuple[Box, ...]:
    width, height = size[0] & ~1, size[1] & ~1
    tall = even(PILE_HEIGHT * 720 * unit)
    wide = even(tall * CARD_RATIO)
    least = even(_LEAST_GAP * unit)
    if columns * (wide + least) - least > safe.w:
        wide = (safe.w - (columns - 1) * least) // columns & ~1
        tall = even(wide / CARD_RATIO)
    room = (safe.w - columns * wide) // max(1, columns - 1)
    gap = min(even(_NORMAL_GAP * unit), room & ~1)
    left = (width - columns * wide - (columns - 1) * gap) // 2
    top = (height - tall) // 2
    return tuple(Box(left + nth * (wide + gap), top, wide, tall) for nth in range(columns))
