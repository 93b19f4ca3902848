"""One cabinet at a time in one state directory."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.errors import CabinetError
from firmware.keep.lock import NAME, Lock

HOLDER = """
import sys
from pathlib import Path
from firmware.keep.lock import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_second_lock_names_the_process_that_holds_the_first(tmp_path: Path) -> None:
    first = Lock(tmp_path / "new")
    with pytest.raises(CabinetError, match=rf"process {os.getpid()} holds .*{NAME}"):
        Lock(tmp_path / "new")
    first.close()
    first.close()
    Lock(tmp_path / "new").close()


def test_second_cabinet_ends_with_two_and_the_process_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    words = [sys.executable, "-c", HOLDER, str(tmp_path / "california-speed-cabinet")]
    root = Path(__file__).parent.parent.parent
    with subprocess.Popen(words, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert main([]) == 2
        assert f"process {holder.pid} " in capsys.readouterr().err
        holder.kill()
    # The kernel lets go with the process, however it ended: no stale file ever keeps a cabinet off.
    Lock(tmp_path / "california-speed-cabinet").close()


def test_directory_that_cannot_be_written_refuses_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "file"
    file.touch()
    with caplog.at_level(logging.WARNING):
        Lock(file / "below").close()
    assert "cannot be locked" in caplog.text
