"""The shapes of AG-UI 1.0: one JSON object a frame, its `type` first, what is absent left out.

In: ids, texts and JSON terms. Out: JSON text. Every string goes through JSON's escapes into pure ASCII, so no line end
stands in a frame. Integers beyond 2^53 are said as text: the clients are browsers.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from treadle.codec.foreign import json_terms, json_text
from treadle.codec.safe_integers import with_safe_integers
from treadle.framing.surrogates import whole_text
from treadle.values.mappings import Json
from treadle.values.usage import UsageDelta, count_or_none

VERSION: Final = "1.0"
"""What this side speaks."""
NAMESPACE: Final = "treadle"
"""Before the names of custom events, and around what metadata says of our own."""

quoted: Final = encode_basestring_ascii
"""A text as a JSON string of pure ASCII."""

_COUNTS: Final = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "totalTokens": "total_tokens",
    "reasoningTokens": "reasoning_tokens",
    "cachedInputTokens": "cache_read_tokens",
    "cacheWriteInputTokens": "cache_creation_tokens",
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def json_of(value: object) -> str:
    """Any value of a run as JSON that a browser reads exactly."""
    return json_text(with_safe_integers(json_terms(value)))


def object_of(**fields: str | None) -> str:
    """An object of fields that are JSON already; a field that is None is left out."""
    return "{" + ",".join(f'"{name}":{text}' for name, text in fields.items() if text is not None) + "}"


def frame(kind: str, **fields: str | None) -> str:
    """An event of this type, its fields JSON already; a field that is None is left out."""
    return object_of(type=quoted(kind), **fields)


def own_metadata(**said: object) -> str | None:
    """What metadata says of our own; None where there is nothing to say."""
    told = {name: value for name, value in said.items() if value is not None}
    return json_of({NAMESPACE: told}) if told else None


def custom(name: str, value: object, *, metadata: str | None = None) -> str:
    """A custom event. Its value may be null, and is never left out."""
    return frame("CUSTOM", name=quoted(name), value=json_of(value), metadata=metadata)


def own_custom(name: str, **said: object) -> str:
    """A custom event of ours."""
    return custom(f"{NAMESPACE}.{name}", said)


def text_template(message_id: str) -> str:
    """All of a piece of text but the piece, as a JSON string, and `}`."""
    return f'{{"type":"TEXT_MESSAGE_CONTENT","messageId":{quoted(message_id)},"delta":'


def reasoning_template(message_id: str) -> str:
    """The same for a piece of reasoning."""
    return f'{{"type":"REASONING_MESSAGE_CONTENT","messageId":{quoted(message_id)},"delta":'


def arguments_template(call_id: str) -> str:
    """The same for a piece of a call's argument text."""
    return f'{{"type":"TOOL_CALL_ARGS","toolCallId":{quoted(call_id)},"delta":'


def text_started(message_id: str) -> str:
    """A text message opens."""
    return frame("TEXT_MESSAGE_START", messageId=quoted(message_id), role='"assistant"')


def text_ended(message_id: str) -> str:
    """A text message is whole."""
    return frame("TEXT_MESSAGE_END", messageId=quoted(message_id))


def reasoning_started(message_id: str) -> tuple[str, str]:
    """A span of reasoning opens, and the one message in it."""
    named = quoted(message_id)
    return frame("REASONING_START", messageId=named), frame(
        "REASONING_MESSAGE_START", messageId=named, role='"reasoning"'
    )


def reasoning_ended(message_id: str) -> tuple[str, str]:
    """The message of a span of reasoning is whole, and the span."""
    named = quoted(message_id)
    return frame("REASONING_MESSAGE_END", messageId=named), frame("REASONING_END", messageId=named)


def call_started(call_id: str, name: str, parent_id: str | None) -> str:
    """A tool call opens, in the assistant message that holds it if there is one."""
    return frame(
        "TOOL_CALL_START",
        toolCallId=quoted(call_id),
        toolCallName=quoted(name),
        parentMessageId=None if parent_id is None else quoted(parent_id),
    )


def call_ended(call_id: str) -> str:
    """The arguments of a tool call are whole."""
    return frame("TOOL_CALL_END", toolCallId=quoted(call_id))


def call_result(call_id: str, *, message_id: str, content: str, metadata: str) -> str:
    """What came of a tool call."""
    return frame(
        "TOOL_CALL_RESULT",
        messageId=quoted(message_id),
        toolCallId=quoted(call_id),
        content=quoted(content),
        role='"tool"',
        metadata=metadata,
    )


def content_text(content: Json) -> str:
    """What a tool gave, as text: text itself, "" for nothing, compact JSON for all else."""
    if content is None:
        return ""
    return whole_text(content) if isinstance(content, str) else json_text(json_terms(content))


def usage_list(spent: UsageDelta, model: str | None) -> str | None:
    """What was spent, as the list of its one entry; None where nothing was reported.

    Shape:  a total that is less than its parts, since not every round told one, is left out.
    """
    counts = {name: count_or_none(spent, ours) for name, ours in _COUNTS.items()}
    total, parts = counts["totalTokens"], (counts["inputTokens"] or 0) + (counts["outputTokens"] or 0)
    if total is not None and total < parts:
        counts["totalTokens"] = None
    told: dict[str, Any] = {name: count for name, count in counts.items() if count is not None}
    if not told:
        return None
    return json_of([{**({} if model is None else {"model": model}), **told}])


def iso_time(at_s: float) -> str | None:
    """A time as ISO 8601 in UTC, to the millisecond before it; None for one that no calendar has.

    Units:  UTC seconds.
    """
    try:
        at = _EPOCH + timedelta(milliseconds=int(at_s * 1000))
    except OverflowError:
        return None
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
