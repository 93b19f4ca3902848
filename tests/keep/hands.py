"""Hands to keep: whole ones between CPU players, and bare ones that are only a beginning and an end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from firmware.keep.ledger import NAME, Ledger
from firmware.rules import Match, Options, Outcome, Reason
from firmware.session.records import HandBegan, HandEnded, HandRecord, Record


def a_hand(game: str = "rank_or_suit", seed: int = 3) -> list[HandRecord]:
    """The records of one whole hand between CPU players."""
    # Only here: the writer that is killed again and again starts faster without all rooms.
    from firmware.commands.match import play_match, smallest_cabinet

    records: list[Record] = []
    play_match(smallest_cabinet(game), seed, keep=records.append)
    ends = [number for number, record in enumerate(records) if isinstance(record, HandEnded)]
    return [record for record in records[: ends[0] + 1] if isinstance(record, HandRecord)]


def hand(number: int, *, match: Match | None = None) -> list[HandRecord]:
    """A bare hand that ended at *number* ns and was dealt from that seed; seat 1 has won it."""
    return [
        HandBegan("classic", OPTIONS, number, 0, 3, (0, 0)),
        HandEnded(
            Outcome(Reason.PLACED_LAST_CARD, 1), number, 41_500_000_000, (19, 26), (2, 0),
            match or Match(3, (0, 1), 1),
        ),
    ]  # fmt: skip


OPTIONS = Options().for_seats(2)


@dataclass
class Complaints:
    """What an operator was told: ``all`` of it, and what is still wrong ``now``."""

    all: list[str] = field(default_factory=list)
    now: list[str] = field(default_factory=list)

    def __call__(self, fault: str, *, is_over: bool = False) -> None:
        if is_over:
            self.now.remove(fault)
        else:
            self.all.append(fault)
            self.now.append(fault)


@contextmanager
def ledger_in(directory: Path) -> Iterator[Ledger]:
    """The ledger that a keeper of *directory* writes, to read."""
    ledger = Ledger(directory / NAME, is_read_only=True)
    try:
        yield ledger
    finally:
        ledger.close()
