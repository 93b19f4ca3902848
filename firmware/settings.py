"""What an operator may set, read from one TOML file and wholly checked before anything starts.

An empty file is the reference cabinet: four pile buttons and START for each player, ten lamps, all on
the Pi's header. A file changes what it names::

    [play]
    game = "classic"
    penalty_ms = [500, 250]

    [[seat]]                    # the near player; the second [[seat]] is the far one
    piles = [4, 7, 8, 11]       # buttons from the left, as their player sees them
    start = 12
    lamps = [16, 19, 20, 23]    # left out in a box without lamps
    start_lamp = 24

A larger cabinet, soldered as ``speed-cabinet wiring --profile NAME`` shows it, needs one line instead of both
[[seat]], before all tables (:data:`~firmware.seat_lines.ProfileName`)::

    profile = "7-buttons"

Every key stands below, those of [[seat]] in :class:`~firmware.seat_lines.SeatLines`, with unit and range.
Whatever is wrong raises :class:`SettingsError`: file, line, key, what was found, what is allowed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from firmware import settings_file
from firmware.clock import NS_PER_MS, NS_PER_S
from firmware.errors import SettingsError
from firmware.lines import Line
from firmware.rules import Options, find
from firmware.rules.options import DeadHeatPolicy, Pace, Redeal, ShortRedeal
from firmware.seat_lines import REFERENCE, WIRED, ProfileName, SeatLines
from firmware.seats import Both, Seat
from firmware.settings_checks import check
from firmware.settings_file import Key, WrongSetting, shown

_STANDARD: Final = Options()
_OPTIONS: Final = {field.name for field in fields(Options)}


class Source(StrEnum):
    """Where edges come from: the kernel's lines, gpiozero's real pins, or its mock pins (keyboard).

    ``auto``: gpiod on a Pi, gpiozero where gpiod is missing, mock pins anywhere else.
    """

    AUTO = "auto"
    GPIOZERO = "gpiozero"
    GPIOD = "gpiod"
    MOCK = "mock"


class Input(Struct, frozen=True, forbid_unknown_fields=True):
    """[input]: how a touch is taken.

    ``source``: see :class:`Source`. ``dead_heat_window_ms`` (0.1 to 10): touches closer than this are a
    dead heat (T-5). ``confirm_us`` (500 to 5000): how long a contact stays closed until its first touch
    counts. ``rearm_ms`` (10 to 50): how long it stays open until the next touch can begin; below 10 the
    bounce of a poor switch (6.2 ms measured) would count as a second press, above 50 a quick finger would
    lose one. ``stuck_s`` (2 to 60): closed longer than this is out of play. ``poll_ms`` (1 to 50): between
    two readings of all levels, which mend lost edges. ``coin``, ``service``: further lines that close to
    ground, or none.
    """

    source: Source = Source.AUTO
    dead_heat_window_ms: Annotated[float, Meta(ge=0.1, le=10)] = 1.0
    confirm_us: Annotated[int, Meta(ge=500, le=5000)] = 2500
    rearm_ms: Annotated[int, Meta(ge=10, le=50)] = 20
    stuck_s: Annotated[int, Meta(ge=2, le=60)] = 10
    poll_ms: Annotated[int, Meta(ge=1, le=50)] = 5
    coin: Line | None = None
    service: Line | None = None

    @property
    def dead_heat_window_ns(self) -> int:
        """The dead-heat window in nanoseconds."""
        return round(self.dead_heat_window_ms * NS_PER_MS)

    @property
    def confirm_ns(self) -> int:
        """The time to confirm a touch in nanoseconds."""
        return self.confirm_us * 1000

    @property
    def rearm_ns(self) -> int:
        """The time to re-arm a button in nanoseconds."""
        return self.rearm_ms * NS_PER_MS

    @property
    def stuck_ns(self) -> int:
        """The time after which a closed button is stuck, in nanoseconds."""
        return self.stuck_s * NS_PER_S

    @property
    def poll_ns(self) -> int:
        """The time between two readings of all levels in nanoseconds."""
        return self.poll_ms * NS_PER_MS


class Play(Struct, frozen=True, forbid_unknown_fields=True):
    """[play]: what is played on a fresh box, and the options of the rules.

    ``game``: an id of the catalogue that the buttons can address. ``best_of`` (1, 3, 5): hands of a match;
    left out, the game's own number (M-1). ``seats`` (2 to 5): who play where a game takes more than two (R);
    all but the two at the buttons are CPU players. The others are :class:`~firmware.rules.Options`,
    ``penalty_ms`` being one number for both players or a list of two (M-2). Who gets how many cards, and who
    plays, is chosen at the table.
    """

    game: str = "rank_or_suit"
    best_of: Literal[1, 3, 5] | None = None
    seats: Annotated[int, Meta(ge=2, le=5)] = 5
    penalty_ms: int | Annotated[tuple[int, ...], Meta(min_length=1, max_length=2)] = _STANDARD.penalty_ms[0]
    grace_ms: int = _STANDARD.grace_ms
    flip_ms: int = _STANDARD.flip_ms
    redeal: Redeal = _STANDARD.redeal
    redeal_pause_ms: int = _STANDARD.redeal_pause_ms
    dead_heat: DeadHeatPolicy = _STANDARD.dead_heat
    freeze_ms: int = _STANDARD.freeze_ms
    short_redeal: ShortRedeal = _STANDARD.short_redeal
    pace: Pace = _STANDARD.pace
    rush_ms: int = _STANDARD.rush_ms
    lay_ms: int = _STANDARD.lay_ms
    deal_interval_ms: int = _STANDARD.deal_interval_ms
    chord_ms: int = _STANDARD.chord_ms


class Lamps(Struct, frozen=True, forbid_unknown_fields=True):
    """[lamps]: ``pwm``: dim by switching fast (header lines only). ``brightness`` (0 to 1): needs ``pwm``."""

    pwm: bool = False
    brightness: Annotated[float, Meta(ge=0, le=1)] = 1.0


_Pixels = Annotated[int, Meta(ge=320, le=7680)]


class Screen(Struct, frozen=True, forbid_unknown_fields=True):
    """[screen]: ``size``: "auto" or [width, height] in pixels (320 to 7680).

    ``four_colour``: a colour for each suit. ``reduced_motion``: cards jump instead of flying.
    """

    size: Literal["auto"] | tuple[_Pixels, _Pixels] = "auto"
    four_colour: bool = False
    reduced_motion: bool = False


class Sound(Struct, frozen=True, forbid_unknown_fields=True):
    """[sound]: ``device``: "auto" or an ALSA name such as "sysdefault:CARD=vc4hdmi0" (a number would change).

    ``chunk`` (512, 1024, 2048): samples of 1/48000 s handed over at a time; larger where sound crackles.
    """

    device: str = "auto"
    chunk: Literal[512, 1024, 2048] = 512


class Keep(Struct, frozen=True, forbid_unknown_fields=True):
    """[keep]: ``directory``: where results and journals go, an absolute path; left out, the usual place."""

    directory: str | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """What one line is for.

    ``role`` in words (places count from 1), ``key``: where it stands in the settings. ``place``: from 0,
    leftmost as its own player sees it; None for START and for lines of no seat.
    """

    line: Line
    role: str
    key: Key
    is_lamp: bool = False
    seat: Seat | None = None
    place: int | None = None


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. Made in code, the ties between them are checked; read from a file, everything is.

    ``profile``: the name of a cabinet ready to solder, instead of two [[seat]]; once read it has become
    ``seat`` and is None.
    """

    profile: ProfileName | None = None
    seat: tuple[SeatLines, SeatLines] = REFERENCE
    input: Input = Input()
    play: Play = Play()
    lamps: Lamps = Lamps()
    screen: Screen = Screen()
    sound: Sound = Sound()
    keep: Keep = Keep()

    def __post_init__(self) -> None:
        if self.profile is not None:
            if self.seat is not REFERENCE:
                text = f"found {shown(self.profile)} beside [[seat]], allowed is one of the two"
                raise WrongSetting(("profile",), text)
            force_setattr(self, "seat", WIRED[self.profile])
            force_setattr(self, "profile", None)
        check(self)

    @property
    def seats(self) -> Both[SeatLines]:
        """The lines of the near and the far player."""
        return Both(*self.seat)

    @property
    def buttons(self) -> int:
        """Pile buttons per seat."""
        return len(self.seat[0].piles)

    @property
    def best_of(self) -> int:
        """Hands of a match of the game set here (M-1)."""
        return self.play.best_of or find(self.play.game).best_of

    @property
    def players(self) -> int:
        """How many play the game set here."""
        return min(self.play.seats, find(self.play.game).game.seats[-1])

    @property
    def directory(self) -> Path | None:
        """Where results and journals go, where that was set."""
        return Path(self.keep.directory) if self.keep.directory is not None else None

    def options(self) -> Options:
        """The rules' options, with one penalty for all seats or one for each of the two."""
        given = {name: getattr(self.play, name) for name in Play.__struct_fields__ if name in _OPTIONS}
        if isinstance(self.play.penalty_ms, int):
            given["penalty_ms"] = (self.play.penalty_ms,)
        return Options(**given)

    def uses(self) -> Iterator[Use]:
        """Every line and what it is for: buttons first, then lamps, then coin and service."""
        for seat, wired in enumerate(self.seat):
            player, key = f"player {seat + 1}", ("seat", seat)
            for place, line in enumerate(wired.piles):
                yield Use(line, f"{player}, place {place + 1}", (*key, "piles", place), False, seat, place)
            yield Use(wired.start, f"{player} START", (*key, "start"), False, seat)
        for seat, wired in enumerate(self.seat):
            player, key = f"player {seat + 1}", ("seat", seat)
            for place, line in enumerate(wired.lamps):
                role = f"{player}, place {place + 1} lamp"
                yield Use(line, role, (*key, "lamps", place), True, seat, place)
            if wired.start_lamp is not None:
                yield Use(wired.start_lamp, f"{player} START lamp", (*key, "start_lamp"), True, seat)
        for name in ("coin", "service"):
            line = getattr(self.input, name)
            if line is not None:
                yield Use(line, f"{name} switch", ("input", name))


def defaults() -> Settings:
    """The reference cabinet."""
    return Settings()


def parse(text: str, name: str = "settings") -> Settings:
    """The settings in the TOML *text*; *name* stands for the file in errors (:class:`SettingsError`)."""
    return settings_file.decode(text, name, Settings)


def load(path: str | Path) -> Settings:
    """The settings in the file at *path*. Raises :class:`SettingsError`, also where it cannot be read."""
    return parse(settings_file.read(path), str(path))


def usual_path() -> Path | None:
    """The settings file that is there: the user's, else the machine's; None where there is neither."""
    own = os.environ.get("XDG_CONFIG_HOME")
    homes = [Path(own) if own else Path.home() / ".config", Path("/etc")]
    paths = [home / "california-speed-cabinet" / "settings.toml" for home in homes]
    return next((path for path in paths if path.is_file()), None)


def as_toml(settings: Settings) -> str:
    """*settings* as a file: ``parse(as_toml(settings)) == settings``."""
    return settings_file.encode(settings)


__all__ = [
    "Input", "Keep", "Lamps", "Line", "Play", "Screen", "SeatLines", "Settings", "SettingsError",
    "Sound", "Source", "Use", "as_toml", "defaults", "load", "parse", "usual_path",
]  # fmt: skip
