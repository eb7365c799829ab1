"""How a stream ends."""

from __future__ import annotations

from treadle.testing.faults.catalogue.endings import ENDINGS
from treadle.testing.faults.steps import Done, Finish


def test_nothing_is_done_without_a_finish_reason_or_an_end_marker() -> None:
    """A cut stream is never shown as done (ours)."""
    for scenario in ENDINGS:
        if scenario.expected.outcome == "done":
            last = scenario.turns[-1].replies[-1].steps
            assert any(isinstance(step, Done | Finish) for step in last), scenario.name


def test_every_way_to_end_in_error_is_there() -> None:
    """Cut, too long, filtered, silent (ours)."""
    codes = {scenario.expected.code for scenario in ENDINGS}
    assert codes == {None, "upstream_truncated", "length", "content_filter", "stalled"}
