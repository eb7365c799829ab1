"""Where counts come, and what they come to."""

from __future__ import annotations

from treadle.testing.faults.catalogue.usage import USAGE
from treadle.testing.faults.steps import Counts


def test_usage_is_expected_where_it_is_given_and_nowhere_else() -> None:
    """Reported, or absent (ours)."""
    assert [scenario.name for scenario in USAGE if scenario.expected.usage is None] == ["no_usage", "null_usage"]
    zero = Counts(input_tokens=0, output_tokens=0, total_tokens=0)
    assert [scenario.name for scenario in USAGE if scenario.expected.usage == zero] == ["zero_usage"]
    assert {(scenario.expected.outcome, scenario.expected.text) for scenario in USAGE} == {("done", "ok")}
