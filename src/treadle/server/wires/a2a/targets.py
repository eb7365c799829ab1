"""Targets of push notifications, as clients register, read and remove them.

In: a request as it is spoken, and what it names. Out: responses in the form of its version. What proves to a target who
calls it (a token, credentials) is written and never read back.
"""

from __future__ import annotations

from starlette.responses import Response

from treadle.codec.foreign import json_text
from treadle.projections.a2a.parse import PushTarget
from treadle.projections.a2a.wire import Shape
from treadle.server.access.principal import Action
from treadle.server.wires.a2a.push import watched
from treadle.server.wires.a2a.speaking import Spoken
from treadle.server.wires.a2a.tasks import found
from treadle.values.mappings import Json
from treadle.values.runs import RunState


async def create_target(spoken: Spoken, task_id: str, target: PushTarget) -> Response:
    """Tell a target of a task from now on."""
    run = await found(spoken, task_id, Action.READ)
    await spoken.mounted.pushes.check(spoken.visit.parts, target)
    return _said(spoken, _target_json(spoken, run, notify(spoken, run, target)))


async def give_target(spoken: Spoken, task_id: str, target_id: str) -> Response:
    """A target of a task."""
    run = await found(spoken, task_id, Action.READ)
    return _said(spoken, _target_json(spoken, run, spoken.mounted.pushes.one(run, target_id)))


async def list_targets(spoken: Spoken, task_id: str) -> Response:
    """The targets of a task."""
    run = await found(spoken, task_id, Action.READ)
    said = [_target_json(spoken, run, target) for target in spoken.mounted.pushes.of(run)]
    return _said(spoken, said if spoken.shape is Shape.V0_3 and spoken.call is not None else {"configs": said})


async def delete_target(spoken: Spoken, task_id: str, target_id: str) -> Response:
    """Tell a target no more."""
    run = await found(spoken, task_id, Action.READ)
    spoken.mounted.pushes.remove(run, target_id)
    return _said(spoken, {} if spoken.shape is Shape.V1_0 or spoken.call is None else None)


def notify(spoken: Spoken, run: RunState, target: PushTarget) -> PushTarget:
    """Tell a target of a run that was found for whoever asks."""
    watch = watched(spoken.visit, run, target, shape=spoken.shape, exposure=spoken.mounted.exposure)
    return spoken.mounted.pushes.add(spoken.visit.parts, watch)


def _said(spoken: Spoken, terms: Json) -> Response:
    return spoken.result(json_text(terms))


def _target_json(spoken: Spoken, run: RunState, target: PushTarget) -> dict[str, Json]:
    said: dict[str, Json] = {"id": target.target_id, "url": target.url}
    if target.scheme:
        said["authentication"] = (
            {"scheme": target.scheme} if spoken.shape is Shape.V1_0 else {"schemes": [target.scheme]}
        )
    if spoken.shape is Shape.V1_0:
        return {"taskId": run.run_id, **said}
    if spoken.shape is Shape.V0_3_REST:
        name = f"tasks/{run.run_id}/pushNotificationConfigs/{target.target_id}"
        return {"name": name, "pushNotificationConfig": said}
    return {"taskId": run.run_id, "pushNotificationConfig": said}
