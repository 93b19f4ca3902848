"""A recording played again: it ends by itself once nothing moves any more, and keeps nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from firmware.cabinet import Cabinet
from firmware.clock import NS_PER_MS, NS_PER_S, ManualClock
from firmware.commands.recorded import LINGER_NS, PlayedOut
from firmware.pins import mock_pins
from firmware.session.view import Stage, View
from firmware.settings import Settings
from firmware.touch.contact import START
from firmware.touch.edges import Edge
from firmware.touch.recording import RecordedEdges, Recorder
from tests.cabinet import ScriptedCabinet

ROOT = Path(__file__).parent.parent
Cabinets = Callable[..., ScriptedCabinet]


def played_again(edges: list[Edge], settings: Settings) -> tuple[View, int]:
    """The view at which a recording has ended, and when: ns after it began."""
    clock = ManualClock(NS_PER_S)
    cabinet = Cabinet(settings, mock_pins(), clock, count(1), source=RecordedEdges(edges, clock))
    is_over = PlayedOut(edges, clock)
    try:
        while not is_over(cabinet.view):
            due_ns = [cabinet.referee.wake_at_ns(), clock.now_ns() + 250 * NS_PER_MS]
            assert clock.now_ns() < 600 * NS_PER_S, "it does not end"
            clock.move_to(max(clock.now_ns(), min(due_ns)))
            cabinet.referee.step(cabinet.source.wait(0))
        return cabinet.view, clock.now_ns() - NS_PER_S
    finally:
        cabinet.close()


def length_ns(edges: list[Edge]) -> int:
    return edges[-1].arrived_ns - edges[0].arrived_ns


def test_a_recording_ends_some_seconds_after_its_last_edge(cabinets: Cabinets) -> None:
    recorded = cabinets()
    recorded.tap(0, START)
    recorded.wait_ms(20_000)
    recorded.tap(1, 2)
    view, took_ns = played_again(recorded.edges, recorded.settings)
    assert view.is_ready == (True, False)
    assert 0 <= took_ns - length_ns(recorded.edges) - LINGER_NS < NS_PER_S


def test_what_is_still_due_on_the_table_is_waited_for(cabinets: Cabinets) -> None:
    recorded = cabinets()
    recorded.start_both()
    view, took_ns = played_again(recorded.edges, recorded.settings)
    assert view.stage is Stage.HAND
    assert view.table is not None
    assert view.table.next_timer is None
    assert view.go_at_ns is not None
    assert took_ns > 3 * NS_PER_S + LINGER_NS


def test_an_empty_recording_ends_too() -> None:
    view, took_ns = played_again([], Settings())
    assert view.stage is Stage.START
    assert LINGER_NS <= took_ns < LINGER_NS + NS_PER_S


@pytest.mark.parametrize("driver", ["dummy", "no_such_driver"])
def test_the_cabinet_plays_a_recording_and_keeps_nothing(
    driver: str, tmp_path: Path, cabinets: Cabinets
) -> None:
    recorded = cabinets()
    recorded.tap(0, START)
    path, state = tmp_path / "edges.jsonl", tmp_path / "state"
    recorder = Recorder(path)
    for edge in recorded.edges:
        recorder.add(edge)
    recorder.close()
    environment = {
        **os.environ,
        "SDL_VIDEODRIVER": driver,
        "STATE_DIRECTORY": str(state),
        "TMPDIR": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    words = [sys.executable, "-m", "firmware", "--edges", str(path), "--seed", "1"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not state.exists()
    assert [left.name for left in tmp_path.iterdir()] == ["edges.jsonl"], "what was kept is gone"
