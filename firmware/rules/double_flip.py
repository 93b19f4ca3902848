"""Double flip, the Italian text's California Speed (RULES D), and Rutter's doubles (D-8). Two seats."""

from __future__ import annotations

from dataclasses import dataclass

from firmware.rules.cards import PACK, Card
from firmware.rules.events import Reason
from firmware.rules.laid_rows import LaidOwn, LaidRows
from firmware.rules.layout import Layout
from firmware.rules.table import Draft


@dataclass(frozen=True)
class DoubleFlip(LaidRows[LaidOwn]):
    """D with rows of ``columns`` piles (D-1). ``doubles``: D-8."""

    id: str
    columns: int = 4
    doubles: bool = False
    cards: tuple[Card, ...] = PACK

    @property
    def layout(self) -> Layout:  # type: ignore[override]
        return Layout(self.columns, 2)

    def pack(self, seats: int, seed: int) -> tuple[Card, ...]:
        return self.cards

    def own_start(self, seed: int, seats: int) -> LaidOwn:
        return LaidOwn()

    def rows(self, draft: Draft[LaidOwn]) -> tuple[tuple[int, ...], ...]:
        wide = self.columns
        return tuple(range(wide)), tuple(range(wide, 2 * wide))

    def ran_out(self, draft: Draft[LaidOwn], seat: int) -> None:
        draft.end(Reason.PLACED_LAST_CARD, seat)  # D-6

    def cap(self, draft: Draft[LaidOwn]) -> None:
        draft.end_by_count(self.share(draft, seat) for seat in (0, 1))  # D-7
