"""What goes wrong with a request, in the words of A2A: one table for both versions and both bindings.

In: a fault and a message. Out: the body of an error: of JSON-RPC, of a path in 1.0 (the form of google.rpc), of a path
in 0.3. Knows nothing of what raised it.

Source: the A2A specification, "Error Handling".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from treadle.errors import BadRequestError
from treadle.projections.a2a.wire import Shape
from treadle.values.mappings import EMPTY, Json

_INFO: Final = "type.googleapis.com/google.rpc.ErrorInfo"
_DOMAIN: Final = "a2a-protocol.org"


class Fault(StrEnum):
    """The kinds of faults, by the reason that 1.0 gives them."""

    TASK_NOT_FOUND = "TASK_NOT_FOUND"
    TASK_NOT_CANCELABLE = "TASK_NOT_CANCELABLE"
    PUSH_NOT_SUPPORTED = "PUSH_NOTIFICATION_NOT_SUPPORTED"
    UNSUPPORTED_OPERATION = "UNSUPPORTED_OPERATION"
    CONTENT_TYPE = "CONTENT_TYPE_NOT_SUPPORTED"
    NO_EXTENDED_CARD = "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
    VERSION = "VERSION_NOT_SUPPORTED"
    INVALID_PARAMS = "INVALID_PARAMS"
    INVALID_REQUEST = "INVALID_REQUEST"
    METHOD_NOT_FOUND = "METHOD_NOT_FOUND"
    PARSE = "PARSE_ERROR"
    INTERNAL = "INTERNAL_ERROR"
    REFUSED = "REQUEST_REFUSED"
    """By this server, for a reason that is none of the protocol's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """How a fault is said.

    Shape: `rpc` is the code of JSON-RPC; `status` and `grpc` are those of a path; `name` is the error's name in 0.3.
    """

    rpc: int
    status: int
    grpc: str
    name: str


def _row(rpc: int, status: int, grpc: str, name: str) -> Row:
    return Row(rpc=rpc, status=status, grpc=grpc, name=name)


FAULTS: Final[Mapping[Fault, Row]] = {
    Fault.TASK_NOT_FOUND: _row(-32001, 404, "NOT_FOUND", "TaskNotFoundError"),
    Fault.TASK_NOT_CANCELABLE: _row(-32002, 400, "FAILED_PRECONDITION", "TaskNotCancelableError"),
    Fault.PUSH_NOT_SUPPORTED: _row(-32003, 400, "FAILED_PRECONDITION", "PushNotificationNotSupportedError"),
    Fault.UNSUPPORTED_OPERATION: _row(-32004, 400, "FAILED_PRECONDITION", "UnsupportedOperationError"),
    Fault.CONTENT_TYPE: _row(-32005, 400, "INVALID_ARGUMENT", "ContentTypeNotSupportedError"),
    Fault.NO_EXTENDED_CARD: _row(-32007, 400, "FAILED_PRECONDITION", "ExtendedAgentCardNotConfiguredError"),
    Fault.VERSION: _row(-32009, 400, "FAILED_PRECONDITION", "VersionNotSupportedError"),
    Fault.INVALID_PARAMS: _row(-32602, 400, "INVALID_ARGUMENT", "InvalidParamsError"),
    Fault.INVALID_REQUEST: _row(-32600, 400, "INVALID_ARGUMENT", "InvalidRequestError"),
    Fault.METHOD_NOT_FOUND: _row(-32601, 404, "NOT_FOUND", "MethodNotFoundError"),
    Fault.PARSE: _row(-32700, 400, "INVALID_ARGUMENT", "JSONParseError"),
    Fault.INTERNAL: _row(-32603, 500, "INTERNAL", "InternalError"),
    Fault.REFUSED: _row(-32000, 400, "FAILED_PRECONDITION", "InternalError"),
}


class FaultError(BadRequestError):
    """A client sent what A2A forbids, or asks for what is not there. `fault` says what of it."""

    code = "a2a_fault"

    def __init__(self, fault: Fault, message: str, *, pointer: str = "") -> None:
        super().__init__(message, pointer=pointer)
        self.fault = fault


def rpc_error(fault: Fault, message: str, shape: Shape, *, details: Mapping[str, str] = EMPTY) -> dict[str, Json]:
    """The member `error` of an answer of JSON-RPC."""
    said: dict[str, Json] = {"code": FAULTS[fault].rpc, "message": message}
    if shape is Shape.V1_0:
        return {**said, "data": [_info(fault, details)]}
    return {**said, "data": dict(details)} if details else said


def path_error(
    fault: Fault, message: str, shape: Shape, *, details: Mapping[str, str] = EMPTY, status: int | None = None
) -> dict[str, Json]:
    """The body of an error of a path. `status` is that of the answer, where it is not the fault's own."""
    row = FAULTS[fault]
    if shape is Shape.V1_0:
        said = {"code": status or row.status, "status": row.grpc, "message": message}
        return {"error": {**said, "details": [_info(fault, details)]}}
    said_03: dict[str, Json] = {"code": row.rpc, "message": message, "type": row.name}
    return {**said_03, "data": dict(details)} if details else said_03


def _info(fault: Fault, details: Mapping[str, str]) -> dict[str, Json]:
    return {"@type": _INFO, "reason": fault.value, "domain": _DOMAIN, "metadata": dict(details)}
