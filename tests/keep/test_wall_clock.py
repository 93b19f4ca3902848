"""A date is kept only where something vouches for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.keep.wall_clock import WRITTEN, believed, wall_time

NOW = WRITTEN + 50_000_000
SYNCHRONISED = "run/systemd/timesync/synchronized"
RTC = "sys/class/rtc/rtc0/since_epoch"


@pytest.mark.parametrize(
    ("file", "content", "is_believed"),
    [
        (None, "", False),
        (SYNCHRONISED, "", True),
        (RTC, f"{NOW - 5}\n", True),
        (RTC, "37\n", False),
        (RTC, f"{NOW - 86_400}\n", False),
        (RTC, "broken\n", False),
    ],
    ids=["a Pi 4 alone", "network", "a battery clock", "no battery", "another time", "no number"],
)
def test_date_is_believed(tmp_path: Path, file: str | None, content: str, is_believed: bool) -> None:
    if file is not None:
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(content)
    assert believed(NOW + 0.5, tmp_path) == (NOW if is_believed else None)


def test_date_before_there_was_such_a_cabinet_is_none(tmp_path: Path) -> None:
    (tmp_path / SYNCHRONISED).parent.mkdir(parents=True)
    (tmp_path / SYNCHRONISED).touch()
    assert believed(WRITTEN - 1, tmp_path) is None
    assert believed(WRITTEN - 1, None) is None
    assert believed(NOW, None) == NOW


def test_date_of_this_machine_is_one_or_none() -> None:
    found = wall_time()
    assert found is None or found > WRITTEN
