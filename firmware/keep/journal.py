"""The journal of a hand: JSON Lines, enough to play it again exactly.

The first line says what was dealt, one line each what entered the rules, the last how it ended::

    {"kind":"hand","version":1,"game":"classic","seed":7,"options":{…},"best_of":3,"wins":[1,0],"at_ns":…}
    {"kind":"entered","do":"4500000000 cover seat=0 slot=3"}
    {"kind":"ended","reason":"placed_last_card","winner":1}

``deck`` (cards in order, as ``"7hQs…"``) may stand in place of the seed's shuffle. A replay never
judges again: dead heats stand here with their verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from firmware import rules
from firmware.errors import JournalError
from firmware.rules.cards import parse_cards
from firmware.rules.notation import command_from_text, to_text
from firmware.session.records import Entered, HandBegan, HandEnded, HandRecord
from firmware.session.records import Shown as ShownRecord

VERSION = 1


class HandLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="hand"):
    """The first line: what was dealt. ``best_of`` and ``wins``: the match it was part of."""

    game: str
    seed: int
    options: rules.Options = rules.Options()
    version: int = VERSION
    deck: str | None = None
    seats: int = 2
    best_of: int = 3
    wins: tuple[int, ...] = (0, 0)
    at_ns: int = 0


class EnteredLine(
    Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="kind",
    tag="entered",
):
    """A command that entered the rules, in notation; ``touched_ns`` and ``late`` as in the record."""

    do: str
    touched_ns: int | None = None
    late: bool = False


class ShownLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="shown"):
    """The screen showed a state."""

    state: int
    at_ns: int


class EndedLine(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="ended"):
    """The last line: the outcome."""

    reason: rules.Reason
    winner: int | None


Line = HandLine | EnteredLine | ShownLine | EndedLine


def to_line(record: HandRecord) -> Line:
    """The line for *record*."""
    match record:
        case HandBegan():
            return HandLine(
                game=record.game_id,
                seed=record.seed,
                options=record.options,
                best_of=record.best_of,
                wins=record.wins,
                seats=record.seats,
                at_ns=record.at_ns,
            )
        case Entered():
            return EnteredLine(to_text(record.command), record.touched_ns, record.is_late)
        case ShownRecord():
            return ShownLine(record.state_id, record.at_ns)
        case HandEnded():
            return EndedLine(record.outcome.reason, record.outcome.winner)


def encode(record: HandRecord) -> bytes:
    """*record* as one line of a file, its end included."""
    return msgspec.json.encode(to_line(record)) + b"\n"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a journal played again, and what came of it. ``number``: its line in the file."""

    number: int
    command: rules.Command
    events: tuple[rules.Event, ...]
    table: rules.AnyTable


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal read and checked line by line; :meth:`replay` plays it.

    ``torn``: what is wrong with a last line that does not end, as a power cut leaves it.
    """

    path: Path
    hand: HandLine
    commands: tuple[tuple[int, rules.Command], ...]
    outcome: rules.Outcome | None
    torn: str | None = None

    def start(self) -> rules.AnyTable:
        """The table before the first command."""
        hand = self.hand
        try:
            deck = None if hand.deck is None else parse_cards(hand.deck)
            game = rules.find(hand.game).game
            return game.start(hand.options, hand.seed, seats=hand.seats, at_ns=hand.at_ns, deck=deck)
        except ValueError as error:
            raise JournalError(f"{self.path}, line 1: {error}") from error

    def replay(self) -> Iterator[Step]:
        """Every command and what comes of it.

        Raises :class:`JournalError` with the line for a command that cannot be there, and for an
        outcome that is not the one that the commands lead to; after the last step, for a torn line.
        """
        table = self.start()
        for number, command in self.commands:
            try:
                table, events = rules.apply(table, command)
            except rules.IllegalCommand as error:
                raise JournalError(f"{self.path}, line {number}: {error}") from error
            yield Step(number, command, events, table)
        if self.torn is not None:
            raise JournalError(self.torn)
        if self.outcome is not None and table.outcome != self.outcome:
            last = len(self.path.read_bytes().splitlines())
            raise JournalError(
                f"{self.path}, line {last}: the outcome found is {_words(self.outcome)}, "
                f"the commands lead to {_words(table.outcome)}"
            )


def _words(outcome: rules.Outcome | None) -> str:
    if outcome is None:
        return "none"
    winner = "nobody" if outcome.winner is None else f"player {outcome.winner + 1}"
    return f"{outcome.reason.value} for {winner}"


def read(path: Path) -> Journal:
    """The journal at *path*. Raises :class:`JournalError`: file, line, what is wrong.

    A torn last line is not refused here: :meth:`Journal.replay` plays up to it first.
    """
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Line)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(f"{path}: cannot be read: {error.strerror}") from error
    lines = content.splitlines()
    if not lines:
        raise JournalError(f"{path}, line 1: empty; a journal begins with a line of kind 'hand'")
    hand: HandLine | None = None
    outcome: rules.Outcome | None = None
    torn: str | None = None
    commands: list[tuple[int, rules.Command]] = []
    for number, text in enumerate(lines, 1):

        def wrong(what: str, number: int = number) -> JournalError:
            return JournalError(f"{path}, line {number}: {what}")

        try:
            line = decoder.decode(text)
        except (msgspec.DecodeError, ValueError) as error:
            if hand is not None and number == len(lines) and not content.endswith(b"\n"):
                told = f"torn, as by a power cut; the {number - 1} lines before it are sound"
                torn = str(wrong(told))
                break
            raise wrong(f"not a line of a journal: {error}") from error
        if (hand is None) != isinstance(line, HandLine):
            raise wrong("a journal has one line of kind 'hand', its first")
        if outcome is not None:
            raise wrong("nothing may follow the line of kind 'ended'")
        match line:
            case HandLine(version=version):
                if version != VERSION:
                    raise wrong(f"version: found {version}, allowed is {VERSION}")
                hand = line
            case EnteredLine(do=do):
                try:
                    commands.append((number, command_from_text(do)))
                except rules.BadNotation as error:
                    raise wrong(str(error)) from error
            case EndedLine():
                outcome = rules.Outcome(line.reason, line.winner)
    assert hand is not None, "the first line was checked"
    journal = Journal(path, hand, tuple(commands), outcome, torn)
    journal.start()
    return journal
