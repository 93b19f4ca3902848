"""What a scenario is given: where to write, what to say, and how to look at the screen."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SHARE = Path("/share")
ASKED = "asked"
ANSWERED = "answered"
LONGEST_ANSWER_S = 30.0


class Impossible(Exception):
    """The scenario cannot go on; the text says what was waited for."""


@dataclass
class Trial:
    """One run of one scenario.

    ``folder``: what lies here at the end is kept on the host. ``chosen``: what was asked for on the command
    line. ``problems``: what was not as it has to be; a scenario without any has passed. ``figures``: what
    was measured.
    """

    name: str
    folder: Path
    chosen: dict[str, Any]
    problems: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def expect(self, is_so: bool, otherwise: str) -> None:
        """Note *otherwise* as a problem unless *is_so*; the scenario goes on."""
        if not is_so:
            self.say(f"PROBLEM: {otherwise}")
            self.problems.append(otherwise)

    def figure(self, name: str, value: Any) -> None:
        """Something measured, for the table on the host."""
        self.say(f"{name}: {value}")
        self.figures[name] = value

    def say(self, text: str) -> None:
        """A line of the scenario's log."""
        print(f"{time.monotonic():9.3f} {text}", flush=True)

    def screendump(self, name: str) -> Path:
        """What the screen shows now, as ``name.ppm`` in the folder; the host makes a PNG of it as well.

        Raises :class:`Impossible` if the host does not answer.
        """
        path = self.folder / f"{name}.ppm"
        answer = SHARE / ANSWERED / f"{self.name}-{name}"
        asking = SHARE / f"{answer.name}.asking"
        asking.write_text(str(path.relative_to(SHARE)))
        asking.rename(SHARE / ASKED / answer.name)  # the host never reads half a question
        until = time.monotonic() + LONGEST_ANSWER_S
        while not answer.exists():
            if time.monotonic() > until:
                raise Impossible("the host gave no picture of the screen")
            time.sleep(0.1)
        return path

    def write(self, seconds: float) -> None:
        """The result, as the host reads it."""
        result = {
            "passed": not self.problems,
            "seconds": round(seconds, 1),
            "problems": self.problems,
            "figures": self.figures,
        }
        (self.folder / "result.json").write_text(json.dumps(result, indent=1))
