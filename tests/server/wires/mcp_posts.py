"""Messages of an MCP client to a server in process, in both eras: shared by the tests of this mount."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from tests.projections.mcp.calls import text_of
from tests.server.calls import JSON, Call, ask
from treadle.app.server import Server
from treadle.projections.mcp.wire import CLIENT_CAPABILITIES, MODERN, PROTOCOL_VERSION

Header: TypeAlias = tuple[str, str]
Terms: TypeAlias = dict[str, Any]
FORMS: Terms = {"elicitation": {"form": {}, "url": {}}}


def messages_of(call: Call) -> list[Terms]:
    """The messages of an answer by now, of a stream or of one body."""
    if call.headers.get("content-type", "").startswith("text/event-stream"):
        assert all(event.event == "message" for event in call.events)
        return [json.loads(event.data) for event in call.events if event.data]
    return [call.json] if call.body else []


def result_of(call: Call) -> Terms:
    """The result that ends a call."""
    result: Terms = messages_of(call)[-1]["result"]
    return result


def error_of(call: Call) -> tuple[int, int, str | None]:
    """Its status, the code of JSON-RPC, and ours."""
    error = messages_of(call)[-1]["error"]
    return call.status, error["code"], error.get("data", {}).get("code")


def text(call: Call) -> str:
    """The text of the result that ends a call."""
    return text_of(result_of(call))


def words(call: Call) -> list[str]:
    """The words of progress."""
    return [one["params"]["message"] for one in messages_of(call) if one.get("method") == "notifications/progress"]


def tool_call(prompt: str = "hi", *, name: str = "a", token: str | None = "p", meta: Any = None, **more: Any) -> Terms:  # noqa: ANN401 (any JSON)
    """The parameters of a call."""
    said = {**({} if token is None else {"progressToken": token}), **(meta or {})}
    return {"name": name, "arguments": {"prompt": prompt}, **({"_meta": said} if said else {}), **more}


class Modern:
    """A client of the version in which each request stands alone."""

    def __init__(
        self, server: Server, *headers: Header, agent: str = "a", capabilities: Terms = FORMS, mount: str = "/mcp"
    ) -> None:
        self._server = server
        self._headers = headers
        self._path = f"{mount}/{agent}"
        self._capabilities = capabilities
        self._number = 0

    def call(self, method: str = "tools/call", params: Terms | None = None, *headers: Header) -> Call:
        """A request, which is answered as far as its block lets it."""
        self._number += 1
        given = tool_call() if params is None and method == "tools/call" else (params or {})
        meta = {PROTOCOL_VERSION: MODERN, CLIENT_CAPABILITIES: self._capabilities, **given.get("_meta", {})}
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": {**given, "_meta": meta}}
        routing = [("mcp-protocol-version", MODERN), ("mcp-method", method)]
        if "name" in given:
            routing.append(("mcp-name", given["name"]))
        said = (JSON, *routing, *self._headers, *headers)
        return Call(self._server.asgi, "POST", self._path, *said, body=body)

    async def ask(self, method: str = "tools/call", params: Terms | None = None, *headers: Header) -> Call:
        """A request, and its whole answer."""
        async with self.call(method, params, *headers) as call:
            return await call.over()

    async def answer(self, paused: Call, *contents: Any, state: str | None = None, **more: Any) -> Call:  # noqa: ANN401 (any JSON)
        """The same call again, with what its user said: a form that was filled in, or an action."""
        asked = result_of(paused)
        responses = {
            name: {"action": said} if isinstance(said, str) else {"action": "accept", "content": said}
            for name, said in zip(asked["inputRequests"], contents, strict=False)
        }
        given = {"requestState": state or asked["requestState"], "inputResponses": responses, **more}
        return await self.ask(params=tool_call(**given))


class Session:
    """A client of the versions with sessions."""

    def __init__(self, server: Server, *headers: Header, agent: str = "a", mount: str = "/mcp") -> None:
        self._server = server
        self._headers = headers
        self._path = f"{mount}/{agent}"
        self.name = ""
        self.version = ""

    async def open(self, version: str = "2025-11-25", capabilities: Terms = FORMS) -> Call:
        """Begin a session."""
        params = {"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}}
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
        opened = await ask(self._server.asgi, "POST", self._path, JSON, *self._headers, body=body)
        if opened.status == 200:
            self.name = opened.headers["mcp-session-id"]
            self.version = result_of(opened)["protocolVersion"]
            assert (await self.tell("notifications/initialized")).status == 202
        return opened

    def sent(self, message: Terms, *headers: Header) -> Call:
        """Any message of the session."""
        said = [JSON, *self._headers, ("mcp-session-id", self.name), ("mcp-protocol-version", self.version), *headers]
        return Call(self._server.asgi, "POST", self._path, *said, body={"jsonrpc": "2.0", **message})

    def call(self, params: Terms | None = None, *headers: Header, number: int | str = 1) -> Call:
        """A call, which is answered as far as its block lets it."""
        return self.sent({"id": number, "method": "tools/call", "params": params or tool_call()}, *headers)

    async def ask(self, message: Terms, *headers: Header) -> Call:
        """A message, and its whole answer."""
        async with self.sent(message, *headers) as call:
            return await call.over()

    async def tell(self, method: str, **params: Any) -> Call:  # noqa: ANN401 (any JSON)
        """A notification."""
        return await self.ask({"method": method, "params": params})

    async def reply(self, call: Call, said: Any, *, at: int = -1) -> Call:  # noqa: ANN401 (any JSON)
        """What a user says to what is asked on a stream: a form that was filled in, an action; None is an error."""
        asked = [one for one in messages_of(call) if one.get("method") == "elicitation/create"][at]
        if said is None:
            return await self.ask({"id": asked["id"], "error": {"code": -32600, "message": "no"}})
        result = {"action": said} if isinstance(said, str) else {"action": "accept", "content": said}
        return await self.ask({"id": asked["id"], "result": result})

    def back(self, last: str, *headers: Header) -> Call:
        """Come back to the stream of a call."""
        said = (*self._headers, ("mcp-session-id", self.name), ("last-event-id", last), *headers)
        return Call(self._server.asgi, "GET", self._path, *said)

    async def end(self) -> Call:
        """End the session."""
        return await ask(self._server.asgi, "DELETE", self._path, *self._headers, ("mcp-session-id", self.name))


def has_asked(call: Call) -> bool:
    """Whether something was asked on a stream by now."""
    return b"elicitation/create" in call.body
