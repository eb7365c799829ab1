"""How a wire answers, by a wire of the test's own: a stream, or one body at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from types import ModuleType

import pytest
from starlette.requests import Request
from starlette.responses import Response

from tests.runtime.agents import scripted
from tests.runtime.stores import pass_time, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.test_folded_feed import Counted
from treadle.app import mounts
from treadle.app.server import Server
from treadle.server.access.admission import Caps
from treadle.server.access.failures import Refusal
from treadle.server.access.principal import Action
from treadle.server.folded_feed import FoldedTelling
from treadle.server.mounting import Mount
from treadle.server.pulse import Rhythm
from treadle.server.routes import Route
from treadle.server.start_request import StartRequest
from treadle.server.starting import started
from treadle.server.visit import Visit
from treadle.server.wires.streaming import LEFT_STATUS, agent_of, collected, streamed, wire_form
from treadle.values.exposure import UI

pytestmark = pytest.mark.usefixtures("probe")
FORM = wire_form(lambda code: f"data: broken {code}\n\n".encode())
LEFT: list[Response] = []


def told(mount: Mount) -> FoldedTelling:
    """Every event, counted."""
    assert mount.exposure is not None
    return FoldedTelling(begin=Counted, options=0, exposure=mount.exposure)


def probe_routes(mount: Mount) -> Sequence[Route]:
    """One that streams, one that collects."""

    async def stream(visit: Visit) -> Response:
        with visit.parts.admission.reader(visit.entry.principal) as place:
            run = await started(visit, StartRequest(agent=agent_of(visit), prompt="hi", on_disconnect="cancel"))
            return await streamed(
                visit,
                run.run_id,
                telling=told(mount),
                form=FORM,
                place=place,
                headers={"x-run": run.run_id, "x-wire": "probe"},
            )

    async def collect(visit: Visit) -> Response:
        run = await started(visit, StartRequest(agent=agent_of(visit), prompt="hi", on_disconnect="cancel"))
        said = await collected(visit, run.run_id, told(mount))
        LEFT.append(Response(status_code=LEFT_STATUS))
        return LEFT[-1] if said is None else Response(json.dumps(said), headers={"x-run": run.run_id})

    async def refused(_: Request, said: Refusal) -> Response:
        return Response(f"probe says {said.code}", status_code=said.status)

    return (
        Route(method="POST", path=f"{mount.path}/{{agent}}", action=Action.START, endpoint=stream, refused=refused),
        Route(method="POST", path=f"{mount.path}/{{agent}}/whole", action=Action.START, endpoint=collect),
    )


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wire of the test's own."""
    module = ModuleType("treadle.server.wires.probe")
    module.EXPOSURE = UI  # type: ignore[attr-defined] # what a wire has
    module.routes = probe_routes  # type: ignore[attr-defined] # what a wire has
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(mounts, "WIRES", ("probe",))
    LEFT.clear()


@virtually
async def test_a_wire_streams_a_run_to_the_end_of_its_response() -> None:
    """Issue: a mount in the server."""
    async with Server([scripted("text: It |is 3.")]) as server:
        call = await ask(server.asgi, "POST", "/probe/a", JSON, body={})
        assert call.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert call.headers["x-wire"] == "probe"
        counts = [event.data.split(b":")[1].decode() for event in call.events]
        assert counts == [str(number) for number in range(len(counts))]
        assert len(call.events) == (await server.runner.get(call.headers["x-run"])).events
        assert call.is_complete
        assert server.readers == 0


@virtually
async def test_a_wire_may_answer_at_the_end_alone() -> None:
    """Ours: some requests ask for no stream."""
    async with Server([scripted("text: It |is 3.")]) as server:
        streams = await ask(server.asgi, "POST", "/probe/a", JSON, body={})
        call = await ask(server.asgi, "POST", "/probe/a/whole", JSON, body={})
        assert call.json == [event.data.decode() for event in streams.events]


@pytest.mark.parametrize("path", ["/probe/a", "/probe/a/whole"])
@virtually
async def test_whoever_leaves_a_wire_has_left_the_run(path: str) -> None:
    """Design 8: leaving means the last reader's, and is what the run's own rule says."""
    async with Server([scripted("gate: go\ntext: ok")]) as server:
        async with Call(server.asgi, "POST", path, JSON, body={}) as call:
            await pass_time(1.0)
            call.leave()
            await call.over()
        await pass_time(1.0)
        (run,) = await server.runner.runs()
        assert run.status.value == "cancelled"
        assert [response.status_code for response in LEFT] == ([LEFT_STATUS] if "whole" in path else [])


@pytest.mark.requirement("SERVE-broken")
@pytest.mark.parametrize("path", ["/probe/a", "/probe/a/whole"])
@virtually
async def test_a_server_that_stops_says_so_in_the_words_of_the_wire(path: str) -> None:
    """Ours: clients of protocols take a stream that only ends for one that was finished."""
    server = Server([scripted("gate: go\ntext: ok")], rhythm=Rhythm(drain_s=0.5))
    async with server, Call(server.asgi, "POST", path, JSON, body={}) as call:
        await pass_time(1.0)
        await server.drain()
        await call.over()
    if "whole" in path:
        assert (call.status, call.json["code"]) == (503, "stopping")
    else:
        assert call.events[-1].data == b"broken stopping"
        assert call.is_complete


@virtually
async def test_what_is_refused_is_said_in_the_words_of_the_wire() -> None:
    """Ours: each client reads its own protocol's errors."""
    async with Server([scripted("text: ok")], caps=Caps(readers=1)) as server:
        call = await ask(server.asgi, "POST", "/probe/nobody", JSON, body={})
        assert (call.status, call.body) == (404, b"probe says agent_not_found")
        plain = await ask(server.asgi, "POST", "/probe/nobody/whole", JSON, body={})
        assert (plain.status, plain.json["code"]) == (404, "agent_not_found")
        assert "GET /v1/agents" in plain.json["message"]
        assert server.metrics.refusals.labels("agent_not_found")._value.get() == 2  # noqa: SLF001 (read, not changed)
        assert not await server.runner.runs()
