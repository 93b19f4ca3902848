"""What a player is told in words, at every stage."""

from __future__ import annotations

from dataclasses import replace

from firmware.rules import AnyTable, Match, Phase
from firmware.rules.options import Redeal, ShortRedeal
from firmware.rules.rows import Rows
from firmware.rules.shared_piles import SharedPiles
from firmware.seats import SIDES, Seat, opposite
from firmware.session.view import Note, NoteKind, Stage, View
from firmware.show.lines import Said, Told, Tone
from firmware.show.look import START, Look
from firmware.show.motion import Wake
from firmware.show.standing import verdict
from firmware.show.told_rows import told_of_rows

NOTE_NS = 4_000_000_000
"""How long a note stays, unless a newer one takes its place."""
STILL_THERE_NS = 15_000_000_000
GO_NS = 900_000_000
NS_PER_MS = 1_000_000
REVEAL_NS = 1_000_000_000
"""How long the last card of a hand is seen on its pile before the result takes the middle."""


_PENALTIES = (
    NoteKind.WRONG_PILE,
    NoteKind.FALSE_START,
    NoteKind.AGREED_WRONGLY,
    NoteKind.CALLED_WRONGLY,
)
_SHARED = (
    NoteKind.FIRST,
    NoteKind.BEATEN,
    NoteKind.DEAD_HEAT,
    NoteKind.TOSS_WON,
    NoteKind.TOSS_LOST,
    NoteKind.STILL_THERE,
)
"""What happens to both at once: the other side's is not told as well."""


def tell(view: View, seat: Seat, look: Look, wake: Wake) -> Told:
    """What *seat* is told at ``wake.now_ns``."""
    match view.stage:
        case Stage.START:
            return _starts(view, seat, look)
        case Stage.COUNTDOWN:
            return _counted_down(view, seat, look)
        case Stage.HAND:
            return _playing(view, seat, look, wake)
        case _ if wake.is_before(view.stage_since_ns + REVEAL_NS):
            return _just_over(view, seat, look)
        case Stage.RESULT:
            return _waits(view, seat, look, "start.next_hand")
        case _:
            return _waits(view, seat, look, "start.new_match")


def is_begun(match: Match) -> bool:
    """Has a hand of *match* been played, so that it would be gone on with?"""
    return match.hands > 0


def _starts(view: View, seat: Seat, look: Look) -> Told:
    """Which match START begins or goes on with is said where there is more to it than a new one."""
    words, other = look.words, view.other_match
    told = _waits(view, seat, look, "start.press")
    if not is_begun(view.match) and other is None:
        return told
    what = _match(view.match, seat, look)
    text = what if view.is_ready[seat] else words("start.press_for", start=look.start(seat), what=what)
    tone = Tone.OWN if view.is_ready[seat] else Tone.PLAIN
    hint = None
    if other is not None:
        hint = Said(words("start.change", what=_match(other, seat, look)), Tone.SOFT)
    return replace(told, line=Said(text, tone), hint=hint)


def _match(match: Match, seat: Seat, look: Look) -> str:
    """*match* as *seat* counts it: its own hands first."""
    if not is_begun(match):
        return look.words("start.new")
    return look.words("start.go_on", own=match.wins[seat], other=match.wins[opposite(seat)])


def _waits(view: View, seat: Seat, look: Look, prompt: str) -> Told:
    words, other = look.words, opposite(seat)
    if view.is_ready[seat]:
        key = look.keys.get((other, START))
        says = "start.waiting" if key is None else "start.waiting_key"
        waiting = Said(words(says, player=look.name(other), key=key), Tone.SOFT)
        return Told(Said(words("start.ready"), Tone.OWN), waiting, is_prompt=True)
    sub = None
    if view.is_ready[other]:
        sub = Said(words("start.other_ready", player=look.name(other)), Tone.OTHER)
    return Told(Said(words(prompt, start=look.start(seat)), Tone.PLAIN), sub, is_prompt=True)


def _counted_down(view: View, seat: Seat, look: Look) -> Told:
    words, table = look.words, view.table
    if table is not None and table.holdings[seat].has_false_start:
        seconds = words.number(table.options.penalty_ms[seat] / 1000)
        return Told(
            Said(words("countdown.too_early"), Tone.PENALTY),
            Said(words("countdown.blocked", seconds=seconds), Tone.PLAIN),
        )
    sub = Said(words("countdown.touch_nothing"), Tone.SOFT)
    other = opposite(seat)
    if table is not None and table.holdings[other].has_false_start:
        sub = _third_person(look, other, words("countdown.too_early"))
    return Told(Said(words("countdown.steady"), Tone.PLAIN), sub)


