"""Writing a whole file so that a power cut leaves the old one or the new one, never a part."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: Path, content: bytes) -> None:
    """Put *content* in place of the file at *path*, on disk when this returns. Raises :class:`OSError`."""
    aside = aside_of(path)
    aside.write_bytes(content)
    put_in_place(aside, path)


def aside_of(path: Path) -> Path:
    """Where the new file is written before it takes its place at *path*."""
    return path.with_name(path.name + ".new")


def put_in_place(aside: Path, path: Path) -> None:
    """Put the file at *aside* in place of the one at *path*, on disk when this returns."""
    # Opened to write: on some systems nothing else can be synced.
    with aside.open("rb+") as file:
        os.fsync(file.fileno())
    aside.replace(path)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Names in the folder at *path* are on disk when this returns: a new file is lost without its name."""
    if os.name == "nt":
        return  # a folder cannot be opened there, and NTFS journals its names
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
