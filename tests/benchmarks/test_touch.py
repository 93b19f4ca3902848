"""What a press costs on its way: ``pytest tests/benchmarks --benchmark-enable -n 0``."""

from __future__ import annotations

from pytest_benchmark.fixture import BenchmarkFixture

from firmware.clock import NS_PER_MS
from firmware.touch.arbiter import Arbiter
from firmware.touch.contact import Button, Contacts, Times
from firmware.touch.edges import Edge, EdgeKind

LINES = {str(number): Button(number % 2, number // 2) for number in range(10)}
PRESSES = 200
BOUNCES = 20


def test_contacts_and_arbiter_with_bouncing_switches(benchmark: BenchmarkFixture) -> None:
    def presses() -> int:
        contacts, arbiter = Contacts(LINES, Times()), Arbiter[None](NS_PER_MS)
        let = 0
        for press in range(PRESSES):
            at_ns = press * 100 * NS_PER_MS
            line = str(press % 10)
            for bounce in range(BOUNCES):
                for level in (0, 1) if bounce < BOUNCES - 1 else (0,):
                    edge_ns = at_ns + bounce * 60_000 + level * 30_000
                    contacts.feed(Edge(EdgeKind.EDGE, line, level, edge_ns, 0, edge_ns))
            for signal in contacts.advance(at_ns + 40 * NS_PER_MS):
                arbiter.offer(signal)  # type: ignore[arg-type]
            let += arbiter.next(at_ns + 40 * NS_PER_MS, None, [], lambda touches: None) is not None  # type: ignore[arg-type, return-value]
            contacts.feed(Edge(EdgeKind.EDGE, line, 1, at_ns + 50 * NS_PER_MS, 0, at_ns))
            contacts.advance(at_ns + 90 * NS_PER_MS)
        return let

    assert benchmark(presses) == PRESSES
