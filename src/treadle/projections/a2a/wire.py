"""The shapes of A2A: one model of a task, and the dialects in which it is written.

In: parts, messages, statuses, tasks. Out: JSON terms of one dialect. Version 1.0 has one form for both of its bindings;
0.3 says `kind` over JSON-RPC, and over its REST paths the JSON of its protocol buffers.

Source: the A2A specification, 1.0 and 0.3 (protocol page: docs/protocols/a2a.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Final, TypeAlias

from treadle.values.mappings import Json, empty

EXTENSION: Final = "urn:treadle:a2a:run:1"
"""The extension under whose name details of a run are told to whoever asks for them, and tokens of pauses."""
RESPONSE: Final = "response"
"""The artifact that holds the text of a run."""
OUTPUT: Final = "output"
"""The artifact that holds its structured output."""
JSON_TYPE: Final = "application/json"


class Shape(StrEnum):
    """A form of the wire: a version, and for 0.3 a binding."""

    V1_0 = "1.0"
    V0_3 = "0.3"
    V0_3_REST = "0.3 rest"


class State(StrEnum):
    """Where a task stands."""

    SUBMITTED = "submitted"
    WORKING = "working"
    INPUT_REQUIRED = "input-required"
    AUTH_REQUIRED = "auth-required"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"


INTERRUPTED: Final = frozenset({State.INPUT_REQUIRED, State.AUTH_REQUIRED})
TERMINAL: Final = frozenset({State.COMPLETED, State.FAILED, State.CANCELED})
CLOSING: Final = INTERRUPTED | TERMINAL
"""States with which a stream ends."""


class Role(StrEnum):
    """Who says a message."""

    USER = "user"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Text:
    """A part that is text."""

    text: str


@dataclass(frozen=True, slots=True)
class Data:
    """A part that is a JSON object: in 0.3 it can be nothing else."""

    data: Mapping[str, Json]


Part: TypeAlias = Text | Data


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What somebody said."""

    message_id: str
    role: Role
    parts: Sequence[Part]
    metadata: Mapping[str, Json] = field(default_factory=empty)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Where a task stands, and since when.

    Units: `at_s` is UTC seconds.
    """

    state: State
    at_s: float
    message: Message | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """What a task makes."""

    artifact_id: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A whole task."""

    status: Status
    artifacts: Sequence[Artifact]
    history: Sequence[Message]
    metadata: Mapping[str, Json] = field(default_factory=empty)


class Dialect:
    """One form of the wire, for one task. This is version 1.0.

    Shape: a *frame* is what one event of a stream holds; `task` is a task alone, as it is given to whoever asks for it.
    """

    STATES: ClassVar[Mapping[State, str]] = {state: f"TASK_STATE_{state.name}" for state in State}
    ROLES: ClassVar[Mapping[Role, str]] = {role: f"ROLE_{role.name}" for role in Role}
    PARTS: ClassVar[str] = "parts"

    def __init__(self, task_id: str, context_id: str) -> None:
        self._of_task = {"taskId": task_id, "contextId": context_id}
        self._is_task = {"id": task_id, "contextId": context_id}

    def task(self, task: Task) -> dict[str, Json]:
        """A task alone."""
        said: dict[str, Json] = {**self._is_task, "status": self._status(task.status)}
        if task.artifacts:
            said["artifacts"] = [self._artifact(one) for one in task.artifacts]
        if task.history:
            said["history"] = [self._message(one) for one in task.history]
        if task.metadata:
            said["metadata"] = dict(task.metadata)
        return said

    def task_frame(self, task: Task) -> dict[str, Json]:
        """A task as a frame, and as the answer to a message."""
        return {"task": self.task(task)}

    def status_frame(self, status: Status, metadata: Mapping[str, Json]) -> dict[str, Json]:
        """A task stands somewhere else now."""
        return {"statusUpdate": self._status_update(status, metadata)}

    def artifact_frame(self, artifact: Artifact, *, append: bool, is_last: bool) -> dict[str, Json]:
        """An artifact is there, or more of it."""
        return {"artifactUpdate": self._artifact_update(artifact, append=append, is_last=is_last)}

    def _status_update(self, status: Status, metadata: Mapping[str, Json]) -> dict[str, Json]:
        said: dict[str, Json] = {**self._of_task, "status": self._status(status)}
        if metadata:
            said["metadata"] = dict(metadata)
        return said

    def _artifact_update(self, artifact: Artifact, *, append: bool, is_last: bool) -> dict[str, Json]:
        said: dict[str, Json] = {**self._of_task, "artifact": self._artifact(artifact)}
        if append:
            said["append"] = True
        if is_last:
            said["lastChunk"] = True
        return said

    def _status(self, status: Status) -> dict[str, Json]:
        said: dict[str, Json] = {"state": self.STATES[status.state]}
        if status.message is not None:
            said["message"] = self._message(status.message)
        said["timestamp"] = timestamp(status.at_s)
        return said

    def _artifact(self, artifact: Artifact) -> dict[str, Json]:
        return {"artifactId": artifact.artifact_id, "parts": [self._part(part) for part in artifact.parts]}

    def _message(self, message: Message) -> dict[str, Json]:
        said: dict[str, Json] = {
            "messageId": message.message_id,
            "role": self.ROLES[message.role],
            **self._of_task,
            self.PARTS: [self._part(part) for part in message.parts],
        }
        if message.metadata:
            said["metadata"] = dict(message.metadata)
        if EXTENSION in message.metadata:
            said["extensions"] = [EXTENSION]
        return said

    def _part(self, part: Part) -> dict[str, Json]:
        return {"text": part.text} if isinstance(part, Text) else {"data": part.data, "mediaType": JSON_TYPE}


