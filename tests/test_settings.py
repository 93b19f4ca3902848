"""Settings: what a file may say, and what comes of it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

from firmware.lines import Line
from firmware.rules import GAMES, Options
from firmware.settings import (
    Input,
    Settings,
    as_toml,
    defaults,
    parse,
)

# The reference cabinet


def test_an_empty_file_is_the_reference_cabinet() -> None:
    assert parse("") == defaults() == Settings()
    assert defaults().buttons == 4
    assert len(list(defaults().uses())) == 20


def test_reference_buttons_and_lamps_lie_where_the_boot_states_want_them() -> None:
    for use in defaults().uses():
        assert use.line.chip is None
        assert use.line.number in (range(16, 26) if use.is_lamp else range(4, 14))


def test_roles_are_told_in_words() -> None:
    roles = {use.role: use for use in parse("[input]\ncoin = 26\nservice = 27").uses()}
    assert roles["player 1, place 3"].line == Line(None, 8)
    assert roles["player 1, place 3"].key == ("seat", 0, "piles", 2)
    assert (roles["player 2, place 1 lamp"].seat, roles["player 2, place 1 lamp"].place) == (1, 0)
    assert roles["player 2 START lamp"].is_lamp
    assert roles["player 2 START lamp"].place is None
    assert roles["coin switch"].line == Line(None, 26)
    assert roles["service switch"].seat is None


def test_options_are_those_of_the_rules_by_default() -> None:
    assert defaults().options() == Options()


def test_every_option_of_the_rules_can_be_set() -> None:
    text = """
        [play]
        game = "suit"
        best_of = 5
        penalty_ms = [1000, 0]
        grace_ms = 0
        flip_ms = 1
        redeal = "agree"
        redeal_pause_ms = 2
        dead_heat = "coin"
        freeze_ms = 3
        short_redeal = "deal_what_you_have"
        pace = "rush"
        rush_ms = 504
        lay_ms = 5
        deal_interval_ms = 106
        chord_ms = 57
    """
    settings = parse(text)
    standard = Options()
    chosen_at_the_table = {"split", "human_seats"}
    for name in {field.name for field in dataclasses.fields(Options)} - chosen_at_the_table:
        assert getattr(settings.options(), name) != getattr(standard, name), name
    assert settings.options().penalty_ms == (1000, 0)
    assert settings.best_of == 5


def test_a_single_penalty_counts_for_both() -> None:
    assert parse("play.penalty_ms = 250").options().for_seats(2).penalty_ms == (250, 250)


def test_best_of_left_out_is_the_games_own() -> None:
    assert defaults().best_of == GAMES["rank_or_suit"].best_of


def test_times_are_given_in_nanoseconds() -> None:
    given_ = Input(dead_heat_window_ms=0.1, confirm_us=2500, rearm_ms=20, stuck_s=10, poll_ms=5)
    assert given_.dead_heat_window_ns == 100_000
    assert given_.confirm_ns == 2_500_000
    assert given_.rearm_ns == 20_000_000
    assert given_.stuck_ns == 10_000_000_000
    assert given_.poll_ns == 5_000_000


def test_a_box_without_lamps() -> None:
    settings = parse("""
        play.game = "quick"
        [[seat]]
        piles = [4, 7, 8]
        start = 12
        [[seat]]
        piles = [5, 6, 9]
        start = 13
    """)
    assert settings.buttons == 3
    assert not any(use.is_lamp for use in settings.uses())


def test_swapping_the_seats_is_as_good() -> None:
    near, far = defaults().seat
    swapped = Settings(seat=(far, near))
    assert parse(as_toml(swapped)) == swapped
    assert swapped.seats == defaults().seats.swapped()


def test_settings_need_neither_screen_nor_pins() -> None:
    code = "import sys, firmware.settings; print({'pygame', 'gpiozero', 'gpiod'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
