"""The options of a hand: defaults as in the rules, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from firmware.rules.options import (
    PENALTIES_MS,
    DeadHeatPolicy,
    Options,
    Pace,
    Redeal,
    ShortRedeal,
)


def test_t3_t4_t5_t6_s2_s6_s15_defaults() -> None:
    assert Options() == Options(
        penalty_ms=(500,),
        grace_ms=200,
        flip_ms=150,
        redeal=Redeal.AUTO,
        redeal_pause_ms=1200,
        dead_heat=DeadHeatPolicy.REPLAY,
        freeze_ms=600,
        short_redeal=ShortRedeal.DEADLOCK,
        pace=Pace.CALM,
        rush_ms=3000,
    )
    assert PENALTIES_MS == (0, 250, 500, 1000)


@pytest.mark.parametrize("penalty_ms", PENALTIES_MS)
def test_t3_penalty_counts_for_every_seat_or_for_each_its_own(penalty_ms: int) -> None:
    assert Options(penalty_ms=(penalty_ms,)).for_seats(2).penalty_ms == (penalty_ms, penalty_ms)
    assert Options(penalty_ms=(penalty_ms,)).for_seats(5).penalty_ms == (penalty_ms,) * 5
    assert Options(penalty_ms=(penalty_ms, 1000)).for_seats(2).penalty_ms == (penalty_ms, 1000)


@pytest.mark.parametrize("penalty_ms", [(), (1,), (-250,), (500, 501)])
def test_t3_other_penalties_are_refused(penalty_ms: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"penalty_ms: found .* allowed are 0, 250, 500, 1000"):
        Options(penalty_ms=penalty_ms)


def test_t3_penalties_for_another_number_of_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="penalty_ms: found 2 values"):
        Options(penalty_ms=(0, 500)).for_seats(3)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("grace_ms", 0, 1000),
        ("flip_ms", 0, 2000),
        ("redeal_pause_ms", 0, 10_000),
        ("freeze_ms", 1, 5000),
        ("rush_ms", 500, 60_000),
    ],
)
def test_t4_t5_t6_s2_s15_times_have_bounds_that_the_error_names(name: str, low: int, high: int) -> None:
    def with_value(value: int) -> Options:
        changed: dict[str, Any] = {name: value}
        return replace(Options(), **changed)

    assert getattr(with_value(low), name) == low
    assert getattr(with_value(high), name) == high
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError, match=f"{name}: found {value}, allowed are {low} to {high}"):
            with_value(value)
