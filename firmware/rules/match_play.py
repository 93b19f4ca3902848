"""Best of N hands (RULES M)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware.rules.events import Outcome

BEST_OF = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Match:
    """The state of a match: ``best_of`` hands, and how many each seat has won (M-1).

    ``hands`` counts those played to an end, tied ones included.
    """

    best_of: int = 3
    wins: tuple[int, ...] = (0, 0)
    hands: int = 0

    def __post_init__(self) -> None:
        if self.best_of not in BEST_OF:
            raise ValueError(f"best of {self.best_of}: allowed are {', '.join(map(str, BEST_OF))}")

    @property
    def needed(self) -> int:
        """Hands that win the match."""
        return self.best_of // 2 + 1

    @property
    def winner(self) -> int | None:
        """The seat that has won the match, None while it goes on."""
        for seat, won in enumerate(self.wins):
            if won >= self.needed:
                return seat
        return None

    def after(self, outcome: Outcome) -> Match:
        """The match after a hand; a tied one is replayed and scores nothing (M-1)."""
        wins = tuple(won + (seat == outcome.winner) for seat, won in enumerate(self.wins))
        return replace(self, wins=wins, hands=self.hands + 1)
