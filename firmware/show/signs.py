"""The verdict where the hand is: a short word at the pile that was pressed, for each player.

A sign stands between the pile and the player whom it tells; the opposite player gets their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firmware.rules.events import Beaten, Covered, DeadHeated, Event, Frozen, Ignored, Offence, Penalised
from firmware.seats import Seat
from firmware.session.view import View
from firmware.show.look import Look
from firmware.show.motion import Wake

SIGN_NS = 1_500_000_000
IGNORED_NS = 600_000_000
TAKEN_NS = 400_000_000
"""How long a pile shows who took it."""
NS_PER_MS = 1_000_000


class Manner(Enum):
    """How a sign looks."""

    WON = "won"
    LOST = "lost"
    PENALTY = "penalty"
    EVEN = "even"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Sign:
    """A word and its look."""

    text: str
    manner: Manner


def signs(view: View, look: Look, wake: Wake) -> dict[tuple[int, Seat], Sign]:
    """The sign at each (slot, seat that reads it), the newest where there are several."""
    found: dict[tuple[int, Seat], Sign] = {}
    lasting: set[int] = set()
    table = view.table
    if table is None:
        return found
    for slot, until_ns in table.frozen:
        if wake.is_before(until_ns):
            for seat in (0, 1):
                found[slot, seat] = Sign(look.words("sign.dead_heat"), Manner.EVEN)
            lasting.add(slot)
    for event in reversed(view.recent):
        slots = _slots(event, view.recent)
        for slot in slots:
            if slot in lasting or (slot, 0) in found:
                continue
            pair = _pair(event, view.recent, look)
            if pair is None or not wake.is_before(event.at_ns + _length(event)):
                continue
            found[slot, 0], found[slot, 1] = pair
    return found


def _length(event: Event) -> int:
    return IGNORED_NS if isinstance(event, Ignored) else SIGN_NS


def _slots(event: Event, recent: tuple[Event, ...]) -> tuple[int, ...]:
    """The piles that *event* has a sign for."""
    match event:
        case Beaten(slot=slot, at_ns=at_ns):
            # The loser of a toss is beaten at the moment of the toss, which is what they are told.
            tossed = any(isinstance(e, DeadHeated) and e.at_ns == at_ns for e in recent)
            return () if tossed else (slot,)
        case Penalised(slot=slot) | Ignored(slot=slot):
            return () if slot is None else (slot,)
        case DeadHeated(winner=winner, at_ns=at_ns) if winner is not None:
            return tuple(e.slot for e in recent if isinstance(e, Covered) and e.at_ns == at_ns)
        case DeadHeated(at_ns=at_ns):
            return tuple(e.slot for e in recent if isinstance(e, Frozen) and e.at_ns == at_ns)
    return ()


def _pair(event: Event, recent: tuple[Event, ...], look: Look) -> tuple[Sign, Sign] | None:
    """The signs that *event* puts up for seat 0 and seat 1."""
    words = look.words
    match event:
        case Beaten(seat=seat, lead_ns=lead_ns):
            ms = words.number(lead_ns / NS_PER_MS)
            lost = Sign(words("sign.beaten", ms=ms), Manner.LOST)
            return _ordered(seat, lost, Sign(words("sign.first", ms=ms), Manner.WON))
        case Penalised(seat=seat, offence=Offence.ILLEGAL):
            wrong = Sign(words("sign.wrong_pile"), Manner.PENALTY)
            return wrong, wrong
        case Penalised(offence=Offence.CALLED_WRONGLY):
            no_pair = Sign(words("sign.called_wrongly"), Manner.PENALTY)
            return no_pair, no_pair
        case DeadHeated(winner=None):
            even = Sign(words("sign.dead_heat"), Manner.EVEN)
            return even, even
        case DeadHeated(winner=winner) if winner is not None:
            won = Sign(words("sign.toss_won"), Manner.WON)
            return _ordered(winner, won, Sign(words("sign.toss_lost"), Manner.LOST))
        case Ignored(excuse=excuse):
            quiet = Sign(words(f"excuse.{excuse.value}"), Manner.QUIET)
            return quiet, quiet
    return None


def _ordered(seat: Seat, own: Sign, others: Sign) -> tuple[Sign, Sign]:
    return (own, others) if seat == 0 else (others, own)


def taken(view: View, wake: Wake) -> dict[int, Seat]:
    """The piles just covered, by slot, and by whom."""
    found: dict[int, Seat] = {}
    for event in view.recent:
        if isinstance(event, Covered) and wake.is_before(event.at_ns + TAKEN_NS):
            found[event.slot] = event.seat
    return found
