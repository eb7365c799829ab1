"""What the official client holds an AG-UI stream to, written down again in Python: the judge where node is not there.

In: events. Out: violations, as sentences. Rules 1 to 6 of the client: what comes first, what may follow an end, what
has to be closed before it, that nothing is filled that is not open, steps, and the shapes of known fields.

Source: @ag-ui/client, verifyEvents and its schemas; test_official_client.py asks the client itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

Event = Mapping[str, Any]
_MOST = 2**53 - 1
_EVERY = {"type": str, "timestamp": int, "metadata": dict, "subagentRunId": str}
_ID, _CALL = {"messageId": str}, {"toolCallId": str}
SHAPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "RUN_STARTED": ({"threadId": str, "runId": str}, {"protocolVersion": str, "parentRunId": str, "input": dict}),
    "RUN_FINISHED": ({"threadId": str, "runId": str}, {"result": object, "outcome": dict, "usage": list}),
    "RUN_ERROR": ({"message": str}, {"code": str, "usage": list}),
    "STEP_STARTED": ({"stepName": str}, {}),
    "STEP_FINISHED": ({"stepName": str}, {}),
    "TEXT_MESSAGE_START": (_ID, {"role": str, "name": str}),
    "TEXT_MESSAGE_CONTENT": (_ID | {"delta": str}, {}),
    "TEXT_MESSAGE_END": (_ID, {}),
    "TOOL_CALL_START": (_CALL | {"toolCallName": str}, {"parentMessageId": str}),
    "TOOL_CALL_ARGS": (_CALL | {"delta": str}, {}),
    "TOOL_CALL_END": (_CALL, {}),
    "TOOL_CALL_RESULT": (_CALL | _ID | {"content": str}, {"role": str}),
    "REASONING_START": (_ID, {}),
    "REASONING_MESSAGE_START": (_ID | {"role": str}, {}),
    "REASONING_MESSAGE_CONTENT": (_ID | {"delta": str}, {}),
    "REASONING_MESSAGE_END": (_ID, {}),
    "REASONING_END": (_ID, {}),
    "STATE_SNAPSHOT": ({"snapshot": object}, {}),
    "MESSAGES_SNAPSHOT": ({"messages": list}, {}),
    "CUSTOM": ({"name": str, "value": object}, {}),
}
"""The fields of each event that this side says: those that it needs, and those that it may have."""
_OUTCOMES = {"success": {"pendingToolCallIds": list}, "interrupt": {"interrupts": list}, "cancelled": {}}
_INTERRUPT = {
    "id": str,
    "reason": str,
    "message": str,
    "toolCallId": str,
    "responseSchema": dict,
    "expiresAt": str,
    "metadata": dict,
}
_USAGE = frozenset(
    {"inputTokens", "outputTokens", "totalTokens", "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"}
)
_MESSAGES: dict[str, tuple[set[str], set[str]]] = {
    "user": ({"content"}, set()),
    "assistant": (set(), {"content", "toolCalls"}),
    "reasoning": ({"content"}, set()),
    "tool": ({"content", "toolCallId"}, {"error"}),
    "system": ({"content"}, set()),
    "developer": ({"content"}, set()),
}
_OPENS = {
    "TEXT_MESSAGE_START": ("text", "messageId"),
    "REASONING_START": ("span", "messageId"),
    "REASONING_MESSAGE_START": ("reasoning", "messageId"),
    "TOOL_CALL_START": ("call", "toolCallId"),
    "STEP_STARTED": ("step", "stepName"),
}
_FILLS = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId"),
    "REASONING_MESSAGE_CONTENT": ("reasoning", "messageId"),
    "TOOL_CALL_ARGS": ("call", "toolCallId"),
}
_CLOSES = {
    "TEXT_MESSAGE_END": ("text", "messageId"),
    "REASONING_END": ("span", "messageId"),
    "REASONING_MESSAGE_END": ("reasoning", "messageId"),
    "TOOL_CALL_END": ("call", "toolCallId"),
    "STEP_FINISHED": ("step", "stepName"),
}


def violations(events: Iterable[Event]) -> list[str]:
    """What is wrong with the events of a stream, each with its place."""
    found: list[str] = []
    open_: set[tuple[str, str]] = set()
    phase = "new"
    for at, event in enumerate(events):
        kind = event.get("type", "")
        problems = [*_shape(event), *_place(kind, phase)]
        if kind in _OPENS and (it := _named(event, _OPENS)) in open_:
            problems.append(f"{it} is open already")
        if kind in _FILLS | _CLOSES and (it := _named(event, _FILLS | _CLOSES)) not in open_:
            problems.append(f"{it} is not open")
        if kind == "RUN_FINISHED" and open_:
            problems.append(f"open at the end: {sorted(open_)}")
        found += [f"event {at} ({kind}): {problem}" for problem in problems]
        if kind == "RUN_STARTED":
            open_.clear()
        open_ |= {_named(event, _OPENS)} if kind in _OPENS else set()
        open_ -= {_named(event, _CLOSES)} if kind in _CLOSES else set()
        phase = {"RUN_STARTED": "started", "RUN_FINISHED": "finished", "RUN_ERROR": "failed"}.get(kind, phase)
    return found if phase in ("finished", "failed") else [*found, "no end"]


def read(payloads: Iterable[str]) -> list[Event]:
    """The events of payloads, each of which is one line of JSON."""
    told = list(payloads)
    assert all(payload.isprintable() for payload in told), "a frame with a sign in it that is no print"
    return [json.loads(payload, parse_constant=_no_constant) for payload in told]


def _named(event: Event, table: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    what, field = table[event["type"]]
    return what, str(event.get(field))


def _place(kind: str, phase: str) -> Iterable[str]:
    if phase == "new" and kind not in ("RUN_STARTED", "RUN_ERROR"):
        yield "the first event starts a run"
    if phase == "started" and kind == "RUN_STARTED":
        yield "a run is under way"
    if phase == "finished" and kind not in ("RUN_STARTED", "RUN_ERROR"):
        yield "comes after the end"
    if phase == "failed" and kind != "RUN_STARTED":
        yield "comes after the error"


def _shape(event: Event) -> Iterable[str]:
    if event.get("type") not in SHAPES:
        yield "is of no type that is told"
        return
    needs, may = SHAPES[event["type"]]
    yield from (f"{name} is missing" for name in needs if name not in event)
    known = {**_EVERY, **needs, **may}
    for name, value in event.items():
        if name not in known:
            yield f"{name} is unknown"
        elif not _is(value, known[name]) or (value is None and name in may):
            yield f"{name} is {value!r}"
    yield from _deeper(event)


def _deeper(event: Event) -> Iterable[str]:
    if "outcome" in event:
        yield from _outcome(event["outcome"])
    for spent in event.get("usage", ()):
        counts = {name: count for name, count in spent.items() if name != "model"}
        if (
            not counts
            or not counts.keys() <= _USAGE
            or not all(_is(count, int) and count >= 0 for count in counts.values())
        ):
            yield f"usage is {spent!r}"
    for message in event.get("messages", ()):
        yield from _message(message)
    if event["type"] == "REASONING_MESSAGE_START" and event.get("role") != "reasoning":
        yield "role is not reasoning"


def _outcome(outcome: Event) -> Iterable[str]:
    kind = outcome.get("type")
    if kind not in _OUTCOMES or not outcome.keys() <= {"type", *_OUTCOMES[str(kind)]}:
        yield f"outcome is {outcome!r}"
        return
    if kind == "interrupt" and not outcome["interrupts"]:
        yield "there are no interrupts"
    for one in outcome.get("interrupts", ()):
        if not {"id", "reason"} <= one.keys() <= _INTERRUPT.keys():
            yield f"interrupt has {sorted(one)}"
        yield from (
            f"{name} of an interrupt is {value!r}" for name, value in one.items() if not _is(value, _INTERRUPT[name])
        )
    if not all(_is(one, str) for one in outcome.get("pendingToolCallIds", ())):
        yield "pendingToolCallIds are texts"


def _message(message: Event) -> Iterable[str]:
    needs, may = _MESSAGES.get(str(message.get("role")), ({"nothing"}, set()))
    if not {"id", "role", *needs} <= message.keys() <= {"id", "role", "name", "metadata", *needs, *may}:
        yield f"message is {message!r:.200}"
        return
    for call in message.get("toolCalls", ()):
        function = call.get("function", {})
        if call.keys() != {"id", "type", "function"} or not all(
            _is(function.get(name), str) for name in ("name", "arguments")
        ):
            yield f"call of a message is {call!r:.200}"


def _is(value: object, kind: Any) -> bool:  # noqa: ANN401 (a class)
    if kind is int:
        return type(value) is int and -_MOST <= value <= _MOST
    return kind is object or type(value) is kind


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
