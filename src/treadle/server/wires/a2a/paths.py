"""The binding to paths of HTTP, with JSON bodies: those of 1.0, the same in 0.3, and those that 0.3 has below `/v1`.

In: requests. Out: bare results and bare frames. The method and the path say what is asked for, so each has its action.

Source: the A2A specification, "HTTP+JSON/REST Protocol Binding"; the protocol buffers of 0.3.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from treadle.codec.foreign import json_value
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import list_query, push_target, sent_of, task_query
from treadle.projections.a2a.wire import Shape
from treadle.server.access.failures import Refusal
from treadle.server.access.principal import Action
from treadle.server.routes import Route
from treadle.server.visit import RUN, Visit
from treadle.server.wires.a2a.messages import send, stream
from treadle.server.wires.a2a.mounted import Mounted
from treadle.server.wires.a2a.refusals import told_of, told_of_refusal
from treadle.server.wires.a2a.rpc import no_extended_card
from treadle.server.wires.a2a.speaking import Spoken, failed_path, shape_said, version_said
from treadle.server.wires.a2a.targets import create_target, delete_target, give_target, list_targets
from treadle.server.wires.a2a.tasks import cancel, give, subscribe, tasks
from treadle.server.wires.streaming import agent_of
from treadle.values.mappings import Json

TARGET: Final = "target_id"
OF_03: Final = "/v1"
"""Below which 0.3 has its paths."""
_TASK: Final = f"/tasks/{{{RUN}}}"
_TARGETS: Final = f"{_TASK}/pushNotificationConfigs"

Asked: TypeAlias = Callable[[Spoken], Awaitable[Response]]


async def send_message(spoken: Spoken) -> Response:
    """A message that is answered with its task."""
    return await send(spoken, sent_of(await _body(spoken), spoken.shape))


async def stream_message(spoken: Spoken) -> Response:
    """A message that is answered with a stream of its task."""
    return await stream(spoken, sent_of(await _body(spoken), spoken.shape))


async def read_tasks(spoken: Spoken) -> Response:
    """A page of tasks."""
    return await tasks(spoken, list_query(_query(spoken)))


async def read_task(spoken: Spoken) -> Response:
    """A task as it stands."""
    return await give(spoken, task_query({**_query(spoken), "id": _task_id(spoken)}, spoken.shape))


async def cancel_task(spoken: Spoken) -> Response:
    """A task that was asked to stop."""
    return await cancel(spoken, task_query({"id": _task_id(spoken)}, spoken.shape))


async def subscribe_task(spoken: Spoken) -> Response:
    """A stream of a task."""
    return await subscribe(spoken, task_query({**_query(spoken), "id": _task_id(spoken)}, spoken.shape))


async def create_push(spoken: Spoken) -> Response:
    """A target is told of a task from now on."""
    return await create_target(spoken, _task_id(spoken), push_target(await _body(spoken)))


async def list_pushes(spoken: Spoken) -> Response:
    """The targets of a task."""
    return await list_targets(spoken, _task_id(spoken))


async def read_push(spoken: Spoken) -> Response:
    """A target of a task."""
    return await give_target(spoken, _task_id(spoken), _target_id(spoken))


async def delete_push(spoken: Spoken) -> Response:
    """A target is told no more."""
    return await delete_target(spoken, _task_id(spoken), _target_id(spoken))


# A task's id is matched by all but a slash, so what has a colon behind it stands before what has not.
PATHS: Final[tuple[tuple[str, str, Action | None, Asked], ...]] = (
    ("POST", "/message:send", None, send_message),
    ("POST", "/message:stream", None, stream_message),
    ("GET", "/tasks", Action.LIST, read_tasks),
    ("POST", f"{_TASK}:cancel", Action.CANCEL, cancel_task),
    ("POST", f"{_TASK}:subscribe", Action.READ, subscribe_task),
    ("GET", f"{_TASK}:subscribe", Action.READ, subscribe_task),
    ("GET", _TASK, Action.READ, read_task),
    ("POST", _TARGETS, Action.READ, create_push),
    ("GET", _TARGETS, Action.READ, list_pushes),
    ("GET", f"{_TARGETS}/{{{TARGET}}}", Action.READ, read_push),
    ("DELETE", f"{_TARGETS}/{{{TARGET}}}", Action.READ, delete_push),
    ("GET", "/extendedAgentCard", None, no_extended_card),
    ("GET", "/card", None, no_extended_card),
)


def path_routes(mounted: Mounted) -> tuple[Route, ...]:
    """The paths of an agent."""
    return tuple(
        Route(
            method=method,
            path=f"{mounted.agent_path}{below}{path}",
            action=action,
            endpoint=_answering(mounted, asked, is_below_v1=bool(below)),
            refused=partial(_refused, is_below_v1=bool(below)),
        )
        for below in ("", OF_03)
        for method, path, action, asked in PATHS
    )


def _answering(mounted: Mounted, asked: Asked, *, is_below_v1: bool) -> Callable[[Visit], Awaitable[Response]]:
    async def answered(visit: Visit) -> Response:
        shape = _shape_of_faults(visit.request, is_below_v1=is_below_v1)
        try:
            shape = _shape(visit.request, is_below_v1=is_below_v1)
            spoken = Spoken(visit=visit, agent=agent_of(visit), mounted=mounted, shape=shape)
            return await asked(spoken)
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its fault)
            told = told_of(error)
            visit.parts.metrics.refusals.labels(told.details["code"]).inc()
            return failed_path(told, shape)

    answered.__name__ = asked.__name__
    return answered


async def _refused(request: Request, said: Refusal, *, is_below_v1: bool) -> Response:
    return failed_path(told_of_refusal(said), _shape_of_faults(request, is_below_v1=is_below_v1))


def _shape(request: Request, *, is_below_v1: bool) -> Shape:
    shape = shape_said(request)
    if not is_below_v1:
        return shape
    if shape is not Shape.V0_3:
        raise FaultError(Fault.VERSION, f"paths below {OF_03} are those of 0.3; {shape.value} has them without it")
    return Shape.V0_3_REST


def _shape_of_faults(request: Request, *, is_below_v1: bool) -> Shape:
    if is_below_v1:
        return Shape.V0_3_REST
    return Shape.V1_0 if version_said(request) not in (None, "0.3", "0.3.0") else Shape.V0_3


async def _body(spoken: Spoken) -> Json:
    """The JSON of a body."""
    raw = await spoken.visit.parts.admission.body(spoken.visit.request)
    try:
        return json_value(json.loads(raw))
    except (ValueError, RecursionError) as wrong:
        raise FaultError(Fault.PARSE, "the body is no JSON in UTF-8") from wrong


def _query(spoken: Spoken) -> dict[str, str]:
    return dict(spoken.visit.request.query_params)


def _task_id(spoken: Spoken) -> str:
    return str(spoken.visit.request.path_params[RUN])


def _target_id(spoken: Spoken) -> str:
    return str(spoken.visit.request.path_params[TARGET])
