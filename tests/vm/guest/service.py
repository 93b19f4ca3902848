"""What the guest's one service runs: it makes the header, then runs each scenario within its time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from tests.vm.guest.trial import SHARE, Trial
from tests.vm.guest.wires import make_header


def main() -> None:
    """Run what the order on the share says."""
    order = json.loads((SHARE / "order.json").read_text())
    make_header()
    for one in order["scenarios"]:
        run(one["name"], one["limit_s"])


def run(name: str, limit_s: float) -> None:
    """Run one scenario; what it has started ends with it."""
    folder = SHARE / "results" / name
    folder.mkdir(parents=True)
    began = time.monotonic()
    with (folder / "scenario.log").open("wb") as log:
        command = [sys.executable, "-u", "-m", "tests.vm.guest.one", name]
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, cwd="/run/trial", start_new_session=True
        )
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
    if not (folder / "result.json").exists():
        trial = Trial(name, folder, {})
        ended = f"not done within {limit_s} s" if code is None else f"ended with code {code}"
        trial.expect(False, f"{ended}, without a result")
        trial.write(time.monotonic() - began)


if __name__ == "__main__":
    main()
