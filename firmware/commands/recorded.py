"""When a recording that is played again has come to its end."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.clock import NS_PER_S, Clock
from firmware.session.view import Stage, View
from firmware.touch.edges import Edge

LINGER_NS = 6 * NS_PER_S
"""How long the last picture stays, as at the end of the demo."""


class PlayedOut:
    """Asked with every view: have all *edges*, played from now on, come, and is the table at rest?

    At rest is what waits for people only: what is still due on the table, and a countdown, is waited for.
    """

    def __init__(self, edges: Sequence[Edge], clock: Clock) -> None:
        self._clock = clock
        length_ns = edges[-1].arrived_ns - edges[0].arrived_ns if edges else 0
        self._rests_since_ns = clock.now_ns() + length_ns

    def __call__(self, view: View) -> bool:
        table = view.table
        now_ns = self._clock.now_ns()
        is_in_hand = view.stage is Stage.HAND and table is not None and table.next_timer is not None
        if is_in_hand or view.stage is Stage.COUNTDOWN:
            self._rests_since_ns = max(self._rests_since_ns, now_ns)
        return now_ns >= self._rests_since_ns + LINGER_NS
