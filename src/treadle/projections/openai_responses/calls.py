"""The calls of a run that its server runs, as far as a reader is told of them.

In: events, from the first of the run. Out: what was called, and what it is called where its name is not told.
"""

from __future__ import annotations

from treadle.codec.foreign import json_terms, json_text
from treadle.projections.openai_responses.wire import Item, call_item
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId
from treadle.values.pauses import IS_THE_RESULT


class CallsOfRun:
    """What a call's item is made of, in whichever segment it comes."""

    def __init__(self) -> None:
        self._limit = 0
        self._requests: dict[CallId, ToolRequest] = {}
        self._steps: dict[CallId, int] = {}
        self._theirs: set[CallId] = set()

    def see(self, event: KernelEvent) -> None:
        """Remember what this event says of calls."""
        match event:
            case ev.RunStarted(tool_call_limit=limit):
                self._limit = limit
            case ev.ToolAnnounced(call_id=named, name=name):
                self._requests.setdefault(named, ToolRequest(call_id=named, name=name))
            case ev.ToolCall(request=request):
                self._requests[request.call_id] = request
                self._steps.setdefault(request.call_id, len(self._steps) + 1)
            case ev.AskUser(pending=pending) | ev.Interrupt(pending=pending):
                self._theirs.update(one.call_id for one in pending if one.kind in IS_THE_RESULT)
            case _:
                pass

    def item(self, named: CallId, server: str) -> Item | None:
        """A call as an item under way; None where it is the client's to answer, or where nothing of it is told."""
        request = self._requests.get(named)
        if named in self._theirs or request is None:
            return None
        name = request.name or self._step(named)
        return None if name is None else call_item(named, name, json_text(json_terms(request.arguments)), server=server)

    def _step(self, named: CallId) -> str | None:
        """What a call is called whose name is not told, once it has run: how many there were, and may be."""
        number = self._steps.get(named)
        if number is None:
            return None
        return f"step {number}/{self._limit}" if number <= self._limit else f"step {number}"
