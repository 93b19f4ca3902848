"""The firmware on a Pi that is not there: real kernel, simulated lines, real screen. See README.md."""
