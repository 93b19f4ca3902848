"""A hand, and a match, told in words for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firmware import rules
from firmware.rules.cards import RANKS, SUITS, Card
from firmware.rules.events import (
    Agreed,
    Beaten,
    Called,
    Covered,
    DeadHeated,
    Dealt,
    Eliminated,
    Ended,
    Event,
    FalseStarted,
    Frozen,
    Gathered,
    Offence,
    Penalised,
    RanOut,
    Reason,
    Redealt,
    RoundDealt,
    Stuck,
    Touched,
    Turned,
)
from firmware.session.hand import COUNTDOWN_NS
from firmware.session.records import Entered, HandBegan, HandEnded, Record

_SIGNS = dict(zip(SUITS, "♣♦♥♠", strict=True))

_REASONS = {
    Reason.PLACED_LAST_CARD: "placed the last card",
    Reason.FEWER_CARDS: "has fewer cards left",
    Reason.CALLED: "has called a true pair",
    Reason.SMALL_SHARE: "has the smaller share",
    Reason.LAST_IN_HAND: "put down the last card",
    Reason.MOST_CARDS: "has most cards",
}

_OFFENCES = {
    Offence.ILLEGAL: "presses {where}, which may not be covered",
    Offence.FALSE_START: "started too early",
    Offence.AGREED_WRONGLY: "said nobody could move, but there was a move",
    Offence.CALLED_WRONGLY: "calls with {where}, but that is no pair",
}


def card(value: Card) -> str:
    """``7♥``, ``10♠``."""
    rank = RANKS[value.rank]
    return ("10" if rank == "T" else rank) + _SIGNS[SUITS[value.suit]]


def _player(seat: int) -> str:
    return f"player {seat + 1}"


def _players(seats: Sequence[int]) -> str:
    return " and ".join(map(_player, seats))


def _pile(table: rules.AnyTable, slot: int | None) -> str:
    """``pile 3``; where there are two sides, ``pile 3 far side``, counted as player 2 over there sees it."""
    if slot is None:
        return "START"
    row, column = divmod(slot, table.game.layout.columns)
    side = ("", " far side")[row] if table.game.layout.sides > 1 else ""
    return f"pile {column + 1}{side}"


def _seconds(ns: int) -> str:
    return f"{ns / 1e9:.1f} s"


def _sentence(event: Event, table: rules.AnyTable) -> str | None:
    match event:
        case Turned(seat=seat, card=up):
            return f"{_player(seat)} turns {card(up)}"
        case Covered(seat=seat, slot=slot, card=laid):
            return f"{_player(seat)} covers {_pile(table, slot)} with {card(laid)}"
        case Beaten(seat=seat, slot=slot, lead_ns=lead_ns):
            return f"{_player(seat)} reaches for {_pile(table, slot)} too: beaten by {lead_ns / 1e6:.1f} ms"
        case Penalised(seat=seat, slot=slot, offence=offence):
            what = _OFFENCES[offence].format(where=_pile(table, slot))
            return f"{_player(seat)} {what}: penalty of {_seconds(event.until_ns - event.at_ns)}"
        case FalseStarted(seat=seat):
            return f"{_player(seat)} presses before GO"
        case DeadHeated(seats=seats, winner=None):
            return f"dead heat of {_players(seats)}: neither card lands"
        case DeadHeated(seats=seats, winner=winner) if winner is not None:
            return f"dead heat of {_players(seats)}: {_player(winner)} wins the toss"
        case Frozen(slot=slot, until_ns=until_ns):
            return f"{_pile(table, slot)} is frozen for {_seconds(until_ns - event.at_ns)}"
        case Stuck():
            return "nobody can move"
        case Agreed(seat=seat):
            return f"{_player(seat)} says that nobody can move"
        case Redealt(is_rush=is_rush):
            return "one player is kept waiting: both deal again" if is_rush else "both deal again"
        case Gathered(seat=seat):
            return f"{_player(seat)} gathers the row under the draw pile"
        case RanOut(seat=seat):
            return f"{_player(seat)} has no cards left"
        case Touched(seat=seat, slot=slot):
            return f"{_player(seat)} begins to call with {_pile(table, slot)}"
        case Called(seat=seat, slots=slots):
            return f"{_player(seat)} calls {' and '.join(_pile(table, slot) for slot in slots)}"
        case RoundDealt(seats=seats):
            return f"a round of {len(seats)}: {_players(seats)}"
        case Eliminated(seat=seat, reason=reason):
            why = "has most cards" if reason is Reason.MOST_CARDS else "alone still has cards"
            return f"{_player(seat)} {why} and is out"
        case Ended(reason=reason, winner=winner):
            if winner is None:
                return "a tie: the hand will be replayed" if reason is Reason.TIE else "the hand is abandoned"
            return f"{_player(winner)} {_REASONS[reason]} and wins the hand"
    return None


def _tops(table: rules.AnyTable) -> str:
    """What lies on top; each side from the left as its own player sees it."""
    columns = table.game.layout.columns
    piles = [card(pile.top) if pile.cards else "·" for pile in table.piles]
    if table.game.layout.sides == 1:
        return "the piles show " + " ".join(piles)
    return f"the table shows {' '.join(piles[:columns])}, far side {' '.join(piles[columns:])}"


def tell(events: Sequence[Event], table: rules.AnyTable, since_ns: int) -> list[str]:
    """*events* as lines, each with its seconds after *since_ns*; *table* is what they led to."""
    lines: list[str] = []
    last_dealt = max((nth for nth, event in enumerate(events) if isinstance(event, Dealt)), default=-1)
    for nth, event in enumerate(events):
        sentence = _sentence(event, table)
        if nth == last_dealt:
            sentence = _tops(table)
        if isinstance(event, Ended) and event.reason is Reason.FEWER_CARDS:
            left = " : ".join(str(holding.left) for holding in table.holdings)
            sentence = f"{sentence} ({left})"
        if sentence is not None:
            lines.append(f"{(event.at_ns - since_ns) / 1e9:8.3f}  {sentence}")
    return lines


class Narrator:
    """Tells what enters the rules, line by line. It plays the journal's records again, like any replay."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._table: rules.AnyTable | None = None
        self._match = rules.Match()
        self._go_ns = 0
        self._hands = 0
        self.winner: int | None = None

    def keep(self, record: Record) -> None:
        """One more record."""
        match record:
            case HandBegan():
                self._begin(record)
            case Entered(command=command) if self._table is not None:
                if isinstance(command, rules.Go):
                    self._go_ns = command.at_ns
                self._table, events = rules.apply(self._table, command)
                for line in tell(events, self._table, self._go_ns):
                    self._say(line)
            case HandEnded(outcome=outcome):
                self._end(outcome)

    def _begin(self, record: HandBegan) -> None:
        if self._hands == 0:
            self._say(title(record.game_id, record.best_of))
        self._hands += 1
        self._match = rules.Match(record.best_of, record.wins)
        self._say("")
        self._say(f"Hand {self._hands}{dealt(record.seed, record.wins)}")
        # Until GO has come, it is known when it will: what is pressed before has its time before it.
        self._go_ns = record.at_ns + COUNTDOWN_NS
        self._table = rules.find(record.game_id).game.start(
            record.options, record.seed, seats=record.seats, at_ns=record.at_ns
        )

    def _end(self, outcome: rules.Outcome) -> None:
        self._match = self._match.after(outcome)
        if self._match.winner is not None:
            self.winner = self._match.winner
            self._say("")
            self._say(match_won(self._match))


def title(game_id: str, best_of: int) -> str:
    """What is played; raises :class:`~firmware.rules.UnknownGame`."""
    entry = rules.find(game_id)
    return f"{entry.name}: {entry.sentence} Best of {best_of}."


def dealt(seed: int, wins: tuple[int, ...]) -> str:
    """Of which seed a hand is, and how the match stands before it; to follow what the hand is called."""
    return f" (seed {seed}), won so far {_score(wins)}"


def match_won(match: rules.Match) -> str:
    """Who has won *match*, which has a winner, and how; of two the winner's hands first."""
    assert match.winner is not None, "only a match that is over is told"
    wins = tuple(sorted(match.wins, reverse=True)) if len(match.wins) == 2 else match.wins
    return f"Player {match.winner + 1} wins the match {_score(wins)}."


def _score(wins: tuple[int, ...]) -> str:
    return " : ".join(map(str, wins))
