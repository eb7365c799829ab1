"""What clients of MCP send, to what is asked here.

In: bytes. Out: a request, a notification or a reply, and the typed parameters of the methods there are; or a fault. An
id comes back as it came, type and all. What a client sends as names grants nothing.

Source: JSON-RPC 2.0; docs/protocols/mcp.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import msgspec

from treadle.codec.foreign import json_text, json_value
from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.forms import Action, Elicited
from treadle.values.mappings import EMPTY, Json

LONGEST_ID: Final = 1_024
"""Characters of an id or a progress token, as JSON."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request: it is owed one answer."""

    id_json: str
    method: str
    params: Mapping[str, Json]

    @property
    def meta(self) -> Mapping[str, Json]:
        """What its envelope says."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, Mapping) else EMPTY


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """Something that is told, and not answered."""

    method: str
    params: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer of a client to a request of this side. `result` is None where it says that it could not answer."""

    request_id: str
    result: Mapping[str, Json] | None


def message_in(body: bytes) -> Request | Notification | Reply:
    """The message that a body holds.

    Raises:
        McpFaultError: It holds none, or more than one.
    """
    try:
        said = json_value(json.loads(body))
    except (ValueError, RecursionError) as wrong:
        raise McpFaultError(Fault.PARSE, "the body is no JSON in UTF-8") from wrong
    if not isinstance(said, Mapping):
        kind = "a batch: send each message by itself" if isinstance(said, list | tuple) else "something else"
        raise _invalid(f"expected one message, an object, came {kind}")
    if said.get("jsonrpc") != "2.0":
        raise _invalid("expected 'jsonrpc': '2.0'")
    if "method" not in said:
        return _reply(said)
    method, params = said["method"], said.get("params")
    if not isinstance(method, str):
        raise _invalid("expected 'method' to be text")
    if params is not None and not isinstance(params, Mapping):
        raise _invalid("expected 'params' to be an object")
    if "id" not in said:
        return Notification(method=method, params=params or EMPTY)
    return Request(id_json=id_json_of(said["id"]), method=method, params=params or EMPTY)


def _reply(said: Mapping[str, Json]) -> Reply:
    request_id, result = said.get("id"), said.get("result")
    if ("result" in said) == ("error" in said):
        raise _invalid("expected 'method', or one of 'result' and 'error'")
    if not isinstance(request_id, str) or ("result" in said and not isinstance(result, Mapping)):
        raise _invalid("expected the 'id' of a request of this side, and an object as its 'result'")
    return Reply(request_id=request_id, result=result)


def id_json_of(given: Json) -> str:
    """The JSON of an id.

    Raises:
        McpFaultError: It is none.
    """
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise _invalid("expected 'id' to be text or an integer")
    if len(made := json_text(given)) > LONGEST_ID:
        raise _invalid(f"expected an 'id' of at most {LONGEST_ID} characters")
    return made


def _invalid(text: str) -> McpFaultError:
    return McpFaultError(Fault.INVALID_REQUEST, text)


# The parameters of methods.


class Initialize(msgspec.Struct, frozen=True, kw_only=True):
    """How a session is opened."""

    protocolVersion: str  # noqa: N815 (their word)
    capabilities: dict[str, Any] = {}


class CallTool(msgspec.Struct, frozen=True, kw_only=True):
    """A call of a tool: a new one, or one that is made again with what was asked for."""

    name: str
    arguments: dict[str, Any] | None = None
    inputResponses: dict[str, Any] | None = None  # noqa: N815 (their word)
    requestState: str | None = None  # noqa: N815 (their word)


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """A request that is not waited for any more."""

    requestId: str | int  # noqa: N815 (their word)
    reason: str | None = None


class _ElicitResult(msgspec.Struct, frozen=True, kw_only=True):
    action: Action
    content: dict[str, Any] | None = None


class AgentArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an agent is asked, as the arguments of its tool."""

    prompt: str
    thread_id: str | None = None


def params_of(params: Mapping[str, Json], kind: type[_T]) -> _T:
    """The parameters of a method, typed.

    Raises:
        McpFaultError: They are none; it says which part.
    """
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as wrong:
        raise McpFaultError(Fault.INVALID_PARAMS, str(wrong)) from wrong


def arguments_of(arguments: Mapping[str, Json] | None) -> AgentArguments:
    """What an agent is asked.

    Raises:
        ValueError: It is nothing that could be asked. The message is for the model that made the call.
    """
    try:
        asked = msgspec.convert(arguments or {}, AgentArguments)
    except msgspec.ValidationError as wrong:
        raise ValueError(str(wrong)) from wrong
    if not asked.prompt.strip():
        raise ValueError("expected 'prompt' to hold text")
    return asked


def elicited(result: Json) -> Elicited:
    """What came back for one form.

    Raises:
        McpFaultError: It is no such answer.
    """
    said = params_of(result if isinstance(result, Mapping) else {}, _ElicitResult)
    return Elicited(action=said.action, content=said.content or {})


def progress_token(request: Request) -> str | None:
    """The token that notifications of progress are to bear, as JSON; None where none are wanted.

    Raises:
        McpFaultError: It is none that there could be.
    """
    token = request.meta.get("progressToken")
    if token is None:
        return None
    if isinstance(token, bool) or not isinstance(token, str | int) or len(made := json_text(token)) > LONGEST_ID:
        said = f"expected 'progressToken' to be text or an integer, of at most {LONGEST_ID} characters"
        raise McpFaultError(Fault.INVALID_PARAMS, said)
    return made


def may_be_asked(capabilities: Json) -> bool:
    """Whether a client of these capabilities shows forms: one that says nothing of how it asks does."""
    elicitation = capabilities.get("elicitation") if isinstance(capabilities, Mapping) else None
    return isinstance(elicitation, Mapping) and (not elicitation or "form" in elicitation)
