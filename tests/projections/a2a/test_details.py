"""Details for the extension."""

from __future__ import annotations

import pytest

from tests.values.event_samples import OUTCOME, SAMPLE_OF, event
from treadle.projections.a2a.details import details_of, speech_details
from treadle.values import events as ev
from treadle.values.ids import CallId
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.outcome import InvocationOutcome


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (ev.Stage, None),
        (ev.Retracted, {"type": "retracted", "round": 2, "attempt": 1, "reason": "retried"}),
        (ev.Extension, {"type": "extension", "name": "timing", "payload": {"ms": 1}, "id": "e1"}),
        (ev.Extracted, {"type": "extracted", "tag": "MEMORY_EXTRACT", "operations": ({"type": "add"},)}),
        (
            ev.ToolResult,
            {"type": "tool_result", "id": "r1.c1", "status": "ok", "result": {"sum": 3}, "duration_ms": 4.25},
        ),
        (
            ev.Done,
            {"type": "usage", "input_tokens": 7, "output_tokens": 3, "total_tokens": 10, "unmeasured_rounds": 0},
        ),
    ],
)
def test_an_event_has_its_details_or_none(kind: type[ev.KernelEvent], said: object) -> None:
    """docs/protocols/a2a.md: the table of details; what is not there is left out."""
    assert details_of(SAMPLE_OF[kind]) == said


def test_a_run_that_reported_no_usage_tells_none() -> None:
    """Promise 10: zero is never invented."""
    assert details_of(event(ev.Done, outcome=InvocationOutcome(text=OUTCOME.text))) is None


def test_speech_has_the_details_of_its_speaker() -> None:
    """Ours: thinking is nobody's call, and arguments are of one."""
    assert speech_details(THINKING, 1, "hm") == {"type": "thinking", "delta": "hm"}
    assert speech_details(ARGUMENTS, CallId("c1"), "{") == {
        "type": "tool_call",
        "phase": "args",
        "id": "c1",
        "delta": "{",
    }
