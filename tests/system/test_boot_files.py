"""cmdline.txt and config.txt: any text, edited once or twice, and put back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.system.boot_files import QUIET, cabinet_config, plain_cmdline, plain_config, quiet_cmdline

OTHERS = ["loglevel=7", "consoleblank=60", "console=tty1", "console=ttyS0", "rootwait", "root=x"]
WORDS = st.sampled_from([*QUIET, *OTHERS])
CMDLINES = st.builds(
    lambda words, end, rest: " ".join(words) + end + (rest if end else ""),
    st.lists(WORDS, unique=True),
    st.sampled_from(["", "\n"]),
    st.sampled_from(["", "# more\n"]),
)
LINES = st.sampled_from(
    ["", "# text", "[pi4]", "[all]", "camera_auto_detect=1", "dtoverlay=vc4-kms-v3d", "x=é\r"]
)
CONFIGS = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINES), st.sampled_from(["", "\n"]))


@given(CMDLINES)
def test_any_cmdline_is_made_quiet_once_and_put_back(text: str) -> None:
    quiet = quiet_cmdline(text)
    words = quiet.partition("\n")[0].split()
    assert set(QUIET) <= set(words)
    assert not {"loglevel=7", "consoleblank=60"} & set(words)
    assert quiet_cmdline(quiet) == quiet
    assert quiet.partition("\n")[2] == text.partition("\n")[2], "only the first line is the command line"
    assert plain_cmdline(quiet, text) == text


@given(CONFIGS, st.lists(st.sampled_from(["dtoverlay=mcp23017,addr=0x20,noints"]), max_size=1), st.booleans())
def test_any_config_has_the_block_once_and_is_put_back(
    text: str, overlays: list[str], has_ribbon: bool
) -> None:
    config = cabinet_config(text, overlays, has_ribbon_display=has_ribbon)
    assert cabinet_config(config, overlays, has_ribbon_display=has_ribbon) == config
    lines = config.splitlines()
    assert any(line.startswith("dtoverlay=vc4-kms-v3d") for line in lines)
    assert set(overlays) <= set(lines)
    assert ("display_auto_detect=0" in lines) is not has_ribbon
    assert plain_config(config, text) == text


@pytest.mark.parametrize("overlay", ["dtoverlay=vc4-kms-v3d,noaudio", "dtoverlay=vc4-kms-v3d-pi4"])
def test_the_display_driver_of_the_operator_is_kept(overlay: str) -> None:
    assert cabinet_config(f"{overlay}\n").count("vc4-kms-v3d") == 1


def test_another_settings_chips_take_the_place_of_the_old() -> None:
    first = cabinet_config("a=1\n", ["dtoverlay=mcp23017,addr=0x20,noints"])
    second = cabinet_config(first)
    assert "mcp23017" not in second
    assert second == cabinet_config("a=1\n")
