"""``speed-cabinet`` alone: the cabinet itself. It carries on with what it has.

It exits by itself only where the display is lost, for SDL finds a new one only in a new process, and at the
end of a recording that is played again.
"""

from __future__ import annotations

import logging
import secrets
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

import msgspec

from firmware import settings as settings_room
from firmware.cabinet import Cabinet, choose_pins
from firmware.clock import MonotonicClock
from firmware.commands.recorded import PlayedOut
from firmware.errors import CabinetError, ScreenError, SettingsError
from firmware.hands import Hands
from firmware.keep.files import replace_file
from firmware.keep.keeper import Keeper, state_directory
from firmware.keep.lock import Lock
from firmware.pins import Pins, mock_pins
from firmware.profiles import profile, smallest_profile
from firmware.rules import find
from firmware.rules.deal import hand_seeds
from firmware.seats import SIDES
from firmware.session.bots import seeded_bots
from firmware.session.view import View
from firmware.settings import Settings
from firmware.system.display import DisplayWatch
from firmware.system.notify import WITHOUT_SCREEN, Notifier, Pulse
from firmware.touch.keyboard import Keyboard, key_names
from firmware.touch.recording import RecordedEdges, Recorder, read_edges

log = logging.getLogger(__name__)

SCREEN_RETRY_S = 2.0
"""How long to wait before asking for a screen again: a cabinet may be switched on before its monitor."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asked for; None: not asked."""

    settings: Path | None = None
    record: Path | None = None
    edges: Path | None = None
    seed: int | None = None
    game: str | None = None
    profile: str | None = None


