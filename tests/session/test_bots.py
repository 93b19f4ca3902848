"""CPU players: they see what is shown, press like hands, and play every game to its end."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest

from firmware import rules
from firmware.clock import NS_PER_MS, ManualClock
from firmware.commands.match import Snapshot, play_match, real_time, smallest_cabinet
from firmware.rules.events import Eliminated, Ended
from firmware.session.bots import COMMITTED_NS, PERFECT, Bot, Skill, seeded_bots
from firmware.session.narrate import Narrator, card
from firmware.session.records import Entered, Record
from firmware.session.view import Stage, View
from firmware.touch.contact import START, Button


def view_of(table: rules.AnyTable, number: int = 1) -> View:
    return View(number, table.at_ns, Stage.HAND, 0, table.game.id, rules.Match(), table=table)


def turned(game: str, seed: int) -> rules.AnyTable:
    table = rules.find(game).game.start(rules.Options(), seed)
    table, _ = rules.apply(table, rules.Go(0))
    for _ in range(2):
        assert table.next_timer is not None
        table, _ = rules.apply(table, table.next_timer)
    return table


def test_bot_presses_a_legal_pile_after_its_reaction_and_lets_go() -> None:
    table = turned("rank_or_suit", 4)
    slots = table.game.legal_slots(table, 0)
    assert slots
    bot = Bot(0, 4, Random(1), PERFECT)
    bot.see(view_of(table), 1_000_000_000)
    at_ns = 1_000_000_000 + 190 * NS_PER_MS
    assert bot.next_at_ns == at_ns
    assert bot.due(at_ns - 1) == []
    pushes = bot.due(at_ns + 500 * NS_PER_MS)
    assert pushes[0].at_ns == at_ns
    assert pushes[0].button.number in slots
    assert (pushes[0].level, pushes[-1].level) == (0, 1)
    assert [push.at_ns for push in pushes] == sorted(push.at_ns for push in pushes)
    assert bot.next_at_ns is None


def test_bot_numbers_its_buttons_from_its_own_left() -> None:
    tables = (turned("classic", seed) for seed in count(1))
    table = next(table for table in tables if table.game.legal_slots(table, 1))
    bot = Bot(1, 4, Random(1), PERFECT)
    bot.see(view_of(table), 0)
    pushes = bot.due(10**10)
    assert 3 - pushes[0].button.number in table.game.legal_slots(table, 1)


def test_bot_looking_again_does_not_delay_its_hand() -> None:
    table = turned("rank_or_suit", 4)
    bot = Bot(0, 4, Random(1))
    bot.see(view_of(table), 0)
    planned_ns = bot.next_at_ns
    bot.see(view_of(table, 2), 50 * NS_PER_MS)
    assert bot.next_at_ns == planned_ns


def test_bot_cannot_hold_back_a_hand_that_is_on_its_way() -> None:
    table = turned("rank_or_suit", 4)
    bot = Bot(0, 4, Random(1), PERFECT)
    bot.see(view_of(table), 0)
    planned_ns = bot.next_at_ns
    assert planned_ns is not None
    ended, _ = rules.apply(table, rules.Abandon(table.at_ns + 1))
    bot.see(view_of(ended, 2), planned_ns - COMMITTED_NS)
    assert bot.next_at_ns == planned_ns
    other = Bot(0, 4, Random(1), PERFECT)
    other.see(view_of(table), 0)
    other.see(view_of(ended, 2), planned_ns - COMMITTED_NS - 1)
    assert other.next_at_ns is None


def test_bot_presses_start_where_both_are_waited_for_and_only_once() -> None:
    view = View(0, 0, Stage.START, 0, "classic", rules.Match())
    bot = Bot(1, 4, Random(1))
    bot.see(view, 0)
    assert {push.button for push in bot.due(10**10)} == {Button(1, START)}
    bot.see(View(1, 0, Stage.START, 0, "classic", rules.Match(), is_ready=(False, True)), 10**10)
    assert bot.next_at_ns is None


def test_bot_is_sometimes_wrong_and_sometimes_early_a_perfect_one_never() -> None:
    def presses(skill: Skill) -> int:
        pressed = 0
        for seed in range(1, 120):
            table = turned("classic", seed)
            if table.phase is rules.Phase.PLAY and not table.game.legal_slots(table, 0):
                bot = Bot(0, 4, Random(seed), skill)
                bot.see(view_of(table), 0)
                pressed += bot.next_at_ns is not None
        return pressed

    assert presses(PERFECT) == 0
    assert presses(Skill(mistakes=1)) > 5
    early = View(0, 0, Stage.COUNTDOWN, 0, "classic", rules.Match(), go_at_ns=3 * 10**9)
    for skill, is_early in ((PERFECT, False), (Skill(false_starts=1), True)):
        bot = Bot(0, 4, Random(1), skill)
        bot.see(early, 0)
        assert (bot.next_at_ns is not None) == is_early
        assert bot.next_at_ns is None or bot.next_at_ns < 3 * 10**9


def test_bot_holds_start_for_the_far_side() -> None:
    table = rules.find("double_flip").game.start(rules.Options(), 1)
    table, _ = rules.apply(table, rules.Go(0))
    far: list[int] = []
    for seed in range(40):
        bot = Bot(0, 4, Random(seed), PERFECT)
        while not table.game.legal_slots(table, 0):
            assert table.next_timer is not None
            table, _ = rules.apply(table, table.next_timer)
        bot.see(view_of(table), 0)
        pushes = bot.due(10**10)
        pile = next(push for push in pushes if push.button.number != START)
        starts = [push for push in pushes if push.button.number == START]
        is_far = table.game.layout.slot(0, pile.button.number, far=True) in table.game.legal_slots(table, 0)
        if starts:
            far.append(pile.button.number)
            assert is_far
            assert starts[0].at_ns < pile.at_ns
            assert starts[-1].at_ns > pile.at_ns
    assert far, "some of its choices lie on the far side"


@pytest.mark.parametrize("game", ["rank_or_suit", "double_flip"])
def test_match_is_played_through_the_pins_and_told(game: str) -> None:
    told: list[str] = []
    narrator = Narrator(told.append)
    records: list[Record] = []

    def keep(record: Record) -> None:
        records.append(record)
        narrator.keep(record)

    settings = smallest_cabinet(game)
    winner = play_match(settings, 7, keep=keep)
    assert narrator.winner == winner
    assert told[0].startswith(rules.find(game).name)
    assert f"Player {winner + 1} wins the match" in told[-1]
    assert any("covers" in line for line in told)
    assert any(isinstance(record, Entered) for record in records)


def test_match_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    def story(seed: int) -> list[str]:
        told: list[str] = []
        play_match(smallest_cabinet("rank_or_suit"), seed, keep=Narrator(told.append).keep)
        return told

    assert story(5) == story(5)
    assert story(5) != story(6)


def test_snapshot_is_a_table_in_play_with_both_cards_up() -> None:
    snapshot = Snapshot()
    play_match(smallest_cabinet("rank_or_suit"), 7, keep=lambda record: None, see=snapshot.see)
    assert snapshot.view is not None
    assert snapshot.view.stage is Stage.HAND
    table = snapshot.view.table
    assert table is not None
    assert table.outcome is None
    assert all(holding.active is not None for holding in table.holdings)


def test_real_time_waits_as_long_as_the_manual_clock_went() -> None:
    clock = ManualClock(5_000)
    waited: list[float] = []
    pace = real_time(clock, waited.append)
    pace(1_000)
    pace(501_000_000)
    clock.move_to(700_000_000)
    pace(600_000_000)
    assert waited == [pytest.approx(0.500_999)]


def test_seeded_bots_sit_where_they_are_asked_to() -> None:
    assert len(seeded_bots(1, range(5), 5)) == 5


def test_narration_names_cards_as_people_do() -> None:
    assert [card(rules.Card.parse(text)) for text in ("Td", "As", "7h")] == ["10♦", "A♠", "7♥"]


def test_narration_has_a_sentence_for_every_way_a_hand_can_end() -> None:
    from firmware.rules.events import Reason
    from firmware.session.narrate import tell

    table = turned("classic", 1)
    for reason in Reason:
        winner = None if reason in (Reason.TIE, Reason.ABANDONED) else 1
        (line,) = tell([Ended(2_000_000_000, reason, winner)], table, 0)
        assert line.startswith("   2.000  ")
        assert "None" not in line
    out = tell([Eliminated(0, 3, Reason.MOST_CARDS, 0)], table, 0)
    assert "player 4 has most cards and is out" in out[0]
