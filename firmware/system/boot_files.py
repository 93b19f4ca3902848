"""The two files that a Pi starts from: what is added for a fast and quiet start, and how it is taken out.

Both are edits of a text, done twice as well as once. Before the first the file is copied beside itself, where
it is found on any computer that reads the card, should the Pi not start any more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

CMDLINE: Final = "/boot/firmware/cmdline.txt"
CONFIG: Final = "/boot/firmware/config.txt"
BACKUP: Final = ".before-speed-cabinet"
"""What the copy's name ends with."""

QUIET: Final = (
    "quiet", "loglevel=3", "logo.nologo", "vt.global_cursor_default=0", "consoleblank=0",
    "systemd.show_status=false",
)  # fmt: skip
"""Words of the kernel's command line: no text, no cursor, and a console that stays on."""

_BEGIN: Final = "# speed-cabinet: what stands up to the end mark was added by `speed-cabinet install`"
_END: Final = "# speed-cabinet: end mark"
_BLOCK: Final = re.compile(
    rf"^{re.escape(_BEGIN)}\r?\n.*?^{re.escape(_END)}(\r?\n|\Z)", re.MULTILINE | re.DOTALL
)
_KMS: Final = "dtoverlay=vc4-kms-v3d"


def _key(word: str) -> str:
    return word.partition("=")[0]


_KEYS: Final = frozenset(map(_key, QUIET))


def quiet_cmdline(text: str) -> str:
    """cmdline.txt with the words of :data:`QUIET`; another value of the same word gives way."""
    line, end, rest = text.partition("\n")
    words = line.split()
    if all(word in words for word in QUIET) and not _others(words):
        return text
    kept = [word for word in words if _key(word) not in _KEYS or word in QUIET]
    return " ".join(dict.fromkeys([*kept, *QUIET])) + end + rest


def _others(words: Sequence[str]) -> list[str]:
    return [word for word in words if _key(word) in _KEYS and word not in QUIET]


def plain_cmdline(text: str, before: str) -> str:
    """cmdline.txt without our words, and with those that gave way to them in *before*; else as it is now."""
    line, end, rest = text.partition("\n")
    old = before.partition("\n")[0].split()
    words = [word for word in line.split() if word not in QUIET or word in old]
    words += [word for word in _others(old) if word not in words]
    if sorted(words) == sorted(old) and rest == before.partition("\n")[2]:
        return before
    return " ".join(words) + end + rest


def cabinet_config(text: str, overlays: Sequence[str] = (), *, has_ribbon_display: bool = False) -> str:
    """config.txt with our block at its end, where later lines win over earlier ones.

    ``overlays``: lines that the chips in the settings need. ``has_ribbon_display``: a display on the board's
    own ribbon connector, which is found by ``display_auto_detect`` only.
    """
    plain = _BLOCK.sub("", text)
    there = {line.strip() for line in plain.splitlines()}
    lines = [_BEGIN, "[all]"]
    if not any(line.startswith(_KMS) for line in there):
        lines.append(_KMS)
    lines += ["disable_splash=1", "boot_delay=0", "camera_auto_detect=0"]
    if not has_ribbon_display:
        lines.append("display_auto_detect=0")
    lines += [line for line in overlays if line not in there]
    gap = "" if plain.endswith("\n") or not plain else "\n"
    return plain + gap + "\n".join([*lines, _END]) + "\n"


def plain_config(text: str, before: str) -> str:
    """config.txt without our block; exactly *before* if nothing else has changed since."""
    plain = _BLOCK.sub("", text)
    return before if plain.rstrip("\n") == before.rstrip("\n") else plain
