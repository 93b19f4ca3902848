"""How many commands a second the rules take, beside python-chess's moves.

One unit is what a program that plays does for each step: find everything that is legal, then apply one
of it. python-chess (where installed) does the same: list the legal moves, push one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import cycle
from random import Random
from time import perf_counter

from firmware import rules
from firmware.rules.deal import hand_seeds
from firmware.rules.events import Touched

Stepper = Iterator[None]
CHESS = "python-chess"
TURNS = 8


def measure(seconds: float) -> dict[str, object]:
    """Commands per second of every game, python-chess's steps per second, and the ratios."""
    rates = _rates(steppers(), seconds)
    chess = rates.pop(CHESS, None)
    classic = rates["classic"]
    return {
        "unit": "legal moves found and one command applied, per second",
        "commands_per_second": {game: round(rate) for game, rate in rates.items()},
        "against_classic": {game: round(rate / classic, 3) for game, rate in rates.items()},
        "python_chess_per_second": None if chess is None else round(chess),
        "classic_against_python_chess": None if chess is None else round(classic / chess, 2),
    }


def steppers() -> dict[str, Stepper]:
    """Each game's endless steps, and python-chess's where it is installed."""
    steps: dict[str, Stepper] = {game: _game_steps(game) for game in rules.GAMES}
    if find_spec("chess") is not None:
        steps[CHESS] = _chess_steps()
    return steps


def _rates(steps: Mapping[str, Stepper], seconds: float) -> dict[str, float]:
    """Steps per second of each. They take turns and the best turn counts: other load only slows down."""
    best = dict.fromkeys(steps, 0.0)
    share = seconds / len(steps) / TURNS
    for _ in range(TURNS):
        for name, running in steps.items():
            began = perf_counter()
            done = 0
            while (spent := perf_counter() - began) < share:
                for _ in range(50):
                    next(running)
                done += 50
            best[name] = max(best[name], done / spent)
    return best


def _game_steps(game_id: str) -> Stepper:
    """Perfect players, hand after hand; one step is one command, timers included."""
    game = rules.find(game_id).game
    chance = Random(1)
    for seed in hand_seeds(1):
        table = game.start(rules.Options(), seed, seats=game.seats[-1])
        table, _ = game.apply(table, rules.Go(0))
        while table.outcome is None:
            movers = [
                (seat, slots)
                for seat in range(len(table.holdings))
                if (slots := game.legal_slots(table, seat))
            ]
            if movers and not (table.next_timer and table.next_timer.what == "turn"):
                seat, slots = movers[int(chance.random() * len(movers))]
                slot = slots[int(chance.random() * len(slots))]
                table, events = game.apply(table, rules.Cover(table.at_ns, seat, slot))
                if isinstance(events[-1], Touched):
                    yield
                    slots = game.legal_slots(table, seat)
                    slot = slots[int(chance.random() * len(slots))]
                    table, _ = game.apply(table, rules.Cover(table.at_ns, seat, slot))
            else:
                assert table.next_timer is not None
                table, _ = game.apply(table, table.next_timer)
            yield


def _chess_steps() -> Stepper:
    import chess

    chance = Random(1)
    for _ in cycle((0,)):
        board = chess.Board()
        for _ in range(120):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[int(chance.random() * len(moves))])
            yield
