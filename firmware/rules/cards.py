"""Cards: 13 ranks, 4 suits, no jokers (T-1), and their two-letter notation.

A card is written rank first, suit second: ``7h``, ``Td``, ``As``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

RANKS: Final = "A23456789TJQK"
SUITS: Final = "cdhs"


class BadNotation(ValueError):
    """A text that is not a card, a pile, a command or an event in our notation."""


class Card(NamedTuple):
    """One playing card. ``rank`` is 0 (ace) to 12 (king), ``suit`` 0 to 3 in the order c d h s."""

    rank: int
    suit: int

    def __str__(self) -> str:
        return RANKS[self.rank] + SUITS[self.suit]

    @classmethod
    def parse(cls, text: str) -> Card:
        """The card written as *text*; raises :class:`BadNotation` for anything else."""
        try:
            return _BY_TEXT[text]
        except KeyError:
            raise BadNotation(
                f"card {text!r}: a rank of {RANKS} and a suit of {SUITS} are allowed, as in '7h'"
            ) from None


PACK: Final[tuple[Card, ...]] = tuple(Card(rank, suit) for suit in range(4) for rank in range(13))
_BY_TEXT: Final = {str(card): card for card in PACK}


def cards_text(cards: tuple[Card, ...]) -> str:
    """Cards as one word: ``7hQsTd``, bottom or first card first, ``-`` for none."""
    return "".join(map(str, cards)) or "-"


def parse_cards(text: str) -> tuple[Card, ...]:
    """The reverse of :func:`cards_text`; raises :class:`BadNotation`."""
    if text == "-":
        return ()
    if not text or len(text) % 2:
        raise BadNotation(f"cards {text!r}: two letters a card are allowed, or '-' for none")
    return tuple(Card.parse(text[i : i + 2]) for i in range(0, len(text), 2))
