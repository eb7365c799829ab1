"""The calls of a run to their spans: from the dispatch to the one result.

A call that never ran (denied, refused, damaged) has a span without length at its result, so that it is seen.
"""

from __future__ import annotations

from typing import Final

from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.content import arguments_text, result_text
from treadle.adapters.traces.marking import Marking
from treadle.adapters.traces.spans import Attribute, named
from treadle.values import events as ev
from treadle.values.calls import ToolStatus
from treadle.values.ids import CallId

_FAILED: Final = frozenset({ToolStatus.FAILED, ToolStatus.TIMEOUT, ToolStatus.UNKNOWN})
"""What is an error of the tool. That a person or a limit said no is none, and a cancel is none."""


class CallSpans:
    """The calls of one run that are running."""

    def __init__(self, marking: Marking) -> None:
        self._marking = marking
        self._open_calls: dict[CallId, int] = {}

    def called(self, event: ev.ToolCall) -> None:
        """A call runs."""
        request = event.request
        self._marking.names[request.call_id] = request.name
        if request.call_id not in self._open_calls:
            arguments = arguments_text(request.arguments) if self._marking.content else None
            self._open(request.call_id, at_s=self._marking.now_s, arguments=arguments)

    def settled(self, event: ev.ToolResult) -> None:
        """A call has its result."""
        outcome = event.outcome
        if outcome.call_id not in self._open_calls:
            # It never ran, or it began in another segment or worker: how long it ran is in its result.
            segment = self._marking.segment
            assert segment is not None
            began_s = max(segment.began_s, self._marking.now_s - outcome.duration_ms / 1000.0)
            self._open(outcome.call_id, at_s=began_s, arguments=None)
        failure = outcome.status.value if outcome.status in _FAILED else None
        attributes = {
            conv.OUTCOME: outcome.status.value,
            conv.ERROR_TYPE: failure,
            conv.TOOL_RESULT: result_text(outcome) if self._marking.content else None,
        }
        self._marking.end(self._open_calls.pop(outcome.call_id), attributes, failure=failure)
        self._marking.names.pop(outcome.call_id, None)

    def end_all(self, outcome: str) -> None:
        """The segment is over: so are the spans of the calls that have no result yet."""
        for key in self._open_calls.values():
            self._marking.end(key, {conv.OUTCOME: outcome})
        self._open_calls.clear()

    def _open(self, call_id: CallId, *, at_s: float, arguments: str | None) -> None:
        name = self._marking.names.get(call_id, "")
        attributes: dict[str, Attribute | None] = {
            conv.OPERATION_NAME: conv.EXECUTE_TOOL,
            conv.TOOL_NAME: name,
            conv.TOOL_TYPE: conv.FUNCTION,
            conv.TOOL_CALL_ID: call_id,
            conv.TOOL_ARGUMENTS: arguments,
            **self._marking.whose(),
        }
        self._open_calls[call_id] = self._marking.open_within(named(conv.EXECUTE_TOOL, name), attributes, at_s=at_s)
