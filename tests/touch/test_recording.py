"""Edges to a file and back; and a whole hand played again from its edges."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.cabinet import Cabinet
from firmware.clock import ManualClock
from firmware.errors import EdgeFileError
from firmware.pins import mock_pins
from firmware.session.records import Entered, HandEnded, Record
from firmware.session.view import Stage
from firmware.settings import Play, Settings
from firmware.touch.edges import Edge, EdgeKind
from firmware.touch.recording import RecordedEdges, Recorder, read_edges
from tests.cabinet import ScriptedCabinet
from tests.touch.wires import CLOSED, MS, OPEN, T0, S, edge, poll

some_edges = st.lists(
    st.builds(
        Edge,
        kind=st.sampled_from(EdgeKind),
        line=st.sampled_from(["4", "27", "mcp23017@21:3"]),
        level=st.integers(0, 1),
        at_ns=st.integers(0, 2**62),
        seq=st.integers(0, 2**62),
        arrived_ns=st.integers(0, 2**62),
        uncertain_ns=st.integers(0, 2**62),
    ),
    max_size=8,
)
quietly = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def write(path: Path, edges: list[Edge]) -> Path:
    recorder = Recorder(path)
    for one in edges:
        recorder.add(one)
    recorder.close()
    recorder.close()
    assert recorder.failure is None
    return path


@quietly
@given(edges=some_edges)
def test_round_trip(tmp_path: Path, edges: list[Edge]) -> None:
    edges.sort(key=lambda one: one.arrived_ns)
    assert read_edges(write(tmp_path / "edges.jsonl", edges)) == edges


def test_poll_that_overtook_queued_edges_can_be_read_again(tmp_path: Path) -> None:
    # A level is read while an edge of another line already waits: it is taken in first.
    edges = [poll(T0 + 9, CLOSED, "4"), edge(T0 + 5, CLOSED, "5"), edge(T0 + 10, OPEN, "5")]
    read = read_edges(write(tmp_path / "edges.jsonl", edges))
    assert read == [edges[0], replace(edges[1], arrived_ns=T0 + 9), edges[2]]


# Damaged and foreign files

GOOD = json.dumps(
    {"kind": "edge", "line": "4", "level": 0, "at_ns": 5, "seq": 1, "arrived_ns": 6, "uncertain_ns": 0}
)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "not an edge"),
        ("{", "not an edge"),
        ("[]", "not an edge"),
        ('"edge"', "not an edge"),
        ('{"kind":"hand","version":1}', "not an edge"),
        (GOOD[:-9], "not an edge"),
        (GOOD.replace('"edge"', '"guess"'), "not an edge"),
        (GOOD.replace('"at_ns": 5', '"at_ns": "5"'), "not an edge"),
        (GOOD.replace('"at_ns": 5', '"at_ns": 5.5'), "not an edge"),
        (
            GOOD.replace('"level": 0', '"level": 2'),
            r"level: found 2, allowed are 0 \(closed\) and 1 \(open\)",
        ),
        (
            GOOD.replace('"uncertain_ns": 0', '"uncertain_ns": -1'),
            "uncertain_ns: found -1, allowed is 0 or more",
        ),
        (GOOD.replace('"arrived_ns": 6', '"arrived_ns": 5'), "arrived_ns: found 5, allowed is 6 or more"),
        ("\x00\x00\x00", "not an edge"),
    ],
)
def test_damaged_line_is_named_with_its_file(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "edges.jsonl"
    path.write_text(f"{GOOD}\n{GOOD}\n{line}\n{GOOD}\n")
    with pytest.raises(EdgeFileError, match=rf"edges\.jsonl, line 3: {complaint}"):
        read_edges(path)


def test_empty_file_has_no_edges(tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    assert read_edges(tmp_path / "none") == []


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EdgeFileError, match=r"none: No such file"):
        read_edges(tmp_path / "none")
    with pytest.raises(EdgeFileError, match=r"Is a directory"):
        read_edges(tmp_path)


@quietly
@given(
    found=st.binary(max_size=80)
    | st.builds(lambda n, b: GOOD.encode()[:n] + b, st.integers(0, 120), st.binary(max_size=5))
)
def test_any_bytes_are_edges_or_refused_with_a_line(tmp_path: Path, found: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(found)
    complaint: str | None = None
    try:
        edges = read_edges(path)
    except EdgeFileError as error:
        complaint = str(error)
    if complaint is None:
        assert read_edges(write(tmp_path / "again", edges)) == edges
    else:
        assert complaint.startswith(f"{path}, line ")


# Disks that fail


def test_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(EdgeFileError, match=r"no/edges: cannot be written: No such file"):
        Recorder(tmp_path / "no" / "edges")


@pytest.mark.parametrize("edges", [1, 10_000])
def test_full_disk_ends_the_recording_not_the_game(edges: int) -> None:
    recorder = Recorder(Path("/dev/full"))
    for n in range(edges):
        recorder.add(edge(T0 + n, n % 2))
    recorder.close()
    recorder.close()
    assert recorder.failure == "/dev/full: No space left on device"
    recorder.add(edge(T0, CLOSED))


# Playing again


def test_recording_plays_in_its_own_pace_from_now_on() -> None:
    edges = [replace(edge(T0 + n * MS, n % 2), arrived_ns=T0 + n * MS + 9) for n in range(3)]
    clock = ManualClock(7 * S)
    source = RecordedEdges(edges, clock)
    assert source.next_at_ns == 7 * S
    seen = source.wait(0)
    assert [(one.at_ns, one.arrived_ns) for one in seen] == [(7 * S - 9, 7 * S)]
    assert source.next_at_ns == 7 * S + MS
    clock.move_to(7 * S + MS - 1)
    assert source.wait(0) == []
    clock.move_to(7 * S + 5 * MS)
    assert [one.at_ns for one in source.wait(0)] == [7 * S + MS - 9, 7 * S + 2 * MS - 9]
    assert source.next_at_ns is None
    assert source.wait(0) == []
    assert source.poll(clock.now_ns()) == []
    assert source.closed_at_start() == frozenset()
    source.close()
    source.close()


def test_wait_for_a_recording_is_ended_by_wake() -> None:
    source = RecordedEdges([edge(T0, CLOSED), edge(T0 + 3600 * S, OPEN)], ManualClock())
    assert len(source.wait(None)) == 1
    waiting = Thread(target=source.wait, args=(None,))
    waiting.start()
    source.wake()
    waiting.join(10)
    assert not waiting.is_alive()


def press_at_random(cabinet: ScriptedCabinet, seed: int, presses: int) -> None:
    """Legal presses and others, in any overlap, now and then within the dead-heat window."""
    chance = Random(seed)
    for _ in range(presses):
        if cabinet.stage is not Stage.HAND:
            return
        for seat in chance.sample((0, 1), chance.choice((1, 1, 2))):
            legal = cabinet.legal(seat)
            slot = chance.choice(legal) if legal and chance.random() < 0.8 else chance.randrange(4)
            cabinet.press(seat, cabinet.button(seat, slot))
            cabinet.wait_ms(chance.choice((0, 0.05, 0.6, 3)))
        cabinet.wait_ms(chance.uniform(1, 90))
        for seat in (0, 1):
            for number in range(4):
                cabinet.release(seat, number)
        cabinet.wait_ms(chance.uniform(21, 400))


@pytest.mark.parametrize("game", ["rank_or_suit", "double_flip"])
def test_hand_played_again_from_its_edges_keeps_the_same_records(tmp_path: Path, game: str) -> None:
    played = ScriptedCabinet(game, seeds=count(11))
    played.to_go()
    press_at_random(played, 5, 40)
    played.wait_ms(1000)
    played.close()
    records = [record for record in played.records if isinstance(record, Entered | HandEnded)]
    assert len(records) > 40

    edges = read_edges(write(tmp_path / "edges.jsonl", played.edges))
    clock = ManualClock(edges[0].arrived_ns)
    again: list[Record] = []
    source = RecordedEdges(edges, clock)
    cabinet = Cabinet(
        Settings(play=Play(game=game)), mock_pins(), clock, count(11), keep=again.append, source=source
    )
    while clock.now_ns() < played.now_ns:
        cabinet.referee.step(source.wait(0))
        times = (source.next_at_ns, cabinet.referee.wake_at_ns(), played.now_ns)
        clock.move_to(min(at_ns for at_ns in times if at_ns is not None))
    cabinet.referee.step(source.wait(0))
    cabinet.close()
    assert again == played.records
