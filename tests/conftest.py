"""What tests of several rooms need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.cabinet import ScriptedCabinet


@pytest.fixture
def cabinets() -> Iterator[Callable[..., ScriptedCabinet]]:
    """Makes scripted cabinets, and closes them after the test."""
    made: list[ScriptedCabinet] = []

    def make(*args: Any, **options: Any) -> ScriptedCabinet:
        made.append(ScriptedCabinet(*args, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()
