"""MCP over HTTP: what is negotiated, told of the tool, opened and ended, and what is refused."""

from __future__ import annotations

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import pass_time, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.wires.mcp_posts import (
    Modern,
    Session,
    error_of,
    messages_of,
    result_of,
    text,
    tool_call,
    words,
)
from treadle._version import __version__
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.projections.mcp.wire import HANDSHAKE, MODERN
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.mounting import Mount
from treadle.values.exposure import UI

ALICE, BOB, MATE = "key-of-alice-0123456789", "key-of-bob-0123456789", "key-of-mate-0123456789"
STARTER, READER = "key-of-starter-0123456789", "key-of-reader-0123456789"
ACCESS = ApiKeys(
    {
        ALICE: Principal(name="alice", scope="acme"),
        MATE: Principal(name="mate", scope="acme"),
        BOB: Principal(name="bob", scope="globex"),
        READER: Principal(name="reader", scope="acme", may=[Action.READ, Action.ANSWER]),
        STARTER: Principal(name="starter", scope="acme", may=[Action.START]),
    }
)
GATED = "text: It \ngate: go\ntext: is 3."


def key(name: str) -> tuple[str, str]:
    """The header that says who asks."""
    return "x-api-key", name


@pytest.mark.requirement("MCP-eras")
@virtually
async def test_a_client_that_keeps_no_session_is_told_what_there_is() -> None:
    """MCP 2026-07-28: `server/discover`."""
    async with Server([scripted("text: x")]) as server:
        call = await Modern(server).ask("server/discover")
    assert (call.status, call.headers["cache-control"]) == (200, "no-store")
    assert result_of(call) == {
        "resultType": "complete",
        "ttlMs": 300_000,
        "cacheScope": "private",
        "supportedVersions": [MODERN, *HANDSHAKE],
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "a", "title": "a", "version": __version__}},
    }


@pytest.mark.requirement("MCP-session")
@virtually
async def test_a_session_is_opened_in_the_version_that_its_client_wants() -> None:
    """MCP 2025-11-25: initialize, an id for the session, initialized."""
    async with Server([scripted("text: x")]) as server:
        for wanted in (*HANDSHAKE, "1999-01-01"):
            session = Session(server)
            opened = await session.open(wanted)
            assert result_of(opened) == {
                "protocolVersion": wanted if wanted in HANDSHAKE else HANDSHAKE[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "a", "title": "a", "version": __version__},
            }
            assert len(session.name) >= 32
            assert result_of(await session.ask({"id": "p", "method": "ping"})) == {}


@pytest.mark.requirement("MCP-tool")
@virtually
async def test_there_is_one_tool_called_as_its_agent() -> None:
    """Design 8: the agent as a tool."""
    async with Server([scripted("text: x")]) as server:
        session = Session(server)
        await session.open()
        listed = [await Modern(server).ask("tools/list"), await session.ask({"id": 1, "method": "tools/list"})]
    assert [[tool["name"] for tool in result_of(one)["tools"]] for one in listed] == [["a"], ["a"]]
    assert result_of(listed[0])["resultType"] == "complete"


@pytest.mark.requirement("MCP-tool", "MCP-result")
@virtually
async def test_an_agent_that_declares_an_output_gives_it_as_a_structure() -> None:
    """MCP: the structure that was promised, and the same as text."""
    schema = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
    async with Server([scripted('text: {"sum": 3}').with_output(schema)]) as server:
        session = Session(server)
        await session.open()
        for listed in (await Modern(server).ask("tools/list"), await session.ask({"id": 1, "method": "tools/list"})):
            assert result_of(listed)["tools"][0]["outputSchema"] == schema
        call = await Modern(server).ask()
    assert (result_of(call)["structuredContent"], text(call)) == ({"sum": 3}, '{"sum": 3}')


@pytest.mark.requirement("MCP-errors")
@virtually
async def test_what_there_is_not_is_said_with_a_status_or_as_an_answer() -> None:
    """MCP: 404 is for a method where each request stands alone, and for a session that is over."""
    async with Server([scripted("text: x")]) as server:
        alone, session = Modern(server), Session(server)
        await session.open()
        assert error_of(await alone.ask("resources/list")) == (404, -32601, None)
        assert error_of(await session.ask({"id": 1, "method": "resources/list"})) == (200, -32601, None)
        other = tool_call(name="b")
        assert error_of(await alone.ask(params=other)) == (400, -32602, None)
        async with session.call(other) as call:
            assert error_of(await call.over()) == (200, -32602, None)
        assert await server.runner.runs() == []


