"""Edges to and from a file: JSON Lines, one edge a line, exactly as they entered ``touch``.

A recording can be played again, by the same program on any machine, and shows the same touches.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import IO

import msgspec

from firmware.clock import Clock
from firmware.errors import EdgeFileError
from firmware.touch.edges import Edge


def read_edges(path: Path) -> list[Edge]:
    """All edges of a file, in the order of arrival.

    Raises :class:`EdgeFileError` with file and line number for anything that is not one.
    """
    decoder = msgspec.json.Decoder(Edge)
    edges: list[Edge] = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise EdgeFileError(f"{path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            edge = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise EdgeFileError(f"{path}, line {number}: not an edge: {error}") from error
        if edge.level not in (0, 1):
            raise EdgeFileError(
                f"{path}, line {number}: level: found {edge.level}, allowed are 0 (closed) and 1 (open)"
            )
        if edge.uncertain_ns < 0:
            raise EdgeFileError(
                f"{path}, line {number}: uncertain_ns: found {edge.uncertain_ns}, allowed is 0 or more"
            )
        if edges and edge.arrived_ns < edges[-1].arrived_ns:
            raise EdgeFileError(
                f"{path}, line {number}: arrived_ns: found {edge.arrived_ns}, allowed is "
                f"{edges[-1].arrived_ns} or more, as lines stand in the order of arrival"
            )
        edges.append(edge)
    return edges


class Recorder:
    """Writes edges as they come. A disk that fails ends the recording, not the game."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure: str | None = None
        self._arrived_ns = 0
        try:
            self._file: IO[bytes] | None = path.open("wb")
        except OSError as error:
            raise EdgeFileError(f"{path}: cannot be written: {error.strerror}") from error

    def add(self, edge: Edge) -> None:
        """Write one edge."""
        if self._file is None:
            return
        # A poll overtakes what is still queued; what was taken in later is written as having come later.
        self._arrived_ns = max(self._arrived_ns, edge.arrived_ns)
        try:
            self._file.write(msgspec.json.encode(replace(edge, arrived_ns=self._arrived_ns)) + b"\n")
            # With the system at once, so that a recording of a crash holds what led to it.
            self._file.flush()
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Finish the file. May be called twice."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:
                self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.failure = self.failure or f"{self.path}: {error.strerror}"
        # What is still buffered fails again, but the file is let go.
        self.close()


class RecordedEdges:
    """An :class:`~firmware.touch.edges.EdgeSource` that plays a recording, in its own pace, from now on."""

    def __init__(self, edges: list[Edge], clock: Clock) -> None:
        self._clock = clock
        shift_ns = clock.now_ns() - (edges[0].arrived_ns if edges else 0)
        self._edges = deque(
            replace(edge, at_ns=edge.at_ns + shift_ns, arrived_ns=edge.arrived_ns + shift_ns)
            for edge in edges
        )
        self._woken = threading.Event()

    @property
    def next_at_ns(self) -> int | None:
        """When the next edge comes; None after the last."""
        return self._edges[0].arrived_ns if self._edges else None

    def wait(self, timeout_s: float | None) -> list[Edge]:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        if timeout_s != 0 and not self._due():
            if self._edges:
                until_s = max(0, self._edges[0].arrived_ns - self._clock.now_ns()) / 1e9
                timeout_s = until_s if timeout_s is None else min(timeout_s, until_s)
            self._woken.wait(timeout_s)
            self._woken.clear()
        due: list[Edge] = []
        while self._due():
            due.append(self._edges.popleft())
        return due

    def _due(self) -> bool:
        return bool(self._edges) and self._edges[0].arrived_ns <= self._clock.now_ns()

    def poll(self, now_ns: int) -> list[Edge]:
        """Nothing: what was polled is in the recording."""
        return []

    def put(self, line: str, level: int, at_ns: int, uncertain_ns: int) -> None:
        """Nothing: what CPU players pushed is in the recording."""

    def closed_at_start(self) -> frozenset[str]:
        """Nothing: a recording begins with all buttons open."""
        return frozenset()

    def wake(self) -> None:
        """See :class:`~firmware.touch.edges.EdgeSource`."""
        self._woken.set()

    def close(self) -> None:
        """Nothing is held."""
