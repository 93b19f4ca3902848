"""The date, where it can be believed.

A Pi 3 or 4 has no clock that goes on without power. Until the network gives it the time it starts from the
moment at which it was last switched off, which looks like a date and is none. What is kept is ordered by
number, so a date is kept only where something vouches for it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

WRITTEN = 1_735_689_600
"""2025-01-01: no cabinet with this firmware played before."""
AGREES_S = 3600

_SYNCHRONISED = Path("run/systemd/timesync/synchronized")
"""Made by systemd-timesyncd once the network has given the time (systemd-timesyncd.service(8))."""
_RTC = Path("sys/class/rtc/rtc0/since_epoch")
"""The battery clock, in seconds (Linux, Documentation/ABI/testing/sysfs-class-rtc). Without a battery it
starts at 1970 and does not agree."""


def wall_time() -> int | None:
    """Seconds since 1970, or None if nobody knows."""
    return believed(time.time(), Path("/") if sys.platform == "linux" else None)


def believed(now_s: float, root: Path | None) -> int | None:
    """*now_s* where it can be believed. *root*: the system's files; None where all have the time."""
    if now_s < WRITTEN:
        return None
    if root is None or (root / _SYNCHRONISED).exists() or _agrees(now_s, root / _RTC):
        return int(now_s)
    return None


def _agrees(now_s: float, rtc: Path) -> bool:
    try:
        return abs(int(rtc.read_text()) - now_s) < AGREES_S
    except (OSError, ValueError):
        return False
