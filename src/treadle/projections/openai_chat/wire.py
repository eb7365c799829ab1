"""The shapes of chat completions: chunks, whole completions, errors.

Text repeats, so its chunk is a template: all but the text is made once a completion. Whatever has no meaning here is
left out, but for the fields that clients read without looking whether they are there.

Source: OpenAI chat completions (docs/protocols/openai.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any, Final, assert_never

from treadle.codec.failure_words import CANCELLED, failure_words
from treadle.codec.foreign import json_terms, json_text
from treadle.values.events import PauseEvent
from treadle.values.ids import RunId
from treadle.values.mappings import Json
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.usage import UsageDelta, count_or_none

DONE: Final = "[DONE]"
"""The payload behind the last chunk."""
NOTE: Final = "treadle"
"""The field of a chunk that holds a kernel event which this protocol has no word for."""
APPROVE: Final = "approve"
"""What a call that waits for leave is called here: the client runs nothing, it decides."""

CUT: Final[Mapping[str, str]] = {"length": "length", "content_filter": "content_filter"}
"""Ends by an error that are a finish reason of their own, by the error's code."""


def completion_id(run_id: RunId, segment: int) -> str:
    """The id of a completion: the run's, and which of its segments it is, from 1."""
    return f"chatcmpl-{run_id}.s{segment}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """The chunks of one completion.

    Units: `created` is UTC seconds.
    """

    completion: str
    model: str
    created: int

    def delta(self, delta: Mapping[str, Json], *, finish_reason: str | None = None) -> str:
        """A chunk that adds to the one choice there is."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return json_text({**self._head(), "choices": [choice]})

    def beside(self, **fields: Json) -> str:
        """A chunk that adds nothing to the choice."""
        return json_text({**self._head(), "choices": [], **fields})

    def spoken(self, field: str) -> tuple[str, str]:
        """What stands before and behind the JSON string of a piece of speech: most chunks."""
        before, behind = self.delta({field: ""}).split(f'"{field}":""')
        return f'{before}"{field}":', behind

    def _head(self) -> dict[str, Json]:
        return {
            "id": self.completion,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
        }


def spoken_chunks(template: tuple[str, str], texts: tuple[str, ...]) -> list[str]:
    """One chunk a piece, pure ASCII by JSON's escapes."""
    before, behind = template
    return [f"{before}{encode_basestring_ascii(text)}{behind}" for text in texts]


def completion_json(
    completion: str, *, model: str, created: int, message: Mapping[str, Json], finish_reason: str, usage: Json
) -> str:
    """A whole completion."""
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}
    told: dict[str, Json] = {
        "id": completion,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [choice],
    }
    return json_text({**told, "usage": usage} if usage is not None else told)


def tool_calls(event: PauseEvent, token_of: Callable[[PendingInterrupt], str | None]) -> list[dict[str, Json]]:
    """The pauses that may be answered by whoever has the tokens."""
    asked = [(pending, token_of(pending)) for pending in event.pending]
    return [_tool_call(pending, token) for pending, token in asked if token is not None]


def _tool_call(pending: PendingInterrupt, token: str) -> dict[str, Json]:
    """A pause as a call that the client is to answer: its id is the token."""
    name, arguments = _asked(pending)
    function = {"name": name, "arguments": json_text(json_terms(arguments))}
    return {"id": token, "type": "function", "function": function}


def _asked(pending: PendingInterrupt) -> tuple[str, Mapping[str, Any]]:
    request = pending.request
    match pending.kind:
        case PauseKind.ASK_USER:
            return "ask_user", request
        case PauseKind.APPROVAL:
            return APPROVE, request
        case PauseKind.FRONT_END:
            return request["name"], request["arguments"]
        case PauseKind.INTERRUPT:
            return "interrupt", {**request, "response_schema": pending.response_schema}
        case _:
            assert_never(pending.kind)


def usage_json(usage: UsageDelta) -> dict[str, Json] | None:
    """Token counts by the client's names; None where none was reported, and null for each that was not."""
    if not usage.reported:
        return None
    spent = {name: count_or_none(usage, f"{name}_tokens") for name in ("input", "output", "total")}
    if spent["total"] is None and None not in (spent["input"], spent["output"]):
        spent["total"] = usage.input_tokens + usage.output_tokens
    told: dict[str, Json] = {
        "prompt_tokens": spent["input"],
        "completion_tokens": spent["output"],
        "total_tokens": spent["total"],
    }
    cached, reasoning = (count_or_none(usage, f"{name}_tokens") for name in ("cache_read", "reasoning"))
    if cached is not None:
        told["prompt_tokens_details"] = {"cached_tokens": cached}
    if reasoning is not None:
        told["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return told


def error_json(code: str, *, detail: str | None = None, reference: str | None = None, usage: Json = None) -> str:
    """What ends a completion that did not come to its end. Every client raises at it."""
    error: dict[str, Json] = {
        "message": detail or failure_words(code),
        "type": "cancelled" if code == CANCELLED else "server_error",
        "param": None,
        "code": code,
    }
    told: dict[str, Json] = {"error": {**error, "reference": reference} if reference is not None else error}
    return json_text({**told, "usage": usage} if usage is not None else told)
