"""The messages of a run, as its client holds them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from treadle.projections.agui.messages import Call, Message, Messages, Role, Told


def listed(snapshot: str) -> list[tuple[str, str]]:
    """Ids and contents of a snapshot."""
    return [(one["id"], one.get("content", "-")) for one in json.loads(snapshot)]


def client(*messages: dict[str, Any]) -> tuple[Told, ...]:
    """Messages that a client has."""
    return tuple((one["id"], json.dumps(one)) for one in messages)


def begun() -> Messages:
    """A run whose user has said something, and whose model is being asked."""
    messages = Messages()
    messages.add(Message("u", Role.USER, ["hi"]))
    messages.begin_attempt()
    return messages


@pytest.mark.requirement("BR-167")
def test_a_call_stands_in_the_text_before_it_or_in_a_message_of_its_own() -> None:
    """A fault reported in the field (BR-167): the parent of a call is a message that exists."""
    messages = begun()
    first, second = Call("c1", "add"), Call("c2", "add")
    assert messages.call(first) is None
    assert messages.call(second) == "c1"
    messages.begin_attempt()
    messages.add(Message("p1", Role.ASSISTANT, ["a"]))
    messages.add(Message("p2", Role.REASONING, ["b"]))
    assert messages.call(Call("c3", "ping")) == "p1"
    assert [json.loads(text).get("toolCalls") for _, text in messages.told()[1:3]] == [
        [
            {"id": "c1", "type": "function", "function": {"name": "add", "arguments": ""}},
            {"id": "c2", "type": "function", "function": {"name": "add", "arguments": ""}},
        ],
        [{"id": "c3", "type": "function", "function": {"name": "ping", "arguments": ""}}],
    ]


def test_a_result_stands_behind_its_call_and_the_results_before_it() -> None:
    """Spec: the client puts it there, whatever was said since."""
    messages = begun()
    messages.add(Message("p1", Role.ASSISTANT, ["a"]))
    messages.call(Call("c1", "add"))
    messages.call(Call("c2", "add"))
    messages.add(Message("p2", Role.ASSISTANT, ["b"]))
    messages.result(Message("c2.result", Role.TOOL, ["2"], call_id="c2"))
    messages.result(Message("c1.result", Role.TOOL, ["1"], call_id="c1"))
    messages.result(Message("x.result", Role.TOOL, ["?"], call_id="x"))
    told = [named for named, _ in messages.told()]
    assert told == ["u", "p1", "c2.result", "c1.result", "p2", "x.result"]


def test_what_is_taken_back_is_in_no_snapshot() -> None:
    """Ours: a retraction is a messages snapshot; what a client held of it is dropped."""
    messages = begun()
    messages.add(Message("p1", Role.ASSISTANT, ["wrong"]))
    messages.retract()
    messages.add(Message("p2", Role.ASSISTANT, ["right"]))
    before = client({"id": "p1", "role": "assistant", "content": "wro"})
    assert listed(messages.snapshot(before)) == [("u", "hi"), ("p2", "right")]


def test_reasoning_that_was_taken_back_is_said_empty_where_a_client_would_keep_it() -> None:
    """Spec: reasoning that a client holds survives a snapshot that has none."""
    messages = begun()
    messages.add(Message("p1", Role.REASONING, ["wrong"]))
    messages.retract()
    assert listed(messages.snapshot(())) == [("u", "hi"), ("p1", "")]
    messages.add(Message("p2", Role.REASONING, ["right"]))
    assert listed(messages.snapshot(())) == [("u", "hi"), ("p2", "right")]


@pytest.mark.requirement("BR-172")
def test_what_the_client_has_stays_where_it_has_it() -> None:
    """A fault reported in the field (BR-172): no snapshot removes what the client rightly has."""
    messages = begun()
    messages.add(Message("p1", Role.ASSISTANT, ["whole"]))
    before = client(
        {"id": "s", "role": "system", "content": "be kind"},
        {"id": "u", "role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"id": "p1", "role": "assistant", "content": "who"},
    )
    told = json.loads(messages.snapshot(before))
    assert [one["id"] for one in told] == ["s", "u", "p1"]
    assert told[1]["content"] == [{"type": "text", "text": "hi"}]
    assert told[2]["content"] == "whole"


def test_a_message_that_is_whole_keeps_one_text() -> None:
    """Ours: it is kept for a snapshot that may never come, so it takes little."""
    message = Message("p1", Role.ASSISTANT, ["a", "b"])
    message.close()
    assert message.parts == ["ab"]
