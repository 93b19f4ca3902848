"""A process to be killed: keeps one hand after another, and says on its output what has been saved.

``python -m tests.keep.writer DIRECTORY FIRST``: hands are numbered from FIRST. It goes on until it is killed.
"""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path
from threading import Semaphore

from firmware.keep.keeper import Keeper
from firmware.rules import Match
from firmware.session.records import HandEnded
from tests.keep.hands import hand

AHEAD = 3
"""Hands given to the keeper before the first of them is saved."""


def say(text: str) -> None:
    """One line, on its way when this returns."""
    print(text, flush=True)


def main(directory: Path, first: int) -> None:
    """See the module."""
    ready = Semaphore(AHEAD)

    def complain(fault: str, *, is_over: bool = False) -> None:
        say(f"fault {fault}")

    def saved(ended: HandEnded) -> None:
        say(f"saved {ended.at_ns}")
        ready.release()

    say("begun")
    keeper = Keeper(directory, complain, saved=saved, counts=lambda: {("hands", ""): 1})
    interrupted = keeper.open()
    say(f"open {interrupted and interrupted.match.hands}")
    keeper.start()
    for number in count(first):
        ready.acquire()
        for record in hand(number, match=Match(5, (0, 1), number + 1)):
            keeper.keep(record)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
