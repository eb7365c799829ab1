#!/usr/bin/env python3
"""Folds frames of A2A with the official Python SDK and compares what they come to with a task.

  python verify_a2a.py < LINES

Each line of stdin is {"shape": "1.0" | "0.3" | "0.3 rest", "frames": [...], "task": {...}}; each line of stdout says what is
wrong with it, or null. Frames are read strictly: an unknown member is a fault.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from a2a.compat.v0_3 import a2a_v0_3_pb2 as old_pb2
from a2a.compat.v0_3 import conversions, proto_utils
from a2a.compat.v0_3 import types as old
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.types.a2a_pb2 import StreamResponse, Task
from google.protobuf.json_format import MessageToDict, ParseDict

logging.disable(logging.CRITICAL)

KINDS = {
    "task": old.Task,
    "status-update": old.TaskStatusUpdateEvent,
    "artifact-update": old.TaskArtifactUpdateEvent,
}


def frame_of(said: dict[str, Any], shape: str) -> StreamResponse:
    """A frame as the SDK has it."""
    if shape == "1.0":
        return ParseDict(said, StreamResponse())
    if shape == "0.3":
        result = KINDS[said["kind"]].model_validate(said)
    else:
        result = proto_utils.FromProto.stream_response(ParseDict(said, old_pb2.StreamResponse()))
    return conversions.to_core_stream_response(old.SendStreamingMessageSuccessResponse(result=result))


def task_of(said: dict[str, Any], shape: str) -> Task:
    """A task alone as the SDK has it."""
    if shape == "1.0":
        return ParseDict(said, Task())
    if shape == "0.3":
        return conversions.to_core_task(old.Task.model_validate(said))
    return conversions.to_core_task(proto_utils.FromProto.task(ParseDict(said, old_pb2.Task())))


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


def joined(task: Task) -> dict[str, Any]:
    """A task whose artifacts of text are one part each."""
    said: dict[str, Any] = MessageToDict(task)
    for artifact in said.get("artifacts", []):
        if all(set(part) == {"text"} for part in artifact["parts"]):
            artifact["parts"] = [{"text": "".join(part["text"] for part in artifact["parts"])}]
    return said


def problem(case: dict[str, Any]) -> str | None:
    """What is wrong with one line."""
    shape = case["shape"]
    try:
        task: Task | None = None
        for said in case["frames"]:
            task = fold(task, frame_of(said, shape))
        if task is None:
            return "there are no frames"
        came, expected = joined(task), joined(task_of(case["task"], shape))
    except Exception as error:  # noqa: BLE001 - whatever the SDK raises is the finding
        return f"{type(error).__name__}: {error}"[:500]
    return None if came == expected else f"folded {json.dumps(came)[:400]}, stored {json.dumps(expected)[:400]}"


for line in sys.stdin:
    print(json.dumps(problem(json.loads(line))), flush=True)