@pytest.mark.requirement("MCP-errors")
@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"{", [], 400, -32700),
        (b"[]", [], 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', [], 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', [], 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', [("mcp-protocol-version", MODERN)], 400, -32602),
        (b'{"jsonrpc":"2.0","method":"x"}', [("mcp-protocol-version", "2099-01-01")], 400, -32022),
        (b'{"jsonrpc":"2.0","id":"t","result":{}}', [("mcp-protocol-version", MODERN)], 400, -32600),
    ],
)
def test_what_is_no_message_for_here_is_refused(
    body: bytes, headers: list[tuple[str, str]], status: int, code: int
) -> None:
    """MCP: codes of JSON-RPC, and the statuses that go with them."""

    @virtually
    async def tried() -> None:
        async with Server([scripted("text: x")]) as server:
            call = await ask(server.asgi, "POST", "/mcp/a", JSON, *headers, body=body)
            assert error_of(call) == (status, code, None)
            assert call.json["id"] == (1 if b'"id":1' in body else None)
            assert server.metrics.refusals.labels("mcp_fault")._value.get() == 1  # noqa: SLF001 (read, not changed)

    tried()


@virtually
async def test_what_is_told_and_needs_no_answer_is_taken() -> None:
    """MCP: 202."""
    async with Server([scripted("text: x")]) as server:
        version = ("mcp-protocol-version", MODERN)
        body = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        assert (await ask(server.asgi, "POST", "/mcp/a", JSON, version, body=body)).status == 202
        session = Session(server)
        await session.open()
        assert (await session.tell("notifications/roots/list_changed")).status == 202
        assert (await session.tell("notifications/cancelled", requestId=77)).status == 202


@pytest.mark.requirement("MCP-errors")
@virtually
async def test_a_refusal_of_the_server_is_an_error_of_the_protocol_under_the_id_of_the_request() -> None:
    """Ours: each client reads its own protocol's errors."""
    async with Server([scripted("text: x")], access=ACCESS) as server:
        nobody = await Modern(server).ask()
        assert error_of(nobody) == (401, -32010, "unauthenticated")
        assert nobody.headers["www-authenticate"].startswith("Bearer")
        assert error_of(await Modern(server, key(ALICE), agent="b").ask()) == (404, -32010, "agent_not_found")
        large = tool_call("x" * 2_000_000)
        assert error_of(await Modern(server, key(ALICE)).ask(params=large)) == (413, -32010, "body_too_large")
        await server.drain()
        stopping = await Modern(server, key(ALICE)).ask()
        assert error_of(stopping) == (503, -32010, "stopping")
        assert messages_of(stopping)[0]["id"] == 1


@pytest.mark.requirement("ACCESS-matrix")
@pytest.mark.parametrize(("method", "allowed"), [("POST", 200), ("GET", 405), ("DELETE", 400)])
def test_whoever_asks_is_asked_who_they_are(method: str, allowed: int) -> None:
    """Design 9: one choke point on every route."""

    @virtually
    async def tried() -> None:
        async with Server([scripted("text: x")], access=ACCESS) as server:
            body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
            for shown, status in ([], 401), ([key("nobody")], 401), ([key(READER)], 403), ([key(STARTER)], allowed):
                call = await ask(server.asgi, method, "/mcp/a", JSON, *shown, body=body)
                assert call.status == status

    tried()


@pytest.mark.requirement("MCP-session")
@virtually
async def test_a_session_is_of_use_to_whoever_opened_it_with_this_agent() -> None:
    """MCP: a session of somebody else is one that there is not."""
    agents = [scripted("text: x"), Agent(name="b", model=ScriptedModel.from_text("text: y"))]
    async with Server(agents, access=ACCESS) as server:
        session = Session(server, key(ALICE))
        await session.open()
        ping = {"id": 1, "method": "ping"}
        for other in (Session(server, key(MATE)), Session(server, key(BOB)), Session(server, key(ALICE), agent="b")):
            other.name, other.version = session.name, session.version
            assert error_of(await other.ask(ping)) == (404, -32600, None)
            async with other.back("1:-1") as call:
                assert error_of(await call.over())[0] == 404
            assert error_of(await other.end())[0] == 404
        assert (await session.ask(ping)).status == 200


