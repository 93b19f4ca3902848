"""Small hands for tests: the cards that bring about one situation, told in seats that may be swapped.

Nothing here reaches into a table to change it: a hand is dealt from a deck of exactly the cards named,
and the seed is chosen for whose cards lie on top.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from itertools import count
from random import Random
from typing import Any, NamedTuple, TypeVar

import pytest

from firmware.rules import PACK, Agree, Card, Command, Cover, DeadHeat, Event, Go, Options, Outcome, Status
from firmware.rules.cards import parse_cards
from firmware.rules.deal import top_owners
from firmware.rules.shared_piles import Match, SharedOwn, SharedPiles
from firmware.rules.table import Draft, Table

MS = 1_000_000
"""One millisecond in ns."""

FLIP_NS = Options().flip_ms * MS
"""How long a card takes to turn unless a test says otherwise."""

both_ways = pytest.mark.parametrize("swap", [False, True], ids=["as_told", "swapped"])
"""Runs a test also with the seats swapped: what is fair is fair both ways."""

ThingT = TypeVar("ThingT", bound=Any)


def cards(text: str) -> tuple[Card, ...]:
    """``"7h Qs"`` as cards."""
    return parse_cards(text.replace(" ", "") or "-")


@cache
def seed_with_tops(owners: tuple[int, ...]) -> int:
    """The first seed that gives the top of each pile to these seats at the opening (S-1)."""
    return next(seed for seed in count() if top_owners(len(owners), seed) == owners)


def mirrored(thing: ThingT) -> ThingT:
    """A command or event with the two seats exchanged; shared slots stay."""
    changed: dict[str, Any] = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        is_seat = field.name in ("seat", "winner") and value is not None
        if is_seat or (field.name == "index" and thing.what in ("turn", "release")):
            changed[field.name] = 1 - value
        elif field.name == "seats":
            changed[field.name] = tuple(sorted(1 - seat for seat in value))
        elif field.name == "contestants":
            changed[field.name] = tuple(sorted((1 - seat, slot) for seat, slot in value))
    mirror_image: ThingT = replace(thing, **changed)
    return mirror_image


def swapped(options: Options) -> Options:
    """The options with what is each seat's own exchanged (M-2)."""
    split = options.split
    return replace(
        options, penalty_ms=options.penalty_ms[::-1], split=split if split is None else split[::-1]
    )


def mirror(table: Table[SharedOwn]) -> Table[SharedOwn]:
    """The table as it would be had the players sat the other way round; shared piles keep their slots.

    What is due next is worked out anew: of timers due at one moment, a table names that of the lower seat.
    """
    piles = tuple(
        pile._replace(
            changes=tuple(
                change._replace(seat=None if change.seat is None else 1 - change.seat)
                for change in pile.changes
            )
        )
        for pile in table.piles
    )
    outcome = table.outcome
    if outcome is not None and outcome.winner is not None:
        outcome = replace(outcome, winner=1 - outcome.winner)
    other = replace(
        table,
        options=swapped(table.options),
        own=replace(table.own, top_owners=tuple(1 - seat for seat in table.own.top_owners)),
        holdings=table.holdings[::-1],
        piles=piles,
        outcome=outcome,
    )
    return Draft(other, other.at_ns).freeze()


