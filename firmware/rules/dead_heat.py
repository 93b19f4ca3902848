"""Who was first when two touches are too close to call (T-5).

The judge tries the touches in every order. Where that makes no difference there is no contest and
the stamps decide; where it does, neither stamp is believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from firmware.rules.commands import Cover, DeadHeat
from firmware.rules.deal import toss
from firmware.rules.events import Covered
from firmware.rules.options import DeadHeatPolicy
from firmware.rules.table import AnyTable, Phase

RUNNING_BEFORE_TOSS = 2
"""The third dead heat running on one pile is tossed (T-5)."""


@dataclass(frozen=True, slots=True)
class First:
    """No contest: *cover* is applied next, the others of the group after it, each in its turn."""

    cover: Cover


Verdict = First | DeadHeat


def judge(table: AnyTable, covers: Sequence[Cover]) -> Verdict:
    """The verdict on *covers*: presses of different seats, each at its stamp, all too close to call.

    *table* is the hand as it was before the earliest of them, which is the moment they are judged at.
    Equal stamps without a contest are put in order by a toss from the hand's seed.
    Raises :class:`ValueError` if two are of one seat, or there are none.
    """
    if len({cover.seat for cover in covers}) != len(covers) or not covers:
        raise ValueError(f"one press of each of several seats can be judged, found {covers}")
    at_ns = max(table.at_ns, min(cover.at_ns for cover in covers))
    here = sorted((replace(cover, at_ns=at_ns) for cover in covers), key=lambda cover: cover.seat)
    legal = [cover for cover in here if _is_legal(table, cover)]
    if len(legal) == 1:
        return First(legal[0])
    contestants = _contestants(table, legal)
    if len(contestants) < 2:  # at most a card that comes too late for a hand that is won anyway
        earliest = min(cover.at_ns for cover in covers)
        first = [cover.seat for cover in covers if cover.at_ns == earliest]
        seat = first[0] if len(first) == 1 else toss(table.seed, table.changes, sorted(first))
        return First(next(cover for cover in here if cover.seat == seat))
    pairs = tuple((cover.seat, cover.slot) for cover in legal if cover.seat in contestants)
    is_tossed = table.options.dead_heat is DeadHeatPolicy.COIN or any(
        table.piles[slot].dead_heats >= RUNNING_BEFORE_TOSS for _, slot in pairs
    )
    seats = [seat for seat, _ in pairs]
    winner = toss(table.seed, table.tosses, seats) if is_tossed else None
    return DeadHeat(at_ns, pairs, winner)


def _is_legal(table: AnyTable, cover: Cover) -> bool:
    return table.phase is Phase.PLAY and cover.slot in table.game.legal_slots(table, cover.seat)


def _contestants(table: AnyTable, covers: Sequence[Cover]) -> set[int]:
    """The seats whose card lands in some orders but not in all, or who win in some only.

    A card may land in every order and yet be in another's way, as where only one of two would leave a
    pile open (D-3): then both are contestants, unless the same seat wins the hand whatever the order.
    """
    tried = [_try(table, order) for order in permutations(covers)]
    landed = [lands for lands, _ in tried]
    won = {winner for _, winner in tried}
    contestants = {
        cover.seat
        for cover in covers
        if 0 < sum(cover.seat in lands for lands in landed) < len(landed)
    }
    if len(won) > 1:
        contestants |= {seat for seat in won if seat is not None}
    elif won == {None}:
        hindered = [cover for cover in covers if cover.seat in contestants]
        others = [cover for cover in covers if cover.seat not in contestants]
        for cover in hindered:
            in_the_way = [o.seat for o in others if cover.seat not in _try(table, (o, cover))[0]]
            contestants.update(in_the_way)
    return contestants


def _try(table: AnyTable, order: Sequence[Cover]) -> tuple[set[int], int | None]:
    """The seats whose card lands if *order* is the order of the presses, and who wins the hand then."""
    lands: set[int] = set()
    for cover in order:
        while (due := table.next_timer) is not None and due.at_ns <= cover.at_ns:
            table, _ = table.game.apply(table, due)
        table, events = table.game.apply(table, cover)
        lands |= {event.seat for event in events if isinstance(event, Covered)}
    return lands, None if table.outcome is None else table.outcome.winner
