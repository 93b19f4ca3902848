"""From what happened to the one line that each player is told about it."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.rules.events import (
    Agreed,
    Beaten,
    Covered,
    DeadHeated,
    Event,
    FalseStarted,
    Offence,
    Penalised,
    Redealt,
)
from firmware.session.view import Note, NoteKind

PHOTO_FINISH_NS = 50_000_000
"""A contest closer than this is shown as a photo finish to the winner too."""

_OFFENCES = {
    Offence.ILLEGAL: NoteKind.WRONG_PILE,
    Offence.FALSE_START: NoteKind.FALSE_START,
    Offence.AGREED_WRONGLY: NoteKind.AGREED_WRONGLY,
    Offence.CALLED_WRONGLY: NoteKind.CALLED_WRONGLY,
}

Notes = tuple[Note | None, ...]


def after(notes: Notes, events: Sequence[Event]) -> Notes:
    """The lines of all seats after *events*; a line stays until something newer concerns its seat."""
    lines = list(notes)
    # After a toss the winner covers and the loser is beaten by nothing: the toss is what they are told.
    was_tossed = any(isinstance(event, DeadHeated) for event in events)
    for event in events:
        at_ns = event.at_ns
        match event:
            case Covered(seat=seat) if not was_tossed:
                lines[seat] = None
            case Redealt():
                lines = [None] * len(lines)
            case Beaten(seat=seat, lead_ns=lead_ns) if not was_tossed:
                ms = lead_ns / 1e6
                lines[seat] = Note(NoteKind.BEATEN, at_ns, ms)
                if len(lines) == 2 and lead_ns < PHOTO_FINISH_NS:
                    lines[1 - seat] = Note(NoteKind.FIRST, at_ns, ms)
            case Penalised(seat=seat, offence=offence):
                lines[seat] = Note(_OFFENCES[offence], at_ns)
            case FalseStarted(seat=seat):
                lines[seat] = Note(NoteKind.FALSE_START, at_ns)
            case Agreed(seat=seat):
                lines[seat] = Note(NoteKind.AGREED, at_ns)
            case DeadHeated(seats=seats, winner=winner):
                for seat in seats:
                    kind = NoteKind.TOSS_WON if seat == winner else NoteKind.TOSS_LOST
                    kind = NoteKind.DEAD_HEAT if winner is None else kind
                    lines[seat] = Note(kind, at_ns)
            case _:
                pass
    return tuple(lines)
