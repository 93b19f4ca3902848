"""Firmware of the California Speed cabinet."""

import os

# pygame greets on standard output when it is imported; that belongs to what a command prints, and to --json.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

__version__ = "0.1.0"
