"""Results of calls that no tool gave: what the model is told of a call that did not run to its end."""

from __future__ import annotations

from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.ids import CallId
from treadle.values.limits import Limit
from treadle.values.pauses import Resolution, Settlement

_LIMIT_WORDS = {
    Limit.TOOL_CALLS: "not run: the run has used up its tool calls",
    Limit.TOKENS: "not run: the run has used up its tokens",
}
_DECLINED_WORDS = {
    Settlement.DECLINED: (ToolStatus.DENIED, "denied by a person"),
    Settlement.EXPIRED: (ToolStatus.DENIED, "denied: nobody answered in time"),
    Settlement.CANCELLED: (ToolStatus.CANCELLED, "cancelled while it waited for a person"),
}


def not_run(call_id: CallId, damage: str) -> ToolOutcome:
    """The call was damaged and never ran."""
    return ToolOutcome(call_id=call_id, status=ToolStatus.FAILED, error=f"not run: {damage}")


def cut_short(call_id: CallId) -> ToolOutcome:
    """The run ended, or the answer was cut, before the call could run."""
    return ToolOutcome(call_id=call_id, status=ToolStatus.CANCELLED, error="not run: the run ended first")


def stopped(call_id: CallId) -> ToolOutcome:
    """The call had begun, and the run ended while it waited for a person."""
    error = "stopped: the run ended while it waited for a person"
    return ToolOutcome(call_id=call_id, status=ToolStatus.CANCELLED, error=error)


def lost(call_id: CallId) -> ToolOutcome:
    """The call had begun, and its worker was lost before it returned."""
    error = "unknown: the worker was lost while it ran, and it may have taken effect"
    return ToolOutcome(call_id=call_id, status=ToolStatus.UNKNOWN, error=error)


def over_the_limit(call_id: CallId, limit: Limit) -> ToolOutcome:
    """The run may not make this call."""
    return ToolOutcome(call_id=call_id, status=ToolStatus.REFUSED, error=_LIMIT_WORDS[limit])


def declined(call_id: CallId, resolution: Resolution) -> ToolOutcome:
    """What a person said to the call, as its result: the answer to a question, or a no."""
    if resolution.settlement is Settlement.ANSWERED:
        return ToolOutcome(call_id=call_id, content=resolution.value)
    status, words = _DECLINED_WORDS[resolution.settlement]
    told = f"{words}: {resolution.reason}" if resolution.reason else words
    return ToolOutcome(call_id=call_id, status=status, error=told)
