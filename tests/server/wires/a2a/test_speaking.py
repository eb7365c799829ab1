"""How a request is spoken: versions and extensions, from wherever a client says them."""

from __future__ import annotations

import json

import pytest
from starlette.requests import Request

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import JSON, ask
from tests.server.wires.a2a.agents_asked import NEW, OLD, message, old_message
from treadle.app.server import Server
from treadle.projections.a2a.wire import EXTENSION, Shape
from treadle.server.mounting import Mount
from treadle.server.wires.a2a.speaking import shape_said, version_said
from treadle.values.exposure import UI


def request(query: str = "", **headers: str) -> Request:
    """A request with these headers."""
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "query_string": query.encode(), "headers": given})


def test_a_header_says_the_version_and_else_the_query() -> None:
    """A2A 1.0, versioning: a header, or a parameter of the request."""
    assert version_said(request()) is None
    assert version_said(request("A2A-Version=1.0")) == "1.0"
    assert version_said(request("A2A-Version=1.0", a2a_version="0.3")) == "0.3"
    assert shape_said(request(a2a_version="1.0")) is Shape.V1_0


@pytest.mark.requirement("A2A-details")
@pytest.mark.parametrize(
    ("version", "header", "asks"),
    [
        (NEW, ("a2a-extensions", EXTENSION), True),
        (NEW, ("a2a-extensions", f"urn:other, {EXTENSION}"), True),
        (OLD, ("x-a2a-extensions", EXTENSION), True),
        (NEW, ("a2a-extensions", "urn:other"), False),
    ],
)
@virtually
async def test_details_are_told_where_the_extension_was_named_and_the_answer_says_so(
    version: tuple[str, str],
    header: tuple[str, str],
    asks: bool,  # noqa: FBT001 (a column of a table)
) -> None:
    """A2A 1.0 and 0.3, extensions: a header of either spelling; what is active comes back."""
    agent = scripted('call: add {"a": 1, "b": 2}\n---\ntext: ok')
    async with Server([agent], mounts=[Mount(wire="a2a", exposure=UI)]) as server:
        sent = message() if version == NEW else old_message()
        method = "SendStreamingMessage" if version == NEW else "message/stream"
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": sent}
        call = await ask(server.asgi, "POST", "/a2a/a", JSON, version, header, body=body)
    assert (EXTENSION in call.body.decode()) is asks
    assert (call.headers.get(header[0]) == EXTENSION) is asks


@virtually
async def test_a_message_may_name_the_extension_itself() -> None:
    """A2A 1.0: `extensions` of the message."""
    async with Server([scripted('call: add {"a": 1, "b": 2}\n---\ntext: ok')]) as server:
        sent = message(extensions=[EXTENSION])
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": sent}
        call = await ask(server.asgi, "POST", "/a2a/a", JSON, NEW, body=body)
    assert json.loads(call.events[0].text)["id"] == 1
    assert call.headers["a2a-extensions"] == EXTENSION
