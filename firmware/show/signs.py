"""The verdict where the hand is: a short word at the pile that was pressed, for each player.

A sign stands between the pile and the player whom it tells; the opposite player gets their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from firmware.rules import AnyTable
from firmware.rules.aggravation import CallingOwn
from firmware.rules.events import (
    Beaten,
    Called,
    Covered,
    DeadHeated,
    Event,
    Frozen,
    Ignored,
    Offence,
    Penalised,
)
from firmware.seats import SIDES, Seat, opposite
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


_OWN_AND_OTHER = (Manner.WON, Manner.LOST)
"""Of what one seat does for both to see: how that seat reads it, and the other."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A word and its look; ``is_own``: it is about what its reader did, or about both."""

    text: str
    manner: Manner
    is_own: bool = True


Signs = dict[tuple[int, Seat], Sign]
"""By (slot, seat that reads it)."""


def signs(view: View, look: Look, wake: Wake) -> Signs:
    """All signs, the newest where there are several at a pile."""
    found: Signs = {}
    lasting: set[int] = set()
    table = view.table
    if table is None:
        return found
    for slot, until_ns in table.frozen:
        if wake.is_before(until_ns):
            for seat in (0, 1):
                found[slot, seat] = Sign(look.words("sign.dead_heat"), Manner.EVEN)
            lasting.add(slot)
    for seat, slot, until_ns in called(table):
        # The first touch of a call stands until the second, or until it has expired.
        if wake.is_before(until_ns):
            found |= _for_both(slot, seat, *[Sign(look.words("sign.touched"), m) for m in _OWN_AND_OTHER])
            lasting.add(slot)
    for event in reversed(view.recent):
        slots = _slots(event, view.recent)
        for slot in slots:
            if slot in lasting or all((slot, seat) in found for seat in (0, 1)):
                continue
            if wake.is_before(event.at_ns + _length(event)):
                for reader, sign in _of(event, slot, len(table.holdings), look).items():
                    found.setdefault(reader, sign)
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
        case Called(slots=slots):
            return slots
        case DeadHeated(winner=winner, at_ns=at_ns) if winner is not None:
            return tuple(e.slot for e in recent if isinstance(e, Covered) and e.at_ns == at_ns)
        case DeadHeated(at_ns=at_ns):
            return tuple(e.slot for e in recent if isinstance(e, Frozen) and e.at_ns == at_ns)
    return ()


def _of(event: Event, slot: int, seats: int, look: Look) -> Signs:
    """The signs that *event* puts up at *slot*, where *seats* play.

    Where more than two do, each player is told only what is theirs: who else was first is seen on the pile.
    """
    words = look.words
    # The rim of LOST is the opposite player's, who need not be the one that was first where more play.
    lost_as = Manner.LOST if seats == SIDES else Manner.QUIET
    match event:
        case Beaten(seat=seat, lead_ns=lead_ns):
            ms = words.number(lead_ns / NS_PER_MS)
            first = Sign(words("sign.first", ms=ms), Manner.WON) if seats == SIDES else None
            return _for_both(slot, seat, Sign(words("sign.beaten", ms=ms), lost_as), first)
        case Penalised(seat=seat, offence=Offence.ILLEGAL):
            wrong = Sign(words("sign.wrong_pile"), Manner.PENALTY)
            return _for_both(slot, seat, wrong, wrong if seats == SIDES else None)
        case Penalised(seat=seat, offence=Offence.CALLED_WRONGLY):
            no_pair = Sign(words("sign.called_wrongly"), Manner.PENALTY)
            return _for_both(slot, seat, no_pair, no_pair)
        case Called(seat=seat):
            return _for_both(slot, seat, *[Sign(words("sign.called"), manner) for manner in _OWN_AND_OTHER])
        case DeadHeated(winner=None):
            return dict.fromkeys(((slot, 0), (slot, 1)), Sign(words("sign.dead_heat"), Manner.EVEN))
        case DeadHeated(seats=tossed, winner=winner) if winner is not None:
            won, lost = Sign(words("sign.toss_won"), Manner.WON), Sign(words("sign.toss_lost"), lost_as)
            return {(slot, seat): won if seat == winner else lost for seat in tossed if seat < SIDES}
        case Ignored(seat=seat, excuse=excuse):
            quiet = Sign(words(f"excuse.{excuse.value}"), Manner.QUIET)
            return _for_both(slot, seat, quiet, quiet if seats == SIDES else None)
    return {}


def _for_both(slot: int, seat: Seat, own: Sign, others: Sign | None) -> Signs:
    """*own* for *seat*, *others* for the other side; a seat without buttons reads none."""
    if others is own:
        others = replace(own, is_own=False)
    readers = {seat: own, opposite(seat): others} if seat < SIDES else {}
    return {(slot, reader): sign for reader, sign in readers.items() if sign is not None}


def called(table: AnyTable) -> list[tuple[Seat, int, int]]:
    """(seat, slot, until_ns) of the first touches of calls (A-3)."""
    if not isinstance(table.own, CallingOwn):
        return []
    firsts = enumerate(table.own.firsts)
    return [(seat, first[0], first[1]) for seat, first in firsts if first is not None]


def taken(view: View, wake: Wake) -> dict[int, Seat]:
    """The piles just covered or called, by slot, and by whom."""
    found: dict[int, Seat] = {}
    for event in view.recent:
        match event:
            case Covered(seat=seat, slot=slot) if wake.is_before(event.at_ns + TAKEN_NS):
                found[slot] = seat
            case Called(seat=seat, slots=slots) if wake.is_before(event.at_ns + SIGN_NS):
                found |= dict.fromkeys(slots, seat)
    if view.table is not None:
        found |= {slot: seat for seat, slot, until_ns in called(view.table) if wake.is_before(until_ns)}
    return found
