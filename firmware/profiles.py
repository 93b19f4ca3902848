"""Profiles: the settings of cabinets ready to solder, by name (:mod:`firmware.seat_lines`)."""

from __future__ import annotations

from typing import Final

from firmware.errors import SettingsError
from firmware.rules.layout import Layout
from firmware.seat_lines import WIRED
from firmware.settings import Settings

PROFILES: Final = {name: Settings(seat=seat) for name, seat in WIRED.items()}
"""Smallest first. 4 play S-1's games and D; 5 add R, 6 S-12, 7 A and F; 8 play D and 10 R without START."""


def profile(name: str) -> Settings:
    """The settings of the profile *name*; raises :class:`SettingsError` that names those there are."""
    try:
        return PROFILES[name]
    except KeyError:
        raise SettingsError(f"profile {name!r}: allowed are {', '.join(PROFILES)}") from None


def smallest_profile(layout: Layout) -> Settings:
    """The smallest profile that can address *layout*; raises :class:`SettingsError` if none can."""
    for settings in PROFILES.values():
        if layout.refusal(settings.buttons) is None:
            return settings
    raise SettingsError(f"no profile can play this game: the largest {layout.refusal(settings.buttons)}")
