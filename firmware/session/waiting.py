"""Waiting for both STARTs: before the first hand, after each, and at the end of a match."""

from __future__ import annotations

from dataclasses import replace

from firmware.clock import NS_PER_S
from firmware.rules import DeadHeat
from firmware.session.phases import Box, Next, Phase, Play, Wait
from firmware.session.view import Stage, View
from firmware.touch.arbiter import Let
from firmware.touch.contact import START

LEFT_ALONE_NS = 60 * NS_PER_S
"""A result that nobody answers for so long gives way to the start picture."""


class Waiting(Phase):
    """Goes on once both STARTs have been pressed, in any order; piles count for nothing here."""

    def __init__(self, box: Box, wait: Wait, now_ns: int) -> None:
        self._box = box
        self._stage = wait.stage
        self._match = wait.match
        self._since_ns = now_ns
        self._is_ready = [False, False]
        self._alone_at_ns = now_ns + LEFT_ALONE_NS

    @property
    def next_timer_at_ns(self) -> int | None:
        """When nobody has answered for too long."""
        nothing_to_forget = self._stage is Stage.START and not any(self._is_ready)
        return None if nothing_to_forget else self._alone_at_ns

    def touched(self, let: Let[DeadHeat]) -> Next:
        """A START counts, once for each seat."""
        self._alone_at_ns = let.at_ns + LEFT_ALONE_NS
        for touch in let.touches:
            if touch.button.number == START:
                self._is_ready[touch.button.seat] = True
        if not all(self._is_ready):
            return None
        return Play(self._match if self._stage is Stage.RESULT else self._box.new_match())

    def timer(self, at_ns: int) -> Next:
        """Nobody is there any more."""
        return Wait(Stage.START, self._box.new_match())

    def view(self, before: View) -> View:
        """The hand that has just been played stays on the table; at the start there is none."""
        shown = replace(
            before,
            stage=self._stage,
            stage_since_ns=self._since_ns,
            game_id=self._box.entry.game.id,
            match=self._match,
            is_ready=tuple(self._is_ready),
            has_second_bank=(False, False),
        )
        if self._stage is not Stage.START:
            return shown
        return replace(shown, table=None, recent=(), notes=(None,) * self._box.seats, go_at_ns=None)
