"""Settings: what each mistake is told, and that nothing else ever comes of a wrong file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as trials
from hypothesis import strategies as st

from firmware.errors import CabinetError, SettingsError
from firmware.profiles import PROFILES, profile
from firmware.settings import Keep, Lamps, Play, SeatLines, Settings, as_toml, defaults, load, parse

ALLOWED_LINES = 'allowed are header lines 4 to 13 and 16 to 27, and "chip:line"'


def seats(near: str, far: str) -> str:
    """A file with two [[seat]] tables."""
    return f"[[seat]]\n{near}\n[[seat]]\n{far}\n"


def refused(text: str) -> str:
    """What the file *text* is told."""
    with pytest.raises(SettingsError) as caught:
        parse(text, "cabinet.toml")
    assert isinstance(caught.value, CabinetError)
    return str(caught.value)


REFUSALS = [
    (
        "[input]\nconfirm_us = 9000",
        "2: input.confirm_us: found 9000, allowed are whole numbers from 500 to 5000",
    ),
    ("input.confirm_us = 2.5", "1: input.confirm_us: found 2.5, allowed are whole numbers from 500 to 5000"),
    ("input.rearm_ms = 9", "1: input.rearm_ms: found 9, allowed are whole numbers from 10 to 50"),
    ("input.stuck_s = 61", "1: input.stuck_s: found 61, allowed are whole numbers from 2 to 60"),
    ("input.poll_ms = 0", "1: input.poll_ms: found 0, allowed are whole numbers from 1 to 50"),
    ("input.dead_heat_window_ms = 0.09", "window_ms: found 0.09, allowed are numbers from 0.1 to 10"),
    ("input.dead_heat_window_ms = nan", "window_ms: found nan, allowed are numbers from 0.1 to 10"),
    ("input.dead_heat_window_ms = true", "found true, allowed are numbers from 0.1 to 10"),
    ('input.source = "usb"', 'input.source: found "usb", allowed are "auto", "gpiozero", "gpiod", "mock"'),
    ("input.source = 1979-05-27", 'input.source: found 1979-05-27, allowed are "auto"'),
    ("[input]\n\ncoins = 26", "3: input.coins: unknown key, allowed are source, dead_heat_window_ms,"),
    (
        "inputs = 3",
        "1: inputs: unknown key, allowed are profile, seat, input, play, lamps, screen, sound, keep",
    ),
    ('"a b" = 3', '1: "a b": unknown key, allowed are profile, seat'),
    ("input = 3", "1: input: found 3, allowed are tables with the keys source,"),
    ("[lamps]\npwm = 1", "2: lamps.pwm: found 1, allowed are true and false"),
    ("[lamps]\nbrightness = 2", "lamps.brightness: found 2, allowed are numbers from 0 to 1"),
    ("[lamps]\nbrightness = 0.5", "lamps.brightness: found 0.5, allowed is 1 while lamps.pwm is false"),
    ('[screen]\nsize = "big"', 'screen.size: found "big", allowed are "auto", or lists of 2: whole'),
    ("[screen]\nsize = [1920]", "screen.size: found [1920], allowed are"),
    ("[screen]\nsize = [1920, 10]", "screen.size[1]: found 10, allowed are whole numbers from 320 to 7680"),
    ("[sound]\nchunk = 100", "sound.chunk: found 100, allowed are 512, 1024, 2048"),
    ("[sound]\ndevice = 0", "sound.device: found 0, allowed are texts in quotes"),
    ('[keep]\ndirectory = "here"', 'keep.directory: found "here", allowed are absolute paths'),
    ('[keep]\ndirectory = "/a\\u0000"', "allowed are absolute paths"),
    # [play] and the rules
    ('[play]\ngame = "chess"', 'play.game: found "chess", allowed are "classic", "suit", "rank_or_suit"'),
    ('[play]\ngame = "long"', 'play.game: found "long", which needs 6 pile buttons'),
    ("[play]\nbest_of = 2", "2: play.best_of: found 2, allowed are 1, 3, 5"),
    ("[play]\npenalty_ms = 300", "2: play.penalty_ms: found 300, allowed are 0, 250, 500, 1000"),
    (
        "[play]\npenalty_ms = [0, 0, 0]",
        "play.penalty_ms: found [0, 0, 0], allowed are whole numbers, or lists of 1 to 2",
    ),
    ("[play]\npenalty_ms = []", "play.penalty_ms: found [], allowed are whole numbers, or lists of 1 to 2"),
    ("[play]\npenalty_ms = [0, 5]", "2: play.penalty_ms: found [0, 5], allowed are 0, 250, 500, 1000"),
    ("[play]\npenalty_ms = [0, 0.5]", "play.penalty_ms[1]: found 0.5, allowed are whole numbers"),
    ("[play]\nflip_ms = -1", "2: play.flip_ms: found -1, allowed are 0 to 2000"),
    ('[play]\nredeal = "never"', 'play.redeal: found "never", allowed are "auto", "agree"'),
    ('[play]\npace = "fast"', 'play.pace: found "fast", allowed are "calm", "rush"'),
    # profile, [[seat]] and lines
    ('profile = "9-buttons"', '1: profile: found "9-buttons", allowed are "10-buttons", "4-buttons", "5-but'),
    ("profile = 7", '1: profile: found 7, allowed are "10-buttons", "4-buttons"'),
    ('[play]\nprofile = "7-buttons"', "2: play.profile: unknown key, allowed are game"),
    (
        'profile = "7-buttons"\n' + seats("piles=[4,7,8]\nstart=12", "piles=[5,6,9]\nstart=13"),
        '1: profile: found "7-buttons" beside [[seat]], allowed is one of the two',
    ),
    (
        'profile = "10-buttons"\ninput.coin = 4',
        "2: input.coin: found 4, taken by player 1, place 1; no header",
    ),
    (
        'profile = "5-buttons"\nplay.game = "long"',
        '2: play.game: found "long", which needs 6 pile buttons per seat, this cabinet has 5; allowed are',
    ),
    ("seat = 3", "seat: found 3, allowed are 2 tables with the keys piles, start, lamps, start_lamp"),
    ("[[seat]]\npiles = [4, 7, 8]\nstart = 12", "1: seat: found 1 table, allowed are 2 tables"),
    (seats("piles=[4,7,8]", "piles=[5,6,9]\nstart=13"), f"1: seat[0].start: missing, {ALLOWED_LINES}"),
    (
        seats("piles=[4,7,8]\nstart=12", "start=13"),
        "4: seat[1].piles: missing, allowed are lists of 3 to 10: ",
    ),
    (seats("piles=[4,7]\nstart=12", "piles=[5,6]\nstart=13"), "2: seat[0].piles: found [4, 7], allowed"),
    (
        seats("piles=[4,7,8,9,10,11,13,16,17,18,19]\nstart=12", "piles=[5,6,9]\nstart=13"),
        "2: seat[0].piles: found [4, 7, 8, 9, 10, 11, 13, 16, 17, 18, 19], allowed are lists of 3 to 10",
    ),
    (
        seats("piles=[4,7,8,11]\nstart=12", "piles=[5,6,9]\nstart=13"),
        "5: seat[1].piles: found 3 pile buttons, allowed are 4, as many as player 1 has",
    ),
    (
        seats("piles = [\n  4,\n  7, 8,\n  14]\nstart=12", "piles=[5,6,9,10]\nstart=13"),
        f"2: seat[0].piles[3]: found 14, which serves the serial console; {ALLOWED_LINES}",
    ),
    (
        seats("piles=[4,7,8,11]\nstart=12", "piles=[5,6,9,4]\nstart=13"),
        "5: seat[1].piles[3]: found 4, taken by player 1, place 1; free header lines are 10, 16, 17",
    ),
    (
        seats("piles=[4,7,8,11]\nstart=12\nlamps=[16,17]", "piles=[5,6,9,10]\nstart=13"),
        "4: seat[0].lamps: found 2 lamps, allowed are 4, one for each pile button, or none",
    ),
    (
        seats("piles=[4,7,8,11]\nstart=12\nlamps=[16,17,18,19]", "piles=[5,6,9,10]\nstart=13"),
        "seat[1].lamps (left out, so the default): found 0 lamps, allowed are 4, as many as player 1 has",
    ),
    (
        seats("piles=[4,7,8,11]\nstart=12", "piles=[5,6,9,10]\nstart=13\nstart_lamp=16"),
        "7: seat[1].start_lamp: found 16, allowed is none, as player 1 has",
    ),
    (
        seats("piles=[4,7,8,11]\nstart=12\nstart_lamp=16", "piles=[5,6,9,10]\nstart=13"),
        "seat[1].start_lamp (left out, so the default): found none, allowed is a line, as player 1 has",
    ),
    (
        seats("piles=[4,7,8]\nstart=12", 'piles=[5,6,"mcp23017:0"]\nstart=13'),
        '5: seat[1].piles[2]: found "mcp23017:0", allowed are lines of the header: the pile buttons',
    ),
    (
        seats('piles=[4,7,8]\nstart="mcp23017:1"', "piles=[5,6,9]\nstart=13"),
        "seat[1].start: found 13, allowed are lines of mcp23017: both START buttons hang on one kind of chip",
    ),
    (
        seats(
            'piles=[4,7,8]\nstart=12\nlamps=["mcp23017@20:0","mcp23017@20:1","mcp23017:2"]',
            'piles=[5,6,9]\nstart=13\nlamps=["mcp23017@21:0","mcp23017@21:1","mcp23017@21:2"]',
        ),
        'seat[0].lamps[2]: found "mcp23017:2", allowed are lines with the address of their chip',
    ),
    (
        seats("piles=[4,7,8]\nstart=12", "piles=[5,6,9]\nstart=13"),
        'play.game (left out, so the default): found "rank_or_suit", which needs 4 pile buttons per seat, '
        'this cabinet has 3; allowed are "quick"',
    ),
    ("input.coin = 5", "1: input.coin: found 5, taken by player 2, place 1; free header lines are 26, 2"),
    ("input.coin = 26\ninput.service = 26", "2: input.service: found 26, taken by coin switch; free"),
    ("input.service = 16", "input.service: found 16, taken by player 1, place 1 lamp"),
    ("input.coin = 2", f"input.coin: found 2, which serves I²C, with fixed pull-ups; {ALLOWED_LINES}"),
    ("input.coin = 0", "input.coin: found 0, which serves the ID EEPROM;"),
    ("input.coin = 28", "input.coin: found 28, which the header does not have;"),
    ("input.coin = -1", "input.coin: found -1, which the header does not have;"),
    ("input.coin = true", f"input.coin: found true, {ALLOWED_LINES}"),
    ("input.coin = [4]", f"input.coin: found [4], {ALLOWED_LINES}"),
    ("input.coin = {}", f"input.coin: found a table, {ALLOWED_LINES}"),
    ('input.coin = "mcp23017:16"', "input.coin: found 'mcp23017:16', but this chip has lines 0 to 15;"),
    ('input.coin = "pinctrl-rp1:4"', "which is on the header, whose lines are written as plain numbers;"),
    ('input.coin = "GPIO4"', f"input.coin: found 'GPIO4', which is not a line; {ALLOWED_LINES}"),
    # not TOML at all
    ("[play]\ngame =", "cabinet.toml, line 2: not TOML: Invalid value"),
    ("[play\n", "cabinet.toml, line 1: not TOML:"),
    ("a = 1\n\na = 2", "3: not TOML: Cannot overwrite a value"),
    ("x = '''\nabc", "cabinet.toml, line 2: not TOML:"),
    ("x = " + "9" * 5000, "cabinet.toml: not TOML that can be read:"),
    ("input.coin = 0x" + "f" * 5000, "found a far larger number"),
    ("input.poll_ms = 0x" + "f" * 5000, "found a number of thousands of digits"),
    ("x = " + "[" * 5000, "cabinet.toml: not TOML that can be read:"),
]


@pytest.mark.parametrize(("text", "told"), REFUSALS, ids=range(len(REFUSALS)))
def test_a_mistake_is_told_with_place_value_and_what_is_allowed(text: str, told: str) -> None:
    message = refused(text)
    assert told in message
    assert message.startswith("cabinet.toml")
    assert "\n" not in message
    assert len(message) < 400


def test_the_line_of_a_key_is_found_however_it_is_written() -> None:
    assert "1: lamps.pwm" in refused("lamps = { brightness = 1, pwm = 0 }")
    assert "3: lamps.pwm" in refused("# pwm is a word in a comment\n[lamps]\npwm = 0")
    assert "2: lamps.pwm" in refused("[lamps]\r\npwm = 0\r\n[play]\r\n")
    assert "4: screen.size[0]" in refused("[lamps]\n[screen]\nfour_colour=true\nsize = [\n  1,\n  2,\n]")


def test_pwm_is_refused_where_a_lamp_only_knows_on_and_off() -> None:
    with pytest.raises(
        SettingsError, match=r"lamps\.pwm: found true, allowed is false: the lamp on mcp23017:0"
    ):
        msgspec.structs.replace(profile("5-buttons"), lamps=Lamps(pwm=True))


def test_unequal_penalties_are_refused_for_a_game_without_handicap() -> None:
    unequal = Play(game="tournament", penalty_ms=(500, 250))
    with pytest.raises(SettingsError, match=r"play\.penalty_ms: found \[500, 250\], allowed is one number"):
        msgspec.structs.replace(profile("5-buttons"), play=unequal)


def test_settings_made_in_code_are_held_to_the_same_ties() -> None:
    with pytest.raises(SettingsError, match=r"^play\.game: found \"chess\""):
        Settings(play=Play(game="chess"))
    near, far = defaults().seat
    with pytest.raises(SettingsError, match=r"^seat\[1\]\.piles\[0\]: found 4, taken by player 1, place 1"):
        Settings(seat=(near, near))
    assert Settings(keep=Keep(directory="/var/lib/x")).directory == Path("/var/lib/x")
    assert hash(Settings(seat=(far, near))) != hash(defaults())


# Nothing but SettingsError, whatever comes

_scalars = st.one_of(
    st.booleans(),
    st.integers(),
    st.integers(min_value=0, max_value=30),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["auto", "mcp23017:3", "mcp23017@21:7", "gpiochip0:5", "rank_or_suit", "/x"]),
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=11) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=6,
)
_keys = {
    section: list(getattr(Settings(), section).__struct_fields__)
    for section in ("input", "play", "lamps", "screen", "sound", "keep")
}
_files = st.fixed_dictionaries(
    {},
    optional={
        section: st.dictionaries(st.sampled_from([*keys, "x y"]), _values, max_size=3) | _values
        for section, keys in _keys.items()
    }
    | {
        "profile": st.sampled_from(list(PROFILES)) | _values,
        "seat": st.lists(
            st.dictionaries(
                st.sampled_from(list(SeatLines.__struct_fields__)), _values | st.lists(_scalars, max_size=11)
            ),
            max_size=3,
        )
        | _values,
    },
)


def _as_file(value: Any) -> str:
    match value:
        case dict():
            return (
                "{"
                + ", ".join(f"{_as_file(str(k))} = {_as_file(v)}" for k, v in value.items() if v is not None)
                + "}"
            )
        case list():
            return "[" + ", ".join(_as_file(v) for v in value if v is not None) + "]"
        case str():
            return (
                '"' + "".join(c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}" for c in value) + '"'
            )
        case bool():
            return str(value).lower()
    return str(value)


def complaint(text: str) -> str:
    """What the file *text* is told; nothing if it is good, and then it survives being written anew."""
    try:
        settings = parse(text, "cabinet.toml")
    except SettingsError as error:
        return str(error)
    assert parse(as_toml(settings)) == settings
    assert settings.options()
    return ""


@trials(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the files are made slowly, not read
@given(_files)
def test_any_values_give_settings_or_a_settings_error(raw: dict[str, Any]) -> None:
    told = complaint("\n".join(f"{key} = {_as_file(value)}" for key, value in raw.items()))
    assert not told or (told.startswith("cabinet.toml") and ("allowed" in told or "taken" in told))


@trials(deadline=None)
@given(st.integers(0, 60), st.sampled_from(as_toml(defaults()).splitlines()), st.text(max_size=8))
def test_any_damage_to_a_good_file_gives_settings_or_a_settings_error(at: int, line: str, noise: str) -> None:
    good = as_toml(defaults())
    place = good.index(line) + min(at, len(line))
    told = complaint(good[:place] + noise + good[place + len(noise) // 2 :])
    assert not told or told.startswith("cabinet.toml")


@trials(deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@example(b"\xff\xfe")
@example(b"[[seat]]\n[[seat]]\n")
def test_any_bytes_give_settings_or_a_settings_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(content)
    try:
        load(path)
    except SettingsError as error:
        told = str(error)
    else:
        told = str(path)
    assert told.startswith(str(path))
