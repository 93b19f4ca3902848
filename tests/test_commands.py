"""The command line: what README.md names, and what is asked for wrongly."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pygame
import pytest

from firmware.cli import main
from firmware.commands.match import play_match, smallest_cabinet
from firmware.commands.screens import open_screen
from firmware.keep.journal import encode
from firmware.rules import GAMES, Cover, Go, Options
from firmware.rules.notation import event_from_text
from firmware.session.narrate import Narrator
from firmware.session.records import Entered, HandBegan, HandEnded, HandRecord
from firmware.settings import defaults
from firmware.touch.keyboard import key_names
from tests.keep.hands import a_hand

ROOT = Path(__file__).parent.parent


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of one command."""
    try:
        code = main(words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def journal_file(tmp_path: Path) -> Path:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(map(encode, a_hand("classic", 7))))
    return path


def test_demo_fast_tells_a_whole_best_of_three(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "demo", "--fast", "--seed", "7")
    assert (code, err) == (0, "")
    assert re.search(r"Best of 3\.\n", out)
    wins = re.search(r"Player \d wins the match (\d) : (\d)\.\n$", out)
    assert wins is not None
    assert "2" in wins.groups()
    assert out == ran(capsys, "demo", "--fast", "--seed", "7")[1], "the same seed, the same match"


def test_demo_picture_is_a_png_of_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "out.png"
    assert ran(capsys, "demo", "--fast", "--picture", str(path))[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    code, _, err = ran(capsys, "demo", "--fast", "--picture", str(tmp_path / "no" / "folder.png"))
    assert code == 2
    assert "folder.png" in err


def test_demo_whose_reader_has_gone_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def gone(line: str) -> None:
        told.append(line)
        if len(told) == 3:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        play_match(smallest_cabinet("classic"), 1, keep=Narrator(gone).keep)
    assert len(told) == 3


def test_demo_json_is_one_event_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "demo", "--json", "--game", "quick")
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert events[0]["event"] == "hand"
    assert events[-1]["event"] == "ended"


@pytest.mark.parametrize("game", GAMES)
def test_demo_plays_every_game(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "demo", "--fast", "--game", game)
    assert code == 0
    assert "wins the match" in out


def test_demo_of_an_unknown_game_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ran(capsys, "demo", "--game", "chess")
    assert (code, out) == (2, "")
    assert "'chess'" in err
    assert "rank_or_suit" in err
    assert "Traceback" not in err


def test_replay_tells_the_hand_as_the_demo_does(
    capsys: pytest.CaptureFixture[str], journal_file: Path
) -> None:
    code, out, err = ran(capsys, "replay", str(journal_file))
    assert (code, err) == (0, "")
    demo = ran(capsys, "demo", "--fast", "--game", "classic", "--seed", "7")[1]
    title, _, first, *told = demo.split("\nHand 2")[0].splitlines()
    assert out.splitlines() == [title, "", first.replace("Hand 1", "A hand"), *told]
    assert re.match(r" +0\.000  the piles show ", told[0])


