"""The keeper: a thread that writes what is to be kept, so that no disk ever holds up the game."""

from __future__ import annotations

import logging
import os
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from firmware.clock import NS_PER_S, Clock, MonotonicClock
from firmware.errors import DiskError, LedgerError
from firmware.keep.journals import Journals, Limits
from firmware.keep.ledger import BOOT, MATCH, NAME, Ledger, match_text
from firmware.keep.restore import open_ledger, replace_ledger
from firmware.keep.results import Result
from firmware.keep.trouble import Complain, Trouble
from firmware.keep.wall_clock import wall_time
from firmware.session.records import HandBegan, HandEnded, Interrupted, MatchLeft, Record

log = logging.getLogger(__name__)

HANDS = "hands"
UNSAVED = 1000
"""Results held while the disk will not have them; beyond this many the oldest is let go."""
CALM_S = 15
"""So long without anything to keep is a calm moment: what failed is tried again, a backup is made."""
COUNTED_NS = 600 * NS_PER_S
"""Counters are saved with the next result, and in calm moments so long after the last save: a power cut loses
no result, but may lose this much counting. More often would wear out the card for a few presses."""
BACKED_UP = 20
"""Results after which a backup is due."""

Counts = Mapping[tuple[str, str], int]
"""Counters since the program started, by (name, button in words or "")."""


