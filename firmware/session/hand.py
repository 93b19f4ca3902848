"""A hand, from the countdown to its end: the only place where commands enter the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmware import rules
from firmware.clock import NS_PER_S
from firmware.rules import (
    Abandon,
    Agree,
    Command,
    Cover,
    DeadHeat,
    Event,
    First,
    Go,
)
from firmware.rules.options import Redeal
from firmware.seats import SIDES
from firmware.session import notes
from firmware.session.phases import Box, Next, Phase, Play, Wait
from firmware.session.records import Entered, HandBegan, HandEnded, MatchLeft
from firmware.session.view import Note, NoteKind, Stage, View
from firmware.touch.arbiter import Let
from firmware.touch.contact import START, Button, Release, Touch

COUNTDOWN_NS = 3 * NS_PER_S
RECENT_NS = 2 * NS_PER_S
"""How long events stay in the view, for whoever draws late."""
STILL_THERE_NS = 45 * NS_PER_S
GIVE_UP_NS = 60 * NS_PER_S
"""Without a press for 45 s the players are asked; 15 s later the hand is abandoned."""


class Playing(Phase):
    """One hand: counts down to GO, then plays until there is an outcome."""

    def __init__(self, box: Box, play: Play, now_ns: int) -> None:
        self.box = box
        self.match = match = play.match
        self.since_ns = now_ns
        self.go_at_ns = now_ns + COUNTDOWN_NS
        seed = next(box.seeds)
        self.table = box.entry.game.start(box.hand_options, seed, seats=box.seats, at_ns=now_ns)
        self._recent: tuple[Event, ...] = ()
        self._notes: notes.Notes = (None,) * box.seats
        self._second_bank = [False] * SIDES
        self._pressed_ns = self.go_at_ns
        self._has_asked = False
        box.keep(
            HandBegan(
                box.entry.game.id, self.table.options, seed, now_ns, match.best_of, match.wins, box.seats
            )
        )

    @property
    def next_timer_at_ns(self) -> int | None:
        """The hand's next timer, GO, or the moment when nobody seems to be there."""
        if self.table.phase is rules.Phase.READY:
            return self.go_at_ns
        idle_ns = self._pressed_ns + (GIVE_UP_NS if self._has_asked else STILL_THERE_NS)
        timer = self.table.next_timer
        return idle_ns if timer is None else min(timer.at_ns, idle_ns)

    def timer(self, at_ns: int) -> Next:
        """GO, something of the hand, or nobody there."""
        if self.table.phase is rules.Phase.READY:
            return self._enter(Entered(Go(at_ns)))
        timer = self.table.next_timer
        if timer is not None and timer.at_ns <= at_ns:
            return self._enter(Entered(timer))
        if not self._has_asked:
            self._has_asked = True
            self._notes = (Note(NoteKind.STILL_THERE, at_ns),) * self.box.seats
            return None
        self._enter(Entered(Abandon(at_ns)))
        self.box.keep(MatchLeft())
        return self.box.start()

    def touched(self, let: Let[DeadHeat]) -> Next:
        """A press on a pile, a START, or a dead heat."""
        self._pressed_ns = max(self._pressed_ns, let.at_ns)
        if self._has_asked:
            self._has_asked = False
            self._notes = (None,) * self.box.seats
        if let.verdict is not None:
            return self._enter(Entered(replace(let.verdict, at_ns=let.at_ns), is_late=let.is_late))
        touch = let.touches[0]
        command: Command | None = self.cover(touch)
        if touch.button.number == START:
            self._second_bank[touch.button.seat] = self.box.has_second_bank
            if self.table.options.redeal is Redeal.AGREE and self.table.phase is rules.Phase.PLAY:
                command = Agree(touch.at_ns, touch.button.seat)
        if command is None:
            return None
        touched_ns = None if touch.at_ns == let.at_ns else touch.at_ns
        return self._enter(Entered(replace(command, at_ns=let.at_ns), touched_ns, let.is_late))

    def released(self, release: Release) -> None:
        """START let go: the buttons address the near side again."""
        if release.button.number == START:
            self._second_bank[release.button.seat] = False

    def cover(self, touch: Touch) -> Cover | None:
        """The cover that *touch* asks for; None for START and for buttons beyond the layout."""
        seat, number = touch.button.seat, touch.button.number
        if number == START:
            return None
        if seat >= SIDES:
            return Cover(touch.at_ns, seat, number)  # a CPU player's buttons are the slots themselves
        is_second = self.box.has_second_bank and self.box.was_held(Button(seat, START), touch.at_ns)
        slot = self.box.entry.game.layout.pressed(seat, number, self.box.buttons, second_bank=is_second)
        return None if slot is None else Cover(touch.at_ns, seat, slot)

    def judge(self, covers: list[Cover]) -> Cover | DeadHeat:
        """T-5, by the rules."""
        verdict = rules.judge(self.table, covers)
        return verdict.cover if isinstance(verdict, First) else verdict

    def _enter(self, entered: Entered) -> Next:
        command = entered.command
        self.table, events = rules.apply(self.table, command)
        self.box.keep(entered)
        self._note(events, command.at_ns)
        if isinstance(command, Go):
            self.since_ns = command.at_ns
        if self.table.outcome is None:
            return None
        match = self.match.after(self.table.outcome)
        holdings = self.table.holdings
        self.box.keep(
            HandEnded(
                self.table.outcome,
                command.at_ns,
                command.at_ns - self.go_at_ns,
                tuple(holding.covers for holding in holdings),
                tuple(holding.offences for holding in holdings),
                match,
            )
        )
        stage = Stage.RESULT if match.winner is None else Stage.MATCH_END
        return Wait(stage, match)

    def _note(self, events: Sequence[Event], at_ns: int) -> None:
        since_ns = at_ns - RECENT_NS
        recent = tuple(event for event in self._recent if event.at_ns >= since_ns)
        self._recent = (*recent, *events)
        self._notes = notes.after(self._notes, events)

    def view(self, before: View) -> View:
        """The table as it is."""
        is_ready_phase = self.table.phase is rules.Phase.READY
        return replace(
            before,
            stage=Stage.COUNTDOWN if is_ready_phase else Stage.HAND,
            stage_since_ns=self.since_ns,
            game_id=self.box.entry.game.id,
            match=self.match,
            other_match=None,
            is_ready=(False, False),
            go_at_ns=self.go_at_ns,
            table=self.table,
            recent=self._recent,
            notes=self._notes,
            needs_second_bank=self.box.has_second_bank,
            has_second_bank=tuple(self._second_bank),
        )
