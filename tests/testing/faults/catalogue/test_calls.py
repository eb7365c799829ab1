"""Calls that are sound, however they come."""

from __future__ import annotations

from treadle.testing.faults.catalogue.calls import CALLS


def test_every_call_runs_and_the_run_ends_well() -> None:
    """A strange id or index is no reason to lose a call or to run it twice (ours)."""
    for scenario in CALLS:
        expected = scenario.expected
        assert (expected.outcome, expected.text, expected.refused) == ("done", "ok", 0), scenario.name
        assert sum(runs for _, runs in expected.tools) >= 1, scenario.name
        assert expected.requests == len(scenario.turns), scenario.name
