"""The envelope of JSON-RPC: a body to a call, and a result or a fault to an answer.

In: bytes. Out: a call whose id is echoed as it came, type and all; or a fault, with the id as far as it can be known.

Source: JSON-RPC 2.0; the A2A specification, "JSON-RPC Protocol Binding".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from treadle.codec.foreign import json_text, json_value
from treadle.projections.a2a.faults import Fault, FaultError, rpc_error
from treadle.projections.a2a.wire import Shape
from treadle.values.mappings import EMPTY, Json, empty

LONGEST_ID: Final = 1_024
"""Characters of an id, as JSON."""


class Operation(StrEnum):
    """What can be asked of an agent, by the name of its method in 1.0."""

    SEND = "SendMessage"
    STREAM = "SendStreamingMessage"
    GET = "GetTask"
    LIST = "ListTasks"
    CANCEL = "CancelTask"
    SUBSCRIBE = "SubscribeToTask"
    PUSH_CREATE = "CreateTaskPushNotificationConfig"
    PUSH_GET = "GetTaskPushNotificationConfig"
    PUSH_LIST = "ListTaskPushNotificationConfigs"
    PUSH_DELETE = "DeleteTaskPushNotificationConfig"
    EXTENDED_CARD = "GetExtendedAgentCard"


METHODS_OF_03: Final[Mapping[str, Operation]] = {
    "message/send": Operation.SEND,
    "message/stream": Operation.STREAM,
    "tasks/get": Operation.GET,
    "tasks/cancel": Operation.CANCEL,
    "tasks/resubscribe": Operation.SUBSCRIBE,
    "tasks/pushNotificationConfig/set": Operation.PUSH_CREATE,
    "tasks/pushNotificationConfig/get": Operation.PUSH_GET,
    "tasks/pushNotificationConfig/list": Operation.PUSH_LIST,
    "tasks/pushNotificationConfig/delete": Operation.PUSH_DELETE,
    "agent/getAuthenticatedExtendedCard": Operation.EXTENDED_CARD,
}
METHODS: Final[Mapping[Shape, Mapping[str, Operation]]] = {
    Shape.V1_0: {operation.value: operation for operation in Operation},
    Shape.V0_3: METHODS_OF_03,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call.

    Shape: `id_json` is the JSON of its id; "" for a notification, which is not answered. `fault` is what is wrong with
        its envelope.
    """

    id_json: str = "null"
    method: str = ""
    params: Json = field(default_factory=empty)
    fault: FaultError | None = None

    @property
    def before(self) -> str:
        """What stands before a result of this call."""
        return f'{{"jsonrpc":"2.0","id":{self.id_json or "null"},"result":'

    def answered(self, result: str) -> str:
        """The answer with a result, which is JSON text."""
        return f"{self.before}{result}{BEHIND}"

    def failed(self, fault: Fault, message: str, *, shape: Shape, details: Mapping[str, str] = EMPTY) -> str:
        """The answer with a fault."""
        error = json_text(rpc_error(fault, message, shape, details=details))
        return f'{{"jsonrpc":"2.0","id":{self.id_json or "null"},"error":{error}}}'


BEHIND: Final = "}"
"""What stands behind a result."""


def call_of(body: bytes) -> Call:
    """The call that a body holds. It raises nothing: what is wrong with it is its `fault`."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return Call(fault=FaultError(Fault.PARSE, "the body is no JSON in UTF-8"))
    if isinstance(said, list):
        return Call(fault=FaultError(Fault.INVALID_REQUEST, "expected one call, came a batch: send each by itself"))
    if not isinstance(said, dict):
        return Call(fault=FaultError(Fault.INVALID_REQUEST, "expected an object with jsonrpc, id, method and params"))
    id_json = _id_json(said)
    if id_json is None:
        told = f"an id is text or a number, of at most {LONGEST_ID} characters"
        return Call(fault=FaultError(Fault.INVALID_REQUEST, told, pointer="/id"))
    if said.get("jsonrpc") != "2.0":
        return Call(id_json=id_json, fault=FaultError(Fault.INVALID_REQUEST, "jsonrpc is '2.0'", pointer="/jsonrpc"))
    method, params = said.get("method"), said.get("params")
    if not isinstance(method, str):
        return Call(id_json=id_json, fault=FaultError(Fault.INVALID_REQUEST, "a method is text", pointer="/method"))
    if not isinstance(params, dict | None):
        wrong = FaultError(Fault.INVALID_PARAMS, "params is an object", pointer="/params")
        return Call(id_json=id_json, method=method, fault=wrong)
    return Call(id_json=id_json, method=method, params=json_value(params or {}))


def operation_of(call: Call, shape: Shape) -> Operation:
    """What a call asks for.

    Raises:
        FaultError: Its envelope is wrong, or there is no such method in this version.
    """
    if call.fault is not None:
        raise call.fault
    operation = METHODS[shape].get(call.method)
    if operation is None:
        raise FaultError(Fault.METHOD_NOT_FOUND, _no_method(call.method, shape), pointer="/method")
    return operation


def _no_method(method: str, shape: Shape) -> str:
    said = f"version {shape.value} of A2A has no method {method[:80]!r}"
    other = next((one for one, methods in METHODS.items() if one is not shape and method in methods), None)
    return said if other is None else f"{said}; it is one of {other.value}: send the header A2A-Version: {other.value}"


def _id_json(said: Mapping[str, Json]) -> str | None:
    """The id as it came; "" where there is none, None where it is none that there could be."""
    if "id" not in said:
        return ""
    given = said["id"]
    if isinstance(given, bool) or not isinstance(given, str | int | float | None):
        return None
    if isinstance(given, float) and not math.isfinite(given):
        return None
    # Exactly as it came, be it too large for others: what is echoed is compared. It stands in every frame of a stream.
    made = json.dumps(given)
    return made if len(made) <= LONGEST_ID else None
