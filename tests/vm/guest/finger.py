"""A finger in a process of its own, so that it never waits for the firmware.

``python -m tests.vm.guest.finger`` reads a list of :class:`Pair` from standard input, makes them, and writes
the list of :class:`Made` to standard output.
"""

from __future__ import annotations

import sys
import time
from typing import Final

import msgspec
from msgspec import Struct

from firmware.clock import NS_PER_MS
from firmware.lines import Line
from tests.vm.guest.wires import Span, Wires

HOLD_NS: Final = 30 * NS_PER_MS
REST_NS: Final = 45 * NS_PER_MS
"""Twice what a button needs to re-arm."""
SPIN_NS: Final = NS_PER_MS


class Pair(Struct, frozen=True):
    """Two buttons pressed *gap_ns* apart, each with as many *edges* back to back (odd: it stays closed)."""

    first: int
    second: int
    gap_ns: int
    edges: int


class Made(Struct, frozen=True):
    """What was done to one of the two: the first edge fell within ``from_ns`` and ``to_ns``.

    ``settled_ns``: after the last edge of the bounce. ``opened_ns``: let go again.
    """

    pair: int
    line: int
    from_ns: int
    to_ns: int
    settled_ns: int
    opened_ns: int


def make(wires: Wires, nth: int, pair: Pair) -> list[Made]:
    """Press, bounce, hold and let go; bounces that overlap are made edge by edge in turn."""
    lines = (Line(None, pair.first), Line(None, pair.second))
    due_ns = [time.monotonic_ns() + REST_NS]
    due_ns.append(due_ns[0] + pair.gap_ns)
    spans: list[list[Span]] = [[], []]
    while min(map(len, spans)) < pair.edges:
        for one, line in enumerate(lines):
            done = len(spans[one])
            if done < pair.edges and time.monotonic_ns() >= due_ns[one]:
                spans[one].append(wires.set(line, done % 2))
        waiting = [at_ns for at_ns, made in zip(due_ns, spans, strict=True) if not made]
        if waiting and all(len(made) in (0, pair.edges) for made in spans):
            time.sleep(max(0, min(waiting) - SPIN_NS - time.monotonic_ns()) / 1e9)
    time.sleep(HOLD_NS / 1e9)
    made = []
    for line, edges in zip(lines, spans, strict=True):
        first, opened_ns = edges[0], wires.set(line, 1).from_ns
        made.append(Made(nth, line.number, first.from_ns, first.to_ns, edges[-1].to_ns, opened_ns))
    return made


def main() -> None:
    """See the module."""
    pairs = msgspec.json.decode(sys.stdin.buffer.read(), type=list[Pair])
    wires = Wires()
    made = [one for nth, pair in enumerate(pairs) for one in make(wires, nth, pair)]
    wires.close()
    sys.stdout.buffer.write(msgspec.json.encode(made))


if __name__ == "__main__":
    main()