def run(asked: Asked) -> int:
    """Run the cabinet until it is told to stop, or until the recorded edges asked for are over; returns the
    exit code: 1 if the display was lost.

    Raises :class:`~firmware.errors.CabinetError` or :class:`~firmware.rules.UnknownGame` for what the command
    line names and there is not: an edge file, a game, a profile; and if a cabinet is running already.
    Anything else is carried on without.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    edges = None if asked.edges is None else read_edges(asked.edges)
    recorder = None if asked.record is None else Recorder(asked.record)
    faults: list[str] = []
    directory = state_directory()
    if asked.settings is None:
        settings = usual_settings(settings_room.usual_path(), directory, faults)
    else:
        # Named on the command line, so it has to be sound, and says nothing of the machine's own.
        settings = settings_room.load(asked.settings)
    settings = _as_asked(settings, asked)
    directory = settings.directory or directory
    # A recording has been played before: what comes of it again is kept where it is forgotten.
    forgotten = None if edges is None else TemporaryDirectory(prefix="speed-cabinet-")
    if forgotten is not None:
        directory = Path(forgotten.name)
    lock = Lock(directory)
    clock = MonotonicClock()
    seeds = hand_seeds(asked.seed) if asked.seed is not None else _fresh_seeds()

    def complain(fault: str, *, is_over: bool = False) -> None:
        cabinet.tell(fault, is_over=is_over)

    keeper = Keeper(
        directory,
        complain,
        clock=clock,
        counts=lambda: cabinet.session.counted(),
        saved=lambda ended: cabinet.saved(ended),
    )
    interrupted = keeper.open()
    pins = _pins(settings, faults)
    notes: list[Keyboard] = []
    cabinet = _open(
        pins,
        faults,
        lambda pins: Cabinet(
            settings,
            pins,
            clock,
            seeds,
            keep=keeper.keep,
            source=None if edges is None else RecordedEdges(edges, clock),
            record=None if recorder is None else recorder.add,
            input_note=lambda: notes[0].note() if notes else None,
            interrupted=interrupted,
        ),
    )
    keyboard = None
    if cabinet.pins.is_mock and edges is None:
        keyboard = Keyboard(settings, lambda button: cabinet.pins.mock_pin(cabinet.line(button)))
        notes.append(keyboard)
    for fault in faults:
        log.warning("%s", fault)
        cabinet.tell(fault)
    seed = secrets.randbits(53) if asked.seed is None else asked.seed
    hands = Hands(cabinet, seeded_bots(seed, range(SIDES, settings.players), settings.buttons))
    keeper.start()
    cabinet.start()
    hands.start()
    notifier = Notifier.from_environment()
    is_over = (lambda view: False) if edges is None else PlayedOut(edges, clock)
    try:
        return _show(cabinet, settings, keyboard, hands, notifier, is_over)
    finally:
        notifier.stopping()
        hands.close()
        cabinet.close()
        keeper.close()
        if recorder is not None:
            recorder.close()
        lock.close()
        if forgotten is not None:
            forgotten.cleanup()


def _as_asked(settings: Settings, asked: Asked) -> Settings:
    """*settings* with the buttons and the game that were asked for by name.

    A game that the buttons cannot address is played on the smallest cabinet that can, where all is mock.
    """
    if asked.profile is not None:
        settings = msgspec.structs.replace(settings, seat=profile(asked.profile).seat)
    if asked.game is not None:
        game = find(asked.game).game
        if game.layout.refusal(settings.buttons) is not None and asked.profile is None:
            settings = msgspec.structs.replace(settings, seat=smallest_profile(game.layout).seat)
        settings = msgspec.structs.replace(
            settings, play=msgspec.structs.replace(settings.play, game=asked.game, best_of=None)
        )
    return settings


def _fresh_seeds() -> Iterator[int]:
    """Seeds that nobody can foresee."""
    while True:
        yield secrets.randbits(53)


GOOD_SETTINGS = "settings.good.toml"
"""The last settings that were sound, to play with while the file is not."""


def usual_settings(path: Path | None, directory: Path, faults: list[str]) -> Settings:
    """The settings to play with: the usual file's, else the last good ones, else the reference cabinet's.

    *directory*: where the last good ones are kept. What is wrong with the file is added to *faults*.
    """
    good = directory / GOOD_SETTINGS
    if path is None:
        return settings_room.defaults()
    try:
        settings = settings_room.load(path)
    except SettingsError as error:
        faults.append(str(error))
        try:
            return settings_room.load(good)
        except SettingsError:
            return settings_room.defaults()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        replace_file(good, settings_room.as_toml(settings).encode())
    except OSError as error:
        log.warning("the last good settings cannot be kept: %s", error)
    return settings


def _pins(settings: Settings, faults: list[str]) -> Pins:
    try:
        return choose_pins(settings)
    except CabinetError as error:
        faults.append(f"no buttons: {error}")
        return mock_pins()


def _open(pins: Pins, faults: list[str], build: Callable[[Pins], Cabinet]) -> Cabinet:
    """The cabinet on *pins*; on mock pins where those cannot be had, so that it says so on the screen."""
    try:
        return build(pins)
    except CabinetError as error:
        if pins.is_mock:
            raise
        faults.append(f"no buttons: {error}")
        pins.close()
        return build(mock_pins())


def _show(
    cabinet: Cabinet,
    settings: Settings,
    keyboard: Keyboard | None,
    hands: Hands,
    notifier: Notifier,
    is_over: Callable[[View], bool],
) -> int:
    """Show the cabinet until told to stop, or until it *is_over*.

    Without a screen play goes on, and one is asked for again.
    """
    from firmware.commands.screens import is_bare, open_screen
    from firmware.front import Front

    name = find(settings.play.game).name
    keys = None if keyboard is None else key_names(settings.buttons)
    pulse = Pulse(notifier, cabinet.clock, cabinet.referee.post)

    def shown(view: View, at_ns: int) -> None:
        cabinet.shown(view, at_ns)
        hands.see(view, at_ns)

    is_told = Event()
    front: Front | None = None

    def stop(number: int, frame: object) -> None:
        is_told.set()
        if front is not None:
            front.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    complaint: str | None = None
    while not (is_told.is_set() or is_over(cabinet.view)):
        try:
            screen = open_screen(settings, keys)
        except ScreenError as error:
            if str(error) != complaint:
                complaint = str(error)
                log.warning("%s; playing on, and asking again every %.0f s", error, SCREEN_RETRY_S)
            pulse.beat(f"{name}, {WITHOUT_SCREEN}: {complaint}")
            is_told.wait(SCREEN_RETRY_S)
            continue
        with closing(screen):
            watch = DisplayWatch(cabinet.clock) if is_bare() else None
            turned = partial(_turned, pulse, name, watch)
            front = Front(cabinet, screen, keyboard=keyboard, shown=shown, turned=turned)
            log.info("the cabinet is on: %s, %d pile buttons per seat", name, settings.buttons)
            try:
                if not is_told.is_set():
                    front.run(is_over)
            except ScreenError as error:
                log.error("%s; ending, to be started afresh", error)
                return 1
        return 0
    return 0


def _turned(pulse: Pulse, status: str, watch: DisplayWatch | None) -> None:
    """The loop that draws has turned once more."""
    pulse.beat(status)
    if watch is not None:
        watch.look()
