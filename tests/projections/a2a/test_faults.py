"""Faults in the three forms in which clients read them."""

from __future__ import annotations

import pytest

from treadle.projections.a2a.faults import FAULTS, Fault, FaultError, path_error, rpc_error
from treadle.projections.a2a.wire import Shape


@pytest.mark.requirement("A2A-faults")
def test_every_fault_has_its_codes() -> None:
    """A2A 1.0, error handling: the codes of JSON-RPC, the statuses of paths."""
    assert set(FAULTS) == set(Fault)
    assert {fault.value: FAULTS[fault].rpc for fault in Fault if -32010 < FAULTS[fault].rpc < -32000} == {
        "TASK_NOT_FOUND": -32001,
        "TASK_NOT_CANCELABLE": -32002,
        "PUSH_NOTIFICATION_NOT_SUPPORTED": -32003,
        "UNSUPPORTED_OPERATION": -32004,
        "CONTENT_TYPE_NOT_SUPPORTED": -32005,
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED": -32007,
        "VERSION_NOT_SUPPORTED": -32009,
    }


def test_a_fault_is_said_in_the_form_of_its_version_and_binding() -> None:
    """A2A 1.0: google.rpc's details; 0.3: free data, and over paths the name of the error."""
    details = {"reference": "e1"}
    info = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "TASK_NOT_FOUND",
        "domain": "a2a-protocol.org",
        "metadata": details,
    }
    fault = Fault.TASK_NOT_FOUND
    assert rpc_error(fault, "no", Shape.V1_0, details=details) == {"code": -32001, "message": "no", "data": [info]}
    assert rpc_error(fault, "no", Shape.V0_3, details=details) == {"code": -32001, "message": "no", "data": details}
    assert rpc_error(fault, "no", Shape.V0_3) == {"code": -32001, "message": "no"}
    assert path_error(fault, "no", Shape.V1_0, details=details) == {
        "error": {"code": 404, "status": "NOT_FOUND", "message": "no", "details": [info]}
    }
    assert path_error(fault, "no", Shape.V1_0, status=429)["error"]["code"] == 429
    said = {"code": -32001, "message": "no", "type": "TaskNotFoundError"}
    assert path_error(fault, "no", Shape.V0_3_REST, details=details) == {**said, "data": details}
    assert path_error(fault, "no", Shape.V0_3) == said


def test_a_fault_that_is_raised_says_what_of_it_and_where() -> None:
    """Ours: bad input gets a clear error."""
    error = FaultError(Fault.CONTENT_TYPE, "no files", pointer="/message/parts/0")
    assert (error.fault, error.pointer, str(error)) == (Fault.CONTENT_TYPE, "/message/parts/0", "no files")
