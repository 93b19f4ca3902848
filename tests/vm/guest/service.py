"""What the guest's one service runs: each scenario within its time, and after a reset those that are left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

from tests.vm.guest.trial import RESULT, SHARE, SO_FAR, Trial


def main() -> None:
    """Run what the order on the share says."""
    order = json.loads((SHARE / "order.json").read_text())
    for one in order["scenarios"]:
        if not (SHARE / "results" / one["name"] / RESULT).exists():
            run(one["name"], one["limit_s"])


def run(name: str, limit_s: float) -> None:
    """Run one scenario; what it has started ends with it. *limit_s*: for each boot of the machine."""
    folder = SHARE / "results" / name
    if folder.exists() and not (folder / SO_FAR).exists():
        give_up(name, "the machine started afresh by itself")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "scenario.log").open("ab") as log:
        command = [sys.executable, "-u", "-m", "tests.vm.guest.one", name]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            code = None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    else:
        process.wait()
    if not (folder / RESULT).exists():
        ended = f"not done within {limit_s} s" if code is None else f"ended with code {code}"
        give_up(name, f"{ended}, without a result")


def give_up(name: str, why: str) -> None:
    """A result that says *why* there is none."""
    trial = Trial.of(name, {})
    trial.expect(False, why)
    trial.write()


if __name__ == "__main__":
    main()
