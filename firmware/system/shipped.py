"""The files below ``systemd/``: where they are, and where `install` places them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import firmware

SERVICE: Final = "speed-cabinet.service"
UNIT: Final = f"/etc/systemd/system/{SERVICE}"
HOME: Final = "/opt/california-speed-cabinet"
"""The folder of the installed versions."""
CURRENT: Final = f"{HOME}/current"
"""A link to the version that is played."""
COMMAND: Final = "/usr/local/bin/speed-cabinet"
CACHE: Final = "/var/cache/california-speed-cabinet"
"""What the display driver has prepared; it is made anew."""
STATE: Final = "/var/lib/california-speed-cabinet"
"""Where the service keeps results and journals."""

PLACES: Final = {
    "sysusers.conf": "/etc/sysusers.d/speed-cabinet.conf",
    "udev.rules": "/etc/udev/rules.d/60-speed-cabinet.rules",
}
"""Placed on every machine; the unit itself is placed last."""
FILES: Final = (SERVICE, *PLACES, "watchdog.conf", "constraints.txt")
"""What a wheel has to bring along."""
WATCHDOG: Final = "/etc/systemd/system.conf.d/speed-cabinet.conf"
"""Where the board's watchdog is asked for, if the system does not do so itself."""


def folder() -> Path:
    """The folder of the files: inside the package where it was installed, beside it in a checkout."""
    package = Path(firmware.__file__).parent
    return next(
        (place for place in (package / "systemd", package.parent / "systemd") if (place / SERVICE).is_file()),
        package / "systemd",
    )