@pytest.mark.requirement("MCP-session")
@virtually
async def test_a_session_that_is_over_is_not_there_and_its_calls_go_on() -> None:
    """MCP 2025-11-25: DELETE; a session holds no run."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.until(lambda one: b"writing" in one.body)
            assert (await session.end()).status == 204
            assert error_of(await session.ask({"id": 2, "method": "ping"})) == (404, -32600, None)
            agent.model.open_gate("go")  # type: ignore[union-attr]  # a scripted one
            await call.over()
        assert text(call) == "It is 3."


@pytest.mark.requirement("MCP-resume")
@virtually
async def test_a_stream_that_broke_is_taken_up_behind_the_last_id() -> None:
    """MCP 2025-11-25: GET with Last-Event-ID; what comes is what would have come."""
    agent = scripted("think: a\ntext: It \ngate: go\ntext: is 3.")
    async with Server([agent]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as broken:
            await broken.until(lambda one: b"writing" in one.body)
            broken.leave()
            await broken.over()
        assert broken.events[0].data == b""
        assert broken.ids[0] == "1:-1"
        async with session.back("1:-1") as whole, session.back(broken.ids[-2]) as rest:
            await rest.until(lambda one: b"writing" in one.body)
            agent.model.open_gate("go")  # type: ignore[union-attr]  # a scripted one
            await rest.over()
            await whole.over()
    assert words(whole) == ["started", "round 1", "writing"]
    assert messages_of(rest) == messages_of(whole)[2:]
    assert text(rest) == "It is 3."
    assert rest.ids[1:] == whole.ids[3:]


@pytest.mark.requirement("MCP-resume")
@virtually
async def test_a_call_that_is_over_can_be_come_back_to() -> None:
    """MCP 2025-11-25: also where the answer itself was lost."""
    async with Server([scripted("text: It is 3.")]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.over()
        async with session.back("1:-1") as again:
            await again.over()
    assert messages_of(again) == messages_of(call)


@pytest.mark.requirement("MCP-resume")
@pytest.mark.parametrize("last", ["2:-1", "0:-1", "x", "1:", "", "1:999999"])
def test_a_place_that_there_is_not_is_refused(last: str) -> None:
    """Ours: a client that asks for what there is not is told so, before a stream begins."""

    @virtually
    async def tried() -> None:
        async with Server([scripted("text: x")]) as server:
            session = Session(server)
            await session.open()
            async with session.call() as call:
                await call.over()
            async with session.back(last) as back:
                assert error_of(await back.over()) == (400, -32602, "bad_cursor")

    tried()


@pytest.mark.requirement("MCP-resume")
@virtually
async def test_there_is_no_other_stream() -> None:
    """MCP: a server that says nothing of itself answers a GET with 405."""
    async with Server([scripted("text: x")]) as server:
        for headers in ([], [("mcp-protocol-version", MODERN), ("last-event-id", "1:-1")]):
            call = await ask(server.asgi, "GET", "/mcp/a", *headers)
            assert (call.status, call.headers["allow"]) == (405, "DELETE, POST")
            assert call.json["error"]["data"]["code"] == "method_not_allowed"


@pytest.mark.requirement("MCP-exposure")
@virtually
async def test_a_mount_tells_as_much_as_it_may() -> None:
    """Design 8: text alone at first."""
    script = 'think: hm\ntext: Let me see.\ncall: add {"a": 1, "b": 2}\n---\ntext: It is 3.'
    mounts = [Mount(wire="mcp"), Mount(wire="mcp", path="/open", exposure=UI)]
    async with Server([scripted(script)], mounts=mounts) as server:
        shy, open_ = await Modern(server).ask(), await Modern(server, mount="/open").ask()
    assert words(shy) == ["started", "round 1", "writing", "round 2", "writing"]
    called = ["calling add", "add: done"]
    assert words(open_) == ["started", "round 1", "thinking", "writing", *called, "round 2", "writing"]
    assert text(shy) == text(open_) == "Let me see.It is 3."


@pytest.mark.requirement("MCP-cancel")
@pytest.mark.parametrize("who", [ALICE, STARTER])
def test_a_call_of_a_session_is_stopped_by_telling_so(who: str) -> None:
    """MCP 2025-11-25: `notifications/cancelled` names the request; whoever may stop nothing stops nothing."""

    @virtually
    async def tried() -> None:
        async with Server([scripted(GATED)], access=ACCESS) as server:
            session = Session(server, key(who))
            await session.open()
            async with session.call(number="one") as call:
                await call.until(lambda one: b"writing" in one.body)
                told = await session.tell("notifications/cancelled", requestId="one", reason="enough")
                if who == STARTER:
                    assert error_of(told) == (403, -32010, "forbidden")
                    return
                assert told.status == 202
                await call.over()
            assert text(call) == "It cancelled: the run was stopped"
            assert result_of(call)["isError"] is True
            assert result_of(call)["_meta"]["treadle/reason"] == "stopped by the client of the call"

    tried()


@pytest.mark.requirement("MCP-cancel")
@virtually
async def test_to_leave_a_session_s_stream_stops_nothing() -> None:
    """MCP 2025-11-25: a disconnect is no cancel."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.until(lambda one: b"writing" in one.body)
            call.leave()
            await call.over()
        await pass_time(60.0)
        agent.model.open_gate("go")  # type: ignore[union-attr]  # a scripted one
        (run,) = await server.runner.runs()
        assert (await server.runner.wait(run.run_id)).answer == "It is 3."


@pytest.mark.requirement("MCP-cancel")
@pytest.mark.parametrize("others", [0, 1])
def test_to_close_the_response_is_to_stop_the_call_unless_somebody_else_reads(others: int) -> None:
    """MCP 2026-07-28: closing the response is the cancel; design 8: of a run that nobody else reads."""

    @virtually
    async def tried() -> None:
        agent = scripted(GATED)
        async with Server([agent]) as server:
            async with Modern(server).call() as call:
                await call.until(lambda one: b"writing" in one.body)
                (run,) = await server.runner.runs()
                reading = Call(server.asgi, "GET", f"/v1/runs/{run.run_id}/events")
                if others:
                    async with reading:
                        await reading.until(lambda one: b"text_delta" in one.body)
                        call.leave()
                        await call.over()
                        await pass_time(1.0)
                        agent.model.open_gate("go")  # type: ignore[union-attr]  # a scripted one
                        await reading.over()
                else:
                    call.leave()
                    await call.over()
            view = await server.runner.wait(run.run_id)
            assert view.state.value == ("done" if others else "cancelled")

    tried()