class Hand:
    """A hand that is being told: time passes, seats press, and every table on the way has to be sound.

    With ``swap`` the told seat 0 is the real seat 1 and the other way round, and so in all that comes back.
    """

    def __init__(self, table: Table[SharedOwn], *, swap: bool = False) -> None:
        self.table = table
        self.swap = swap
        self.now_ns = table.at_ns
        self.log: list[Event] = []

    def seat(self, told: int) -> int:
        """The real seat of a told one, and the reverse."""
        return 1 - told if self.swap else told

    def do(self, command: Command) -> tuple[Event, ...]:
        """Apply a command given in told seats; what came of it, in told seats."""
        real = mirrored(command) if self.swap else command
        self.table, events = self.table.game.apply(self.table, real)
        assert self.table.game.status(self.table) is Status.VALID
        told = tuple(mirrored(event) for event in events) if self.swap else events
        self.log += told
        return told

    def wait(self, *, ms: int = 0, ns: int = 0) -> tuple[Event, ...]:
        """Let time pass; what came of the timers due by then, the last moment included."""
        self.now_ns += ms * MS + ns
        before = len(self.log)
        while (due := self.table.next_timer) is not None and due.at_ns <= self.now_ns:
            self.do(mirrored(due) if self.swap else due)
        return tuple(self.log[before:])

    def go(self) -> tuple[Event, ...]:
        """GO now."""
        return self.do(Go(self.now_ns))

    def press(self, seat: int, slot: int, *, after_ms: int = 0, after_ns: int = 0) -> tuple[Event, ...]:
        """A press after some more time; what came of it alone."""
        self.wait(ms=after_ms, ns=after_ns)
        return self.do(Cover(self.now_ns, seat, slot))

    def agree(self, seat: int) -> tuple[Event, ...]:
        """START in play (T-6)."""
        self.wait()
        return self.do(Agree(self.now_ns, seat))

    def dead_heat(self, *contestants: tuple[int, int], winner: int | None = None) -> tuple[Event, ...]:
        """A dead heat as the judge would send it (T-5)."""
        self.wait()
        return self.do(DeadHeat(self.now_ns, contestants, winner))

    def active(self, seat: int) -> str | None:
        """The active card of a told seat."""
        card = self.table.holdings[self.seat(seat)].active
        return None if card is None else str(card)

    def left(self, seat: int) -> int:
        """Cards that a told seat has not placed."""
        return self.table.holdings[self.seat(seat)].left

    def legal(self, seat: int) -> tuple[int, ...]:
        """The slots a told seat may cover."""
        return self.table.game.legal_slots(self.table, self.seat(seat))

    def tops(self) -> str:
        """What lies on top of each pile."""
        return " ".join(str(pile.top) for pile in self.table.piles)

    @property
    def outcome(self) -> Outcome | None:
        """How the hand ended, in told seats."""
        outcome = self.table.outcome
        if outcome is None or outcome.winner is None:
            return outcome
        return replace(outcome, winner=self.seat(outcome.winner))


def lay(
    tops: str,
    near: str,
    far: str,
    *,
    match: Match = Match.RANK,
    draw_two: bool = False,
    options: Options | None = None,
    swap: bool = False,
    under: str = "",
    go: bool = True,
) -> Hand:
    """A hand whose opening shows *tops*, slot 0 first, over *under*; then seat 0 draws *near*, seat 1 *far*.

    The pack is exactly these cards; where a text is short, cards named nowhere fill it, so that both
    seats have as many. The cards on top are seat 0's on even slots, seat 1's on odd ones. Unless *go* is
    False the hand is told from the moment the first cards are face up.
    """
    shown, seats = cards(tops), [list(cards(near)), list(cards(far))]
    below = list(cards(under))
    named = {*shown, *seats[0], *seats[1], *below}
    rest = (card for card in PACK if card not in named)
    below += [next(rest) for _ in range(len(shown) - len(below))]
    longest = max(map(len, seats))
    for drawn in seats:
        drawn += [next(rest) for _ in range(longest - len(drawn))]
    dealt = [
        [card if slot % 2 == seat else below[slot] for slot, card in enumerate(shown)] for seat in (0, 1)
    ]
    halves = [tuple(dealt[seat] + seats[seat]) for seat in ((1, 0) if swap else (0, 1))]
    deck = halves[0] + halves[1]
    game = SharedPiles("laid", len(shown), match, draw_two, tuple(sorted(deck)))
    given = options or Options()
    if swap:
        given = swapped(given)
    seed = seed_with_tops(tuple((slot + swap) % 2 for slot in range(len(shown))))
    hand = Hand(game.start(given, seed, deck=deck), swap=swap)
    if go:
        hand.go()
        hand.wait(ms=given.flip_ms)
    return hand


class Step(NamedTuple):
    """One command of a hand that is played on, and the tables around it."""

    before: Table[Any]
    command: Command
    after: Table[Any]
    events: tuple[Event, ...]


def play_on(table: Table[Any], chance: Random) -> Iterator[Step]:
    """Play a hand that has begun to its end: any legal move, and where there is none what is due next.

    Where players are asked, they agree to a redeal. A hand that is not over by its 2,000th step fails.
    """
    for _ in range(2000):
        if table.is_over:
            return
        seats = range(len(table.holdings))
        due = table.next_timer
        moves = [(seat, slot) for seat in seats for slot in table.game.legal_slots(table, seat)]
        command: Command
        if due is not None and (due.at_ns <= table.at_ns or not moves):
            command = due
        elif moves:
            command = Cover(table.at_ns, *moves[int(chance.random() * len(moves))])
        else:
            waited_for = [seat for seat in seats if not table.holdings[seat].has_agreed]
            command = Agree(table.at_ns, waited_for[0])
        after, events = table.game.apply(table, command)
        yield Step(table, command, after, events)
        table = after
    raise AssertionError(f"{table.game.id}, seed {table.seed}: not over after 2,000 steps")
