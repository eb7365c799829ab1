"""The envelope of JSON-RPC."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.rpc import LONGEST_ID, METHODS, METHODS_OF_03, Call, Operation, call_of, operation_of
from treadle.projections.a2a.wire import Shape

IDS = st.one_of(
    st.text(max_size=80), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), st.none()
)


@pytest.mark.requirement("A2A-id", "D44")
@given(IDS)
def test_an_id_comes_back_as_it_came_type_and_all(given_id: object) -> None:
    """JSON-RPC 2.0: the same value; the JavaScript client compares with `===`."""
    call = call_of(json.dumps({"jsonrpc": "2.0", "id": given_id, "method": "GetTask", "params": {}}).encode())
    for said in (call.answered("{}"), call.failed(Fault.INTERNAL, "no", shape=Shape.V1_0)):
        came = json.loads(said)["id"]
        assert came == given_id
        assert type(came) is type(given_id)


@pytest.mark.requirement("D44")
@pytest.mark.parametrize(
    ("body", "fault", "id_json"),
    [
        (b"{", Fault.PARSE, "null"),
        (b"\xff", Fault.PARSE, "null"),
        (b"[" * 20_000, Fault.PARSE, "null"),
        (b"[]", Fault.INVALID_REQUEST, "null"),
        (b"5", Fault.INVALID_REQUEST, "null"),
        (b'{"jsonrpc":"2.0","id":[1],"method":"a"}', Fault.INVALID_REQUEST, "null"),
        (b'{"jsonrpc":"2.0","id":true,"method":"a"}', Fault.INVALID_REQUEST, "null"),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"a"}', Fault.INVALID_REQUEST, "null"),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"a"}', Fault.INVALID_REQUEST, "null"),
        (b'{"jsonrpc":"2.0","id":"' + b"x" * LONGEST_ID + b'","method":"a"}', Fault.INVALID_REQUEST, "null"),
        (b'{"jsonrpc":"1.0","id":7,"method":"a"}', Fault.INVALID_REQUEST, "7"),
        (b'{"jsonrpc":"2.0","id":7}', Fault.INVALID_REQUEST, "7"),
        (b'{"jsonrpc":"2.0","id":7,"method":"a","params":[]}', Fault.INVALID_PARAMS, "7"),
    ],
)
def test_a_wrong_envelope_is_a_fault_with_the_id_as_far_as_it_is_known(body: bytes, fault: Fault, id_json: str) -> None:
    """JSON-RPC 2.0: parse error, invalid request, invalid params, each with the id."""
    call = call_of(body)
    assert call.id_json == id_json
    with pytest.raises(FaultError) as refused:
        operation_of(call, Shape.V1_0)
    assert refused.value.fault is fault


def test_a_call_without_an_id_is_a_notification() -> None:
    """JSON-RPC 2.0: it is not answered."""
    call = call_of(b'{"jsonrpc":"2.0","method":"SendMessage"}')
    assert (call.id_json, call.fault) == ("", None)


@pytest.mark.requirement("A2A-methods", "D30")
def test_each_version_has_its_methods_and_says_whose_a_foreign_one_is() -> None:
    """A2A 1.0 and 0.3: every operation has a name in 1.0; 0.3 has no list."""
    assert set(METHODS[Shape.V1_0].values()) == set(Operation)
    assert set(METHODS_OF_03.values()) == set(Operation) - {Operation.LIST}
    assert operation_of(Call(method="message/send"), Shape.V0_3) is Operation.SEND
    with pytest.raises(FaultError, match=r"A2A-Version: 1\.0"):
        operation_of(Call(method="SendMessage"), Shape.V0_3)
    with pytest.raises(FaultError, match="no method 'nothing'") as refused:
        operation_of(Call(method="nothing"), Shape.V1_0)
    assert refused.value.fault is Fault.METHOD_NOT_FOUND


def test_parameters_are_json_terms_whatever_came() -> None:
    """Ours: half a surrogate pair is replaced where it enters, and no parameters are none."""
    assert call_of(b'{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":"\\ud83d"}}').params == {"a": "\ufffd"}
    assert call_of(b'{"jsonrpc":"2.0","id":1,"method":"a"}').params == {}
    assert Call().failed(Fault.INTERNAL, "no", shape=Shape.V0_3) == (
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no"}}'
    )
