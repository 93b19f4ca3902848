"""What lets the referee run at once when an edge has come: set for the whole process, before its threads."""

from __future__ import annotations

import ctypes
import logging
import sys
from typing import Final

log = logging.getLogger(__name__)

SWITCH_S: Final = 0.0005
"""How long a thread may keep the interpreter while another waits. Python's own 5 ms would let the
drawing of a frame hold up a verdict by as much."""

PR_SET_THP_DISABLE: Final = 41


def be_prompt() -> None:
    """Let no thread of this process wait for long where it need not.

    The kernel's khugepaged joins a process's pages into huge ones, at the lowest priority and with the lock
    that every page fault of the process needs. Where others keep the processors busy it holds that lock for
    as long as they let it: on Debian's kernel (tests/vm, ``races``, busy) the referee woke 90 to 280 ms late
    three times in 240 races, and never once khugepaged was told to let this process be (prctl(2)).
    """
    sys.setswitchinterval(SWITCH_S)
    if sys.platform == "linux":
        try:
            refused = ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
        except (OSError, AttributeError) as error:
            log.info("huge pages stay as they are: %s", error)
        else:
            if refused:
                log.info("huge pages stay as they are: errno %d", ctypes.get_errno())
