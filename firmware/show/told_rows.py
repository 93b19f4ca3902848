"""What a player is told in a row game as long as nothing else has to be said: dealing, gathering, calling.

Nothing here says whether there is a match: that rows grow is told after every card, whatever it was.
"""

from __future__ import annotations

from firmware.rules import AnyTable, Phase
from firmware.rules.aggravation import Aggravation
from firmware.rules.events import Dealt, Eliminated, Event, Gathered, RanOut, RoundDealt
from firmware.rules.growing_rows import GrowingRows
from firmware.rules.laid_rows import BARREN_ROWS, MOST_GATHERS, LaidOwn
from firmware.rules.table import NS_PER_MS
from firmware.rules.tournament import Tournament
from firmware.seats import Seat, opposite
from firmware.session.view import View
from firmware.show.card_art import rank_name
from firmware.show.lines import Said, Told, Tone
from firmware.show.look import Look
from firmware.show.motion import Wake
from firmware.show.signs import called
from firmware.show.standing import standing

DEALT_NS = 1_000_000_000
"""How long it is said that cards were dealt."""
ROUND_NS = 2_000_000_000
"""How long it is said what a round began with, or that rows were gathered."""


def told_of_rows(view: View, table: AnyTable, seat: Seat, look: Look, wake: Wake) -> Told:
    """What *seat* is told; penalties and notes go before it."""
    words = look.words
    if table.phase is Phase.PAUSE:
        return _pause(view, table, look)
    stands = standing(table, seat)
    if stands is not None:
        tone = Tone.OWN if stands == "safe" else Tone.PLAIN
        why = Said(words(f"standing.{stands}_why"), Tone.SOFT)
        return Told(Said(words(f"standing.{stands}"), tone), why)
    dealing = _dealing(view, table, look, wake)
    if isinstance(table.game, Aggravation):
        if not table.holdings[seat].draw:
            return _call(view, table, seat, look, wake)
        if not table.holdings[opposite(seat)].draw:
            text = words("call.other", player=look.name(opposite(seat)))
            return Told(dealing.line, Said(text, Tone.OTHER), is_asked=True)
    if dealing.sub is not None or not view.needs_second_bank:
        return dealing
    if view.has_second_bank[seat]:
        return Told(dealing.line, Said(words("bank.held", start=look.start(seat)), Tone.OWN))
    return Told(dealing.line, Said(words("bank.hint", start=look.start(seat)), Tone.SOFT))


def _pause(view: View, table: AnyTable, look: Look) -> Told:
    """Nobody can move, or somebody has just been eliminated."""
    words = look.words
    line, why = Said(words("rows.no_match"), Tone.PLAIN), words("rows.gathered")
    own = table.own
    if isinstance(own, LaidOwn) and (own.barren >= BARREN_ROWS or own.gathers >= MOST_GATHERS):
        why = words("rows.most_out" if isinstance(table.game, Tournament) else "rows.cap")
    for event in view.recent:
        if isinstance(event, Eliminated) and event.until_ns == table.pause_until_ns:
            line = Said(words("rows.eliminated", player=look.name(event.seat)), Tone.OTHER, event.seat)
            why = words(f"eliminated.{event.reason}")
    total_ns = table.options.redeal_pause_ms * NS_PER_MS
    return Told(line, Said(why, Tone.SOFT), table.pause_until_ns, total_ns)


def _call(view: View, table: AnyTable, seat: Seat, look: Look, wake: Wake) -> Told:
    """A-3: a seat without cards presses a pair."""
    words = look.words
    for whose, _, until_ns in called(table):
        if whose == seat and wake.is_before(until_ns):
            total_ns = table.options.chord_ms * NS_PER_MS
            sub = Said(words("call.second"), Tone.PLAIN)
            return Told(Said(words("call.touched"), Tone.OWN), sub, until_ns, total_ns, is_asked=True)
    how = words("call.bank", start=look.start(seat)) if view.needs_second_bank else words("call.how")
    return Told(Said(words("call.line"), Tone.OWN), Said(how, Tone.PLAIN), is_asked=True)


def _dealing(view: View, table: AnyTable, look: Look, wake: Wake) -> Told:
    """What has just been dealt or gathered."""
    words = look.words
    line, sub = None, None
    for event in view.recent:
        if isinstance(event, Dealt) and wake.is_before(event.at_ns + DEALT_NS):
            is_growing = isinstance(table.game, GrowingRows)
            line = Said(words("rows.grow" if is_growing else "rows.new"), Tone.PLAIN)
        elif wake.is_before(event.at_ns + ROUND_NS):
            sub = _news(event, table, look) or sub
            if isinstance(event, Gathered) and isinstance(table.game, GrowingRows):
                line = Said(words("rows.gathered"), Tone.PLAIN)
    return Told(line, sub)


def _news(event: Event, table: AnyTable, look: Look) -> Said | None:
    words = look.words
    match event:
        case RoundDealt(seats=seats, removed=removed):
            cards = len(table.pack) // len(seats)
            if removed is None:
                return Said(words("rows.round", cards=cards), Tone.SOFT)
            return Said(words("rows.round_without", cards=cards, rank=rank_name(removed)), Tone.SOFT)
        case RanOut(seat=seat) if isinstance(table.game, Tournament):
            text = words("player.says", player=look.name(seat), what=words("standing.safe"))
            return Said(text, Tone.OTHER, seat)
        case Gathered() if isinstance(table.game, GrowingRows):
            return Said(words("rows.empty"), Tone.SOFT)
    return None
