"""What clients send, in both versions."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import (
    LONGEST_HEADER,
    PushTarget,
    list_query,
    push_query,
    push_target,
    sent_of,
    shape_of_version,
    task_query,
)
from treadle.projections.a2a.wire import EXTENSION, Shape, State


def message(*parts: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (any JSON)
    """A send of 1.0."""
    said = {"messageId": "m1", "role": "ROLE_USER", "parts": list(parts)}
    config = more.pop("configuration", None)
    return {"message": {**said, **more}, **({} if config is None else {"configuration": config})}


@pytest.mark.requirement("A2A-negotiation")
@pytest.mark.parametrize(
    ("said", "shape"),
    [(None, Shape.V0_3), ("", Shape.V0_3), ("0.3", Shape.V0_3), ("0.3.0", Shape.V0_3), ("1.0", Shape.V1_0)],
)
def test_a_version_has_its_form_and_none_is_03(said: str | None, shape: Shape) -> None:
    """A2A 1.0, versioning: an absent header is 0.3, patches do not count."""
    assert shape_of_version(said) is shape


@pytest.mark.requirement("A2A-negotiation", "D30")
@pytest.mark.parametrize("said", ["2.0", "1.1", "x", "1"])
def test_a_version_that_is_not_spoken_is_refused(said: str) -> None:
    """A2A 1.0, versioning: -32009."""
    with pytest.raises(FaultError) as refused:
        shape_of_version(said)
    assert refused.value.fault is Fault.VERSION


def test_a_message_of_each_form_says_the_same() -> None:
    """Ours: one reader for the forms in which the official clients of both versions write."""
    new = message({"text": "a"}, {"data": {"b": 1}}, taskId="r1", contextId="t1", extensions=["x"])
    rpc = {
        "message": {
            "kind": "message",
            "messageId": "m1",
            "role": "user",
            "taskId": "r1",
            "contextId": "t1",
            "extensions": ["x"],
            "parts": [{"kind": "text", "text": "a"}, {"kind": "data", "data": {"b": 1}}],
        }
    }
    rest = {
        "request": {
            "message_id": "m1",
            "role": "ROLE_USER",
            "task_id": "r1",
            "context_id": "t1",
            "extensions": ["x"],
            "content": [{"text": "a"}, {"data": {"data": {"b": 1}}}],
        }
    }
    said = [sent_of(new, Shape.V1_0), sent_of(rpc, Shape.V0_3), sent_of(rest, Shape.V0_3_REST)]
    assert said[0] == said[1] == said[2]
    assert (said[0].prompt, said[0].texts, said[0].data) == ('a\n\n{"b":1}', ("a",), ({"b": 1},))
    assert (said[0].task_id, said[0].context_id, said[0].extensions) == ("r1", "t1", ("x",))


def test_data_that_was_wrapped_for_03_is_unwrapped() -> None:
    """a2a-sdk: what is no object travels under `value`, with a flag."""
    part = {"kind": "data", "data": {"value": [1]}, "metadata": {"data_part_compat": True}}
    old = {"message": {"messageId": "m", "role": "user", "parts": [part]}}
    assert sent_of(old, Shape.V0_3).data == ([1],)
    assert sent_of(message(part), Shape.V1_0).data == ({"value": [1]},)


@pytest.mark.requirement("D44", "A2A-parts")
@pytest.mark.parametrize(
    ("params", "fault", "pointer"),
    [
        ({}, Fault.INVALID_PARAMS, "/message"),
        ([], Fault.INVALID_PARAMS, ""),
        ({"message": 5}, Fault.INVALID_PARAMS, "/message"),
        (message({"text": "a"}, role="ROLE_AGENT"), Fault.INVALID_PARAMS, "/message/role"),
        (message({"text": "a"}, role=None), Fault.INVALID_PARAMS, "/message/role"),
        (message({"text": "a"}, role={}), Fault.INVALID_PARAMS, "/message/role"),
        (message({"text": "a"}, messageId=""), Fault.INVALID_PARAMS, "/message/messageId"),
        (message(), Fault.INVALID_PARAMS, "/message/parts"),
        (message(parts=5), Fault.INVALID_PARAMS, "/message/parts"),
        (message({"text": " "}), Fault.INVALID_PARAMS, "/message/parts"),
        (message({"text": 5}), Fault.INVALID_PARAMS, "/message/parts/0/text"),
        (message({}), Fault.INVALID_PARAMS, "/message/parts/0/text"),
        (message({"text": "a"}, {"raw": "aGk="}), Fault.CONTENT_TYPE, "/message/parts/1/raw"),
        (message({"url": "https://a.example"}), Fault.CONTENT_TYPE, "/message/parts/0/url"),
        (message({"kind": "file", "file": {"bytes": "aGk="}}), Fault.CONTENT_TYPE, "/message/parts/0/file"),
        (
            message({"text": "a"}, configuration={"acceptedOutputModes": ["image/png"]}),
            Fault.CONTENT_TYPE,
            "/configuration/acceptedOutputModes",
        ),
        (
            message({"text": "a"}, configuration={"historyLength": -1}),
            Fault.INVALID_PARAMS,
            "/configuration/historyLength",
        ),
        ({**message({"text": "a"}), "tenant": "x"}, Fault.INVALID_PARAMS, "/tenant"),
    ],
)
def test_what_is_no_message_is_refused_and_no_part_is_ignored(params: Any, fault: Fault, pointer: str) -> None:  # noqa: ANN401 (any JSON)
    """Ours: files, roles, empty texts: refused with the place, never let be."""
    with pytest.raises(FaultError) as refused:
        sent_of(params, Shape.V1_0)
    assert (refused.value.fault, refused.value.pointer) == (fault, pointer)


@pytest.mark.parametrize(
    ("shape", "how", "waits"),
    [
        (Shape.V1_0, {}, True),
        (Shape.V1_0, {"returnImmediately": True}, False),
        (Shape.V0_3, {"blocking": False}, False),
        (Shape.V0_3, {"blocking": True}, True),
        (Shape.V0_3, {}, True),
    ],
)
def test_a_send_waits_unless_it_says_otherwise(shape: Shape, how: dict[str, Any], waits: bool) -> None:  # noqa: FBT001 (a column of a table)
    """A2A 1.0: `returnImmediately`; 0.3: `blocking`."""
    assert sent_of(message({"text": "a"}, configuration=how), shape).waits is waits


def test_configuration_is_read() -> None:
    """A2A 1.0: modes, history, an inline target; 0.3 means all by a history of 0."""
    how = {
        "acceptedOutputModes": ["image/png", "Text/plain; charset=utf-8"],
        "historyLength": 0,
        "taskPushNotificationConfig": {"url": "https://a.example", "authentication": {"scheme": "Bearer"}},
    }
    sent = sent_of(message({"text": "a"}, configuration=how), Shape.V1_0)
    assert sent.history_length == 0
    assert sent.push == PushTarget(url="https://a.example", scheme="Bearer")
    old = {"historyLength": 0, "pushNotificationConfig": {"url": "https://a", "authentication": {"schemes": ["Basic"]}}}
    sent = sent_of(message({"text": "a"}, configuration=old), Shape.V0_3)
    assert sent.history_length is None
    assert sent.push == PushTarget(url="https://a", scheme="Basic")


def test_tokens_come_back_with_the_metadata_they_went_out_with() -> None:
    """Ours: what is no token there is none."""
    told = {EXTENSION: {"tokens": {"r1.i1": "abc", "r1.i2": 5}}}
    assert sent_of(message({"text": "a"}, metadata=told), Shape.V1_0).tokens == {"r1.i1": "abc"}
    assert sent_of(message({"text": "a"}, metadata={EXTENSION: {"tokens": 5}}), Shape.V1_0).tokens == {}


def test_a_task_is_asked_for_by_its_id() -> None:
    """A2A 1.0 and 0.3: get, cancel, subscribe."""
    assert task_query({"id": "r1", "historyLength": 2}, Shape.V1_0).history_length == 2
    assert task_query({"id": "r1", "historyLength": "0"}, Shape.V0_3).history_length is None
    with pytest.raises(FaultError):
        task_query({}, Shape.V1_0)


def test_a_list_is_asked_for() -> None:
    """A2A 1.0, list: filters and pages; a client that names no state may say so in its own way."""
    query = list_query(
        {
            "contextId": "t1",
            "status": "TASK_STATE_WORKING",
            "pageSize": "10",
            "pageToken": "p",
            "historyLength": 1,
            "statusTimestampAfter": "2026-01-01T00:00:00Z",
            "includeArtifacts": "true",
        }
    )
    assert (query.state, query.page_size, query.with_artifacts) == (State.WORKING, 10, True)
    assert (query.context_id, query.page_token, query.history_length) == ("t1", "p", 1)
    assert list_query({"status": "UNRECOGNIZED"}).state is list_query({}).state is None
    assert list_query({"status": "input-required"}).state is State.INPUT_REQUIRED
    for wrong in ({"status": "TASK_STATE_REJECTED"}, {"pageSize": 0}, {"pageSize": 101}):
        with pytest.raises(FaultError):
            list_query(wrong)


def test_a_target_is_read_in_each_form() -> None:
    """A2A 1.0 and 0.3: what is registered stands at the top, or nested once or twice."""
    bare = {"url": "https://a.example", "id": "c1", "token": "t", "authentication": {"credentials": "k"}}
    expected = PushTarget(url="https://a.example", target_id="c1", token="t", credentials="k")
    assert push_target({"taskId": "r1", **bare}) == expected
    assert push_target({"taskId": "r1", "pushNotificationConfig": bare}) == expected
    del bare["id"]
    assert push_target({"config_id": "c1", "config": {"push_notification_config": bare}}) == expected
    with pytest.raises(FaultError) as refused:
        push_target({"taskId": "r1"})
    assert refused.value.pointer == "/url"


@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        ({"token": "t\u00e9"}, "/token"),
        ({"authentication": {"scheme": "Bearer\u00a0"}}, "/authentication/scheme"),
        ({"authentication": {"credentials": "k\r\nX-Role: admin"}}, "/authentication/credentials"),
        ({"authentication": {"credentials": " k"}}, "/authentication/credentials"),
        ({"authentication": {"credentials": "k" * (LONGEST_HEADER + 1)}}, "/authentication/credentials"),
    ],
)
def test_what_no_header_holds_is_refused_when_it_is_registered(said: dict[str, Any], pointer: str) -> None:
    """Ours: else it is found out when nobody is there to be told, at each attempt to notify."""
    with pytest.raises(FaultError) as refused:
        push_target({"url": "https://a.example", **said})
    assert (refused.value.fault, refused.value.pointer) == (Fault.INVALID_PARAMS, pointer)


def test_a_target_is_named_in_each_form() -> None:
    """A2A 1.0: `taskId` and `id`; 0.3: `id` and `pushNotificationConfigId`."""
    assert push_query({"taskId": "r1", "id": "c1"}) == ("r1", "c1")
    assert push_query({"id": "r1", "pushNotificationConfigId": "c1"}) == ("r1", "c1")
    assert push_query({"id": "r1"}) == ("r1", "")
    assert push_query({"taskId": "r1", "pushNotificationConfig": {}}) == ("r1", "")
    with pytest.raises(FaultError):
        push_query({})
