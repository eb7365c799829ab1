"""A refusal before the status line says nothing of what is inside: of an agent, a store, credentials, a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pytest
from starlette.requests import HTTPConnection

from tests.runtime.stores import LoopClock, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.wires.a2a.agents_asked import NEW, message
from tests.server.wires.agui_posts import HI, body
from tests.server.wires.canaries import CANARIES, all_of, leaking
from tests.server.wires.mcp_posts import tool_call
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.mounts import WIRES
from treadle.app.server import Server
from treadle.errors import RunLogError, UnauthenticatedError
from treadle.projections.mcp.wire import CLIENT_CAPABILITIES, MODERN, PROTOCOL_VERSION
from treadle.server.access import Action, Principal

SERVER_WORDS = ("canary_store_5b1f", "canary_access_5b1f", "canary_wrong_key_5b1f")
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
CALLED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": tool_call(meta={PROTOCOL_VERSION: MODERN, CLIENT_CAPABILITIES: {}}),
}
REQUESTS: Final[Mapping[str, tuple[tuple[Any, ...], ...]]] = {
    "agui": (("POST", "/agui/a", body(HI), JSON),),
    "vercel": (
        (
            "POST",
            "/vercel/a",
            {"id": "c", "messages": [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "hi"}]}]},
            JSON,
        ),
        ("GET", "/vercel/a/c/stream", {}, JSON),
        ("POST", "/vercel/a/c/stop", {}, JSON),
    ),
    "openai": (
        ("POST", "/openai/v1/chat/completions", {"model": "a", "messages": [{"role": "user", "content": "hi"}]}, JSON),
        ("POST", "/openai/v1/responses", {"model": "a", "input": "hi"}, JSON),
        ("GET", "/openai/v1/responses/resp_r_1.s1", {}, JSON),
        ("POST", "/openai/v1/responses/resp_r_1.s1/cancel", {}, JSON),
    ),
    "a2a": (
        ("POST", "/a2a/a", {"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": message()}, NEW),
        ("POST", "/a2a/a/message:send", message(), NEW),
        ("GET", "/a2a/a/tasks/r_1", {}, NEW),
        ("GET", "/a2a/a/tasks", {}, NEW),
    ),
    "mcp": (
        ("POST", "/mcp/a", INITIALIZE, JSON),
        ("POST", "/mcp/a", CALLED, ("mcp-protocol-version", MODERN), ("mcp-method", "tools/call"), ("mcp-name", "a")),
        ("GET", "/mcp/a", {}, ("mcp-session-id", "none")),
    ),
}


class Broken:
    """A store that is there, and does nothing but fail in its own words."""

    def __init__(self, failure: type[Exception]) -> None:
        self._inner = MemoryStore(LoopClock())
        self._failure = failure
        self.is_broken = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (any method of the ports)
        method = getattr(self._inner, name)

        async def asked(*args: Any, **more: Any) -> Any:  # noqa: ANN401 (any arguments)
            if self.is_broken:
                raise self._failure(f"postgres://u:{SERVER_WORDS[0]}@h/runs")
            return await method(*args, **more)

        return asked


async def access(connection: HTTPConnection) -> Principal:
    """Whom it lets in, and what it breaks at."""
    said = connection.headers.get("x-api-key", "")
    if said == "break":
        raise RuntimeError(f"ldap://{SERVER_WORDS[1]}")
    if said:
        raise UnauthenticatedError("the key is none that was given out")
    return Principal(name="ann", scope="acme", may=list(Action))


@pytest.mark.requirement("WIRES-refusals", "ACCESS-secrets")
@pytest.mark.parametrize("failure", [RuntimeError, RunLogError])
@pytest.mark.parametrize("wire", WIRES)
def test_a_refusal_before_the_status_line_says_nothing_of_what_is_inside(wire: str, failure: type[Exception]) -> None:
    """Promise: nothing leaks: a store that fails, an access that fails, a wrong key, a body that is none."""

    @virtually
    async def tried() -> None:
        store = Broken(failure)
        calls: list[Call] = []
        async with Server([leaking()], store=store, access=access) as server:
            for method, path, said, *headers in REQUESTS[wire]:
                nobody = path.replace(f"/{wire}/a", f"/{wire}/nobody") if wire != "openai" else f"{path}/nobody"
                refused = [
                    (path, said, [("x-api-key", "break")]),
                    (path, said, [("x-api-key", SERVER_WORDS[2])]),
                    (path, b'{"a":', []),
                    (nobody, said, []),
                ]
                for target, sent, key in refused:
                    calls.append(await ask(server.asgi, method, target, JSON, *headers, *key, body=sent))
                store.is_broken = True
                calls.append(await ask(server.asgi, method, path, JSON, *headers, body=said))
                store.is_broken = False
        assert any(call.status >= 500 for call in calls)
        said_in_all = all_of(calls)
        assert [one for one in (*CANARIES, *SERVER_WORDS) if one in said_in_all] == []

    tried()
