"""The binding to paths: verbs, versions, bodies, and errors in the form of google.rpc."""

from __future__ import annotations

import json

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import GATED, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.wires.a2a.agents_asked import NEW, OLD, message, old_message
from treadle.app.server import Server
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.pulse import Rhythm

READER = "key-of-reader-0123456789"


@pytest.mark.requirement("A2A-path-faults")
@virtually
async def test_errors_have_the_form_of_their_version() -> None:
    """A2A 1.0: code, status, message, details of google.rpc; 0.3: the code of JSON-RPC and the error's name."""
    async with Server([scripted("text: ok")]) as server:
        new = await ask(server.asgi, "GET", "/a2a/a/tasks/r_no", NEW)
        old = await ask(server.asgi, "GET", "/a2a/a/v1/tasks/r_no", OLD)
        bare = await ask(server.asgi, "GET", "/a2a/a/tasks/r_no")
    error = new.json["error"]
    assert (new.status, error["code"], error["status"]) == (404, 404, "NOT_FOUND")
    assert error["details"][0]["reason"] == "TASK_NOT_FOUND"
    for call in (old, bare):
        assert (call.status, call.json["code"], call.json["type"]) == (404, -32001, "TaskNotFoundError")


@pytest.mark.parametrize(
    ("path", "headers", "status", "reason"),
    [
        ("/a2a/a/message:send", NEW, 400, "PARSE_ERROR"),
        ("/a2a/a/message:send", ("a2a-version", "3.0"), 400, "VERSION_NOT_SUPPORTED"),
        ("/a2a/a/extendedAgentCard", NEW, 400, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
        ("/a2a/nobody/message:send", NEW, 404, "REQUEST_REFUSED"),
        ("/a2a/a/tasks?pageSize=1000", NEW, 400, "INVALID_PARAMS"),
    ],
)
@virtually
async def test_a_fault_has_its_status_and_its_reason(
    path: str, headers: tuple[str, str], status: int, reason: str
) -> None:
    """A2A 1.0, error handling: the table of statuses."""
    async with Server([scripted("text: ok")]) as server:
        verb = "POST" if "message" in path else "GET"
        call = await ask(server.asgi, verb, path, JSON, headers, body=b"{" if verb == "POST" else b"")
    assert (call.status, call.json["error"]["details"][0]["reason"]) == (status, reason)


@virtually
async def test_the_paths_of_03_are_no_paths_of_10() -> None:
    """A2A 1.0: `/v1` is gone."""
    async with Server([scripted("text: ok")]) as server:
        call = await ask(server.asgi, "POST", "/a2a/a/v1/message:send", JSON, NEW, body=message())
        card = await ask(server.asgi, "GET", "/a2a/a/v1/card", OLD)
    assert (call.status, call.json["code"]) == (400, -32009)
    assert (card.status, card.json["code"]) == (400, -32007)


@virtually
async def test_bare_results_have_the_media_type_of_their_version() -> None:
    """A2A 1.0: `application/a2a+json`; without a version a path speaks 0.3, with kinds."""
    async with Server([scripted("text: ok")]) as server:
        new = await ask(server.asgi, "POST", "/a2a/a/message:send", JSON, NEW, body=message())
        bare = await ask(server.asgi, "POST", "/a2a/a/message:send", JSON, body=old_message())
        listed = await ask(server.asgi, "GET", "/a2a/a/tasks?includeArtifacts=true&pageSize=1", NEW)
    assert new.headers["content-type"] == "application/a2a+json"
    assert (bare.headers["content-type"], bare.json["kind"]) == ("application/json", "task")
    assert (listed.json["totalSize"], len(listed.json["tasks"][0]["artifacts"])) == (2, 1)


@pytest.mark.requirement("A2A-broken")
@virtually
async def test_a_stream_of_a_path_that_this_side_ends_says_so_in_an_event_of_its_own() -> None:
    """Both clients read an error that is no `event: error` as an empty frame."""
    server = Server([scripted(GATED)], rhythm=Rhythm(drain_s=0.1))
    async with server, Call(server.asgi, "POST", "/a2a/a/message:stream", JSON, NEW, body=message()) as call:
        await call.until(lambda call: "artifactUpdate" in call.body.decode())
        await server.drain()
        await call.over()
    assert call.events[-1].event == "error"
    assert json.loads(call.events[-1].text)["error"]["details"][0]["metadata"] == {"code": "stopping"}


@virtually
async def test_each_path_asks_whether_its_caller_may() -> None:
    """Design §9: one choke point; what only the body says is asked behind it."""
    access = ApiKeys({READER: Principal(name="reader", scope="acme", may=[Action.READ])})
    key = ("x-api-key", READER)
    async with Server([scripted("text: ok")], access=access) as server:
        told = [
            (await ask(server.asgi, verb, f"/a2a/a{path}", JSON, NEW, key, body=body)).status
            for verb, path, body in (
                ("POST", "/message:send", message()),
                ("GET", "/tasks", b""),
                ("GET", "/tasks/r_no", b""),
                ("POST", "/tasks/r_no:cancel", b""),
                ("POST", "/message:send", message(taskId="r_no")),
            )
        ]
        nobody = await ask(server.asgi, "GET", "/a2a/a/tasks", NEW)
    assert told == [403, 403, 404, 403, 403]
    assert (nobody.status, nobody.json["error"]["details"][0]["metadata"]["code"]) == (401, "unauthenticated")
