"""Failures a provider tells."""

from __future__ import annotations

from treadle.testing.faults.catalogue.failures import FAILURES
from treadle.testing.faults.steps import LEAK_MARK, ErrorChunk, Status


def test_every_error_text_holds_the_mark_that_must_not_leak() -> None:
    """One search of what a client was shown finds any provider text in it (ours)."""
    steps = [step for scenario in FAILURES for turn in scenario.turns for said in turn.replies for step in said.steps]
    errors = [step for step in steps if isinstance(step, ErrorChunk | Status)]
    assert errors
    for error in errors:
        told = error.body.decode() if isinstance(error, Status) and error.body else error.message
        assert LEAK_MARK in told


def test_every_class_of_failure_is_there() -> None:
    """Refused, busy, broken, garbled, and each that heals (ours)."""
    codes = {scenario.expected.code for scenario in FAILURES}
    assert codes == {None, "model_refused", "model_busy", "upstream_error", "model_garbled"}
