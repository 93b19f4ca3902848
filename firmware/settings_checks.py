"""What one type alone cannot hold: the ties between settings. The first that is broken is told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firmware.lines import HEADER_LINES, Line
from firmware.rules import UnknownGame, find, playable
from firmware.settings_file import Key, WrongSetting, shown

if TYPE_CHECKING:
    from firmware.settings import Settings, Use


def check(settings: Settings) -> None:
    """Raises :class:`WrongSetting` if *settings* contradict themselves or no cabinet could obey them."""
    _seats(settings)
    _each_line_once(settings)
    _play(settings)
    _rest(settings)


def _seats(settings: Settings) -> None:
    """Both players have the same: buttons, lamps, and kind of chip, for a chip on a bus stamps later."""
    near, far = settings.seat
    if len(far.piles) != len(near.piles):
        text = f"found {len(far.piles)} pile buttons, allowed are {len(near.piles)}, as many as player 1 has"
        raise WrongSetting(("seat", 1, "piles"), text)
    for seat, lines in enumerate(settings.seat):
        if len(lines.lamps) not in (0, len(lines.piles)):
            wanted = f"{len(lines.piles)}, one for each pile button, or none"
            text = f"found {len(lines.lamps)} lamps, allowed are {wanted}"
            raise WrongSetting(("seat", seat, "lamps"), text)
    if bool(near.lamps) != bool(far.lamps):
        text = f"found {len(far.lamps)} lamps, allowed are {len(near.lamps)}, as many as player 1 has"
        raise WrongSetting(("seat", 1, "lamps"), text)
    if (near.start_lamp is None) != (far.start_lamp is None):
        has = "none" if near.start_lamp is None else "a line"
        text = f"found {_written(far.start_lamp)}, allowed is {has}, as player 1 has"
        raise WrongSetting(("seat", 1, "start_lamp"), text)
    for seat, lines in enumerate(settings.seat):
        for place, line in enumerate(lines.piles):
            _kind(line, near.piles[0], ("seat", seat, "piles", place), "the pile buttons")
        _kind(lines.start, near.start, ("seat", seat, "start"), "both START buttons")


def _kind(line: Line, like: Line, key: Key, which: str) -> None:
    if line.label != like.label:
        kind = "the header" if like.label is None else like.label
        text = f"found {_written(line)}, allowed are lines of {kind}: {which} hang on one kind of chip"
        raise WrongSetting(key, text)


def _each_line_once(settings: Settings) -> None:
    """Each line once."""
    taken: dict[Line, Use] = {}
    for use in settings.uses():
        first = taken.setdefault(use.line, use)
        if first is not use:
            text = f"found {_written(use.line)}, taken by {first.role}; {_free(settings)}"
            raise WrongSetting(use.key, text)
    addressed = {line.label: line for line in taken if line.address is not None}
    for line, use in taken.items():
        if line.label in addressed and line.address is None:
            like = f"{addressed[line.label].chip}:{line.number}"
            text = f'found {_written(line)}, allowed are lines with the address of their chip, as in "{like}"'
            raise WrongSetting(use.key, text)


def _free(settings: Settings) -> str:
    used = {use.line.written for use in settings.uses()}
    free = [str(number) for number in HEADER_LINES if number not in used]
    return f"free header lines are {', '.join(free)}" if free else "no header line is free"


def _play(settings: Settings) -> None:
    """A game that the buttons can address, and options that the rules accept."""
    game = settings.play.game
    allowed = ", ".join(shown(game_id) for game_id in playable(settings.buttons))
    try:
        refusal = find(game).game.layout.refusal(settings.buttons)
    except UnknownGame:
        raise WrongSetting(("play", "game"), f"found {shown(game)}, allowed are {allowed}") from None
    if refusal is not None:
        text = f"found {shown(game)}, which {refusal}; allowed are {allowed}"
        raise WrongSetting(("play", "game"), text)
    penalties = settings.play.penalty_ms
    if not find(game).game.has_handicap and not isinstance(penalties, int) and len(set(penalties)) > 1:
        text = f"found {shown(penalties)}, allowed is one number: {game} knows no handicap"
        raise WrongSetting(("play", "penalty_ms"), text)
    try:
        settings.options()
    except ValueError as error:
        option, _, rest = str(error).partition(": found ")
        found = shown(getattr(settings.play, option))  # as it was written, not as the rules hold it
        raise WrongSetting(("play", option), f"found {found}, {rest[rest.index('allowed') :]}") from None


def _rest(settings: Settings) -> None:
    lamps, directory = settings.lamps, settings.keep.directory
    if lamps.brightness != 1 and not lamps.pwm:
        text = f"found {lamps.brightness}, allowed is 1 while lamps.pwm is false"
        raise WrongSetting(("lamps", "brightness"), text)
    on_chips = [use.line for use in settings.uses() if use.is_lamp and use.line.chip is not None]
    if lamps.pwm and on_chips:
        text = f"found true, allowed is false: the lamp on {on_chips[0]} knows on and off only"
        raise WrongSetting(("lamps", "pwm"), text)
    if directory is not None and (not Path(directory).is_absolute() or "\0" in directory):
        raise WrongSetting(("keep", "directory"), f"found {shown(directory)}, allowed are absolute paths")


def _written(line: Line | None) -> str:
    return "none" if line is None else shown(line.written)
