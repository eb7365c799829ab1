"""AG-UI: `POST /agui/{agent}` starts a run, answers one that waits, or comes back to one, and streams what follows.

In: a visit. Out: a stream of events, or a refusal before it begins. A client that asks for the binary form is given the
event stream: the official one reads both.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from starlette.responses import Response

from treadle.codec.failure_words import failure_words
from treadle.projections.agui.parse import RunAgentInput, held_in, said_in
from treadle.projections.agui.wire import frame, quoted
from treadle.server.access.principal import Action
from treadle.server.folded_feed import sse_framed
from treadle.server.mounting import Mount
from treadle.server.routes import Route
from treadle.server.start_request import check_name, read_body
from treadle.server.visit import Visit
from treadle.server.wires.agui_entering import Asked, entered
from treadle.server.wires.agui_telling import folded
from treadle.server.wires.streaming import AGENT, agent_of, streamed, wire_form
from treadle.values.exposure import UI, Exposure

EXPOSURE: Final = UI


def routes(mount: Mount) -> tuple[Route, ...]:
    """The one route of this wire."""
    path = f"{mount.path}/{{{AGENT}}}"
    run_agent = partial(_run_agent, exposure=mount.exposure or EXPOSURE)
    run_agent.__name__ = "run_agui_agent"  # type: ignore[attr-defined]  # an operation is called by it
    return (Route(method="POST", path=path, action=Action.START, endpoint=run_agent),)


async def _run_agent(visit: Visit, *, exposure: Exposure) -> Response:
    parts = visit.parts
    parts.check_open()
    agent = agent_of(visit)
    body = read_body(await parts.admission.body(visit.request), RunAgentInput)
    check_name("threadId", body.thread_id)
    check_name("runId", body.run_id)
    asked = Asked(agent=agent, body=body, said=said_in(body), held=held_in(body), exposure=exposure)
    # A stream that has no room is refused before anything was started.
    with parts.admission.reader(visit.entry.principal) as place:
        run_id, telling = await entered(visit, asked)
        return await streamed(
            visit,
            run_id,
            telling=folded(telling, exposure),
            form=FORM,
            place=place,
            headers={"location": f"{visit.request.scope.get('root_path', '')}/v1/runs/{run_id}"},
        )


def _broken(code: str) -> bytes:
    """This side ends a stream whose run goes on, or cannot be read."""
    return sse_framed((frame("RUN_ERROR", message=quoted(failure_words(code)), code=quoted(code)),)).encode()


FORM: Final = wire_form(_broken)
