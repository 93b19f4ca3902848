"""Tells when the virtual machine itself stood still, so that the firmware is not blamed for it.

``python -m tests.vm.guest.metronome CPU`` wakes once a millisecond on that processor, before everything
else that runs there. Whatever keeps it from that is outside: the host had other things to do. At the end of
standard input it writes the stretches of time in which it came late.
"""

from __future__ import annotations

import os
import select
import sys
import time
from typing import Final

import msgspec

from firmware.clock import NS_PER_MS

BEAT_NS: Final = NS_PER_MS
LATE_NS: Final = 2 * NS_PER_MS
PRIORITY: Final = 90

Stretch = tuple[int, int]


def main(cpu: int) -> None:
    """See the module."""
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    stretches: list[Stretch] = []
    was_ns = time.monotonic_ns()
    while not select.select([0], [], [], BEAT_NS / 1e9)[0]:
        now_ns = time.monotonic_ns()
        if now_ns - was_ns > BEAT_NS + LATE_NS:
            stretches.append((was_ns, now_ns))
        was_ns = now_ns
    sys.stdout.buffer.write(msgspec.json.encode(stretches))


if __name__ == "__main__":
    main(int(sys.argv[1]))