def _just_over(view: View, seat: Seat, look: Look) -> Told:
    headline, why = verdict(view, look, seat)
    return Told(Said(headline, Tone.PLAIN), Said(why, Tone.SOFT))


def _playing(view: View, seat: Seat, look: Look, wake: Wake) -> Told:
    words, table = look.words, view.table
    if table is None:
        return Told()
    resting = told_of_rows(view, table, seat, look, wake) if isinstance(table.game, Rows) else Told()
    if table.phase is Phase.PAUSE:
        return _stuck(table, look) if resting.line is None else resting
    own, others = _fresh(view, seat, wake), _fresh(view, opposite(seat), wake)
    holding = table.holdings[seat]
    if holding.penalty_until_ns is not None:
        line = Said(words("block.blocked"), Tone.PENALTY)
        why = None
        if own is not None and own.kind in _PENALTIES:
            line = Said(_note_text(own, look), Tone.PENALTY)
            key = f"why.{own.kind.value}"
            is_of_rows = isinstance(table.game, Rows) and f"{key}_rows" in words
            why = Said(words(f"{key}_rows" if is_of_rows else key), Tone.PLAIN)
        total_ns = table.options.penalty_ms[seat] * NS_PER_MS
        return Told(line, why, holding.penalty_until_ns, total_ns, True)
    if table.options.redeal is Redeal.AGREE:
        agreed = [side.has_agreed for side in table.holdings]
        if agreed[seat]:
            return _note(Note(NoteKind.AGREED, 0), seat, look, len(agreed))
        if agreed[opposite(seat)]:
            says = _third_person(look, opposite(seat), words("note.agreed"))
            return Told(says, Said(words("why.agree_too", start=look.start(seat)), Tone.PLAIN))
    if table.holdings[seat].is_out:
        return resting
    if own is not None and own.kind is not NoteKind.AGREED:
        told = _note(own, seat, look, len(table.holdings))
        if resting.is_asked:
            return replace(resting, line=told.line)
        if others is None or others.kind in _SHARED or others.at_ns < own.at_ns:
            return told
        return Told(told.line, _note_of_other(others, opposite(seat), look))
    is_go = view.go_at_ns is not None and wake.is_before(view.go_at_ns + GO_NS)
    if is_go:
        resting = replace(resting, line=Said(words("countdown.go"), Tone.PLAIN))
    if others is None or others.kind is NoteKind.AGREED or resting.is_asked:
        return resting
    return replace(resting, sub=_note_of_other(others, opposite(seat), look))


def _fresh(view: View, seat: Seat, wake: Wake) -> Note | None:
    note = view.notes[seat]
    if note is None:
        return None
    stays_ns = STILL_THERE_NS if note.kind is NoteKind.STILL_THERE else NOTE_NS
    return note if wake.is_before(note.at_ns + stays_ns) else None


def _stuck(table: AnyTable, look: Look) -> Told:
    key = "stuck.redeal"
    game = table.game
    if isinstance(game, SharedPiles):
        needed = 2 if game.draw_two else game.piles
        if any(len(holding.draw) < needed for holding in table.holdings):
            is_count = table.options.short_redeal is ShortRedeal.DEADLOCK
            key = "stuck.count" if is_count else "stuck.last_cards"
    return Told(
        Said(look.words("stuck.line"), Tone.PLAIN),
        Said(look.words(key), Tone.SOFT),
        table.pause_until_ns,
        table.options.redeal_pause_ms * NS_PER_MS,
    )


def _note_text(note: Note, look: Look) -> str:
    key = f"note.{note.kind.value}"
    if f"{key}_plain" in look.words:
        if note.ms is None:
            return look.words(f"{key}_plain")
        return look.words(key, ms=look.words.number(note.ms))
    return look.words(key)


def _note(note: Note, seat: Seat, look: Look, seats: int) -> Told:
    is_bad = note.kind in _PENALTIES
    is_good = note.kind in (NoteKind.FIRST, NoteKind.TOSS_WON)
    tone = Tone.PENALTY if is_bad else Tone.OWN if is_good else Tone.PLAIN
    key = f"why.{note.kind.value}"
    why = None
    if key in look.words and (seats == SIDES or note.kind is not NoteKind.TOSS_LOST):
        why = look.words(key, player=look.name(opposite(seat)))
    return Told(Said(_note_text(note, look), tone), None if why is None else Said(why, Tone.SOFT))


def _note_of_other(note: Note, other: Seat, look: Look) -> Said:
    return _third_person(look, other, _note_text(note, look))


def _third_person(look: Look, seat: Seat, what: str) -> Said:
    return Said(look.words("player.says", player=look.name(seat), what=what), Tone.OTHER)