class RestOf03(Dialect):
    """Version 0.3 over its REST paths."""

    STATES: ClassVar[Mapping[State, str]] = {**Dialect.STATES, State.CANCELED: "TASK_STATE_CANCELLED"}
    PARTS: ClassVar[str] = "content"

    def _status_update(self, status: Status, metadata: Mapping[str, Json]) -> dict[str, Json]:
        return {**super()._status_update(status, metadata), "final": status.state in CLOSING}

    def _part(self, part: Part) -> dict[str, Json]:
        return {"text": part.text} if isinstance(part, Text) else {"data": {"data": part.data}}


class RpcOf03(Dialect):
    """Version 0.3 over JSON-RPC: every object says its `kind`."""

    STATES: ClassVar[Mapping[State, str]] = {state: state.value for state in State}
    ROLES: ClassVar[Mapping[Role, str]] = {role: role.value for role in Role}

    def task(self, task: Task) -> dict[str, Json]:
        """A task alone."""
        return {"kind": "task", **super().task(task)}

    def task_frame(self, task: Task) -> dict[str, Json]:
        """A task as a frame."""
        return self.task(task)

    def status_frame(self, status: Status, metadata: Mapping[str, Json]) -> dict[str, Json]:
        """A task stands somewhere else now; `final` says that nothing more comes on this stream."""
        said = self._status_update(status, metadata)
        return {"kind": "status-update", **said, "final": status.state in CLOSING}

    def artifact_frame(self, artifact: Artifact, *, append: bool, is_last: bool) -> dict[str, Json]:
        """An artifact is there, or more of it."""
        said = {**self._of_task, "artifact": self._artifact(artifact), "append": append, "lastChunk": is_last}
        return {"kind": "artifact-update", **said}

    def _message(self, message: Message) -> dict[str, Json]:
        return {"kind": "message", **super()._message(message)}

    def _part(self, part: Part) -> dict[str, Json]:
        return {"kind": "text", "text": part.text} if isinstance(part, Text) else {"kind": "data", "data": part.data}


DIALECTS: Final[Mapping[Shape, type[Dialect]]] = {
    Shape.V1_0: Dialect,
    Shape.V0_3: RpcOf03,
    Shape.V0_3_REST: RestOf03,
}


def timestamp(at_s: float) -> str:
    """A time as the protocol writes it: UTC, to the millisecond."""
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def as_object(value: Any) -> Mapping[str, Json]:  # noqa: ANN401 (JSON of any kind)
    """JSON terms as an object: what is none stands under `value`."""
    return value if isinstance(value, Mapping) else {"value": value}
