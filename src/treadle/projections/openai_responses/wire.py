"""The shapes of Responses: a response, its output items, its usage.

Whatever has no meaning here is left out, but for the fields that clients read without looking whether they are there.

Source: OpenAI Responses (docs/protocols/openai.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from treadle.codec.failure_words import CANCELLED, DECISION_DUE, failure_words
from treadle.codec.foreign import json_terms, json_text
from treadle.framing.surrogates import whole_text
from treadle.values.calls import ToolOutcome
from treadle.values.ids import CallId, RunId
from treadle.values.mappings import Json
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.usage import UsageDelta, count_or_none

Item = dict[str, Json]

INCOMPLETE: Final[Mapping[str, str]] = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Ends by an error that make a response incomplete, by the error's code: the reason that is told."""

_ID: Final = re.compile(r"resp_(.+)\.s([1-9][0-9]{0,8})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseId:
    """The id of a response: the run's, and which of its segments it is, from 1."""

    run_id: RunId
    segment: int

    def __str__(self) -> str:
        return f"resp_{self.run_id}.s{self.segment}"


def response_id(text: str) -> ResponseId | None:
    """The id that a text says; None where it says none."""
    found = _ID.fullmatch(text)
    return None if found is None else ResponseId(run_id=RunId(found[1]), segment=int(found[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What the first request of a run said that its responses say again.

    Shape: `previous` is the id of the response that it went on from; `metadata` are the caller's pairs, in order.
    """

    previous: str | None = None
    background: bool = False
    store: bool = True
    metadata: tuple[tuple[str, str], ...] = ()

    def kept(self) -> dict[str, Json]:
        """As it is kept with the run."""
        return {
            "previous": self.previous,
            "background": self.background,
            "store": self.store,
            "metadata": dict(self.metadata),
        }


NO_MARKS: Final = Marks()


def marks_of(kept: Mapping[str, Any]) -> Marks:
    """What was kept with a run; for a run of another wire, what is said where nothing was asked."""
    return Marks(
        previous=kept.get("previous"),
        background=kept.get("background", False),
        store=kept.get("store", True),
        metadata=tuple(kept.get("metadata", {}).items()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a response stands.

    Shape: `status` is one of the protocol's; `reason` says why it is incomplete, `error` why it failed.
    """

    status: str = "in_progress"
    reason: str | None = None
    error: Mapping[str, Json] | None = None


QUEUED: Final = Ended(status="queued")
IN_PROGRESS: Final = Ended()
COMPLETED: Final = Ended(status="completed")
STOPPED: Final = Ended(status="cancelled", reason=CANCELLED)
WAITS: Final = Ended(status="incomplete", reason=DECISION_DUE)


def failed(code: str, *, detail: str | None = None, reference: str | None = None) -> Ended:
    """A response that failed."""
    error: dict[str, Json] = {"code": code, "message": detail or failure_words(code)}
    return Ended(status="failed", error={**error, "reference": reference} if reference is not None else error)


def message_item(named: str, text: str, status: str) -> Item:
    """A passage of text; without any text yet, without a part."""
    content = [text_part(text)] if text else []
    return {"id": named, "type": "message", "role": "assistant", "status": status, "content": content}


def text_part(text: str) -> Item:
    """The one part of a message."""
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}


def reasoning_item(named: str, text: str, status: str) -> Item:
    """A passage of thinking."""
    return {"id": named, "type": "reasoning", "status": status, "summary": [summary_part(text)] if text else []}


def summary_part(text: str) -> Item:
    """The one part of a reasoning item."""
    return {"type": "summary_text", "text": text}


def call_item(call_id: CallId, name: str, arguments: str, *, server: str) -> Item:
    """A call that the server runs."""
    return {
        "id": f"mcp_{call_id}",
        "type": "mcp_call",
        "name": name,
        "server_label": server,
        "arguments": arguments,
        "output": None,
        "error": None,
        "status": "in_progress",
    }


def settled_item(item: Item, outcome: ToolOutcome) -> Item:
    """A call and what came of it."""
    if outcome.is_error:
        error = {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": outcome.error}]}
        return {**item, "error": error, "status": "failed"}
    return {**item, "output": _content_text(outcome.content), "status": "completed"}


def question_item(pending: PendingInterrupt, token: str) -> Item:
    """A pause as a call that the client is to answer."""
    name, arguments = _asked(pending)
    return {
        "id": f"fc_{pending.interrupt_id}",
        "type": "function_call",
        "call_id": token,
        "name": name,
        "arguments": json_text(json_terms(arguments)),
        "status": "completed",
    }


def approval_item(pending: PendingInterrupt, token: str, server: str) -> Item:
    """A call that waits for leave."""
    return {
        "id": token,
        "type": "mcp_approval_request",
        "name": pending.request["name"],
        "arguments": json_text(json_terms(pending.request["arguments"])),
        "server_label": server,
    }


def _asked(pending: PendingInterrupt) -> tuple[str, Mapping[str, Any]]:
    match pending.kind:
        case PauseKind.FRONT_END:
            return pending.request["name"], pending.request["arguments"]
        case PauseKind.INTERRUPT:
            return "interrupt", {**pending.request, "response_schema": pending.response_schema}
        case _:
            return "ask_user", pending.request


def _content_text(content: Json) -> str:
    if content is None:
        return ""
    return whole_text(content) if isinstance(content, str) else json_text(json_terms(content))


def usage_json(usage: UsageDelta) -> Item | None:
    """Token counts by the client's names; None where none was reported, and null for each that was not."""
    if not usage.reported:
        return None
    total = count_or_none(usage, "total_tokens")
    if total is None and {"input_tokens", "output_tokens"} <= usage.reported:
        total = usage.input_tokens + usage.output_tokens
    return {
        "input_tokens": count_or_none(usage, "input_tokens"),
        "input_tokens_details": {
            "cached_tokens": count_or_none(usage, "cache_read_tokens"),
            "cache_write_tokens": count_or_none(usage, "cache_creation_tokens"),
        },
        "output_tokens": count_or_none(usage, "output_tokens"),
        "output_tokens_details": {"reasoning_tokens": count_or_none(usage, "reasoning_tokens")},
        "total_tokens": total,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response as it stands.

    Units: `created` and `completed` are UTC seconds.
    """

    named: ResponseId
    model: str
    created: int
    marks: Marks
    ended: Ended
    output: list[Item]
    usage: Item | None = None
    completed: int | None = None

    def json(self) -> Item:
        """The response as its clients know it."""
        named, marks, ended = self.named, self.marks, self.ended
        before = str(ResponseId(run_id=named.run_id, segment=named.segment - 1))
        told: Item = {
            "id": str(named),
            "object": "response",
            "created_at": self.created,
            "status": ended.status,
            "background": marks.background,
            "error": ended.error,
            "incomplete_details": None if ended.reason is None else {"reason": ended.reason},
            "instructions": None,
            "metadata": dict(marks.metadata),
            "model": self.model,
            "output": self.output,
            "parallel_tool_calls": True,
            "previous_response_id": marks.previous if named.segment == 1 else before,
            "store": marks.store,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "usage": self.usage,
        }
        return told if self.completed is None else {**told, "completed_at": self.completed}
