"""``python -m tests.vm``: boots the virtual Pi, has the scenarios run in it, and tells how they went.

Exit code 0: all passed; 1: something failed; 77: a part of the virtual Pi cannot be had here.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.vm import report, share
from tests.vm.image import PartMissing, cache, image
from tests.vm.run import DISK, Run

PART_MISSING = 77


def main() -> int:
    """Run the command; returns its exit code."""
    asked = _asked()
    early, late = share.parts(asked.scenario or share.scenarios())
    try:
        built = image()
    except PartMissing as missing:
        print(f"THE VIRTUAL PI DID NOT RUN. Missing: {missing}", file=sys.stderr)
        return PART_MISSING
    folder = Path(asked.out or tempfile.mkdtemp(prefix="run-", dir=cache())).absolute()
    began = time.monotonic()
    chosen = {"races": asked.races, "resets": asked.resets}

    def ran(part: share.Part) -> dict[str, report.Result]:
        place = folder / part.name
        place.mkdir(parents=True)
        share.fill(place / "share", folder / "checkout", part.scenarios, chosen)
        disk = folder / share.INSTALLS / DISK if part.is_cabinet else built.disk
        run = Run(built, disk, place, part.follows)
        try:
            run.go(asked.limit - (time.monotonic() - began))
        finally:
            run.close()
            if part.name != share.INSTALLS:
                (place / DISK).unlink()
        report.pictures(place)
        return report.read(place / "share", part.scenarios)

    share.prepare(folder / "checkout")
    # Each machine has one processor.
    with ThreadPoolExecutor(os.cpu_count()) as machines:
        runs = [machines.submit(ran, part) for part in early]
        if early and early[0].name == share.INSTALLS:
            runs[0].result()
        runs += [machines.submit(ran, part) for part in late]
        results = {name: result for one in runs for name, result in one.result().items()}
    report.show(results, time.monotonic() - began)
    has_passed = all(result["passed"] for result in results.values())
    if not has_passed or asked.out:
        (folder / share.INSTALLS / DISK).unlink(missing_ok=True)
        print(f"kept: {folder} (in each part serial.log, share/journal.log, share/results)")
    else:
        share.remove(folder)
    return 0 if has_passed else 1


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.vm", description="The firmware on a virtual Pi.")
    parser.add_argument("scenario", nargs="*", help=f"which of {', '.join(share.scenarios())} (default all)")
    parser.add_argument("--races", type=int, default=60, metavar="N", help="pairs of presses of each kind")
    parser.add_argument("--resets", type=int, default=5, metavar="N", help="resets of the cabinet in play")
    parser.add_argument("--limit", type=float, default=900, metavar="SECONDS", help="for all together")
    parser.add_argument("--out", metavar="FOLDER", help="keep results and pictures here (default: if failed)")
    asked = parser.parse_args()
    for name in asked.scenario:
        if name not in share.scenarios():
            parser.error(f"scenario: found {name!r}, allowed are {', '.join(share.scenarios())}")
    return asked


if __name__ == "__main__":
    sys.exit(main())
