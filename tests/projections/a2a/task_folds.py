"""Frames of a task as clients see them: read from JSON, brought into one dialect, and folded as the official SDKs fold.

The fold is written from what `append_artifact_to_task` and the task manager of a2a-sdk 1.3 do, in words of our own, so
that it runs without it; `conformance/a2a_fold.py` runs the same comparison with the SDK itself.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from typing import Any

from treadle.projections.a2a.project import TaskRun
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.wire import Shape
from treadle.server.folded_feed import Fold
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.exposure import OPAQUE, Exposure
from treadle.values.ids import RunId
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import Stretch

RUN = RunId("r1")
ASKED_S = 1_000_000_000.0
STATES_OF_03 = {
    "submitted": "TASK_STATE_SUBMITTED",
    "working": "TASK_STATE_WORKING",
    "input-required": "TASK_STATE_INPUT_REQUIRED",
    "auth-required": "TASK_STATE_AUTH_REQUIRED",
    "completed": "TASK_STATE_COMPLETED",
    "failed": "TASK_STATE_FAILED",
    "canceled": "TASK_STATE_CANCELED",
    "TASK_STATE_CANCELLED": "TASK_STATE_CANCELED",
}
ROLES_OF_03 = {"user": "ROLE_USER", "agent": "ROLE_AGENT"}
CLOSED = {
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_AUTH_REQUIRED",
}


def token_of(pending: PendingInterrupt) -> str:
    """A token that a test can tell."""
    return f"token-of-{pending.interrupt_id}"


def telling(shape: Shape = Shape.V1_0, **how: Any) -> TaskTelling:  # noqa: ANN401 (fields of a telling)
    """How a task is told in a test."""
    return TaskTelling(**{"shape": shape, "context_id": "t1", "submitted_s": ASKED_S, **how})


def told(
    stretches: Iterable[Stretch], how: TaskTelling, exposure: Exposure = OPAQUE, *, run_id: RunId = RUN
) -> tuple[list[str], TaskRun]:
    """The frames of a log behind an exposure, as a server's feed makes them, and the task that they come to."""
    task = TaskRun(run_id, how)
    fold = Fold(task, exposure)
    frames: list[str] = []
    for stretch in stretches:
        while not fold.is_over and fold.at < stretch.index + stretch.events - 1:
            frames += fold.payloads(stretch)
    return frames, task


def segments(events: Sequence[KernelEvent]) -> list[int]:
    """For each segment, the index behind which a reader of it attaches: at its first event, but for the first one."""
    closing = [event.index for event in events if isinstance(event, CLOSING_TYPES)]
    return [-1, *(index + 1 for index in closing[:-1])]


def read(frames: Iterable[str], shape: Shape) -> list[dict[str, Any]]:
    """Frames in the words of 1.0, whatever they were said in."""
    return [as_of_10(json.loads(frame), shape) for frame in frames]


def as_of_10(frame: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """One frame in the words of 1.0."""
    match shape:
        case Shape.V1_0:
            return frame
        case Shape.V0_3:
            said = dict(frame)
            name = {"task": "task", "status-update": "statusUpdate", "artifact-update": "artifactUpdate"}[said["kind"]]
            return {name: _object_of_10(said)}
        case Shape.V0_3_REST:
            ((name, said),) = frame.items()
            return {name: _object_of_10(said)}


def task_of_10(task: dict[str, Any]) -> dict[str, Any]:
    """A task alone, in the words of 1.0."""
    return _object_of_10(task)


def _object_of_10(said: dict[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in said.items() if name not in ("kind", "final")}
    for name in ("append", "lastChunk"):
        if said.get(name) is False:
            del said[name]
    if "status" in said:
        status = dict(said["status"])
        status["state"] = STATES_OF_03.get(status["state"], status["state"])
        if "message" in status:
            status["message"] = _message_of_10(status["message"])
        said["status"] = status
    if "artifact" in said:
        said["artifact"] = _artifact_of_10(said["artifact"])
    if "artifacts" in said:
        said["artifacts"] = [_artifact_of_10(one) for one in said["artifacts"]]
    if "history" in said:
        said["history"] = [_message_of_10(one) for one in said["history"]]
    return said


def _message_of_10(message: dict[str, Any]) -> dict[str, Any]:
    said = {name: value for name, value in message.items() if name not in ("kind", "content")}
    said["role"] = ROLES_OF_03.get(said["role"], said["role"])
    said["parts"] = [_part_of_10(part) for part in message.get("parts", message.get("content"))]
    return said


def _artifact_of_10(artifact: dict[str, Any]) -> dict[str, Any]:
    return {**artifact, "parts": [_part_of_10(part) for part in artifact["parts"]]}


def _part_of_10(part: dict[str, Any]) -> dict[str, Any]:
    if "text" in part:
        return {"text": part["text"]}
    data = part["data"]
    is_rest_of_03 = "kind" not in part and "mediaType" not in part
    return {"data": data["data"] if is_rest_of_03 else data, "mediaType": "application/json"}


class ClientFold:
    """What a client has of a task, from its frames."""

    def __init__(self) -> None:
        self.task: dict[str, Any] = {}
        self._ended: set[str] = set()

    def feed(self, frame: dict[str, Any]) -> None:
        """Take in one frame, and hold it against the rules of streams."""
        ((name, said),) = frame.items()
        if name == "task":
            self.task = copy.deepcopy(said)
            return
        assert self.task, f"a stream begins with its task, not with {name}"
        assert (said["taskId"], said["contextId"]) == (self.task["id"], self.task["contextId"])
        if name == "statusUpdate":
            self._stands(said)
        else:
            self._made(said)

    def _stands(self, said: dict[str, Any]) -> None:
        if "message" in self.task["status"]:
            self.task.setdefault("history", []).append(self.task["status"]["message"])
        if "metadata" in said:
            self.task.setdefault("metadata", {}).update(said["metadata"])
        self.task["status"] = said["status"]

    def _made(self, said: dict[str, Any]) -> None:
        artifact = copy.deepcopy(said["artifact"])
        assert artifact["parts"], "an artifact without a part"
        artifacts = self.task.setdefault("artifacts", [])
        known = next((one for one in artifacts if one["artifactId"] == artifact["artifactId"]), None)
        if said.get("append"):
            assert known is not None, "append to an artifact that was never sent"
            assert artifact["artifactId"] not in self._ended, "an artifact goes on after its last chunk"
            known["parts"] += artifact["parts"]
        elif known is not None:
            known.update(artifact)
        else:
            artifacts.append(artifact)
        if said.get("lastChunk"):
            self._ended.add(artifact["artifactId"])


def folded(frames: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What frames come to, the texts of each artifact joined."""
    client = ClientFold()
    for frame in frames:
        client.feed(frame)
    return joined(client.task)


def joined(task: dict[str, Any]) -> dict[str, Any]:
    """A task whose artifacts of text are one part each."""
    for artifact in task.get("artifacts", []):
        if all("text" in part for part in artifact["parts"]):
            artifact["parts"] = [{"text": "".join(part["text"] for part in artifact["parts"])}]
    return task
