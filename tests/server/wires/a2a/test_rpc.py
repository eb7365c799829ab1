"""The binding to JSON-RPC: ids, versions, faults, and what is HTTP's."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import GATED, pass_time, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.wires.a2a.agents_asked import NEW, OLD, calling, message, old_message, rpc
from treadle.app.server import Server
from treadle.projections.a2a.rpc import Operation
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.server.access.admission import Caps
from treadle.server.pulse import Rhythm
from treadle.server.wires.a2a.rpc import PERFORMED

PATH = "/a2a/a"


def body(method: str, params: Any = None, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (any JSON)
    """The body of a call."""
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}, **more}


def test_every_operation_has_its_row() -> None:
    """Ours: the table is total."""
    assert set(PERFORMED) == set(Operation)


@pytest.mark.requirement("A2A-id", "D44")
@pytest.mark.parametrize("call_id", ["x", 7, 7.5, None, 2**70])
@virtually
async def test_an_id_is_echoed_type_and_all(call_id: object) -> None:
    """JSON-RPC 2.0, and the JavaScript client, which refuses what is not equal; also on every frame."""
    async with Server([scripted("text: ok")]) as server:
        for method, params in (("GetTask", {"id": "r_no"}), ("SendMessage", message())):
            said = (await rpc(server.asgi, method, params, call_id=call_id)).json
            assert (said["jsonrpc"], said["id"]) == ("2.0", call_id)
        stream = await rpc(server.asgi, "SendStreamingMessage", message(), call_id=call_id)
        assert {json.dumps(json.loads(event.text)["id"]) for event in stream.events} == {json.dumps(call_id)}


@pytest.mark.requirement("A2A-negotiation", "D30")
@pytest.mark.parametrize(
    ("headers", "method", "code"),
    [
        ((), "message/send", None),
        (("a2a-version", ""), "message/send", None),
        (OLD, "message/send", None),
        (("a2a-version", "0.3.0"), "message/send", None),
        (NEW, "SendMessage", None),
        (("a2a-version", "1.0.1"), "SendMessage", None),
        ((), "SendMessage", -32601),
        (NEW, "message/send", -32601),
        (("a2a-version", "2.0"), "SendMessage", -32009),
        (NEW, "GetExtendedAgentCard", -32007),
        (OLD, "agent/getAuthenticatedExtendedCard", -32007),
        (OLD, "tasks/list", -32601),
    ],
)
@virtually
async def test_the_version_says_which_methods_there_are(
    headers: tuple[str, str] | tuple[()], method: str, code: int | None
) -> None:
    """A2A 1.0, versioning: absent is 0.3, unknown is -32009; a method of the other version says whose it is."""
    async with Server([scripted("text: ok")]) as server:
        sent = message() if headers and headers[1].startswith("1") else old_message()
        call = await ask(server.asgi, "POST", PATH, JSON, *([headers] if headers else []), body=body(method, sent))
    assert call.status == 200
    assert call.json.get("error", {}).get("code") == code
    if code is None:
        assert ("task" in call.json["result"]) is (method == "SendMessage")


@virtually
async def test_the_version_may_stand_in_the_query() -> None:
    """A2A 1.0: a parameter of the request will do."""
    async with Server([scripted("text: ok")]) as server:
        call = await ask(server.asgi, "POST", f"{PATH}?A2A-Version=1.0", JSON, body=body("SendMessage", message()))
    assert "task" in call.json["result"]


@pytest.mark.requirement("D44", "A2A-faults")
@pytest.mark.parametrize(
    ("given", "code", "call_id"),
    [
        (b"", -32700, None),
        (b"{", -32700, None),
        (b"[]", -32600, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":[]}', -32602, 7),
        (b'{"jsonrpc":"2.0","id":"x","method":"SendMessage","params":{}}', -32602, "x"),
        (b'{"jsonrpc":"2.0","id":7,"method":"nothing"}', -32601, 7),
    ],
)
@virtually
async def test_what_is_no_call_is_a_fault_with_status_200(given: bytes, code: int, call_id: object) -> None:
    """The Python client throws the body of a 4xx away, so a fault of the protocol is an answer like others."""
    async with Server([scripted("text: ok")]) as server:
        call = await ask(server.asgi, "POST", PATH, JSON, NEW, body=given)
    assert (call.status, call.headers["content-type"]) == (200, "application/json")
    error = call.json["error"]
    assert (call.json["id"], error["code"]) == (call_id, code)
    assert error["data"][0]["metadata"]["reference"].startswith("e_")


@pytest.mark.requirement("D44")
@virtually
async def test_a_notification_is_not_answered_and_nothing_is_done() -> None:
    """JSON-RPC 2.0: no answer; and nobody could be told of the task."""
    async with Server([scripted("text: ok")]) as server:
        said = {"jsonrpc": "2.0", "method": "SendMessage", "params": message()}
        call = await ask(server.asgi, "POST", PATH, JSON, NEW, body=said)
        assert (call.status, call.body) == (204, b"")
        assert list(await server.runner.runs()) == []


@pytest.mark.requirement("D37", "D42")
@virtually
async def test_what_the_server_refuses_of_itself_keeps_its_status() -> None:
    """Ours: a proxy and a client know what to do at 404, 413 and 503; the body is a fault all the same."""
    server = Server([scripted("text: ok")], caps=Caps(body_bytes=1000))
    async with server:
        large = await rpc(server.asgi, "SendMessage", message("x" * 2000))
        nobody = await rpc(server.asgi, "SendMessage", message(), agent="nobody")
        old = await ask(server.asgi, "POST", "/a2a/nobody", JSON, body=body("message/send", old_message()))
        await server.drain()
        late = await rpc(server.asgi, "SendMessage", message())
    assert [call.status for call in (large, nobody, old, late)] == [413, 404, 404, 503]
    assert {call.json["error"]["code"] for call in (large, nobody, old, late)} == {-32000}
    assert late.headers["retry-after"] == "5"
    assert old.json["error"]["data"]["code"] == "agent_not_found"


@pytest.mark.requirement("D38")
@virtually
async def test_a_failure_of_this_side_says_nothing_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """D38: a fixed sentence and a reference."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("dsn=postgres://u:p@h")

    async with Server([scripted("text: ok")]) as server:
        monkeypatch.setattr(ScopedRuns, "state", broken)
        call = await rpc(server.asgi, "GetTask", {"id": "r_1"})
    assert (call.status, call.json["error"]["code"]) == (200, -32603)
    assert "dsn" not in call.body.decode()


