"""The things a picture is made of: frozen values with a bounding box in pixels, later ones on top.

Each is drawn for somebody who sees it upright; ``is_turned`` ones are drawn for the player opposite,
turned by 180°. Cards are the same seen from both sides and need no turning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple, Self

from firmware.rules import Card
from firmware.show.palette import Colour


class Box(NamedTuple):
    """A rectangle in pixels: left, top, width, height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """The first column beyond it."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row beyond it."""
        return self.y + self.h

    def turned(self, size: tuple[int, int]) -> Box:
        """This box as seen from the other side of a screen of *size*."""
        return Box(size[0] - self.x - self.w, size[1] - self.y - self.h, self.w, self.h)

    def grown(self, dx: int, dy: int) -> Box:
        """Larger by *dx* and *dy* on each side."""
        return Box(self.x - dx, self.y - dy, self.w + 2 * dx, self.h + 2 * dy)

    def centred(self, w: int, h: int) -> Box:
        """A box of this size about the same middle."""
        return Box(self.x + (self.w - w) // 2, self.y + (self.h - h) // 2, w, h)


class Figure(Enum):
    """A simple shape. Disc, diamond, square, hourglass and stripes are the signs of the players by seat."""

    DISC = "disc"
    RING = "ring"
    DIAMOND = "diamond"
    OPEN_DIAMOND = "open_diamond"
    SQUARE = "square"
    HOURGLASS = "hourglass"
    STRIPES = "stripes"
    CROSS = "cross"
    CHECK = "check"
    ROUND_BAR = "round_bar"
    POINTED_BAR = "pointed_bar"
    OPEN_ROUND_BAR = "open_round_bar"
    OPEN_POINTED_BAR = "open_pointed_bar"


class Weight(Enum):
    """How heavy letters are."""

    BLACK = "Black"
    SEMIBOLD = "Semibold"


class Align(Enum):
    """Where in its box a text stands."""

    LEFT = 0
    CENTRE = 1
    RIGHT = 2


class Player(NamedTuple):
    """How a player is told apart: by colour and by shape."""

    colour: Colour
    sign: Figure
    open_sign: Figure
    bar: Figure
    open_bar: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to draw. ``box``: all the pixels it may touch."""

    box: Box
    is_turned: bool = False

    def turned(self, size: tuple[int, int]) -> Self:
        """The same for the player opposite, on a screen of *size*."""
        return replace(self, box=self.box.turned(size), is_turned=not self.is_turned)

    @property
    def likeness(self) -> tuple[Any, ...]:
        """Equal for items that differ in nothing but where they are."""
        kind = type(self)
        own = tuple(getattr(self, name) for name in kind.__slots__)
        return (kind, self.box.w, self.box.h, self.is_turned, *own)


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricItem(Item):
    """An item that looks the same from both sides."""

    def turned(self, size: tuple[int, int]) -> Self:
        return replace(self, box=self.box.turned(size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Face(SymmetricItem):
    """A card, face up."""

    card: Card
    four_colours: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Back(Item):
    """A card of ``player``, face down."""

    player: Player


@dataclass(frozen=True, slots=True, kw_only=True)
class Beneath(SymmetricItem):
    """The edges of ``layers`` cards that lie under a top card of size ``card``, ``step`` pixels apart,
    at either end of it, so that both players see the same. ``layers`` 0: only the shadow."""

    card: tuple[int, int]
    layers: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(SymmetricItem):
    """The outline of a place where no card lies; ``thick`` pixels."""

    colour: Colour
    thick: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(SymmetricItem):
    """A frame about a card of size ``card``; ``veil``: how much it darkens the card, 0 to 255."""

    card: tuple[int, int]
    colour: Colour
    thick: int
    veil: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Under(SymmetricItem):
    """The index of the card under a top card of size ``top``, as a tab at each side of it (D-8)."""

    card: Card
    top: tuple[int, int]
    four_colours: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal(SymmetricItem):
    """The sign of ``player`` on a dark ground, in the middle of a pile of its row."""

    player: Player


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Item):
    """Letters of ``px`` pixels (em), capitals centred in the height of the box; set smaller where they are
    wider than the box."""

    text: str
    px: int
    weight: Weight
    colour: Colour
    align: Align = Align.LEFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Pill(Item):
    """A short word on a rounded ground; ``rim`` None: none."""

    text: str
    px: int
    ink: Colour
    fill: Colour
    rim: Colour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar(Item):
    """A bar of which ``filled`` pixels are left."""

    filled: int
    colour: Colour
    track: Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape(Item):
    """A simple shape filling its box."""

    figure: Figure
    colour: Colour


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel(SymmetricItem):
    """A ground for words that cover the middle of the table."""

    fill: Colour
    rim: Colour
    radius: int
    thick: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(SymmetricItem):
    """A thin line."""

    colour: Colour
