"""Connections as a server hands them over: shared by the tests of access."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treadle.server.access.principal import Principal
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import RunState, RunStatus

ALICE = Principal(name="alice", scope="acme")
BOB = Principal(name="bob", scope="globex")
RUN = RunId("r_1")

Headers = Sequence[tuple[str, str]]


def scope_of(
    headers: Headers = (),
    *,
    query: str = "",
    method: str = "GET",
    kind: str = "http",
    client: tuple[str, int] | None = ("127.0.0.1", 40000),
) -> Scope:
    """The scope of a request, as ASGI has it."""
    return {
        "type": kind,
        "method": method,
        "path": "/v1/runs",
        "query_string": query.encode(),
        "headers": [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers],
        "client": client,
        "server": ("127.0.0.1", 8000),
    }


def connection(
    *headers: tuple[str, str], query: str = "", client: tuple[str, int] | None = ("127.0.0.1", 40000)
) -> HTTPConnection:
    """A connection with these headers."""
    return HTTPConnection(scope_of(headers, query=query, client=client))


def posted(pieces: Iterable[bytes], *headers: tuple[str, str]) -> Request:
    """A request whose body arrives in these pieces."""
    left = list(pieces)

    async def receive() -> Message:
        piece = left.pop(0) if left else b""
        return {"type": "http.request", "body": piece, "more_body": bool(left)}

    return Request(scope_of(headers, method="POST"), receive)


def run_of(principal: Principal, *, run_id: RunId = RUN, next_index: int = 0) -> RunState:
    """A run of this principal, as a store knows it."""
    return RunState(
        run_id=run_id,
        scope=principal.scope,
        thread_id=ThreadId("t_1"),
        agent="a",
        status=RunStatus.OWNED,
        epoch=1,
        next_seq=next_index,
        next_index=next_index,
        created_s=1.0,
        changed_s=1.0,
    )


async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 (the form of an application)
    """An application that answers everything with 204."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def asked(asked_app: ASGIApp, scope: Scope) -> tuple[int, dict[str, str], Any]:
    """What an application answers: status, headers, and the body as JSON where there is one."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await asked_app(scope, receive, send)
    if sent[0]["type"] == "websocket.close":
        return sent[0]["code"], {}, sent[0]["reason"]
    headers = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    body = b"".join(message.get("body", b"") for message in sent[1:])
    is_json = headers.get("content-type", "").startswith("application/json")
    return sent[0]["status"], headers, json.loads(body) if is_json else body
