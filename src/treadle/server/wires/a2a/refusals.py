"""Exceptions to faults of A2A: what a client is told in the protocol's own words.

In: any exception. Out: a fault, a sentence, details. What was asked wrongly, or of a task that is not there or not fit
for it, is a fault of the protocol, and an answer like others. What this server refuses of itself (who asks is unknown,
it has no room, it stops) keeps its status of HTTP, at which clients and proxies know what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from treadle.codec.foreign import json_text
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.server.access.failures import Refusal, refusal
from treadle.values.mappings import empty

_OF_CODE: Final[Mapping[str, Fault]] = {
    "run_not_found": Fault.TASK_NOT_FOUND,
    "bad_request": Fault.INVALID_PARAMS,
    "bad_answer": Fault.INVALID_PARAMS,
    "token_invalid": Fault.INVALID_PARAMS,
    "pause_not_found": Fault.INVALID_PARAMS,
    "outbound_refused": Fault.INVALID_PARAMS,
    "token_expired": Fault.UNSUPPORTED_OPERATION,
    "already_answered": Fault.UNSUPPORTED_OPERATION,
    "thread_busy": Fault.UNSUPPORTED_OPERATION,
    "pause_open": Fault.UNSUPPORTED_OPERATION,
    "run_final": Fault.UNSUPPORTED_OPERATION,
    "run_too_large": Fault.UNSUPPORTED_OPERATION,
}
"""By the stable code of a refusal."""
_NO_TASK: Final = "there is no such task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a client is told.

    Shape: `status` is that of HTTP where this server refuses of itself; None where the fault is the protocol's.
    """

    fault: Fault
    message: str
    details: Mapping[str, str]
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=empty)


def told_of(error: BaseException) -> Told:
    """What is told of an exception. It is logged for the operator."""
    said = refusal(error)
    return told_of_fault(error, said) if isinstance(error, FaultError) else told_of_refusal(said)


def told_of_fault(error: FaultError, said: Refusal) -> Told:
    """What is told of a fault."""
    return Told(fault=error.fault, message=said.message, details=_details(said, error.fault.value.lower()))


def told_of_refusal(said: Refusal) -> Told:
    """What is told of a refusal."""
    fault = _OF_CODE.get(said.code)
    if fault is not None:
        message = _NO_TASK if fault is Fault.TASK_NOT_FOUND else said.message
        return Told(fault=fault, message=message, details=_details(said))
    if said.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return Told(fault=Fault.INTERNAL, message=said.message, details=_details(said))
    return Told(
        fault=Fault.REFUSED, message=said.message, details=_details(said), status=said.status, headers=said.headers
    )


def _details(said: Refusal, code: str = "") -> dict[str, str]:
    more = {name: value if isinstance(value, str) else json_text(value) for name, value in said.details.items()}
    return {**more, "code": code or said.code, "reference": said.reference}
