"""Calls that must not run."""

from __future__ import annotations

from treadle.testing.faults.catalogue.damaged_calls import DAMAGED_CALLS


def test_something_is_refused_and_the_run_goes_on() -> None:
    """The model is told what broke and may try again (ours)."""
    for scenario in DAMAGED_CALLS:
        expected = scenario.expected
        assert (expected.outcome, expected.text, expected.requests) == ("done", "ok", 2), scenario.name
        assert expected.refused >= 1, scenario.name
