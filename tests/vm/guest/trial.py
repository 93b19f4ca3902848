"""What a scenario is given: where to write, what to say, how to look at the screen, and the plug."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any

SHARE = Path("/share")
ASKED = "asked"
ANSWERED = "answered"
SO_FAR = "so_far.json"
RESULT = "result.json"
LONGEST_ANSWER_S = 30.0


class Impossible(Exception):
    """The scenario cannot go on; the text says what was waited for."""


@dataclass
class Trial:
    """One run of one scenario, with all its resets.

    ``folder``: what lies here at the end is kept on the host. ``chosen``: what was asked for on the command
    line. ``problems``: what was not as it has to be; a scenario without any has passed. ``figures``: what
    was measured. ``resets``: how often the machine has been reset for this scenario; after each it is run
    again, and finds in ``memory`` what it has put there. ``seconds``: how long the boots before this took.
    """

    name: str
    folder: Path
    chosen: dict[str, Any]
    problems: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    memory: dict[str, Any] = field(default_factory=dict)
    resets: int = 0
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._questions = 0

    @classmethod
    def of(cls, name: str, chosen: dict[str, Any]) -> Trial:
        """The scenario's trial, as its last reset has left it, or at its beginning."""
        folder = SHARE / "results" / name
        folder.mkdir(parents=True, exist_ok=True)
        so_far = folder / SO_FAR
        if not so_far.exists():
            return cls(name, folder, chosen)
        trial = cls(name, folder, chosen, **json.loads(so_far.read_text()))
        so_far.rename(folder / "before.json")
        return trial

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
        answer = self._ask({"screendump": str(path.relative_to(SHARE))})
        until = time.monotonic() + LONGEST_ANSWER_S
        while not answer.exists():
            if time.monotonic() > until:
                raise Impossible("the host gave no picture of the screen")
            time.sleep(0.1)
        return path

    def reset_in(self, seconds: float) -> None:
        """Have the host reset the machine in so many *seconds*, as if the plug were pulled and put in again.

        Returns at once: what is done from now on is cut. Problems and figures noted later are lost.
        """
        self.say(f"reset {self.resets + 1} in {seconds:.2f} s")
        so_far = {
            "problems": self.problems,
            "figures": self.figures,
            "memory": self.memory,
            "resets": self.resets + 1,
            "seconds": self._seconds(),
        }
        (self.folder / SO_FAR).write_text(json.dumps(so_far))
        Timer(seconds, self._ask, [{"reset": self.resets + 1}]).start()

    def end_without_power(self) -> None:
        """Write the result and have the plug pulled for good: the disk stays as it is. Does not return."""
        self.write()
        self._ask({"power": False})
        time.sleep(3600)

    def _ask(self, question: dict[str, Any]) -> Path:
        """Put a question to the host; the file that will be there once it is answered."""
        self._questions += 1
        answer = SHARE / ANSWERED / f"{self.name}-{self.resets}-{self._questions}"
        asking = SHARE / f"{answer.name}.asking"
        asking.write_text(json.dumps(question))
        asking.rename(SHARE / ASKED / answer.name)  # the host never reads half a question
        return answer

    def _seconds(self) -> float:
        return self.seconds + time.monotonic() - self._began

    def write(self) -> None:
        """The result, as the host reads it."""
        result = {
            "passed": not self.problems,
            "seconds": round(self._seconds(), 1),
            "problems": self.problems,
            "figures": self.figures,
        }
        (self.folder / RESULT).write_text(json.dumps(result, indent=1))