def test_replay_of_the_last_hand_tells_who_won_the_match(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    began, *others = a_hand("classic", 7)
    ended = others[-1]
    assert isinstance(began, HandBegan)
    assert isinstance(ended, HandEnded)
    winner = ended.outcome.winner
    assert winner is not None
    path = tmp_path / "last.jsonl"
    path.write_bytes(b"".join(map(encode, [replace(began, wins=(1, 1)), *others])))
    out = ran(capsys, "replay", str(path))[1]
    assert "won so far 1 : 1\n" in out
    assert out.endswith(f"\n\nPlayer {winner + 1} wins the match 2 : 1.\n")


@pytest.mark.parametrize("form", [None, "--notation", "--json"])
def test_replay_of_an_interrupted_hand_says_so(
    form: str | None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(map(encode, a_hand("classic", 7)[:9])))
    code, out, err = ran(capsys, "replay", str(path), *([form] if form else []))
    assert code == 0
    assert ("interrupted" in out, "interrupted" in err) == (form is None, form is not None)


def test_what_is_pressed_before_go_is_told_with_its_time_before_go(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    early = Cover(3_400_000_000, 0, 1)
    records: list[HandRecord] = [
        HandBegan("classic", Options().for_seats(2), 7, 1_000_000_000, 3, (0, 0)), Entered(early),
        Entered(Go(4_000_000_000)),
    ]  # fmt: skip
    path = tmp_path / "hand.jsonl"
    path.write_bytes(b"".join(map(encode, records)))
    told: list[str] = []
    narrator = Narrator(told.append)
    for record in records:
        narrator.keep(record)
    assert "  -0.600  player 1 presses before GO" in told
    assert "  -0.600  player 1 presses before GO\n" in ran(capsys, "replay", str(path))[1]


def test_replay_prints_every_event_in_notation(
    capsys: pytest.CaptureFixture[str], journal_file: Path
) -> None:
    code, out, _ = ran(capsys, "replay", "--notation", str(journal_file))
    assert code == 0
    events = [event_from_text(line) for line in out.splitlines()]
    assert type(events[-1]).__name__ == "Ended"


def test_replay_json_names_the_line_of_the_journal(
    capsys: pytest.CaptureFixture[str], journal_file: Path
) -> None:
    code, out, _ = ran(capsys, "replay", "--json", str(journal_file))
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert events[0]["line"] == 2
    assert events[-1]["event"] == "ended"


def test_replay_of_a_damaged_file_names_its_line(
    capsys: pytest.CaptureFixture[str], journal_file: Path
) -> None:
    lines = journal_file.read_bytes().splitlines()
    journal_file.write_bytes(b"\n".join([*lines[:4], lines[4][:9], *lines[5:]]))
    code, out, err = ran(capsys, "replay", str(journal_file))
    assert (code, out) == (2, "")
    assert f"{journal_file}, line 5: " in err
    assert "Traceback" not in err


def test_simulate_json_has_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "simulate", "classic", "--hands", "300", "--seed", "3", "--json")
    assert code == 0
    figures = json.loads(out)
    assert list(figures) == [
        "game", "hands", "seed", "seconds", "reasons", "wins", "mean_redeals", "mean_placements",
        "median_gathers", "median_covers",
    ]  # fmt: skip
    assert (figures["game"], figures["hands"], figures["seed"]) == ("classic", 300, 3)
    assert sum(figures["reasons"].values()) == pytest.approx(1, abs=1e-4)
    assert list(figures["wins"]) == ["player 1", "player 2", "nobody"]
    assert sum(figures["wins"].values()) == pytest.approx(1, abs=1e-4)
    assert figures["wins"]["nobody"] == figures["reasons"]["tie"]
    words = ["simulate", "classic", "--hands", "300", "--seed", "3", "--jobs", "2", "--json"]
    other = json.loads(ran(capsys, *words)[1])
    assert {**figures, "seconds": 0} == {**other, "seconds": 0}


def test_simulate_tells_who_won_of_every_seat(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "tournament", "--hands", "20"]
    wins = json.loads(ran(capsys, *words, "--json")[1])["wins"]
    assert list(wins) == [*(f"player {n}" for n in range(1, 6)), "nobody"]
    out = ran(capsys, *words)[1]
    for name, share in wins.items():
        assert re.search(rf"won by {name} .* {100 * share:.2f} %", out)


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "classic", "--hands", "0"],
        ["simulate", "classic", "--hands", "many"],
        ["simulate", "bridge"],
        ["demo", "--seed", "-1"],
        ["replay"],
        ["replay", "missing.jsonl"],
        ["bench", "luck"],
        ["fly"],
        ["--edges", "missing.jsonl"],
        ["--record", "no/such/folder/edges.jsonl"],
        ["wiring", "--settings", "missing.toml"],
        ["--settings", "missing.toml"],
        ["--game", "classic", "wiring"],
        ["--profile", "7-buttons", "demo", "--fast"],
        ["--profile", "3-buttons"],
        ["demo", "--picture", "no/such/folder/out.png"],
    ],
)
def test_wrong_words_end_with_two_and_one_clear_message(
    words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    code, out, err = ran(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.strip()
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "command", ["", "demo", "replay", "simulate", "bench", "export", "wiring", "doctor", "install"]
)
def test_help_of_every_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, *command.split(), "--help")
    assert code == 0
    assert "usage: speed-cabinet" in out


