"""One kernel event to stream events. The rows of the reference are in tests/behaviour/test_typed_rows.py."""

from __future__ import annotations

import pytest

from tests.values.event_samples import CALL, RUN, SAMPLE_OF, USAGE, event
from treadle.projections.typed import events as typed
from treadle.projections.typed.project import content_text, message_id, project, usage_of
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.usage import NO_USAGE, UNMEASURED_ROUND, UsageDelta

SILENT = {ev.RunStarted, ev.Stage, ev.Done, ev.Error, ev.Cancelled}


@pytest.mark.parametrize("kind", ev.EVENT_TYPES, ids=lambda kind: kind.kind)
def test_every_class_says_something_or_is_silent_on_purpose(kind: type[ev.KernelEvent]) -> None:
    """Ours: run starts and stages have no word here, and final events are the stream's to say."""
    assert bool(project(SAMPLE_OF[kind])) == (kind not in SILENT)


def test_an_event_of_no_known_class_is_refused() -> None:
    """Ours: widening the union without the match is a fault, never a silent pass."""
    with pytest.raises(AssertionError):
        project(object())  # type: ignore[arg-type]  # the fault under test


def test_a_message_has_one_id_from_start_to_end_and_over_its_attempts() -> None:
    """Ours: ids are the run's id and a count, so a retraction names the message it voids."""
    started = project(event(ev.RoundStarted, round=2, attempt=1, model="gpt"))
    retracted = project(event(ev.Retracted, round=2, attempt=1, reason="retried"))
    ended = project(event(ev.RoundEnded, round=2, attempt=2, usage=USAGE, stop_reason="stop"))
    assert message_id(RUN, 2) == "r1.m2"
    assert started == (typed.MessageStart(message_id="r1.m2", model="gpt"),)
    assert retracted == (typed.Retracted(message_id="r1.m2", round=2, attempt=1, reason="retried"),)
    assert ended == (typed.MessageEnd(message_id="r1.m2", stop_reason="stop", usage=usage_of(USAGE)),)


def test_a_call_is_announced_then_spoken_then_executed() -> None:
    """Ours: the order in which the kernel tells of a call, in this vocabulary."""
    told = [
        event(ev.ToolAnnounced, call_id=CALL, name="add"),
        event(ev.ToolArguments, call_id=CALL, text='{"a":1}'),
        event(ev.ToolCall, request=SAMPLE_OF[ev.ToolCall].request, streamed=True),  # type: ignore[union-attr]  # a call
    ]
    assert [said for one in told for said in project(one)] == [
        typed.ToolCallStart(call_id=CALL, tool_name="add", phase="announced"),
        typed.ToolCallDelta(call_id=CALL, arguments_delta='{"a":1}'),
        typed.ToolCallStart(call_id=CALL, tool_name="add", phase="executing"),
    ]


def test_a_call_that_never_ran_has_no_timing() -> None:
    """Ours: 0.0 there means that nothing was measured, and unknown is never shown as a measured 0."""
    outcome = ToolOutcome(call_id=CALL, status=ToolStatus.REFUSED, error="no such tool")
    assert project(event(ev.ToolResult, outcome=outcome)) == (
        typed.ToolResult(call_id=CALL, status=ToolStatus.REFUSED, content="", error="no such tool"),
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("", ""),
        ("3", "3"),
        (3, "3"),
        (False, "false"),
        ({"b": [1, None]}, '{"b":[1,null]}'),
        ("half \ud800", "half \ufffd"),
        (float("nan"), "null"),
    ],
)
def test_the_content_of_a_result_is_text(content: object, text: str) -> None:
    """Ours: text as it is, nothing as nothing, all else as compact JSON, and no value that ends the stream."""
    assert content_text(content) == text


@pytest.mark.parametrize("silent", [NO_USAGE, UNMEASURED_ROUND, UsageDelta(cache_ttl="5m")])
def test_no_usage_is_told_where_nobody_reported_a_count(silent: UsageDelta) -> None:
    """Ours: absent, not zero."""
    assert usage_of(silent) is None


def test_counts_are_told_as_reported() -> None:
    """Ours: None is unreported, 0 is measured, and what is missing is said."""
    spent = UsageDelta(input_tokens=7, reported=frozenset({"output_tokens"}), cache_ttl="5m", unmeasured_rounds=1)
    assert usage_of(spent) == typed.Usage(input_tokens=7, output_tokens=0, cache_ttl="5m", unmeasured_rounds=1)
