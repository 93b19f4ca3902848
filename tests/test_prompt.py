"""What is set for the whole process before its threads begin."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Of Linux, on which the cabinet runs: khugepaged is a thread of its kernel.
ASK = """
import ctypes, sys
from firmware.prompt import SWITCH_S, be_prompt
PR_GET_THP_DISABLE = 42
be_prompt()
print(ctypes.CDLL(None).prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0), sys.getswitchinterval() == SWITCH_S)
"""


def test_process_is_left_alone_by_khugepaged() -> None:
    done = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "True"]


def test_where_it_cannot_be_asked_for_nothing_else_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    from firmware import prompt

    def refuse(*_: object, **__: object) -> object:
        raise OSError("no such library")

    before_s = sys.getswitchinterval()
    monkeypatch.setattr("ctypes.CDLL", refuse)
    try:
        prompt.be_prompt()
        assert sys.getswitchinterval() == prompt.SWITCH_S
    finally:
        sys.setswitchinterval(before_s)
