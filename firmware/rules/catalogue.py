"""Every game the cabinet knows, by id.

To add a game: write its rules as a subclass of :class:`~firmware.rules.game.Game` in a file of its own,
add one entry to ``_ENTRIES`` below, and its rule in one sentence to ``show/words/en.toml``. Commands, CPU
players, journal and simulation find it here. The nearest game is the best start: ``shared_piles.py`` for
piles in the middle and an active card, ``double_flip.py`` for rows that are laid, ``aggravation.py`` for
rows that grow. A subclass of theirs has a picture at once, another :class:`~firmware.rules.layout.Layout`
wants one in ``show/scene.py``. ``fits``, ``fitting`` and ``fitted`` say the same thing of now, of all
places, and of just before a change: change them together. The rule ids (T-4, S-6 …) are those of
``RULES.md`` beside this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firmware.rules.aggravation import Aggravation
from firmware.rules.double_flip import DoubleFlip
from firmware.rules.frustration import Frustration
from firmware.rules.game import Game
from firmware.rules.shared_piles import Match, SharedPiles
from firmware.rules.tournament import Tournament


class UnknownGame(KeyError, ValueError):
    """A game id that the catalogue does not hold. Says which it holds."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the catalogue: the game, its name, and its rule in one sentence.

    ``best_of``: hands of a match unless chosen otherwise (M-1).
    """

    game: Game[Any]
    name: str
    sentence: str
    best_of: int = 3


_ENTRIES = (
    Entry(SharedPiles("classic"), "Classic", "Cover a pile that shows your card's rank."),
    Entry(
        SharedPiles("suit", match=Match.SUIT), "Suit", "Cover a pile that shows your card's suit."
    ),
    Entry(
        SharedPiles("rank_or_suit", match=Match.RANK_OR_SUIT),
        "Rank or Suit",
        "Cover a pile that shows your card's rank or its suit.",
    ),
    Entry(SharedPiles("quick", piles=3), "Quick", "Classic with three piles."),
    Entry(SharedPiles("long", piles=6), "Long", "Classic with six piles."),
    Entry(
        SharedPiles("draw_two", draw_two=True),
        "Draw Two",
        "Classic; when stuck, only the two newest piles get new cards.",
    ),
    Entry(
        SharedPiles("speed", match=Match.NEXT_RANK),
        "Speed",
        "Cover a pile one rank up or down from your card; king and ace are neighbours.",
    ),
    Entry(
        DoubleFlip("double_flip"),
        "Double Flip",
        "Find two equal cards anywhere in the rows and cover them.",
    ),
    Entry(
        DoubleFlip("doubles", doubles=True),
        "Doubles",
        "Double Flip; a pile whose two upper cards are equal may be covered too.",
    ),
    Entry(
        Tournament("tournament"),
        "Tournament",
        "Doubles for up to five; who is last to get rid of the cards is out, until one is left.",
        best_of=1,
    ),
    Entry(
        Aggravation("aggravation"),
        "Aggravation",
        "Rows grow until two cards are equal: cover them; without cards, press an equal pair to win.",
    ),
    Entry(
        Frustration("frustration"),
        "Frustration",
        "Rows grow until two cards are equal: cover the other side; ten cards or fewer win.",
        best_of=1,
    ),
)

GAMES: dict[str, Entry] = {entry.game.id: entry for entry in _ENTRIES}


def find(game_id: str) -> Entry:
    """The entry of *game_id*; raises :class:`UnknownGame`, which names the ids there are."""
    try:
        return GAMES[game_id]
    except KeyError:
        raise UnknownGame(f"game {game_id!r}: allowed are {', '.join(GAMES)}") from None


def playable(buttons: int) -> dict[str, Entry]:
    """The entries that a cabinet with *buttons* pile buttons per seat can address."""
    return {
        game_id: entry
        for game_id, entry in GAMES.items()
        if entry.game.layout.refusal(buttons) is None
    }
