"""The plug is pulled at random moments: the game is there again, with every result that was said to be saved.

While it is pulled two things are written. The game has a hand played on its buttons, its journal growing, its
result kept. Beside it, on the same disk, the game's own keeper is given one result after
another. What either has said to be saved is noted on the host's side of the share, where no reset reaches it.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from firmware.errors import JournalError
from firmware.keep import journal
from firmware.keep.ledger import NAME
from firmware.keep.restore import open_ledger
from tests.vm.guest.installed import Installed
from tests.vm.guest.pictures import seen
from tests.vm.guest.players import Players
from tests.vm.guest.trial import Impossible, Trial
from tests.vm.guest.wires import Wires

IS_CABINET = True
IS_ALONE = True
SEED = 23
WRITTEN = Path("/var/lib/written")
EACH = 1_000_000
"""Results of one boot are numbered from its own number times this."""
LATEST = 3
"""So many journals are looked at after each reset: those that it may have cut."""
AHEAD = 3
"""Results that may be on disk though nobody has heard of it: those on their way in the writer, see there."""
IN_PLAY_S = (0.0, 6.0)
"""When the plug is pulled, from the moment when both have pressed START, of which 3 s are the countdown."""
AT_END_S = (0.0, 1.0)
"""The same from the last card of a hand, whose result is then kept."""
AT_START_S = (0.0, 3.0)
"""The same from the guest's first sign of life, where the game is not waited for."""
KINDS = 5
AT_END, AT_START = 2, 4
"""Of so many resets one each is of this kind; the others are in play."""


def limit_s(chosen: dict[str, Any]) -> float:
    """Longest time for each boot in seconds."""
    return 240


def run(trial: Trial) -> None:
    """One boot."""
    nth, last = trial.resets, int(trial.chosen["resets"])
    chance = Random(f"{SEED} {nth}")
    if nth % KINDS == AT_START and nth < last:
        trial.memory.setdefault("cut at the start", []).append(nth)
        trial.reset_in(chance.uniform(*AT_START_S))
        return
    game = Installed()
    ready_s, _ = game.wait_on()
    trial.memory.setdefault("ready", []).append(round(ready_s, 1))
    if nth > 0:
        compare(trial, game)
    seen(trial, f"boot-{nth:02}")
    trial.memory["pictures"] = trial.memory.get("pictures", 0) + 1
    if nth < last:
        play_until_cut(trial, game, chance)
    else:
        tell(trial, game)


def play_until_cut(trial: Trial, game: Installed, chance: Random) -> None:
    """A hand is played, and results are written, until there is no power any more."""
    wires = Wires()
    players = Players(game, wires)
    players.wait_until_on()
    is_at_end = trial.resets % KINDS == AT_END
    with writer(trial):
        players.start_hand()
        if not is_at_end:
            trial.reset_in(chance.uniform(*IN_PLAY_S))
        try:
            while not players.settle().is_over:
                players.cover(chance.choice(players.moves()))
            if is_at_end:
                trial.reset_in(chance.uniform(*AT_END_S))
            players.wait("the end of the journal", lambda: players.followed.has_ended)
            dealt = players.followed.dealt
            assert dealt is not None, "the hand has begun"
            # The journal has its end once the result is on disk.
            note(trial.folder / "played.txt", str(dealt.seed))
        except Impossible as end:
            trial.say(f"no longer played: {end}")
        time.sleep(60)


def note(path: Path, text: str) -> None:
    """A line on the share, there when this returns."""
    with path.open("a") as file:
        file.write(f"{text}\n")


@contextmanager
def writer(trial: Trial) -> Iterator[None]:
    """The keeper, kept busy by another process, which says on the share what has been saved."""
    command = ["nice", "-n", "5", sys.executable, "-m", "tests.keep.writer"]
    command += [str(WRITTEN), str(trial.resets * EACH)]
    with (trial.folder / "said.txt").open("ab") as said:
        process = subprocess.Popen(command, stdout=said)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def compare(trial: Trial, game: Installed) -> None:
    """Everything that was said to be saved is there, in order, and nothing else."""
    said = lines(trial.folder / "said.txt")
    faults = [line for line in said if line.startswith("fault")]
    trial.expect(not faults, f"the keeper had faults: {faults[:3]}")
    saved = [int(line.split()[1]) for line in said if line.startswith("saved")]
    WRITTEN.mkdir(exist_ok=True)
    # As the next start does: that ends what a cut save had begun, and checks every page.
    ledger, told = open_ledger(WRITTEN / NAME)
    kept = [result.seed for result in ledger.results()]
    ledger.close()
    trial.expect(told is None, f"after reset {trial.resets}: {told}")
    lost(trial, "written", saved, kept)
    beyond = len(kept) - len(saved)
    trial.expect(kept == sorted(set(kept)), f"after reset {trial.resets}: results out of order or twice")
    trial.expect(
        beyond <= AHEAD * trial.resets, f"after reset {trial.resets}: {beyond} results nobody waits for"
    )
    trial.memory["written"] = len(saved)

    played = [int(line) for line in lines(trial.folder / "played.txt")]
    results = game.results()
    lost(trial, "played", played, results)
    before = trial.memory.get("results", [])
    trial.expect(results[: len(before)] == before, f"after reset {trial.resets}: {before} became {results}")
    trial.memory |= {"played": len(played), "results": results}
    trial.expect("damaged" not in game.log, f"after reset {trial.resets}: the game's log tells of damage")
    for path in game.hands[-LATEST:]:
        whole = whole_hand(trial, path)
        is_there = whole is None or whole in results
        trial.expect(is_there, f"after reset {trial.resets}: {path.name} has ended, and there is no result")


def lost(trial: Trial, what: str, said: list[int], kept: list[int]) -> None:
    """Those of *said* that were not *kept*."""
    missing = sorted(set(said) - set(kept))
    trial.expect(
        not missing, f"after reset {trial.resets}: {len(missing)} results {what} are lost: {missing[:5]}"
    )
    trial.memory["lost"] = trial.memory.get("lost", 0) + len(missing)


def whole_hand(trial: Trial, path: Path) -> int | None:
    """The seed of the hand in the journal at *path*, if it stands there to its end.

    A journal that is neither sound nor plainly torn is a problem.
    """
    try:
        read = journal.read(path)
        for _ in read.replay():
            pass
    except JournalError as error:
        is_torn = "torn" in str(error) or "line 1: empty" in str(error)
        trial.expect(is_torn, f"after reset {trial.resets}: {error}")
        trial.memory["torn"] = trial.memory.get("torn", 0) + 1
        return None
    return None if read.outcome is None else read.hand.seed


def lines(path: Path) -> list[str]:
    """The whole lines of a file that a cut may have left unfinished."""
    if not path.exists():
        return []
    return [line.strip() for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def tell(trial: Trial, game: Installed) -> None:
    """The figures of all boots."""
    memory = trial.memory
    ready = sorted(memory["ready"])
    trial.figure("resets", trial.resets)
    trial.figure("of these while the game was starting", len(memory.get("cut at the start", [])))
    trial.figure("results of hands that were played", len(memory["results"]))
    trial.figure("boots that were waited for, all with the game's picture", memory["pictures"])
    trial.figure(
        "power-on to READY, s (shortest, median, longest)", (ready[0], ready[len(ready) // 2], ready[-1])
    )
    trial.figure(
        "results said to be saved, by the keeper and by hands played", (memory["written"], memory["played"])
    )
    trial.figure("results lost", memory["lost"])
    trial.figure("journals cut off (each looked at after every reset)", memory.get("torn", 0))
