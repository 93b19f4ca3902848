"""Any commands in any order at any time: a command is refused and nothing changes, or the table is sound.

Two machines make up hands. The first throws everything at every game. The second plays the same hand twice,
once with the seats swapped, and holds that neither seat is ever better off for being that seat.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from firmware.rules import (
    GAMES,
    Abandon,
    Agree,
    Command,
    Cover,
    DeadHeat,
    Event,
    First,
    Go,
    IllegalCommand,
    Options,
    Phase,
    Reason,
    Status,
    Table,
    Timer,
    judge,
)
from firmware.rules.events import Covered, Turned
from firmware.rules.options import PENALTIES_MS, DeadHeatPolicy, Pace, Redeal, ShortRedeal
from firmware.rules.shared_piles import SharedOwn, SharedPiles
from firmware.rules.table import Draft
from tests.rules.hands import MS, mirror, mirrored, play_on

SHARED = [game_id for game_id, entry in GAMES.items() if isinstance(entry.game, SharedPiles)]
EXAMPLES = settings(
    deadline=None, derandomize=True, max_examples=40, stateful_step_count=60, print_blob=False
)

SOME_OPTIONS = st.builds(
    Options,
    penalty_ms=st.tuples(st.sampled_from(PENALTIES_MS), st.sampled_from(PENALTIES_MS)),
    grace_ms=st.sampled_from([0, 1, 200, 1000]),
    flip_ms=st.sampled_from([150, 0, 1, 2000]),
    redeal=st.sampled_from(Redeal),
    redeal_pause_ms=st.sampled_from([1200, 0, 1]),
    dead_heat=st.sampled_from(DeadHeatPolicy),
    freeze_ms=st.sampled_from([600, 1, 5000]),
    short_redeal=st.sampled_from(ShortRedeal),
    pace=st.sampled_from(Pace),
    rush_ms=st.sampled_from([500, 3000]),
)
SEEDS = st.integers(0, 2**53)
TIMES_NS = st.sampled_from([0, 0, 1, MS, 100 * MS, 200 * MS, 500 * MS, 2000 * MS, -1])
"""From the table's time to the command's; the last is one that cannot be."""
SEATS = st.sampled_from([0, 1, 0, 1, 0, 1, 2, -1])
SLOTS = st.sampled_from([*range(15), -1])
PICKS = st.integers(0, 2**16)
TIMERS = st.sampled_from(["turn", "release", "thaw", "redeal", "rush", "lay", "nothing"])
MOSTLY = st.sampled_from([True, True, True, False])


def legal_moves(table: Table[Any]) -> list[tuple[int, int]]:
    seats = range(len(table.holdings))
    return [(seat, slot) for seat in seats for slot in table.game.legal_slots(table, seat)]


class AnyCommands(RuleBasedStateMachine):
    """Every command there is, the possible and the impossible; ``game_id`` says of which game."""

    game_id = ""

    @initialize(options=SOME_OPTIONS, seed=SEEDS, seats=st.integers(2, 5), begins=MOSTLY)
    def sit_down(self, options: Options, seed: int, seats: int, begins: bool) -> None:
        game = GAMES[self.game_id].game
        if not game.has_handicap:
            options = replace(options, penalty_ms=options.penalty_ms[:1])
        self.options, self.seed = options, seed
        self.seats = min(max(seats, game.seats[0]), game.seats[-1])
        self.table: Table[Any] = game.start(options, seed, seats=self.seats)
        self.pack = self.table.pack
        self.commands: list[Command] = []
        self.events: list[Event] = []
        if begins:
            self.offer(Go(0))

    def offer(self, command: Command) -> None:
        before = self.table
        try:
            after, events = before.game.apply(before, command)
        except IllegalCommand:
            assert self.table is before
            assert before.game.status(before) is Status.VALID
            return
        assert after.at_ns == command.at_ns >= before.at_ns
        assert all(event.at_ns == command.at_ns for event in events)
        assert before.outcome is None or (after.outcome == before.outcome and after.piles == before.piles)
        self.table = after
        self.commands.append(command)
        self.events += events

    @rule(after_ns=TIMES_NS)
    def go(self, after_ns: int) -> None:
        self.offer(Go(self.table.at_ns + after_ns))

    @rule(after_ns=TIMES_NS, seat=SEATS, slot=SLOTS)
    def press(self, after_ns: int, seat: int, slot: int) -> None:
        self.offer(Cover(self.table.at_ns + after_ns, seat, slot))

    @rule(after_ns=TIMES_NS, seat=SEATS)
    def agree(self, after_ns: int, seat: int) -> None:
        self.offer(Agree(self.table.at_ns + after_ns, seat))

    @rule(
        after_ns=TIMES_NS,
        seats=st.lists(SEATS, max_size=3),
        slot=SLOTS,
        other=SLOTS,
        winner=st.none() | SEATS,
    )
    def dead_heat(self, after_ns: int, seats: list[int], slot: int, other: int, winner: int | None) -> None:
        slots = (slot, other, slot)
        self.offer(DeadHeat(self.table.at_ns + after_ns, tuple(zip(seats, slots, strict=False)), winner))

    @rule(
        after_ns=TIMES_NS,
        what=TIMERS,
        index=SEATS,
    )
    def timer(self, after_ns: int, what: str, index: int) -> None:
        self.offer(Timer(self.table.at_ns + after_ns, what, index))

    @rule(sure=st.integers(0, 60))
    def abandon(self, sure: int) -> None:
        if sure == 60:
            self.offer(Abandon(self.table.at_ns))

    @precondition(lambda self: self.table.next_timer is not None)
    @rule(times=st.integers(1, 9))
    def due(self, times: int) -> None:
        for _ in range(times):
            if self.table.next_timer is not None:
                before = self.table
                self.offer(self.table.next_timer)
                assert self.table is not before, "what is due can be applied"

    @precondition(lambda self: bool(legal_moves(self.table)))
    @rule(pick=PICKS)
    def press_legally(self, pick: int) -> None:
        moves = legal_moves(self.table)
        due = self.table.next_timer
        if due is None or due.at_ns > self.table.at_ns:
            before = len(self.events)
            self.offer(Cover(self.table.at_ns, *moves[pick % len(moves)]))
            assert len(self.events) > before, "what is legal can be done, and something comes of it"

    @precondition(lambda self: len({seat for seat, _ in legal_moves(self.table)}) > 1)
    @rule(pick=PICKS, other=PICKS, apart_ns=st.sampled_from([0, 1, MS]))
    def press_together(self, pick: int, other: int, apart_ns: int) -> None:
        moves = legal_moves(self.table)
        due = self.table.next_timer
        if due is not None and due.at_ns <= self.table.at_ns:
            return
        one, two = moves[pick % len(moves)], moves[other % len(moves)]
        if one[0] == two[0]:
            return
        covers = [Cover(self.table.at_ns, *one), Cover(self.table.at_ns + apart_ns, *two)]
        said = judge(self.table, covers)
        assert said == judge(self.table, covers[::-1])
        before = self.table
        self.offer(said.cover if isinstance(said, First) else said)
        assert self.table is not before, "a verdict can be applied"

    @invariant()
    def is_sound(self) -> None:
        table = self.table
        assert table.game.status(table) is Status.VALID
        cards = [card for pile in table.piles for card in pile.cards]
        for holding in table.holdings:
            cards += holding.draw
            cards += [] if holding.active is None else [holding.active]
        if len(table.pack) == len(self.pack):  # a tournament's rounds have packs of their own (R-1)
            assert sorted(cards) == sorted(self.pack)
        assert table.next_timer is None or table.next_timer.at_ns >= table.at_ns
        assert (table.outcome is not None) == (table.phase is Phase.OVER)
        assert table.outcome is None or table.outcome.reason in Reason

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        game = GAMES[self.game_id].game
        if self.game_id in SHARED and self.table.phase is not Phase.READY:
            for step in play_on(self.table, Random(self.seed)):
                self.table = step.after
                self.commands.append(step.command)
                self.events += step.events
                assert game.status(step.after) is Status.VALID
            assert self.table.outcome is not None
        again: Table[Any] = game.start(self.options, self.seed, seats=self.seats)
        events: list[Event] = []
        for command in self.commands:
            again, some = game.apply(again, command)
            events += some
        assert again == self.table
        assert hash(again) == hash(self.table)
        assert events == self.events


@pytest.mark.parametrize("game_id", GAMES)
def test_t1_t8_any_commands_leave_a_sound_table_that_replays(game_id: str) -> None:
    machine = type("AnyCommandsOf", (AnyCommands,), {"game_id": game_id})
    run_state_machine_as_test(machine, settings=EXAMPLES)


class Mirrored(RuleBasedStateMachine):
    """The same hand of shared piles twice: as dealt, and with the players' chairs exchanged."""

    game_id = ""

    @initialize(
        options=SOME_OPTIONS,
        seed=SEEDS,
        split=st.sampled_from([None, None, (30, 22), (12, 40)]),
        begins=MOSTLY,
    )
    def sit_down(self, options: Options, seed: int, split: tuple[int, int] | None, begins: bool) -> None:
        game = GAMES[self.game_id].game
        self.here: Table[SharedOwn] = game.start(replace(options, split=split), seed)
        self.there = mirror(self.here)
        if begins:
            self.offer(Go(0))

    def offer(self, command: Command) -> None:
        tried: list[tuple[Table[SharedOwn], tuple[Event, ...]] | None] = []
        for table, told in ((self.here, command), (self.there, mirrored(command))):
            try:
                tried.append(table.game.apply(table, told))
            except IllegalCommand:
                tried.append(None)
        here, there = tried
        assert (here is None) == (there is None)
        if here is not None and there is not None:
            self.here, self.there = here[0], there[0]
            # Seats that are dealt to or turn at one moment are named in the order of seats.
            assert sorted(map(repr, map(mirrored, here[1]))) == sorted(map(repr, there[1])) or self.is_short

    @property
    def is_short(self) -> bool:
        """S-6 dealt what there was, each from its own left: the one thing not the same slot for slot."""
        return self.here.is_over and self.here.options.short_redeal is ShortRedeal.DEAL_WHAT_YOU_HAVE

    @precondition(lambda self: self.here.phase is Phase.READY)
    @rule()
    def go(self) -> None:
        self.offer(Go(self.here.at_ns))

    def is_free(self, after_ns: int = 0) -> bool:
        due = self.here.next_timer
        return due is None or due.at_ns > self.here.at_ns + after_ns

    @rule(after_ns=TIMES_NS, seat=st.integers(0, 1), slot=st.integers(0, 5))
    def press(self, after_ns: int, seat: int, slot: int) -> None:
        self.offer(Cover(self.here.at_ns + after_ns, seat, slot))

    @rule(after_ns=TIMES_NS, seat=st.integers(0, 1))
    def agree(self, after_ns: int, seat: int) -> None:
        self.offer(Agree(self.here.at_ns + after_ns, seat))

    @rule(pick=PICKS, times=st.integers(1, 4))
    def press_legally(self, pick: int, times: int) -> None:
        for _ in range(times):
            moves = legal_moves(self.here)
            if moves and self.is_free():
                self.offer(Cover(self.here.at_ns, *moves[pick % len(moves)]))
            else:
                self.pass_time()

    @rule(pick=PICKS, other=PICKS, apart_ns=st.sampled_from([0, 1, MS]), winner=st.sampled_from([None, 0, 1]))
    def press_together(self, pick: int, other: int, apart_ns: int, winner: int | None) -> None:
        near, far = ([(seat, slot) for seat, slot in legal_moves(self.here) if seat == one] for one in (0, 1))
        if not near or not far or not self.is_free():
            return
        pair = (near[pick % len(near)], far[other % len(far)])
        covers = [Cover(self.here.at_ns + nth * apart_ns, *move) for nth, move in enumerate(pair)]
        said = judge(self.here, covers)
        mirror_said = judge(self.there, [mirrored(cover) for cover in covers])
        if isinstance(said, DeadHeat):
            assert isinstance(mirror_said, DeadHeat)
            assert mirrored(said).contestants == mirror_said.contestants
            assert (said.winner is None) == (mirror_said.winner is None)
            self.offer(DeadHeat(said.at_ns, said.contestants, winner))
        elif apart_ns:
            assert mirror_said == First(mirrored(said.cover))
            self.offer(said.cover)
        else:
            assert isinstance(mirror_said, First)

    @precondition(lambda self: self.here.next_timer is not None)
    @rule()
    def pass_time(self) -> None:
        """All that is due at the next moment: of two seats, each table takes its lower one first."""
        if self.here.next_timer is None:
            return
        at_ns = self.here.next_timer.at_ns
        both = []
        for table in (self.here, self.there):
            turned = []
            while table.next_timer is not None and table.next_timer.at_ns == at_ns:
                table, events = table.game.apply(table, table.next_timer)
                turned += [event for event in events if isinstance(event, Turned)]
            both.append((table, turned))
        (self.here, near), (self.there, far) = both
        assert sorted(map(repr, map(mirrored, near))) == sorted(map(repr, far))

    @invariant()
    def is_the_same_in_the_mirror(self) -> None:
        if self.is_short:
            counts = [tuple(holding.left for holding in table.holdings) for table in (self.here, self.there)]
            assert counts[0] == counts[1][::-1]
            assert mirror(self.here).outcome == self.there.outcome
        else:
            assert mirror(self.here) == Draft(self.there, self.there.at_ns).freeze()

    def teardown(self) -> None:
        if hasattr(self, "here") and self.here.phase is not Phase.READY:
            chance = Random(self.here.seed)
            for _ in range(500):
                if self.here.is_over:
                    return
                if self.here.next_timer is None and not legal_moves(self.here):
                    for seat in (0, 1):
                        self.offer(Agree(self.here.at_ns, seat))
                else:
                    self.press_legally_now(int(chance.random() * 2**16))
                self.is_the_same_in_the_mirror()
            raise AssertionError("not over")

    def press_legally_now(self, pick: int) -> None:
        moves = legal_moves(self.here)
        if moves and self.is_free():
            self.offer(Cover(self.here.at_ns, *moves[pick % len(moves)]))
        else:
            self.pass_time()


@pytest.mark.parametrize("game_id", SHARED)
def test_places_swapped_seats_play_the_mirrored_hand(game_id: str) -> None:
    machine = type("MirroredOf", (Mirrored,), {"game_id": game_id})
    run_state_machine_as_test(machine, settings=EXAMPLES)


@pytest.mark.parametrize("game_id", SHARED)
def test_places_mirror_of_the_mirror_is_the_table(game_id: str) -> None:
    game = GAMES[game_id].game
    for seed in range(5):
        table: Table[Any] = game.start(Options(penalty_ms=(250, 1000), split=(30, 22)), seed)
        table, _ = game.apply(table, Go(0))
        for step in play_on(table, Random(seed)):
            assert mirror(mirror(step.after)) == step.after
            assert any(isinstance(event, Covered) for event in step.events) == isinstance(step.command, Cover)
