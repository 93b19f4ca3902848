"""The program is killed at any moment: whatever was said to be saved is there.

Fifteen times here; ``SPEED_CABINET_KILLS=500 pytest tests/keep/test_plug.py`` for more. What SIGKILL cannot
show is that the disk itself has it: tests/keep/test_ledger.py holds that every save is synced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from firmware.errors import JournalError
from firmware.keep import journal
from firmware.keep.keeper import HANDS
from firmware.keep.ledger import NAME, backup_of
from firmware.keep.restore import open_ledger

ROOT = Path(__file__).parent.parent.parent
KILLS = int(os.environ.get("SPEED_CABINET_KILLS", "15"))


@contextmanager
def writer(directory: Path, first: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.keep.writer", str(directory), str(first)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def killed(directory: Path, first: int, chance: Random) -> list[str]:
    """What a writer said until it was killed: while it opens the ledger, or after some results."""
    lines_read = chance.choice([1, 2, 2, 3, 4, 5, 6, 8])
    with writer(directory, first) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines_read)]
        # Somewhere within the next save: it takes some milliseconds.
        for _ in range(chance.randrange(200_000)):
            pass
        process.kill()
        return [line.strip() for line in (*said, *process.stdout) if line.endswith("\n")]


def test_plug_pulled_at_any_moment_takes_nothing_that_was_said_to_be_saved(tmp_path: Path) -> None:
    chance = Random(1)
    acknowledged: list[int] = []
    kept: list[int] = []
    for trial in range(KILLS):
        first = trial * 1000
        said = killed(tmp_path, first, chance)
        assert not [line for line in said if line.startswith("fault")], said
        new = [int(line.split()[1]) for line in said if line.startswith("saved")]
        acknowledged += new
        offered = [line for line in said if line.startswith("open")]
        if offered and kept:
            assert offered == [f"open {kept[-1] + 1}"], "the match goes on after its last hand"
        # Opened as the next start does: that ends what a cut save had begun, and checks every page.
        ledger, told = open_ledger(tmp_path / NAME)
        assert told is None
        before, kept = kept, [result.seed for result in ledger.results()]
        ledger.close()
        assert set(acknowledged) <= set(kept)
        assert kept[: len(before)] == before
        more = kept[len(before) :]
        assert more == list(range(first, first + len(more))), "in their order, none left out"
        assert len(more) <= len(new) + 1, "and none that was not yet due"
        for path in sorted((tmp_path / HANDS).glob("*"))[-4:]:
            sound_or_torn(path)
        shutil.rmtree(tmp_path / HANDS, ignore_errors=True)
    assert acknowledged
    if backup_of(tmp_path / NAME).exists():
        copy = tmp_path / "copy" / NAME
        copy.parent.mkdir()
        shutil.copy(backup_of(tmp_path / NAME), copy)
        ledger, told = open_ledger(copy)
        ledger.close()
        assert told is None


def sound_or_torn(path: Path) -> None:
    """The journal at *path* is whole, ends with a whole line, or is told to be torn."""
    told = ""
    try:
        list(journal.read(path).replay())
    except JournalError as error:
        told = str(error)
    # The hands of the writer have no commands, so that their outcome follows from nothing.
    assert re.search(r"^$|line 1: empty|the outcome found is|torn", told), told


@pytest.mark.parametrize("lines_read", [1, 2, 6])
def test_plug_pulled_again_and_again_at_the_same_step_leaves_no_litter(
    tmp_path: Path, lines_read: int
) -> None:
    for trial in range(3):
        with writer(tmp_path, 1000 * trial) as process:
            assert process.stdout is not None
            for _ in range(lines_read):
                process.stdout.readline()
    ledger, told = open_ledger(tmp_path / NAME)
    ledger.save(counts={("spike", ""): 1})  # a rollback journal that had not begun to count lies until then
    ledger.close()
    assert told is None
    known = {NAME, backup_of(tmp_path / NAME).name, f"{backup_of(tmp_path / NAME).name}.new", HANDS}
    assert {path.name for path in tmp_path.iterdir()} <= known
