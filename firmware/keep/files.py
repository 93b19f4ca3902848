"""Writing a whole file so that a power cut leaves the old one or the new one, never a part."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Put *content* in place of the file at *path*, on disk when this returns. Raises :class:`OSError`."""
    aside = path.with_name(path.name + ".new")
    with aside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
