"""Tests of the touch room."""
