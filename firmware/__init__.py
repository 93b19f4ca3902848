"""Firmware of the California Speed cabinet."""

__version__ = "0.1.0"
