"""Profiles: cabinets ready to solder."""

from __future__ import annotations

import msgspec
import pytest

from firmware.errors import SettingsError
from firmware.profiles import PROFILES, profile, smallest_profile
from firmware.rules import GAMES
from firmware.rules.layout import Layout
from firmware.settings import Play, Screen, Settings, as_toml, defaults, parse


@pytest.mark.parametrize("settings", PROFILES.values(), ids=PROFILES)
def test_the_lower_line_is_shared_out_evenly_in_every_length_of_layout(settings: Settings) -> None:
    near, far = settings.seat
    for columns in range(3, settings.buttons + 1):
        # A shared pile is column c for one player and columns - 1 - c for the other.
        lower = [near.piles[c].number < far.piles[columns - 1 - c].number for c in range(columns)]
        assert abs(lower.count(True) - lower.count(False)) <= columns % 2
    pairs = [a.number < b.number for a, b in zip(near.piles, far.piles, strict=True)]
    assert pairs == [place % 2 == 0 for place in range(settings.buttons)]


def test_the_smallest_profile_is_the_reference() -> None:
    assert profile("4-buttons") == defaults()
    assert [settings.buttons for settings in PROFILES.values()] == [4, 5, 6, 7, 8, 10]


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_valid_and_plays_all_its_games(name: str) -> None:
    settings = profile(name)
    assert parse(as_toml(settings)) == settings
    assert len({use.line for use in settings.uses()}) == len(list(settings.uses()))
    for game_id, entry in GAMES.items():
        if entry.game.layout.refusal(settings.buttons) is None:
            assert msgspec.structs.replace(settings, play=Play(game=game_id)).play.game == game_id
        else:
            with pytest.raises(SettingsError, match=r"play\.game"):
                msgspec.structs.replace(settings, play=Play(game=game_id))


@pytest.mark.parametrize("name", PROFILES)
def test_a_settings_file_names_a_profile_instead_of_the_lines(name: str) -> None:
    settings = parse(f'profile = "{name}"\n[screen]\nfour_colour = true')
    assert settings == msgspec.structs.replace(profile(name), screen=Screen(four_colour=True))
    assert parse(as_toml(settings)) == settings, "kept as the last good settings"


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_gives_both_players_a_lamp_for_each_button(name: str) -> None:
    for seat in profile(name).seat:
        assert len(seat.lamps) == len(seat.piles)
        assert seat.start_lamp is not None
        assert all(line.chip is None for line in (*seat.piles, seat.start))


def test_an_unknown_profile_is_told_which_there_are() -> None:
    with pytest.raises(
        SettingsError, match="profile '9-buttons': allowed are 4-buttons, 5-buttons, 6-buttons"
    ):
        profile("9-buttons")


def test_smallest_profile_that_can_play() -> None:
    assert smallest_profile(Layout(3)).buttons == 4
    assert smallest_profile(Layout(6)).buttons == 6
    assert smallest_profile(Layout(7, sides=2)).buttons == 7
    assert smallest_profile(Layout(9)).buttons == 10
    for entry in GAMES.values():
        assert smallest_profile(entry.game.layout).buttons >= entry.game.layout.columns
    with pytest.raises(
        SettingsError, match="no profile can play this game: the largest needs 11 pile buttons"
    ):
        smallest_profile(Layout(11))
