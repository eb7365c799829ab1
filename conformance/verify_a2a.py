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
from a2a.types.a2a_pb2 import StreamResponse, Task
from google.protobuf.json_format import ParseDict

from a2a_fold import fold, joined

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
