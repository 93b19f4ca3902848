"""Waiting for both STARTs: before the first hand, after each, and at the end of a match."""

from __future__ import annotations

from dataclasses import replace

from firmware.clock import NS_PER_S
from firmware.rules import DeadHeat
from firmware.session.phases import Box, Next, Phase, Play, Wait
from firmware.session.records import MatchLeft
from firmware.session.view import Stage, View
from firmware.touch.arbiter import Let
from firmware.touch.contact import START

LEFT_ALONE_NS = 60 * NS_PER_S
"""A result that nobody answers for so long gives way to the start picture."""
FORGOTTEN_NS = 300 * NS_PER_S
"""An interrupted match that nobody answers for so long is offered no more. There may be no clock that says
how long the plug was out, so this counts from the start picture or from the last press."""


class Waiting(Phase):
    """Goes on once both STARTs have been pressed, in any order.

    Piles count for nothing here, but for one thing: where an interrupted match is offered, a pile button
    changes to a new match, and the next one back. Nobody loses a match by a slip of the hand, since both
    have to press START for what is then shown.
    """

    def __init__(self, box: Box, wait: Wait, now_ns: int) -> None:
        self._box = box
        self._stage = wait.stage
        self._match, self._other = wait.match, wait.other
        self._since_ns = now_ns
        self._is_ready = [False, False]
        self._pressed_ns = now_ns

    @property
    def next_timer_at_ns(self) -> int | None:
        """When nobody has answered for too long."""
        if self._stage is not Stage.START or any(self._is_ready):
            return self._pressed_ns + LEFT_ALONE_NS
        return None if self._other is None else self._pressed_ns + FORGOTTEN_NS

    def touched(self, let: Let[DeadHeat]) -> Next:
        """A START counts, once for each seat; a pile button where there are two matches to choose from."""
        self._pressed_ns = let.at_ns
        for touch in let.touches:
            if touch.button.number == START:
                self._is_ready[touch.button.seat] = True
            elif self._other is not None:
                # Ready for the one is not ready for the other.
                return Wait(Stage.START, self._other, self._match)
        if not all(self._is_ready):
            return None
        if self._other is not None and self._match.hands == 0:
            self._box.keep(MatchLeft())
        return Play(self._match if self._match.winner is None else self._box.new_match())

    def timer(self, at_ns: int) -> Next:
        """Nobody is there any more."""
        if self._stage is Stage.START and any(self._is_ready):
            return Wait(Stage.START, self._match, self._other)
        if self._match.winner is None:
            self._box.keep(MatchLeft())
        return self._box.start()

    def view(self, before: View) -> View:
        """The hand that has just been played stays on the table; at the start there is none."""
        shown = replace(
            before,
            stage=self._stage,
            stage_since_ns=self._since_ns,
            game_id=self._box.entry.game.id,
            match=self._match,
            other_match=self._other,
            is_ready=tuple(self._is_ready),
            has_second_bank=(False, False),
        )
        if self._stage is not Stage.START:
            return shown
        return replace(shown, table=None, recent=(), notes=(None,) * self._box.seats, go_at_ns=None)