@pytest.mark.requirement("A2A-broken")
@virtually
async def test_a_stream_that_this_side_ends_says_so_in_a_frame() -> None:
    """BR-203: clients take a stream that only ends for one that was finished."""
    server = Server([scripted(GATED)], rhythm=Rhythm(drain_s=0.1))
    async with server, calling(server.asgi, "SendStreamingMessage", message()) as call:
        await call.until(lambda call: "artifactUpdate" in call.body.decode())
        await server.drain()
        await call.over()
    last = json.loads(call.events[-1].text)
    assert (last["id"], last["error"]["code"]) == (7, -32603)
    assert "subscribe" in last["error"]["message"]


@pytest.mark.requirement("A2A-silence")
@virtually
async def test_silence_is_broken_by_comments_that_no_client_takes_for_a_frame() -> None:
    """a2a-sdk's own client gives up after 5 seconds without a byte."""
    async with Server([scripted(GATED)]) as server, calling(server.asgi, "SendStreamingMessage", message()) as call:
        await call.until(lambda call: "artifactUpdate" in call.body.decode())
        frames = len(call.events)
        await pass_time(8.0)
        times = [at for at, body in call.bodies if body]
    assert len(call.events) == frames
    assert max(later - sooner for sooner, later in pairwise(times)) < 5.0
    assert b"\r" not in call.body
    assert b"\nid:" not in call.body


async def test_a_call_is_a_post() -> None:
    """Ours: what is no call is no path of this binding."""
    async with Server([scripted("text: ok")]) as server:
        call: Call = await ask(server.asgi, "GET", PATH)
    assert (call.status, call.headers["allow"]) == (405, "POST")
