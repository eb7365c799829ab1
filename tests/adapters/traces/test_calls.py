"""Calls: from the dispatch to the one result."""

from __future__ import annotations

import pytest

from tests.values.event_samples import CALL, RUN
from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.calls import CallSpans
from treadle.adapters.traces.marking import Marking
from treadle.adapters.traces.spans import SpanEnded, SpanOpened
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus

CALLED = ev.ToolCall(index=1, run_id=RUN, request=ToolRequest(call_id=CALL, name="add", arguments={"a": 1}))


def calls(*, content: bool = False) -> tuple[Marking, CallSpans]:
    """A run with an open segment, at second 1."""
    marking = Marking(run_id=RUN, content=content)
    marking.tick(1.0)
    marking.open_segment("s", {}, follows=None)
    marking.taken()
    return marking, CallSpans(marking)


def result(status: ToolStatus = ToolStatus.OK, duration_ms: float = 0.0) -> ev.ToolResult:
    """What came of the call."""
    error = None if status is ToolStatus.OK else "secret"
    outcome = ToolOutcome(call_id=CALL, status=status, error=error, content="secret", duration_ms=duration_ms)
    return ev.ToolResult(index=2, run_id=RUN, outcome=outcome)


def test_a_call_says_which_tool_ran_and_what_came_of_it() -> None:
    """The conventions' attributes of a tool's execution."""
    marking, spans = calls()
    spans.called(CALLED)
    spans.called(CALLED)
    marking.tick(2.0)
    spans.settled(result())
    assert marking.taken() == [
        SpanOpened(
            key=2,
            name="execute_tool add",
            at_s=1.0,
            parent=1,
            attributes={
                conv.OPERATION_NAME: "execute_tool",
                conv.TOOL_NAME: "add",
                conv.TOOL_TYPE: "function",
                conv.TOOL_CALL_ID: CALL,
                conv.RUN_ID: RUN,
            },
        ),
        SpanEnded(key=2, at_s=2.0, attributes={conv.OUTCOME: "ok"}),
    ]
    assert marking.names == {}


@pytest.mark.parametrize("status", ToolStatus)
def test_what_a_person_or_a_limit_forbade_is_no_error_and_neither_is_a_cancel(status: ToolStatus) -> None:
    """Ours: an error of a tool is a tool that failed, took too long, or of which nobody knows; the text is content."""
    marking, spans = calls()
    spans.called(CALLED)
    spans.settled(result(status))
    _, ended = marking.taken()
    assert isinstance(ended, SpanEnded)
    failed = status in {ToolStatus.FAILED, ToolStatus.TIMEOUT, ToolStatus.UNKNOWN}
    assert (ended.failure, ended.attributes.get(conv.ERROR_TYPE)) == 2 * (status.value if failed else None,)
    assert ended.attributes[conv.OUTCOME] == status.value
    assert "secret" not in repr(ended)


def test_a_call_that_never_ran_is_seen_and_has_no_length() -> None:
    """Ours: a denied call is not lost from the trace, and no time is invented for it."""
    marking, spans = calls()
    marking.names[CALL] = "add"
    marking.tick(5.0)
    spans.settled(result(ToolStatus.DENIED))
    opened, ended = marking.taken()
    assert (opened.at_s, ended.at_s) == (5.0, 5.0)


def test_calls_without_a_result_end_with_their_segment() -> None:
    """Ours: paused, released, or whatever the segment's end is."""
    marking, spans = calls()
    spans.called(CALLED)
    spans.end_all("paused")
    spans.end_all("paused")
    _, ended = marking.taken()
    assert ended == SpanEnded(key=2, at_s=1.0, attributes={conv.OUTCOME: "paused"})


def test_arguments_and_results_are_told_where_content_is_wanted() -> None:
    """The conventions' opt-in attributes."""
    marking, spans = calls(content=True)
    spans.called(CALLED)
    spans.settled(result())
    opened, ended = marking.taken()
    assert (opened.attributes[conv.TOOL_ARGUMENTS], ended.attributes[conv.TOOL_RESULT]) == ('{"a":1}', '"secret"')
