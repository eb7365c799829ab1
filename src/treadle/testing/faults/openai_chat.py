"""The OpenAI chat completions dialect.

In: steps, or a request's body. Out: bytes of events and bodies, or what was asked. Knows neither scenarios nor sockets.
A request is held to the rules a strict provider has: every call has exactly one result right after it, and arguments
are JSON objects.

Source: OpenAI API reference, chat completions and their stream chunks.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from treadle.testing.faults.dialect import Ask, BadAskError
from treadle.testing.faults.steps import (
    ABSENT,
    Calls,
    Chunk,
    Counts,
    Delta,
    Done,
    ErrorChunk,
    Finish,
    Fragment,
    RoleOnly,
    Speech,
    Status,
    Text,
    Think,
    Usage,
)

_Fields = dict[str, Any]


class OpenAIChat:
    """Chat completions, streamed and not."""

    name = "openai-chat"
    path = "/v1/chat/completions"

    def read(self, body: Mapping[str, Any]) -> Ask:
        """Read a request; see `Dialect.read`."""
        model, messages = body.get("model"), body.get("messages")
        if not isinstance(model, str):
            raise BadAskError(f"model must be a string, not {model!r}")
        if not isinstance(messages, list) or not messages:
            raise BadAskError("messages must be a list of one message or more")
        _hold_to_pairing(messages)
        roles = [message["role"] for message in messages]
        last_user = max((at for at, role in enumerate(roles) if role == "user"), default=-1)
        options = body.get("stream_options") or {}
        streamed = bool(body.get("stream"))
        return Ask(
            scenario=model,
            round_at=roles[last_user + 1 :].count("assistant"),
            streamed=streamed,
            wants_usage=not streamed or bool(options.get("include_usage")),
        )

    def encode(self, step: Speech, ask: Ask) -> bytes:
        """One step as one event; see `Dialect.encode`."""
        match step:
            case Done():
                return b"data: [DONE]\n\n"
            case Usage() if not ask.wants_usage:
                return b""
            case ErrorChunk(shape="object" | "string"):
                return _event({"error": _error(step)})
            case _:
                return _event(_envelope(ask, "chat.completion.chunk") | _chunk(step))

    def whole(self, steps: Sequence[Speech], ask: Ask) -> bytes:
        """All steps as one completion; see `Dialect.whole`."""
        message: _Fields = {"role": "assistant", "content": None}
        reason, usage = "stop", None
        for step in steps:
            match step:
                case Text(text=text):
                    message["content"] = (message["content"] or "") + text
                case Think(text=text, key=key):
                    message[key] = message.get(key, "") + text
                case Calls(fragments=fragments):
                    _gather(message.setdefault("tool_calls", []), fragments)
                case Usage(counts=counts):
                    usage = _usage(counts)
                case Finish(reason=said, usage=with_finish):
                    reason, usage = said, _usage(with_finish) or usage
                case ErrorChunk():
                    return _json({"error": _error(step)})
                case RoleOnly() | Delta() | Chunk() | Done():
                    pass
                case _:
                    assert_never(step)
        choice = {"index": 0, "message": message, "finish_reason": reason}
        told = {"usage": usage} if usage else {}
        return _json(_envelope(ask, "chat.completion") | {"choices": [choice]} | told)

    def refusal(self, status: Status) -> bytes:
        """The body of an HTTP error; see `Dialect.refusal`."""
        return _json({"error": {"message": status.message, "type": status.kind, "param": None, "code": None}})

    def models(self, names: Sequence[str]) -> bytes:
        """The list of models; see `Dialect.models`."""
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "faults"} for name in names]
        return _json({"object": "list", "data": data})


def _envelope(ask: Ask, kind: str) -> _Fields:
    return {"id": "chatcmpl-fault", "object": kind, "created": 0, "model": ask.scenario}


def _chunk(step: RoleOnly | Text | Think | Calls | Delta | Chunk | Usage | Finish | ErrorChunk) -> _Fields:
    """The fields of a chunk beside its envelope."""
    match step:
        case RoleOnly() | Think() | Calls() | Delta():
            return _choice(_delta(step))
        case Text(text=text, usage=counts):
            return _choice({"content": text}) | _told(counts)
        case Chunk(fields=fields):
            return dict(fields)
        case Usage(counts=counts, choices="none"):
            return {"choices": []} | _told(counts)
        case Usage(counts=counts):
            return _choice({}) | _told(counts)
        case Finish(reason=reason, usage=counts):
            return _choice({}, reason) | _told(counts)
        case ErrorChunk():
            return _choice({"content": ""}, "error") | {"error": _error(step)}
        case _:
            assert_never(step)


def _delta(step: RoleOnly | Think | Calls | Delta) -> _Fields:
    match step:
        case RoleOnly():
            return {"role": "assistant", "content": ""}
        case Think(text=text, key=key):
            return {key: text}
        case Calls(fragments=fragments):
            return {"tool_calls": [_fragment(fragment) for fragment in fragments]}
        case Delta(fields=fields):
            return dict(fields)
        case _:
            assert_never(step)


def _choice(delta: _Fields, reason: str | None = None) -> _Fields:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _fragment(fragment: Fragment) -> _Fields:
    fields: _Fields = {}
    if fragment.index is not ABSENT:
        fields["index"] = fragment.index
    if fragment.call_id is not ABSENT:
        fields["id"] = fragment.call_id
    function: _Fields = {}
    if fragment.name is not ABSENT:
        fields["type"] = "function"
        function["name"] = fragment.name
    if fragment.arguments is not ABSENT:
        function["arguments"] = fragment.arguments
    return fields | ({"function": function} if function else {})


def _gather(gathered: list[_Fields], fragments: Sequence[Fragment]) -> None:
    """Join pieces of calls: a name opens a call, anything else goes to the last one."""
    for fragment in fragments:
        if isinstance(fragment.name, str) or not gathered:
            gathered.append({"id": "", "type": "function", "function": {"name": fragment.name or "", "arguments": ""}})
        last = gathered[-1]
        if isinstance(fragment.call_id, str):
            last["id"] = fragment.call_id
        if isinstance(fragment.arguments, str):
            last["function"]["arguments"] += fragment.arguments


def _told(counts: Counts | None) -> _Fields:
    usage = _usage(counts)
    return {"usage": usage} if usage else {}


def _usage(counts: Counts | None) -> _Fields | None:
    if counts is None:
        return None
    flat = {
        "prompt_tokens": counts.input_tokens,
        "completion_tokens": counts.output_tokens,
        "total_tokens": counts.total_tokens,
    }
    usage: _Fields = {name: count for name, count in flat.items() if count is not None}
    if counts.cache_read_tokens is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": counts.cache_read_tokens}
    if counts.reasoning_tokens is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": counts.reasoning_tokens}
    return usage


def _error(step: ErrorChunk) -> str | _Fields:
    if step.shape == "string":
        return step.message
    return {"message": step.message, "type": step.kind, "param": None, "code": step.code}


def _event(fields: _Fields) -> bytes:
    return b"data: " + _json(fields) + b"\n\n"


def _json(fields: _Fields) -> bytes:
    """Compact JSON with raw UTF-8; escapes where the text holds half a surrogate pair."""
    try:
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(fields, separators=(",", ":")).encode()


def _hold_to_pairing(messages: Sequence[Any]) -> None:
    """Refuse a transcript in which calls and results do not pair."""
    open_ids: list[str] = []
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise BadAskError(f"messages[{at}] must be an object with a role")
        if message["role"] == "tool":
            call_id = message.get("tool_call_id")
            if call_id not in open_ids:
                raise BadAskError(f"messages[{at}] answers {call_id!r}, open are {open_ids!r}")
            open_ids.remove(call_id)
            continue
        if open_ids:
            raise BadAskError(f"messages[{at}] comes before the results of {open_ids!r}")
        open_ids = _call_ids(message, at)
    if open_ids:
        raise BadAskError(f"no results for {open_ids!r}")


def _call_ids(message: Mapping[str, Any], at: int) -> list[str]:
    call_ids: list[str] = []
    for asked in message.get("tool_calls") or ():
        call_id, function = asked.get("id"), asked.get("function") or {}
        if not isinstance(call_id, str) or not call_id or call_id in call_ids:
            raise BadAskError(f"messages[{at}] has a call without an id of its own: {call_id!r}")
        if not isinstance(function.get("name"), str) or not function["name"]:
            raise BadAskError(f"messages[{at}] has a call without a name")
        try:
            arguments = json.loads(function.get("arguments", ""))
        except (TypeError, ValueError):
            arguments = None
        if not isinstance(arguments, dict):
            raise BadAskError(f"messages[{at}] has arguments that are no JSON object: {function.get('arguments')!r}")
        call_ids.append(call_id)
    return call_ids
