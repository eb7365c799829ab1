"""The routes as an OpenAPI document, for people who write clients and for programs that try every route.

In: the table of routes. Out: JSON terms. A test holds that every route is said, another one that what is said is true.

Source: the OpenAPI Specification, 3.1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from treadle._version import __version__
from treadle.codec.foreign import json_text
from treadle.projections.plain.wire import KINDS, Integers
from treadle.runtime.answer_check import LONGEST_REASON
from treadle.runtime.answering import MOST_ANSWERS
from treadle.runtime.watching import Unit
from treadle.server.negotiation import MAX_NAME_CHARS
from treadle.server.operations import OPERATIONS, Operation
from treadle.server.routes import ROUTES, Route
from treadle.server.start_request import NAME_PATTERN, ON_DISCONNECT_PATTERN
from treadle.values.pauses import Decision, OnExpiry, PauseKind
from treadle.values.runs import OnBusyThread, RunStatus

Terms = dict[str, Any]

_TEXT: Final[Terms] = {"type": "string"}
_COUNT: Final[Terms] = {"type": "integer", "minimum": 0}
_SECONDS: Final[Terms] = {"type": "number", "description": "UTC seconds"}
_NAME: Final[Terms] = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARS, "pattern": NAME_PATTERN}


def document(*, root_path: str, agents: Collection[str]) -> Terms:
    """The document of a server that serves these agents below this path."""
    paths: dict[str, Terms] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, OPERATIONS[route.name])
    for path, operation in _OPEN.items():
        paths[path] = {"get": operation}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Treadle", "version": __version__, "description": "Runs of agents: started, read, stopped."},
        "servers": [{"url": root_path or "/"}],
        "security": [{"bearer": []}, {"key": []}, {}],
        "paths": paths,
        "components": {
            "schemas": {**_SCHEMAS, "Start": _start(agents)},
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
            },
        },
    }


def _operation(route: Route, said: Operation) -> Terms:
    made: Terms = {
        "operationId": route.name,
        "summary": said.summary,
        "parameters": [*_in_path(route.path), *(_PARAMETERS[name] for name in said.parameters)],
        "responses": {
            **{str(status): _response(*told) for status, told in said.answers.items()},
            "default": _response("Refused. Nothing was changed.", {"application/json": "Error"}),
        },
    }
    if said.body is not None:
        content = {"application/json": {"schema": _named(said.body)}}
        made["requestBody"] = {"required": said.body_required, "content": content}
    return made


def _response(told: str, content: Mapping[str, str | None]) -> Terms:
    made: Terms = {"description": told}
    if content:
        made["content"] = {kind: {"schema": _named(schema) if schema else _TEXT} for kind, schema in content.items()}
    return made


def _in_path(path: str) -> list[Terms]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": _TEXT} for name in names]


def _named(schema: str) -> Terms:
    return {"$ref": f"#/components/schemas/{schema}"}


def _object(*optional: str, **properties: Terms) -> Terms:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _or_null(schema: Terms) -> Terms:
    return {"anyOf": [schema, {"type": "null"}]}


def _in_query(name: str, schema: Terms, told: str) -> Terms:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": told}


def _word(words: Any) -> Terms:  # noqa: ANN401 (any closed set of words)
    return {"type": "string", "enum": [word.value for word in words]}


def _start(agents: Collection[str]) -> Terms:
    made = _object(
        "thread_id",
        "key",
        "on_disconnect",
        "on_busy",
        agent={"type": "string", "enum": list(agents)},
        prompt={"type": "string", "pattern": r"\S"},
        thread_id=_or_null(_NAME),
        key=_or_null(_NAME),
        on_disconnect={"type": "string", "pattern": ON_DISCONNECT_PATTERN, "default": "continue"},
        on_busy={**_word(OnBusyThread), "default": OnBusyThread.REJECT.value},
    )
    return {**made, "description": f"What is asked of whom. One of the agents {json_text(list(agents))}."}


_PARAMETERS: Final[Mapping[str, Terms]] = {
    "after": _in_query("after", _TEXT, "Only the events behind this cursor. `Last-Event-ID` does the same."),
    "last_event_id": {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "schema": _TEXT,
        "description": "Only the events behind this cursor. It goes before `after`.",
    },
    "follow": _in_query("follow", _word(Unit), "Whether a pause ends the stream too; `segment` without this."),
    "integers": _in_query("integers", _word(Integers), "How integers beyond 2^53 are said; `exact` without this."),
    "thread_id": _in_query("thread_id", _TEXT, "Of this thread alone."),
    "state": _in_query("state", _word(RunStatus), "In this state alone."),
    "before": _in_query("before", _TEXT, "Older than this run: `next_before` of the page before."),
    "limit": _in_query("limit", {"type": "integer", "minimum": 1, "maximum": 500}, "How many at most."),
    "facts_only": _in_query("facts_only", {"type": "boolean"}, "Only what was remembered and never shown."),
    "ticket": _in_query("ticket", _TEXT, "In place of a header: opens this run once."),
}

_USAGE: Final = _object(
    **{
        name: _or_null(_COUNT)
        for name in (
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "cache_read_tokens",
            "cache_creation_tokens",
            "reasoning_tokens",
        )
    },
    cache_ttl=_or_null(_TEXT),
    unmeasured_rounds=_COUNT,
)

_SCHEMAS: Final[Mapping[str, Terms]] = {
    "Error": {
        **_object(
            "pointer",
            "reset_to",
            "problems",
            "taken",
            code=_TEXT,
            message=_TEXT,
            reference=_TEXT,
            pointer=_TEXT,
            reset_to=_TEXT,
            problems={
                "type": "array",
                "items": _object(position=_or_null(_COUNT), interrupt_id=_or_null(_TEXT), problem=_TEXT),
            },
            taken={"type": "array", "items": _TEXT},
        ),
        "description": "`code` is stable; `reference` finds the line in the operator's log.",
    },
    "Started": _object(run_id=_TEXT, thread_id=_TEXT, state=_word(RunStatus)),
    "State": _object(
        run_id=_TEXT,
        thread_id=_TEXT,
        agent=_TEXT,
        state=_word(RunStatus),
        events=_COUNT,
        created_s=_SECONDS,
        changed_s=_SECONDS,
    ),
    "Runs": _object(runs={"type": "array", "items": _named("State")}, next_before=_or_null(_TEXT)),
    "Run": _object(
        run_id=_TEXT,
        thread_id=_TEXT,
        agent=_TEXT,
        state=_word(RunStatus),
        prompt=_TEXT,
        text=_TEXT,
        answer=_TEXT,
        output={},
        usage=_USAGE,
        duration_ms=_or_null({"type": "number", "minimum": 0}),
        pending={"type": "array", "items": {"type": "object"}},
        error_code=_or_null(_TEXT),
        events=_COUNT,
        cursor=_or_null({"type": "string", "description": "Stands on the last event that is in this answer."}),
        created_s=_SECONDS,
        changed_s=_SECONDS,
    ),
    "Thread": _object(thread_id=_TEXT, live_run_id=_or_null(_TEXT), runs={"type": "array", "items": _named("Run")}),
    "Cancel": _object("reason", reason=_or_null({"type": "string", "maxLength": MAX_NAME_CHARS})),
    "CancelTaken": _object(
        run_id=_TEXT,
        state=_word(RunStatus),
        accepted={"type": "boolean", "description": "False where it was asked before, or the run is final."},
    ),
    "Pauses": _object(
        pauses={
            "type": "array",
            "items": _object(
                interrupt_id=_TEXT,
                kind=_word(PauseKind),
                call_id=_TEXT,
                request={"type": "object"},
                response_schema={"type": "object"},
                expires_at=_or_null(_SECONDS),
                on_expiry=_word(OnExpiry),
                token={"type": "string", "description": "Goes back with the answer. It is derived anew each time."},
            ),
        }
    ),
    "Answers": _object(
        answers={
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_ANSWERS,
            "items": _object(
                "arguments",
                "value",
                "reason",
                interrupt_id=_TEXT,
                token=_TEXT,
                decision=_word(Decision),
                arguments={"anyOf": [{"type": "object"}, {"type": "null"}], "description": "With `edit` alone."},
                value={"description": "With `answer` alone."},
                reason=_or_null({"type": "string", "minLength": 1, "maxLength": LONGEST_REASON}),
            ),
        }
    ),
    "AnswersTaken": _object(
        run_id=_TEXT, taken={"type": "array", "items": _TEXT}, open={"type": "array", "items": _TEXT}
    ),
    "Ticket": _object(ticket=_TEXT, expires_in_s={"type": "number"}),
    "Agents": _object(agents={"type": "array", "items": _object(name=_TEXT)}),
    "Event": {
        "type": "object",
        "description": "One kernel event. In NDJSON it has its `cursor`; in an event stream that is the `id`.",
        "properties": {"kind": {"type": "string", "enum": list(KINDS)}, "index": _COUNT, "run_id": _TEXT},
        "required": ["kind", "index", "run_id"],
    },
    "StreamEvent": {
        **_object(
            "retry",
            id={"type": "string", "pattern": "^[0-9]+:[0-9]+$", "description": "The cursor."},
            event={"type": "string", "enum": list(KINDS)},
            data={"type": "string", "contentMediaType": "application/json", "description": "An `Event`, on one line."},
            retry=_COUNT,
        ),
        "description": "One event of a stream; comments stand between them.",
    },
    "Health": _object(status={"type": "string", "enum": ["ok", "stopping"]}),
}

_OPEN: Final[Mapping[str, Terms]] = {
    "/healthz": {
        "operationId": "healthz",
        "summary": "Whether the server lives.",
        "security": [],
        "responses": {"200": _response("It does.", {"application/json": "Health"})},
    },
    "/readyz": {
        "operationId": "readyz",
        "summary": "Whether the server takes new work.",
        "security": [],
        "responses": {
            "200": _response("It does.", {"application/json": "Health"}),
            "503": _response("It is about to stop.", {"application/json": "Health"}),
        },
    },
    "/openapi.json": {
        "operationId": "openapi",
        "summary": "This document.",
        "security": [],
        "responses": {"200": {"description": "It.", "content": {"application/json": {"schema": {"type": "object"}}}}},
    },
}
