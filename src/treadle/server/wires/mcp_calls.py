"""A call of an agent's tool: a run is started, or one that waited goes on, and is told to the end of the call.

In: a visit, and a request. Out: a stream, or one body where the client takes no stream. What is wrong with the
arguments, and a conversation that is busy, is the result of the call and no error of the protocol: whoever called can
do something about it.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from treadle.codec.foreign import json_text
from treadle.errors import BadRequestError, KeyReusedError, ThreadBusyError
from treadle.projections.mcp.endings import refused_call
from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.parse import CallTool, Request, arguments_of, progress_token
from treadle.projections.mcp.replies import tool_name
from treadle.projections.mcp.telling import Telling, no_token
from treadle.projections.mcp.wire import MODERN
from treadle.server.access.admission import ReaderPlace
from treadle.server.access.authorizing import authorize
from treadle.server.access.failures import refusal
from treadle.server.access.principal import Action
from treadle.server.start_request import StartRequest, check_name
from treadle.server.starting import started
from treadle.server.visit import Visit
from treadle.server.wires.mcp_answers import answered
from treadle.server.wires.mcp_sessions import Session
from treadle.server.wires.mcp_telling import numbered_telling, plain_form, plain_telling, said_once, session_form
from treadle.server.wires.streaming import LEFT_STATUS, collected, streamed
from treadle.values.exposure import Exposure
from treadle.values.ids import RunId

CANCELS: Final = "cancel"
"""What leaving does where a client stops its call by closing the response."""
GOES_ON: Final = "continue"
_STREAMS: Final = frozenset({"text/event-stream", "text/*", "*/*"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call, in a session or, where there is none, by itself."""

    agent: str
    request: Request
    params: CallTool
    session: Session | None
    can_ask: bool
    exposure: Exposure

    @property
    def goes_on(self) -> bool:
        """Whether it is one that was made before, with what its client was asked for. In a session there is none."""
        params = self.params
        return self.session is None and not (params.requestState is None and params.inputResponses is None)


async def call_tool(visit: Visit, called: Called) -> Response:
    """Answer a call.

    Raises:
        McpFaultError: There is no such tool, or what comes with the call belongs to none that was made before.
        ResumeError: An answer was refused.
        CapError: There is no room for a reader or a run more.
    """
    if called.params.name != tool_name(called.agent):
        raise McpFaultError(Fault.INVALID_PARAMS, f"there is no tool {called.params.name[:128]!r}")
    is_streamed = takes_stream(visit)
    telling = _telling(visit, called, is_streamed=is_streamed)
    visit.parts.check_open()
    # A stream that has no room is refused before anything was started.
    with visit.parts.admission.reader(visit.entry.principal) as place:
        if called.goes_on:
            run_id, telling = await answered(visit, called.agent, called.params, telling=telling)
        else:
            try:
                run_id = await _started(visit, called)
            except _UnfitError as unfit:
                return said_once(refused_call(telling, str(unfit)))
        if not is_streamed:
            return await _collected(visit, run_id, telling, called.exposure)
        return await _streamed(visit, run_id, telling, called, place)


def takes_stream(visit: Visit) -> bool:
    """Whether a client takes an event stream; one that does not say takes anything."""
    accepted = visit.request.headers.get("accept", "*/*").lower().split(",")
    return any(kind.split(";")[0].strip() in _STREAMS for kind in accepted)


class _UnfitError(Exception):
    """A call that begins no run, for a reason that whoever made it can do something about."""


async def _started(visit: Visit, called: Called) -> RunId:
    authorize(visit.entry.principal, Action.START, None)
    try:
        asked = arguments_of(called.params.arguments)
        check_name("thread_id", asked.thread_id)
    except (ValueError, BadRequestError) as wrong:
        raise _UnfitError(f"bad_arguments: {wrong}") from wrong
    session = called.session
    start = StartRequest(
        agent=called.agent,
        prompt=asked.prompt,
        thread_id=asked.thread_id,
        # A request that is sent again, since its answer was lost, is the same call.
        key=None if session is None else json_text(["mcp", session.name, called.request.id_json]),
        on_disconnect=CANCELS if session is None else GOES_ON,
    )
    try:
        return (await started(visit, start)).run_id
    except ThreadBusyError as busy:
        said = refusal(busy)
        visit.parts.metrics.refusals.labels(said.code).inc()
        raise _UnfitError(f"{said.code}: {said.message}") from busy
    except KeyReusedError as reused:
        raise McpFaultError(Fault.INVALID_REQUEST, "the id of this request was used for another call") from reused


def _telling(visit: Visit, called: Called, *, is_streamed: bool) -> Telling:
    version = MODERN if called.session is None else called.session.version
    return Telling(
        id_json=called.request.id_json,
        version=version,
        token_json=progress_token(called.request) if is_streamed else None,
        # In a session a client is asked on the stream of its call.
        can_ask=called.can_ask and (is_streamed or called.session is None),
        runs_url=f"{visit.parts.public_url or visit.request.scope.get('root_path', '')}/v1/runs",
        token_of=visit.runs.token_of if visit.may_answer else no_token,
    )


async def _streamed(visit: Visit, run_id: RunId, telling: Telling, called: Called, place: ReaderPlace) -> Response:
    if called.session is None:
        told, form = plain_telling(telling, called.exposure), plain_form(telling)
        return await streamed(visit, run_id, telling=told, form=form, place=place)
    call = called.session.begin(run_id, telling)
    told, form = numbered_telling(call, called.exposure), session_form(call)
    stream = await streamed(visit, run_id, telling=told, form=form, place=place)
    call.told_by(stream)
    return stream


async def _collected(visit: Visit, run_id: RunId, telling: Telling, exposure: Exposure) -> Response:
    payloads = await collected(visit, run_id, plain_telling(telling, exposure))
    return Response(status_code=LEFT_STATUS) if payloads is None else said_once(payloads[-1])
