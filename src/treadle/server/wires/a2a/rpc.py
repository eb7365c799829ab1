"""The binding to JSON-RPC: one path an agent, and what its calls ask for.

In: calls. Out: answers, each with the id of its call; streams, each frame with it. A notification is not answered, and
nothing is done for it: all that can be asked for is asked for the sake of the answer.

Source: the A2A specification, "JSON-RPC Protocol Binding".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import list_query, push_query, push_target, sent_of, shape_of_version, task_query
from treadle.projections.a2a.rpc import Call, Operation, call_of, operation_of
from treadle.projections.a2a.wire import Shape
from treadle.server.access.failures import Refusal
from treadle.server.routes import Route
from treadle.server.visit import Visit
from treadle.server.wires.a2a.messages import send, stream
from treadle.server.wires.a2a.mounted import Mounted
from treadle.server.wires.a2a.refusals import told_of, told_of_refusal
from treadle.server.wires.a2a.speaking import Spoken, failed_call, version_said
from treadle.server.wires.a2a.targets import create_target, delete_target, give_target, list_targets
from treadle.server.wires.a2a.tasks import cancel, give, subscribe, tasks
from treadle.server.wires.streaming import agent_of
from treadle.values.mappings import Json


def rpc_routes(mounted: Mounted) -> tuple[Route, ...]:
    """The one path of an agent."""

    async def call_agent(visit: Visit) -> Response:
        call = call_of(await visit.parts.admission.body(visit.request))
        if call.fault is None and not call.id_json:
            return Response(status_code=204)
        shape = _shape_of_faults(visit.request)
        try:
            shape = shape_of_version(version_said(visit.request))
            operation = operation_of(call, shape)
            spoken = Spoken(visit=visit, agent=agent_of(visit), mounted=mounted, shape=shape, call=call)
            return await PERFORMED[operation](spoken, call.params)
        except Exception as error:  # noqa: BLE001 (the border of a call: each exception has its fault)
            told = told_of(error)
            visit.parts.metrics.refusals.labels(told.details["code"]).inc()
            return failed_call(call, told, shape)

    async def refused(request: Request, said: Refusal) -> Response:
        return failed_call(Call(), told_of_refusal(said), _shape_of_faults(request))

    return (Route(method="POST", path=mounted.agent_path, action=None, endpoint=call_agent, refused=refused),)


def _shape_of_faults(request: Request) -> Shape:
    """In which form a fault is told of a request whose version is not known to be spoken here."""
    return Shape.V1_0 if version_said(request) else Shape.V0_3


async def _send(spoken: Spoken, params: Json) -> Response:
    return await send(spoken, sent_of(params, spoken.shape))


async def _stream(spoken: Spoken, params: Json) -> Response:
    return await stream(spoken, sent_of(params, spoken.shape))


async def _get(spoken: Spoken, params: Json) -> Response:
    return await give(spoken, task_query(params, spoken.shape))


async def _list(spoken: Spoken, params: Json) -> Response:
    return await tasks(spoken, list_query(params))


async def _cancel(spoken: Spoken, params: Json) -> Response:
    return await cancel(spoken, task_query(params, spoken.shape))


async def _subscribe(spoken: Spoken, params: Json) -> Response:
    return await subscribe(spoken, task_query(params, spoken.shape))


async def _create(spoken: Spoken, params: Json) -> Response:
    task_id, _ = push_query(params)
    return await create_target(spoken, task_id, push_target(params))


async def _give(spoken: Spoken, params: Json) -> Response:
    return await give_target(spoken, *push_query(params))


async def _targets(spoken: Spoken, params: Json) -> Response:
    return await list_targets(spoken, push_query(params)[0])


async def _delete(spoken: Spoken, params: Json) -> Response:
    return await delete_target(spoken, *push_query(params))


async def no_extended_card(_: Spoken, __: Json = None) -> Response:
    """There is one card, and it is for everybody."""
    raise FaultError(Fault.NO_EXTENDED_CARD, "this agent has one card, at .well-known/agent-card.json")


Performed: TypeAlias = Callable[[Spoken, Json], Awaitable[Response]]
PERFORMED: Final[Mapping[Operation, Performed]] = {
    Operation.SEND: _send,
    Operation.STREAM: _stream,
    Operation.GET: _get,
    Operation.LIST: _list,
    Operation.CANCEL: _cancel,
    Operation.SUBSCRIBE: _subscribe,
    Operation.PUSH_CREATE: _create,
    Operation.PUSH_GET: _give,
    Operation.PUSH_LIST: _targets,
    Operation.PUSH_DELETE: _delete,
    Operation.EXTENDED_CARD: no_extended_card,
}
"""Total: every operation has its row."""
