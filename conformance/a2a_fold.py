"""Shared by the scripts of A2A: what frames come to, as the official Python SDK's own server folds them into its task."""

from __future__ import annotations

from typing import Any

from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types.a2a_pb2 import Message, StreamResponse, Task
from google.protobuf.json_format import MessageToDict


def fold(task: Task | None, frame: StreamResponse) -> Task:
    """What a task is with one more frame: as `TaskManager.save_task_event` does it."""
    kind = frame.WhichOneof("payload")
    if kind == "task":
        whole = Task()
        whole.CopyFrom(frame.task)
        return whole
    if task is None:
        raise ValueError(f"the stream begins with {kind}")
    if kind == "artifact_update":
        append_artifact_to_task(task, frame.artifact_update)
        return task
    update = frame.status_update
    if task.status.HasField("message"):
        task.history.append(task.status.message)
    if update.metadata:
        task.metadata.MergeFrom(update.metadata)
    task.status.CopyFrom(update.status)
    return task


def heard(task: Task, message: Message) -> None:
    """What a task is once its client has said one more thing: as `TaskManager.update_with_message` does it."""
    if task.status.HasField("message"):
        task.history.append(task.status.message)
        task.status.ClearField("message")
    task.history.append(message)


def joined(task: Task) -> dict[str, Any]:
    """A task whose artifacts of text are one part each."""
    said: dict[str, Any] = MessageToDict(task)
    for artifact in said.get("artifacts", []):
        if all(set(part) == {"text"} for part in artifact["parts"]):
            artifact["parts"] = [{"text": "".join(part["text"] for part in artifact["parts"])}]
    return said