def test_wiring_of_other_settings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text("[input]\ncoin = 26\n")
    code, out, _ = ran(capsys, "wiring", "--settings", str(path))
    assert code == 0
    assert "coin switch" in out
    code, out, _ = ran(capsys, "wiring", "--profile", "7-buttons")
    assert code == 0
    assert "player 2, place 7" in out
    _, out, _ = ran(capsys, "wiring", "--json")
    assert json.loads(out)


def test_bench_rules_compares_with_a_peer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "bench", "rules", "--seconds", "1", "--json")
    assert code == 0
    figures = json.loads(out)
    assert set(figures["commands_per_second"]) == set(GAMES)
    assert figures["classic_against_python_chess"] > 0


def test_bench_latency_compares_with_a_bare_timer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ran(capsys, "bench", "latency", "--seconds", "5", "--json")
    assert code == 0
    figures = json.loads(out[out.index("{") :])
    assert figures["presses"] > 0
    assert figures["edge_to_lamp"]["p50_ms"] >= figures["hold_back_ms"]


def test_the_screen_is_told_the_names_of_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with closing(open_screen(defaults(), key_names(4))) as screen:
        assert screen.look.start(1) == "START (P)"
        assert [screen.look.keys[0, button] for button in range(4)] == list("ASDF")
    with closing(open_screen(defaults())) as screen:
        assert screen.look.start(1) == "START"


# The cabinet itself, as a process of its own


def daemon(tmp_path: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    surroundings = {
        **os.environ,
        "SDL_VIDEODRIVER": "dummy",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        **environment,
    }
    surroundings.pop("STATE_DIRECTORY", None)
    return subprocess.Popen(
        [sys.executable, "-m", "firmware", *words],
        cwd=ROOT,
        env=surroundings,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_until(process: subprocess.Popen[str], wanted: str) -> str:
    """What the process says, up to the line that holds *wanted*."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        if wanted in line:
            return said
    raise AssertionError(f"the process ended without {wanted!r}:\n{said}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_daemon_runs_and_stops_when_told(tmp_path: Path, number: int) -> None:
    process = daemon(tmp_path)
    read_until(process, "the cabinet is on")
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err


def test_daemon_plays_on_with_bad_settings_and_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "config" / "california-speed-cabinet" / "settings.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[play]\ngame = 'chess'\n")
    process = daemon(tmp_path)
    said = read_until(process, "the cabinet is on")
    assert f"{path}, line 2: play.game" in said
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_daemon_without_a_display_goes_on_and_says_why(tmp_path: Path) -> None:
    process = daemon(tmp_path, SDL_VIDEODRIVER="no_such_driver")
    said = read_until(process, "playing on")
    assert "no display" in said
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_daemon_keeps_the_last_good_settings(tmp_path: Path) -> None:
    path = tmp_path / "config" / "california-speed-cabinet" / "settings.toml"
    path.parent.mkdir(parents=True)
    path.write_text("[play]\ngame = 'quick'\n")
    for text, wanted in ((None, "Quick"), ("[play\n", "Quick")):
        if text is not None:
            path.write_text(text)
        process = daemon(tmp_path)
        said = read_until(process, "the cabinet is on")
        assert wanted in said
        process.terminate()
        process.communicate(timeout=20)


def test_python_m_firmware_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "firmware", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("speed-cabinet ")
