"""One hand as the ledger keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from firmware import rules
from firmware.errors import LedgerError
from firmware.rules import Match
from firmware.session.records import HandBegan, HandEnded

COLUMNS = (
    "run", "ended_ns", "at", "game", "options", "seed", "reason", "winner", "played_ns",
    "covers", "offences", "match",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended.

    ``run``, ``ended_ns``: the run of the program it was played in, and when it ended on its clock; together
    they name the hand. ``at_s``: seconds since 1970, None if nobody knew. ``match``: this hand counted.
    ``number``: its place in the ledger, from 1; 0 until it is there.
    """

    run: int
    ended_ns: int
    at_s: int | None
    game_id: str
    options: rules.Options
    seed: int
    outcome: rules.Outcome
    played_ns: int
    covers: tuple[int, ...]
    offences: tuple[int, ...]
    match: Match
    number: int = 0

    @classmethod
    def of(cls, began: HandBegan, ended: HandEnded, run: int, at_s: int | None) -> Result:
        """The result of a hand, from its two ends."""
        return cls(
            run=run,
            ended_ns=ended.at_ns,
            at_s=at_s,
            game_id=began.game_id,
            options=began.options,
            seed=began.seed,
            outcome=ended.outcome,
            played_ns=ended.played_ns,
            covers=ended.covers,
            offences=ended.offences,
            match=ended.match,
        )

    def to_row(self) -> tuple[object, ...]:
        """Values for :data:`COLUMNS`."""
        outcome = self.outcome
        return (
            self.run,
            self.ended_ns,
            self.at_s,
            self.game_id,
            as_text(self.options),
            self.seed,
            outcome.reason.value,
            outcome.winner,
            self.played_ns,
            as_text(self.covers),
            as_text(self.offences),
            as_text(self.match),
        )

    @classmethod
    def from_row(cls, number: int, row: tuple[Any, ...]) -> Result:
        """The result *number* from values for :data:`COLUMNS`. Raises :class:`LedgerError`."""
        run, ended_ns, at_s, game, options, seed, reason, winner, played_ns, covers, offences, match = row
        try:
            return cls(
                run,
                ended_ns,
                at_s,
                game,
                from_text(options, rules.Options),
                seed,
                rules.Outcome(rules.Reason(reason), winner),
                played_ns,
                from_text(covers, tuple[int, ...]),
                from_text(offences, tuple[int, ...]),
                from_text(match, Match),
                number,
            )
        except ValueError as error:
            raise LedgerError(f"result {number}: {error}") from error


def as_text(value: object) -> str:
    """*value* as JSON."""
    return msgspec.json.encode(value).decode()


def from_text(text: str, kind: Any) -> Any:
    """The value of *kind* in JSON *text*. Raises :class:`ValueError`."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from error
