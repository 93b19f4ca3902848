"""What the cabinet can play, and with how many buttons."""

from __future__ import annotations

import pytest

from firmware.rules.catalogue import GAMES, UnknownGame, find, playable
from firmware.rules.shared_piles import Match, SharedPiles

SHARED = {
    "classic": SharedPiles("classic", piles=4, match=Match.RANK),
    "suit": SharedPiles("suit", piles=4, match=Match.SUIT),
    "rank_or_suit": SharedPiles("rank_or_suit", piles=4, match=Match.RANK_OR_SUIT),
    "quick": SharedPiles("quick", piles=3, match=Match.RANK),
    "long": SharedPiles("long", piles=6, match=Match.RANK),
    "draw_two": SharedPiles("draw_two", piles=4, match=Match.RANK, draw_two=True),
    "speed": SharedPiles("speed", piles=4, match=Match.NEXT_RANK),
}


@pytest.mark.parametrize("game_id", SHARED)
def test_s_every_preset_is_an_entry_with_its_rules(game_id: str) -> None:
    assert find(game_id).game == SHARED[game_id]
    assert find(game_id).best_of == 3  # M-1


def test_s_an_id_names_one_game_and_every_entry_says_what_it_is() -> None:
    for game_id, entry in GAMES.items():
        assert entry.game.id == game_id
        assert entry.name
        assert entry.sentence.endswith(".")
    assert len({entry.name for entry in GAMES.values()}) == len(GAMES)


def test_s_unknown_game_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownGame) as caught:
        find("snap")
    assert isinstance(caught.value, KeyError)
    assert isinstance(caught.value, ValueError)
    assert "snap" in str(caught.value)
    assert all(game_id in str(caught.value) for game_id in GAMES)


@pytest.mark.parametrize(
    ("buttons", "missing"),
    [(2, set(SHARED)), (3, set(SHARED) - {"quick"}), (4, {"long"}), (5, {"long"}), (6, set()), (10, set())],
)
def test_places_buttons_decide_which_shared_piles_a_cabinet_plays(buttons: int, missing: set[str]) -> None:
    assert set(SHARED) - set(playable(buttons)) == missing
