"""The session: takes what the arbiter lets out, has the rules decide, and says what is to be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from firmware.rules import DeadHeat
from firmware.session.hand import Playing
from firmware.session.phases import Box, Next, Phase, Play, Wait
from firmware.session.records import HandEnded, Interrupted
from firmware.session.view import Stage, View
from firmware.session.waiting import Waiting
from firmware.touch.arbiter import Let, Ruling
from firmware.touch.contact import START, Button, Fault, FaultSeen, Release, Touch

GIVEN_UP = "a hand was given up after a fault in the program; see the log"


class Session:
    """What the cabinet is doing, from power-on to power-off.

    *show* is called with every new :class:`View`, from whatever thread calls in. *input_note* says how
    the presses are timed, where that is worse than the kernel's stamp. ``counts`` holds what an
    operator wants to know since power-on: faults of contacts by name, dead heats, late touches; ``by_button``
    holds presses and faults of each button. *interrupted*: the match that was going on before it.
    """

    def __init__(
        self,
        box: Box,
        show: Callable[[View], None],
        now_ns: int,
        *,
        input_note: Callable[[], str | None] = lambda: None,
        interrupted: Interrupted | None = None,
    ) -> None:
        self._show = show
        self._stuck: frozenset[Button] = frozenset()
        self._faults: tuple[str, ...] = ()
        self.counts: Counter[str] = Counter()
        self.by_button: Counter[tuple[str, Button]] = Counter()
        self._saved_at_ns: int | None = None
        self._box = box
        wait = box.start_after(interrupted)
        self.phase: Phase = Waiting(box, wait, now_ns)
        self._input_note = input_note
        self.view = View(
            0,
            now_ns,
            Stage.START,
            now_ns,
            box.entry.game.id,
            wait.match,
            input_note=input_note(),
            other_match=wait.other,
        )
        self._show(self.view)

    @property
    def next_timer_at_ns(self) -> int | None:
        """When :meth:`timer` wants to be called."""
        return self.phase.next_timer_at_ns

    def judge(self, touches: tuple[Touch, ...]) -> Ruling[DeadHeat]:
        """Who was first of touches too close to call (T-5), in whatever is going on."""
        covers = [self.phase.cover(touch) for touch in touches]
        known = [cover for cover in covers if cover is not None]
        if len(known) < len(covers):
            return Ruling(touches[:1])
        verdict = self.phase.judge(known)
        if isinstance(verdict, DeadHeat):
            seats = {seat for seat, _ in verdict.contestants}
            return Ruling(tuple(t for t in touches if t.button.seat in seats), verdict)
        return Ruling(tuple(t for t in touches if t.button.seat == verdict.seat))

    def touched(self, let: Let[DeadHeat]) -> None:
        """Something was let out by the arbiter."""
        self.counts["touches"] += len(let.touches)
        for touch in let.touches:
            self.by_button["presses", touch.button] += 1
        self.counts["late"] += let.is_late
        self.counts["dead_heats"] += let.verdict is not None
        if any(touch.button in self._stuck for touch in let.touches):
            return
        self._step(self.phase.touched(let), let.at_ns)

    def timer(self, at_ns: int) -> None:
        """The time of :attr:`next_timer_at_ns` has come."""
        self._step(self.phase.timer(at_ns), at_ns)

    def released(self, release: Release) -> None:
        """A button was opened."""
        if release.button.number == START:
            self.phase.released(release)
            self._publish(release.at_ns)

    def fault(self, seen: FaultSeen) -> None:
        """A contact has a fault: it is counted; a stuck button is out of play until it is freed."""
        self.counts[seen.fault.value] += 1
        self.by_button[seen.fault.value, seen.button] += 1
        if seen.fault is Fault.STUCK:
            self._stuck |= {seen.button}
        elif seen.fault is Fault.FREED:
            self._stuck -= {seen.button}
        else:
            return
        self._publish(seen.at_ns)

    def tell(self, fault: str, at_ns: int, *, is_over: bool = False) -> None:
        """Something in the cabinet is wrong, or right again; the operator reads it on the screen."""
        others = tuple(other for other in self._faults if other != fault)
        self._faults = others if is_over else (*others, fault)
        self.counts["faults"] += not is_over
        self._publish(at_ns)

    def give_up(self, at_ns: int) -> None:
        """What is going on cannot go on: back to the start, where its match is offered."""
        self.counts["given_up"] += 1
        self._faults = (*(f for f in self._faults if f != GIVEN_UP), GIVEN_UP)
        self.phase = Waiting(self._box, self._box.start(self.view.match), at_ns)
        self._publish(at_ns)

    def saved(self, ended: HandEnded, at_ns: int) -> None:
        """That hand is on disk: no power cut takes it away any more."""
        self._saved_at_ns = ended.at_ns
        self._publish(at_ns)

    def counted(self) -> dict[tuple[str, str], int]:
        """``counts`` and ``by_button`` as they are now, by (name, button in words or ""); from any thread."""
        # Copying a dict whole is one step for other threads; walking it would not be.
        totals, presses = dict(self.counts), dict(self.by_button)
        counted = {(name, ""): count for name, count in totals.items()}
        return counted | {(name, _in_words(button)): count for (name, button), count in presses.items()}

    def _step(self, following: Next, at_ns: int) -> None:
        # The old phase is shown as it ended first: what comes next may leave its table lying.
        self._look(at_ns)
        match following:
            case Play():
                self.phase = Playing(self._box, following, at_ns)
            case Wait():
                self.phase = Waiting(self._box, following, at_ns)
        self._publish(at_ns)

    def _look(self, at_ns: int) -> None:
        seen = self.phase.view(self.view)
        stuck = tuple(sorted((button.seat, button.number) for button in self._stuck))
        self.view = replace(
            seen,
            state_id=self.view.state_id + 1,
            at_ns=max(at_ns, self.view.at_ns),
            stuck_buttons=stuck,
            is_saved=seen.table is not None
            and seen.table.outcome is not None
            and seen.table.at_ns == self._saved_at_ns,
            faults=self._faults,
            input_note=self._input_note(),
        )

    def _publish(self, at_ns: int) -> None:
        self._look(at_ns)
        self._show(self.view)


def _in_words(button: Button) -> str:
    player = f"player {button.seat + 1}"
    return f"{player} START" if button.number == START else f"{player}, place {button.number + 1}"
