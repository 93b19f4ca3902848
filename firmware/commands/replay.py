"""``speed-cabinet replay``: plays a journal again and tells what happened."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from firmware.keep import journal
from firmware.rules import Go, Match
from firmware.rules.notation import as_fields, to_text
from firmware.session import narrate


def run(path: Path, form: str | None) -> int:
    """Tell the hand in the journal at *path*; returns the exit code.

    *form*: "notation", an event a line as the rules write it; "json", the same as JSON Lines, each with the
    line of the journal it came of; None: in sentences, with seconds after GO. Raises
    :class:`~firmware.errors.JournalError` for a damaged journal, after whatever of it is sound.
    """
    read = journal.read(path)
    hand = read.hand
    # What was pressed before GO has its time before GO.
    go_ns = next((command.at_ns for _, command in read.commands if isinstance(command, Go)), hand.at_ns)
    if form is None:
        print(narrate.title(hand.game, hand.best_of))
        print(f"\nA hand{narrate.dealt(hand.seed, hand.wins)}")
    for step in read.replay():
        if form is None:
            for line in narrate.tell(step.events, step.table, go_ns):
                print(line)
        for event in () if form is None else step.events:
            fields = {"line": step.number, **as_fields(event)}
            print(to_text(event) if form == "notation" else json.dumps(fields, ensure_ascii=False))
    if read.outcome is None:
        # What a program reads shall hold events only.
        print("the journal has no outcome: the hand was interrupted", file=sys.stderr if form else sys.stdout)
    elif form is None:
        match = Match(hand.best_of, hand.wins).after(read.outcome)
        if match.winner is not None:
            print(f"\n{narrate.match_won(match)}")
    return 0
