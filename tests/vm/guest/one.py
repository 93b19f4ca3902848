"""Runs one scenario in a process of its own: ``python -m tests.vm.guest.one NAME``."""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback

from tests.vm.guest.trial import SHARE, SO_FAR, Trial


def main(name: str) -> None:
    """Run the scenario *name* and write its result; whatever it raises is a problem."""
    trial = Trial.of(name, json.loads((SHARE / "order.json").read_text())["chosen"])
    try:
        importlib.import_module(f"tests.vm.scenarios.{name}").run(trial)
    except Exception as error:
        traceback.print_exc()
        trial.expect(False, f"{type(error).__name__}: {error}")
    if (trial.folder / SO_FAR).exists():
        # A reset was asked for: the scenario goes on after it.
        time.sleep(3600)
    trial.write()


if __name__ == "__main__":
    main(sys.argv[1])
