"""Where everything lies in a row game: two rows of piles, and a low block before each player.

A row of up to seven keeps the height of its cards where the screen is as wide as sixteen to nine; on
a narrower one its cards become narrower first and only then lower.
"""

from __future__ import annotations

import math
from functools import lru_cache

from firmware.rules.layout import Layout
from firmware.show.items import Box
from firmware.show.places import CARD_RATIO, NARROWEST, SAFE, Places, even

PILE_HEIGHT = 0.29
NARROW_RATIO = 0.54
"""Width per height down to which a card is made narrower before it is made lower."""
_BETWEEN = 32
_NORMAL_GAP = 46
_LEAST_GAP = 14
_BLOCK = 86
_DRAW = 68
_RING = 10
"""How far a raised pile reaches beyond its place."""
_OTHERS = 84
"""Width of what is told about the seats without buttons (R), beside the row."""


@lru_cache(maxsize=8)
def row_places(size: tuple[int, int], columns: int, others: int) -> Places:
    """The places for two rows of *columns* piles (RULES D, R, A, F) on a screen of *size* pixels.

    *others*: how many seats without buttons may play; there is a place for each beside the row.
    """
    width, height = size[0] & ~1, size[1] & ~1
    unit = min(height, width / NARROWEST) / 720
    safe_x, safe_y = math.ceil(width * SAFE), math.ceil(height * SAFE)
    safe = Box(safe_x, safe_y, width - 2 * safe_x, height - 2 * safe_y)

    def px(length: float) -> int:
        return max(1, round(length * unit))

    margin = px(_OTHERS) + px(_NORMAL_GAP) + px(10) if others else px(_RING)
    near = _row(width, height, columns, unit, safe.w - 2 * margin)
    far = tuple(box._replace(y=height - box.bottom) for box in near)
    pile = near[0]

    block = safe.bottom - even(_BLOCK * unit)
    draw_h = even(_DRAW * unit)
    draw = Box(width // 2 - px(396), 0, even(draw_h * CARD_RATIO), draw_h)
    draw = draw._replace(x=max(draw.x, safe.x), y=block + (safe.bottom - block - draw_h) // 2)
    count = Box(draw.right + px(16), block + px(28) - px(29), px(96), px(58))
    name_w = even(260 * unit)
    name = Box((width - name_w) // 2, block + px(24) - even(46 * unit) // 2, name_w, even(46 * unit))
    pip = even(20 * unit)
    column = width // 2 + px(150)
    column_w = safe.right - column

    def line(below_top: float, high: float) -> Box:
        h = even(high * unit)
        return Box(column, block + px(below_top) - h // 2, column_w, h)

    gap = block - pile.bottom
    tick_w, tick_h = even(min(54 * unit, pile.w * 0.4)), even(6 * unit)
    pill_w, pill_h = even(min(140 * unit, pile.w * 0.94)), even(26 * unit)
    tick_y = pile.bottom + (gap - tick_h) // 2
    ticks = [Box(p.x + (p.w - tick_w) // 2, tick_y, tick_w, tick_h) for p in near]
    ticks += [Box(p.x + (p.w - tick_w) // 2, p.bottom + px(6), tick_w, tick_h) for p in far]
    pill_y = pile.bottom + (gap - pill_h) // 2
    pills = [Box(p.x + (p.w - pill_w) // 2, pill_y, pill_w, pill_h) for p in near]
    pills += [p._replace(y=(height - pill_h) // 2) for p in pills]
    middle_w, middle_h = min(even(920 * unit), safe.w), even(290 * unit)
    digit = Box(pile.x, pile.y, near[-1].right - pile.x, pile.h)
    beside = near[-1].right + px(_NORMAL_GAP) + px(10)
    other_h = pile.h // max(1, others) & ~1
    return Places(
        size=(width, height),
        unit=unit,
        layout=Layout(columns, 2),
        edge=px(2),
        safe=safe,
        active=draw.centred(pile.w, pile.h),
        digit=digit,
        draw=draw,
        count=count,
        count_label=Box(count.x, block + px(69) - px(15), count.w, px(30)),
        name=name,
        pips=Box((width - pip) // 2, block + px(64) - pip // 2, pip, pip),
        is_centred=True,
        line=line(17, 40),
        sub=line(47, 32),
        bar=Box(column, safe.bottom - even(14 * unit), min(px(260), column_w), even(14 * unit)),
        prompt=Box(column, block, min(even(270 * unit), column_w), even(46 * unit)),
        below_prompt=line(66, 32),
        operator=Box(safe.x, block, draw.x - px(14) - safe.x, safe.bottom - block),
        piles=(*near, *far),
        ticks=tuple(ticks),
        pills=tuple(pills),
        middle=Box((width - middle_w) // 2, (height - middle_h) // 2, middle_w, middle_h),
        others=tuple(
            Box(beside, pile.y + nth * other_h, safe.right - beside, other_h) for nth in range(others)
        ),
    )


def _row(width: int, height: int, columns: int, unit: float, room: int) -> tuple[Box, ...]:
    """The near row, centred, at most *room* pixels wide."""
    tall = even(PILE_HEIGHT * 720 * unit)
    wide = even(tall * CARD_RATIO)
    least = even(_LEAST_GAP * unit)
    if columns * (wide + least) - least > room:
        wide = (room - (columns - 1) * least) // columns & ~1
        tall = min(tall, even(wide / NARROW_RATIO))
    spare = (room - columns * wide) // max(1, columns - 1)
    gap = min(even(_NORMAL_GAP * unit), spare & ~1)
    left = (width - columns * wide - (columns - 1) * gap) // 2
    top = height // 2 + even(_BETWEEN * unit) // 2
    return tuple(Box(left + nth * (wide + gap), top, wide, tall) for nth in range(columns))
