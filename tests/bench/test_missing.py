"""Where a package that only a measurement needs is not installed, it is said, and what to do."""

from __future__ import annotations

import subprocess
import sys

import pytest

from firmware.cli import main


def without_gpiod(code: str) -> subprocess.CompletedProcess[str]:
    """*code*, run by a Python that has no gpiod."""
    code = f"import sys; sys.modules['gpiod'] = None; {code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_fairness_without_gpiod_says_what_is_missing_and_what_to_do() -> None:
    done = without_gpiod("from firmware.cli import main; sys.exit(main(['bench', 'fairness']))")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "needs gpiod 2: pip install 'gpiod>=2.2'" in line
    assert "--live" in line


def test_live_races_need_no_gpiod() -> None:
    done = without_gpiod("from firmware.bench import live; print(len(live.draw(3, 1)))")
    assert (done.returncode, done.stdout) == (0, "4\n")


def test_rules_without_python_chess_say_so_in_words(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setitem(sys.modules, "chess", None)
    assert main(["bench", "rules", "--seconds", "1"]) == 0
    out = capsys.readouterr().out
    assert "None" not in out
    assert out.count("not installed: pip install chess") == 2
