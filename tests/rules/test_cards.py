"""Cards and their notation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.rules.cards import PACK, RANKS, SUITS, BadNotation, Card, cards_text, parse_cards

QUICK = settings(deadline=None, derandomize=True, max_examples=200)


def test_t1_pack_has_52_cards_of_13_ranks_and_4_suits() -> None:
    assert len(PACK) == len(set(PACK)) == 52
    assert {(card.rank, card.suit) for card in PACK} == {(r, s) for r in range(13) for s in range(4)}


def test_t1_every_card_is_written_rank_first_and_read_again() -> None:
    assert [str(card) for card in PACK] == [rank + suit for suit in SUITS for rank in RANKS]
    assert [Card.parse(str(card)) for card in PACK] == list(PACK)
    assert (str(Card(0, 3)), str(Card(9, 1)), str(Card(12, 2))) == ("As", "Td", "Kh")


@pytest.mark.parametrize("text", ["", "7", "h7", "7H", "1h", "10h", "7h ", "7x", "77", "7h7h"])
def test_t1_what_is_no_card_is_refused_and_named(text: str) -> None:
    with pytest.raises(BadNotation, match="card") as caught:
        Card.parse(text)
    assert repr(text) in str(caught.value)


@QUICK
@given(st.lists(st.sampled_from(PACK)).map(tuple))
def test_t1_cards_as_one_word_are_read_again(several: tuple[Card, ...]) -> None:
    assert parse_cards(cards_text(several)) == several


@QUICK
@given(st.one_of(st.text(max_size=9), st.text(alphabet=RANKS + SUITS + "- ", max_size=9)))
def test_t1_any_text_is_cards_written_the_one_way_or_bad_notation(text: str) -> None:
    try:
        several = parse_cards(text)
    except BadNotation:
        return
    assert cards_text(several) == text
