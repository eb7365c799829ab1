"""MCP over streamable HTTP: each agent is a server with one tool, at `/mcp/{agent}`, in all versions there are.

A post holds one message. In the versions with sessions a client opens one, is asked things in the midst of its calls,
stops a call by telling so, and comes back to a stream that broke with the last id it had. In the version without, each
post stands alone: what is asked ends the call, which is made again, and to stop a call is to close its stream.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from treadle._version import __version__
from treadle.errors import CursorError
from treadle.projections.mcp import replies
from treadle.projections.mcp.eras import VERSION_HEADER, agreed, check_version, checked, is_modern
from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.parse import (
    CallTool,
    Cancelled,
    Initialize,
    Notification,
    Reply,
    Request,
    id_json_of,
    may_be_asked,
    message_in,
    params_of,
)
from treadle.projections.mcp.wire import MODERN, response
from treadle.server.access.principal import Action
from treadle.server.folded_feed import sse_framed
from treadle.server.mounting import Mount
from treadle.server.routes import Route
from treadle.server.visit import Visit
from treadle.server.wires.mcp_answers import reply
from treadle.server.wires.mcp_calls import Called, call_tool
from treadle.server.wires.mcp_refusals import Envelope, known, refused
from treadle.server.wires.mcp_sessions import Session, Sessions
from treadle.server.wires.mcp_telling import numbered_telling, place_in, said_once, session_form
from treadle.server.wires.streaming import AGENT, agent_of, streamed
from treadle.values.exposure import TEXT_ONLY, Exposure
from treadle.values.mappings import EMPTY, Json

EXPOSURE: Final = TEXT_ONLY
SESSION_HEADER: Final = "mcp-session-id"
COME_BACK_HEADER: Final = "last-event-id"
STOPPED: Final = "stopped by the client of the call"


def routes(mount: Mount) -> Sequence[Route]:
    """What stands at the path of a mount."""
    tools = AgentTools(mount.exposure or EXPOSURE)
    path = f"{mount.path}/{{{AGENT}}}"
    by_method = {"POST": tools.post_mcp_message, "GET": tools.resume_mcp_call, "DELETE": tools.end_mcp_session}
    return tuple(
        Route(method=method, path=path, action=Action.START, endpoint=known(endpoint), refused=refused)
        for method, endpoint in by_method.items()
    )


class AgentTools:
    """The agents of one mount as tools, and the sessions of their clients."""

    def __init__(self, exposure: Exposure) -> None:
        self._exposure = exposure
        self._sessions = Sessions()

    async def post_mcp_message(self, visit: Visit) -> Response:
        """Take in one message."""
        agent, envelope = agent_of(visit), Envelope.of(visit.request)
        said = message_in(await visit.parts.admission.body(visit.request))
        if isinstance(said, Request):
            envelope.id_json = said.id_json
        envelope.is_modern = is_modern(said, visit.request.headers.get(VERSION_HEADER))
        return await (self._alone if envelope.is_modern else self._in_session)(visit, agent, said)

    async def resume_mcp_call(self, visit: Visit) -> Response:
        """Go on with the stream of a call behind the last id that its client had. There is no other stream."""
        agent, headers = agent_of(visit), visit.request.headers
        last = headers.get(COME_BACK_HEADER)
        if last is None or headers.get(VERSION_HEADER) == MODERN:
            raise HTTPException(status_code=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "DELETE, POST"})
        session = self._found(visit, agent)
        place = place_in(last)
        call = None if place is None else session.numbered(place[0])
        if place is None or call is None:
            raise CursorError(f"{last[:40]!r} is no place in a stream of this session")
        state = await visit.runs.state(call.run_id)
        visit.check(Action.READ, state)
        if place[1] >= state.next_index:
            raise CursorError(f"{last[:40]!r} is ahead of what this call was told")
        if call.last_words:
            return Response(sse_framed([call.last_words]), media_type="text/event-stream")
        with visit.parts.admission.reader(visit.entry.principal) as reader:
            told, form = numbered_telling(call, self._exposure, told=place[1]), session_form(call)
            stream = await streamed(visit, call.run_id, telling=told, form=form, place=reader)
            call.told_by(stream)
            return stream

    async def end_mcp_session(self, visit: Visit) -> Response:
        """Forget a session. Its calls go on."""
        self._sessions.end(self._found(visit, agent_of(visit)))
        return Response(status_code=HTTPStatus.NO_CONTENT)

    # Messages that stand alone.

    async def _alone(self, visit: Visit, agent: str, said: Request | Notification | Reply) -> Response:
        match said:
            case Request():
                return await self._requested(visit, agent, said)
            case Notification():
                check_version(visit.request.headers.get(VERSION_HEADER, ""))
                return _taken()
            case Reply():
                raise McpFaultError(Fault.INVALID_REQUEST, "expected a request: in this version nothing else is asked")

    async def _requested(self, visit: Visit, agent: str, asked: Request) -> Response:
        can_ask = checked(asked, visit.request.headers.items())
        match asked.method:
            case "server/discover":
                return _answer(asked, replies.discovered(agent, __version__))
            case "tools/list":
                return _answer(asked, replies.tools(agent, visit.runs.output_schema(agent), is_modern=True))
            case "tools/call":
                return await self._called(visit, agent, asked, session=None, can_ask=can_ask)
            case method:
                raise _no_method(method)

    # Messages of a session.

    async def _in_session(self, visit: Visit, agent: str, said: Request | Notification | Reply) -> Response:
        if isinstance(said, Request) and said.method == "initialize":
            return self._opened(visit, agent, said)
        session = self._found(visit, agent)
        match said:
            case Request():
                return await self._requested_of(visit, session, said)
            case Notification(method="notifications/cancelled"):
                await self._cancelled(visit, session, params_of(said.params, Cancelled))
            case Notification():
                pass
            case Reply():
                await reply(visit, session, said)
        return _taken()

    def _opened(self, visit: Visit, agent: str, asked: Request) -> Response:
        wanted = params_of(asked.params, Initialize)
        session = self._sessions.begin(
            visit.entry.principal,
            agent,
            version=agreed(wanted.protocolVersion),
            can_ask=may_be_asked(wanted.capabilities),
        )
        result = replies.initialized(agent, __version__, protocol=session.version)
        return said_once(response(asked.id_json, result), headers={SESSION_HEADER: session.name})

    async def _requested_of(self, visit: Visit, session: Session, asked: Request) -> Response:
        match asked.method:
            case "ping":
                return _answer(asked, EMPTY)
            case "tools/list":
                output = visit.runs.output_schema(session.agent)
                return _answer(asked, replies.tools(session.agent, output, is_modern=False))
            case "tools/call":
                return await self._called(visit, session.agent, asked, session=session, can_ask=session.can_ask)
            case method:
                raise _no_method(method)

    async def _cancelled(self, visit: Visit, session: Session, said: Cancelled) -> None:
        """Stop the run of a call. One that is not known any more, or has its result, is stopped by nobody."""
        call = session.call(id_json_of(said.requestId))
        if call is not None:
            visit.check(Action.CANCEL, await visit.runs.state(call.run_id))
            await visit.runs.cancel(call.run_id, reason=STOPPED, principal=visit.entry.principal.name)

    async def _called(
        self, visit: Visit, agent: str, asked: Request, *, session: Session | None, can_ask: bool
    ) -> Response:
        called = Called(
            agent=agent,
            request=asked,
            params=params_of(asked.params, CallTool),
            session=session,
            can_ask=can_ask,
            exposure=self._exposure,
        )
        return await call_tool(visit, called)

    def _found(self, visit: Visit, agent: str) -> Session:
        named = visit.request.headers.get(SESSION_HEADER)
        if named is None:
            raise McpFaultError(Fault.INVALID_REQUEST, f"expected the header {SESSION_HEADER!r}: initialize gives it")
        session = self._sessions.find(named, visit.entry.principal, agent)
        if session is None:
            over = "there is no such session: initialize another one"
            raise McpFaultError(Fault.INVALID_REQUEST, over, status=HTTPStatus.NOT_FOUND)
        return session


def _answer(asked: Request, result: Mapping[str, Json]) -> Response:
    return said_once(response(asked.id_json, result))


def _taken() -> Response:
    return Response(status_code=HTTPStatus.ACCEPTED)


def _no_method(method: str) -> McpFaultError:
    return McpFaultError(Fault.METHOD_NOT_FOUND, f"there is no method {method[:80]!r} here")
