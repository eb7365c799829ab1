"""The ledger: what is written down, and what it sums to."""

from __future__ import annotations

from treadle.testing.faults.ledger import Exchange, Stats


def test_the_first_word_on_how_an_exchange_ended_stands() -> None:
    """A caller that leaves what was said in full has not hung up (ours)."""
    told: list[str] = []
    exchange = Exchange(body={"model": "m"}, on_change=lambda: told.append(exchange.end))
    exchange.close("complete")
    exchange.close("left")
    assert (exchange.end, told) == ("complete", ["complete"])


def test_every_entry_is_told_to_whoever_waits() -> None:
    """A wait must not miss what it waits for (ours)."""
    told: list[int] = []
    stats = Stats(lambda: told.append(1))
    exchange = Exchange(body={}, on_change=lambda: told.append(1))
    stats.connect(1)
    stats.open(exchange)
    exchange.begin(200)
    exchange.count_event()
    exchange.count_bytes(5)
    exchange.stall(stalled=True)
    exchange.close("left")
    stats.connect(-1)
    assert len(told) == 8


def test_sums_are_by_scenario() -> None:
    """Requests, bytes, events, ends: each scenario's own, and bodies stay out of the sums (ours)."""
    stats = Stats(lambda: None)
    for name, end in (("a", "left"), ("a", "running"), ("b", "cut"), ("b", "refused")):
        exchange = Exchange(body={"model": name}, on_change=lambda: None)
        exchange.count_bytes(10)
        exchange.count_event()
        exchange.end = end  # type: ignore[assignment]  # a fake clock
        stats.open(exchange)
    stats.exchanges[1].stall(stalled=True)
    stats.exchanges[3].problem = "no"
    assert (stats.requests(), stats.requests("a"), stats.left("a"), stats.left("b")) == (4, 2, 1, 0)
    assert (stats.running("a"), stats.stalled(), stats.problems()) == (1, 1, ["no"])
    assert stats.bodies("b") == [{"model": "b"}, {"model": "b"}]
    assert stats.as_json() == {
        "open_connections": 0,
        "scenarios": {
            "a": {"requests": 2, "sent_bytes": 20, "sent_events": 2, "stalled": 1, "ends": {"left": 1, "running": 1}},
            "b": {"requests": 2, "sent_bytes": 20, "sent_events": 2, "stalled": 0, "ends": {"cut": 1, "refused": 1}},
        },
    }
