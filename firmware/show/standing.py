"""How the seats stand: who is safe or out, how many cards each has, who has won and why."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.rules import AnyTable
from firmware.rules.rows import Rows
from firmware.rules.tournament import Tournament, TournamentOwn
from firmware.seats import Seat
from firmware.session.view import Stage, View
from firmware.show.look import Look


def verdict(view: View, look: Look, reader: Seat) -> tuple[str, str]:
    """Who has won the hand, or the match, and why, as *reader* reads it: its own figure first."""
    words, table = look.words, view.table
    if table is None or table.outcome is None:
        return "", ""
    reason, winner = table.outcome.reason, table.outcome.winner
    kinds = [f"_{table.game.id}", "_rows", ""] if isinstance(table.game, Rows) else [""]
    key = next(key for kind in kinds if (key := f"reason.{reason}{kind}") in words)
    one, other = _sides(table, reader)
    left, wins = counts(table), view.match.wins
    why = words(key, own=left[one], other=left[other])
    if winner is None:
        return words(f"result.{'abandoned' if reason == 'abandoned' else 'tie'}"), why
    name = look.name(winner)
    if isinstance(table.game, Tournament):
        return words("result.tournament", player=name), why
    if view.stage is Stage.MATCH_END:
        return words("result.match", player=name, own=wins[one], other=wins[other]), why
    return words("result.hand", player=name), why


def _sides(table: AnyTable, reader: Seat) -> tuple[Seat, Seat]:
    """The two seats whose figures are told: *reader* first, or who has won, where *reader* is out (R-3)."""
    told = seated(table)
    winner = None if table.outcome is None else table.outcome.winner
    first = reader if reader in told else told[0] if winner is None else winner
    return first, next(seat for seat in told if seat != first)


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
