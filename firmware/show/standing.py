"""How the seats stand: who is safe or out, how many cards each has, who has won and why."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.rules import AnyTable
from firmware.rules.rows import Rows
from firmware.rules.tournament import Tournament, TournamentOwn
from firmware.seats import Seat
from firmware.session.view import Stage, View
from firmware.show.look import Look


def verdict(view: View, look: Look) -> tuple[str, str]:
    """Who has won the hand, or the match, and why."""
    words, table = look.words, view.table
    if table is None or table.outcome is None:
        return "", ""
    reason, winner = table.outcome.reason, table.outcome.winner
    kinds = [f"_{table.game.id}", "_rows", ""] if isinstance(table.game, Rows) else [""]
    key = next(key for kind in kinds if (key := f"reason.{reason}{kind}") in words)
    left = counts(table)
    if winner is None:
        headline = words(f"result.{'abandoned' if reason == 'abandoned' else 'tie'}")
        return headline, words(key, won=left[0], lost=left[1])
    loser = next(seat for seat in seated(table) if seat != winner)
    why = words(key, won=left[winner], lost=left[loser])
    name, wins = look.name(winner), view.match.wins
    if isinstance(table.game, Tournament):
        return words("result.tournament", player=name), why
    if view.stage is Stage.MATCH_END:
        return words("result.match", player=name, won=wins[winner], lost=wins[loser]), why
    return words("result.hand", player=name), why


def counts(table: AnyTable) -> list[int]:
    """How many cards each seat has, its row counted where it has one (D-7, F-2)."""
    if isinstance(table.game, Rows):
        return [table.game.share(table, seat) for seat in range(len(table.holdings))]
    return [holding.left for holding in table.holdings]


def seated(table: AnyTable) -> Sequence[Seat]:
    """The seats that have not been eliminated."""
    return table.own.seated if isinstance(table.own, TournamentOwn) else range(len(table.holdings))


def standing(table: AnyTable, seat: Seat) -> str | None:
    """``safe`` or ``out`` for a seat that does not play the rest of a round (R-3), as words know it."""
    if not isinstance(table.own, TournamentOwn):
        return None
    if seat not in table.own.seated:
        return "out"
    return "safe" if table.holdings[seat].is_out else None