class Keeper:
    """Keeps results, counters and the match that goes on in a ledger, and each hand as a journal.

    A disk that fails is told to *complain* and tried again, at the latest in the next calm moment; play goes
    on meanwhile, and results wait in memory. *counts* are read whenever something is saved; *saved* is told,
    in the keeper's thread, of each hand that is on disk. *complain* is called there too.
    """

    def __init__(
        self,
        directory: Path,
        complain: Complain,
        *,
        clock: Clock | None = None,
        counts: Callable[[], Counts] = dict,
        saved: Callable[[HandEnded], None] = lambda ended: None,
        limits: Limits | None = None,
    ) -> None:
        self._complain = complain
        self._clock = clock or MonotonicClock()
        self._counts = counts
        self._saved = saved
        self._path = directory / NAME
        self._ledger: Ledger | None = None
        self._journals = Journals(directory / HANDS, limits or Limits())
        self._no_hands = Trouble("hands are not kept", complain)
        self._no_results = Trouble("results are kept in memory only", complain)
        self._no_backup = Trouble("no backup of the results", complain)
        self._words: list[str] = []
        self._run_number = secrets.randbits(53)
        self._began: HandBegan | None = None
        self._unsaved: deque[tuple[Result, HandEnded]] = deque(maxlen=UNSAVED)
        self._now: dict[str, str | None] = {}
        self._counted: Counts = {}
        self._start: str | None = None
        self._started_ns = self._saved_ns = self._clock.now_ns()
        self._since_backup = BACKED_UP
        self._queue: SimpleQueue[Record | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="keeper", daemon=True)

    # From any thread

    def open(self) -> Interrupted | None:
        """Open the ledger; the match that was going on when the program last ended. Before :meth:`start`."""
        try:
            return self._opened().interrupted()
        except (DiskError, LedgerError) as error:
            # The thread meets it again, and tells.
            log.warning("%s", error)
            return None

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def keep(self, record: Record) -> None:
        """Write *record* soon; returns at once."""
        self._queue.put(record)

    def close(self) -> None:
        """Write what is left, then end; may be called twice. Waits two seconds at most, if the disk hangs."""
        if self._thread.ident is None:
            self._finish()
            return
        self._queue.put(None)
        self._thread.join(2)

    # In the keeper's thread

    def _run(self) -> None:
        self._guarded(self.calm)
        while True:
            try:
                record = self._queue.get(timeout=CALM_S)
            except Empty:
                self._guarded(self.calm)
                continue
            if record is None:
                break
            self._guarded(partial(self.write, record))
        self._guarded(self._finish)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception:
            # Whatever it was, the next hand is to be kept.
            log.exception("the keeper met a fault and goes on")

    def write(self, record: Record) -> None:
        """Write *record* now, in this thread."""
        # The result first: should the journal fail, or the plug be pulled meanwhile, it is the greater loss.
        match record:
            case HandBegan():
                self._began = record
            case HandEnded():
                self._note(record)
                self.save()
            case MatchLeft():
                self._now[MATCH] = None
                self.save()
        if isinstance(record, MatchLeft):
            return
        try:
            if self._journals.write(record):
                self._no_hands.over()
        except OSError as error:
            self._no_hands.met(error)

    def _note(self, ended: HandEnded) -> None:
        began, self._began = self._began, None
        if began is None:
            return
        if len(self._unsaved) == UNSAVED:
            log.warning("a result is lost: %s", self._unsaved[0][0])
        self._unsaved.append((Result.of(began, ended, self._run_number, wall_time()), ended))
        goes_on = ended.match.winner is None
        interrupted = Interrupted(began.game_id, began.options, began.seats, ended.match)
        self._now[MATCH] = match_text(interrupted if goes_on else None)

    def calm(self) -> None:
        """Nothing is happening: what has waited is done."""
        is_due = self._clock.now_ns() >= self._saved_ns + COUNTED_NS
        if is_due or self._start is None or self._ledger is None or self._unsaved or self._now:
            self.save()
        if self._since_backup >= BACKED_UP and self._began is None:
            self._back_up()

    def save(self) -> None:
        """Put all that is not yet on disk there, in one go."""
        try:
            try:
                self._write_all(self._opened())
            except LedgerError as error:
                if self._ledger is None:
                    raise
                self._use(*replace_ledger(self._ledger, error))
                self._write_all(self._opened())
        except (DiskError, LedgerError) as error:
            self._let_go()
            self._no_results.met(error)
        else:
            self._no_results.over()
        while self._words:
            self._complain(self._words.pop(0))

    def _write_all(self, ledger: Ledger) -> None:
        counts = self._counts_now()
        counted = {key: count - self._counted.get(key, 0) for key, count in counts.items()}
        ledger.save(
            [result for result, _ in self._unsaved],
            {key: count for key, count in counted.items() if count},
            self._now,
        )
        self._counted = counts
        self._now.clear()
        self._saved_ns = self._clock.now_ns()
        self._since_backup += len(self._unsaved)
        while self._unsaved:
            self._saved(self._unsaved.popleft()[1])

    def _counts_now(self) -> Counts:
        counts = dict(self._counts())
        counts["minutes", ""] = (self._clock.now_ns() - self._started_ns) // (60 * NS_PER_S)
        if self._start is not None:
            counts[self._start, ""] = 1
        return counts

    def _back_up(self) -> None:
        if self._ledger is None:
            return
        try:
            self._ledger.back_up()
            self._since_backup = 0
            self._no_backup.over()
        except (DiskError, LedgerError) as error:
            # Not at once again: each try writes the whole of it.
            self._since_backup = BACKED_UP // 2
            self._no_backup.met(error)

    def _opened(self) -> Ledger:
        if self._ledger is None:
            self._use(*open_ledger(self._path))
        assert self._ledger is not None
        if self._start is None:
            # A power-up is a start in another boot of the machine than the last one.
            boot, before = boot_id(), self._ledger.now(BOOT)
            self._start = "restarts" if boot is None or boot == before else "power_ups"
            self._now[BOOT] = boot
        return self._ledger

    def _use(self, ledger: Ledger, told: str | None) -> None:
        self._ledger = ledger
        if told is not None:
            log.warning("%s", told)
            self._words.append(told)

    def _let_go(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def _finish(self) -> None:
        while not self._queue.empty():
            if (record := self._queue.get()) is not None:
                self.write(record)
        self.save()
        self._let_go()
        try:
            self._journals.finish()
        except OSError as error:
            self._no_hands.met(error)


def boot_id() -> str | None:
    """What tells one boot of this machine from another; None where there is nothing (random(4))."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return None


def state_directory() -> Path:
    """Where things are kept if the settings do not say: systemd's StateDirectory, else the user's."""
    given = os.environ.get("STATE_DIRECTORY") or os.environ.get("XDG_STATE_HOME")
    if os.environ.get("STATE_DIRECTORY"):
        return Path(str(given).split(":")[0])
    base = Path(given) if given else Path.home() / ".local" / "state"
    return base / "california-speed-cabinet"
