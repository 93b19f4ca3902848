"""Races before the referee: the cabinet's own contacts, arbiter and loop, with a table for each race.

Where the cabinet has its session, here stand :class:`Bouts`. Everything before it is the real thing, on
whatever source of edges and clock it is given.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast

from firmware.bench.other_ways import Press
from firmware.bench.races import Court, Outcome, Race
from firmware.clock import Clock
from firmware.lines import HEADER_LINES
from firmware.referee import Referee
from firmware.rules import Cover, DeadHeat, First
from firmware.session.session import Session
from firmware.settings import Input
from firmware.touch.arbiter import Arbiter, Let, Ruling
from firmware.touch.contact import Button, Contacts, FaultSeen, Release, Times, Touch
from firmware.touch.edges import EdgeSource

WINDOW_NS = Input().dead_heat_window_ns
"""Closer than this is too close to call, as a box fresh from the workshop has it."""
BOUTS_KEPT = 8
"""Bouts of one button that may still be waited for: a late touch belongs to the one that it was made in."""
MOST_BUTTONS = len(HEADER_LINES) // 2
"""Buttons that each of two players can have on the header."""


def wires(buttons: int, *, is_rewired: bool = False) -> dict[int, Button]:
    """*buttons* of each player on header lines. ``is_rewired``: each has the other's GPIO numbers."""
    pairs = zip(HEADER_LINES[::2], HEADER_LINES[1::2], strict=True)
    # As in the reference cabinet, the lower number of each pair alternates between the players.
    return {
        gpio: Button(side ^ (number % 2) ^ is_rewired, number)
        for number, pair in islice(enumerate(pairs), buttons)
        for side, gpio in enumerate(pair)
    }


@dataclass(frozen=True, slots=True)
class Taken:
    """What the cabinet made of a race: the presses it took, and what came of them.

    ``late``: how many touches were let out after a later one.
    """

    race: Race
    outcome: Outcome
    presses: tuple[Press, ...]
    late: int = 0


@dataclass(eq=False)
class Bout:
    """A race that is being run: it began at ``base_ns``."""

    court: Court
    base_ns: int
    presses: list[Press] = field(default_factory=list)
    late: int = 0

    def cover(self, touch: Touch) -> Cover:
        """The command of *touch*."""
        return self.court.cover(touch.button.seat, touch.at_ns)

    def taken(self, race: Race) -> Taken:
        """What was made of it; times count from its beginning, as those of *race* do."""
        presses = tuple(
            replace(one, at_ns=one.at_ns - self.base_ns, seen_ns=one.seen_ns - self.base_ns)
            for one in self.presses
        )
        return Taken(race, self.court.outcome, presses, self.late)


class Bouts:
    """What the referee takes for a session: each button belongs to one bout after another."""

    def __init__(self, clock: Clock) -> None:
        self._bouts: defaultdict[Button, deque[Bout]] = defaultdict(lambda: deque(maxlen=BOUTS_KEPT))
        self.counts: Counter[str] = Counter()
        self.next_timer_at_ns: int | None = None
        self._clock = clock

    def begin(self, bout: Bout, buttons: Iterable[Button]) -> None:
        """*buttons* belong to *bout* from its beginning on."""
        for button in buttons:
            self._bouts[button].append(bout)

    def _of(self, touch: Touch) -> Bout:
        # Not simply the last: where all is held up, a touch may be let out after the next bout has begun.
        return next(bout for bout in reversed(self._bouts[touch.button]) if bout.base_ns <= touch.at_ns)

    def judge(self, touches: tuple[Touch, ...]) -> Ruling[DeadHeat]:
        """As :meth:`firmware.session.session.Session.judge`; bouts are not in each other's way."""
        bout = self._of(touches[0])
        rivals = tuple(touch for touch in touches if self._of(touch) is bout)
        if len(rivals) == 1:
            return Ruling(rivals)
        verdict = bout.court.judge([bout.cover(touch) for touch in rivals])
        seats = {verdict.cover.seat} if isinstance(verdict, First) else {s for s, _ in verdict.contestants}
        settled = tuple(touch for touch in rivals if touch.button.seat in seats)
        return Ruling(settled, None if isinstance(verdict, First) else verdict)

    def touched(self, let: Let[DeadHeat]) -> None:
        """As :meth:`firmware.session.session.Session.touched`."""
        bout = self._of(let.touches[0])
        now_ns = self._clock.now_ns()
        bout.presses += [Press(t.button.seat, t.at_ns, now_ns, t.uncertain_ns) for t in let.touches]
        bout.late += let.is_late
        if let.verdict is not None:
            bout.court.enter(let.verdict)
        else:
            cover = bout.cover(let.touches[0])
            shift_ns = let.at_ns - let.touches[0].at_ns
            bout.court.enter(replace(cover, at_ns=cover.at_ns + shift_ns))

    def fault(self, seen: FaultSeen) -> None:
        """A fault of a contact is counted."""
        self.counts[seen.fault.value] += 1

    def released(self, release: Release) -> None:
        """Nothing hangs on it here."""

    def tell(self, fault: str, at_ns: int, *, is_over: bool = False) -> None:
        """What the operator would read is counted."""
        self.counts[fault] += not is_over

    def give_up(self, at_ns: int) -> None:
        """A bout that met a fault in the rules is counted."""
        self.counts["given_up"] += 1


def referee(source: EdgeSource, buttons: dict[int, Button], bouts: Bouts, clock: Clock) -> Referee:
    """The referee of *bouts* on header lines, with the settings of a box fresh from the workshop."""
    settings = Input()
    return Referee(
        source,
        Contacts(
            {str(gpio): button for gpio, button in buttons.items()},
            Times(settings.confirm_ns, settings.rearm_ns, settings.stuck_ns),
        ),
        Arbiter(settings.dead_heat_window_ns),
        cast(Session, bouts),
        clock,
        poll_ns=settings.poll_ns,
    )
