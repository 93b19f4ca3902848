"""How fast the rules are, beside python-chess: ``pytest tests/benchmarks --benchmark-enable -n 0``.

In the ordinary run each is done once, to show that it runs; nothing here passes or fails by the clock.
"""

from __future__ import annotations

from itertools import islice

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from firmware.bench.rules import CHESS, Stepper, steppers
from firmware.rules import GAMES
from firmware.session.simulation import play_hand

STEPS = 2000


@pytest.mark.parametrize("name", [*GAMES, CHESS])
def test_legal_moves_found_and_one_applied(benchmark: BenchmarkFixture, name: str) -> None:
    running: Stepper = steppers()[name]
    next(running)
    benchmark(lambda: sum(1 for _ in islice(running, STEPS)))


@pytest.mark.parametrize("name", GAMES)
def test_whole_hand_between_perfect_players(benchmark: BenchmarkFixture, name: str) -> None:
    assert benchmark(play_hand, name, 7).reason
