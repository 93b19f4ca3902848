"""Places and buttons: which slot a button addresses, seen from its own player (RULES "Places and buttons").

The leftmost button is the leftmost place for both players, who sit opposite each other: what is
left for one is right for the other.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the slots of a game lie.

    ``columns``: piles in a line. ``sides``: 1 for shared piles in the middle, 2 where each seat has
    a row. A shared slot is numbered as seat 0 sees it; slots of a row as its owner sees them, the
    row of seat *s* beginning at ``s * columns``.
    """

    columns: int
    sides: int = 1

    @property
    def places(self) -> int:
        """How many slots there are."""
        return self.columns * self.sides

    def slot(self, seat: int, column: int, *, far: bool = False) -> int | None:
        """The slot in *column* (0 = leftmost for *seat*) of its near or far side; None beyond the layout."""
        if not 0 <= column < self.columns or (far and self.sides == 1):
            return None
        mirrored = self.columns - 1 - column
        if self.sides == 1:
            return column if seat == 0 else mirrored
        return (1 - seat) * self.columns + mirrored if far else seat * self.columns + column

    def place(self, seat: int, slot: int) -> tuple[int, bool]:
        """The reverse of :meth:`slot`: (column, is_far) of *slot* as *seat* sees it."""
        row, column = divmod(slot, self.columns)
        mirrored = self.columns - 1 - column
        if self.sides == 1:
            return (column if seat == 0 else mirrored), False
        return (column, False) if row == seat else (mirrored, True)

    def pressed(self, seat: int, button: int, buttons: int, *, second_bank: bool = False) -> int | None:
        """The slot that *button* (0 = leftmost) of the *buttons* of *seat* addresses; None if it has none.

        Where every place has its button, the near side comes first and the far side after it. With fewer
        the buttons are the near side, and the far side in the *second_bank*, with START held.
        """
        if self.sides == 2 and buttons >= self.places:
            side, column = divmod(button, self.columns)
            return self.slot(seat, column, far=side == 1) if side < 2 else None
        return self.slot(seat, button, far=second_bank and self.needs_second_bank(buttons))

    def button(self, seat: int, slot: int, buttons: int) -> tuple[int, bool]:
        """The reverse of :meth:`pressed`: the button for *slot*, and whether it is in the second bank."""
        column, is_far = self.place(seat, slot)
        if is_far and not self.needs_second_bank(buttons):
            return self.columns + column, False
        return column, is_far

    def needs_second_bank(self, buttons: int) -> bool:
        """Are *buttons* pile buttons per seat one side's worth, but not one for every place?"""
        return self.sides == 2 and self.columns <= buttons < self.places

    def refusal(self, buttons: int) -> str | None:
        """Why a cabinet with *buttons* pile buttons per seat cannot address this layout; None if it can."""
        if buttons >= self.columns:
            return None
        return f"needs {self.columns} pile buttons per seat, this cabinet has {buttons}"
