"""Exceptions to faults."""

from __future__ import annotations

import pytest

from treadle.errors import (
    AlreadyAnsweredError,
    BadAnswerError,
    BodyTooLargeError,
    RunNotFoundError,
    ThreadBusyError,
    TokenInvalidError,
)
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.server.wires.a2a.refusals import told_of


@pytest.mark.requirement("A2A-faults")
@pytest.mark.parametrize(
    ("error", "fault", "status"),
    [
        (FaultError(Fault.VERSION, "no"), Fault.VERSION, None),
        (RunNotFoundError("r1"), Fault.TASK_NOT_FOUND, None),
        (BadAnswerError((("r1.i1", "one thing may be chosen"),)), Fault.INVALID_PARAMS, None),
        (TokenInvalidError("no"), Fault.INVALID_PARAMS, None),
        (AlreadyAnsweredError("no", taken=("r1.i1",)), Fault.UNSUPPORTED_OPERATION, None),
        (ThreadBusyError("no"), Fault.UNSUPPORTED_OPERATION, None),
        (BodyTooLargeError("no"), Fault.REFUSED, 413),
        (RuntimeError("dsn=postgres"), Fault.INTERNAL, None),
    ],
)
def test_an_exception_is_a_fault_of_the_protocol_or_a_refusal_of_this_server(
    error: Exception, fault: Fault, status: int | None
) -> None:
    """Ours: what was asked wrongly is an answer, what this server refuses of itself has its status."""
    told = told_of(error)
    assert (told.fault, told.status) == (fault, status)
    assert told.details["reference"].startswith("e_")
    assert all(isinstance(value, str) for value in told.details.values())
    assert "dsn" not in told.message


def test_a_fault_says_its_reason_and_its_place() -> None:
    """Ours: a program can tell faults apart, and find what is wrong."""
    told = told_of(FaultError(Fault.CONTENT_TYPE, "no files", pointer="/message/parts/0"))
    assert (told.details["code"], told.details["pointer"]) == ("content_type_not_supported", "/message/parts/0")
    problems = told_of(BadAnswerError((("r1.i1", "one thing may be chosen"),))).details["problems"]
    assert "one thing may be chosen" in problems
