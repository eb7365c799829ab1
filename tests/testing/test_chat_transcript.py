"""Messages of a chat completion request, held to the provider's rules."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from treadle.testing.chat_transcript import chat_problems

Messages = list[Any]


def call(call_id: str = "c1", name: str = "f", arguments: object = "{}") -> dict[str, Any]:
    """One call."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def asked(*calls: object, content: object = None) -> dict[str, Any]:
    """An assistant's message with calls."""
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(call_id: str = "c1", content: object = "3") -> dict[str, Any]:
    """What came of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


SYSTEM: dict[str, Any] = {"role": "system", "content": "Add."}
USER: dict[str, Any] = {"role": "user", "content": "1+2?"}
SAID: dict[str, Any] = {"role": "assistant", "content": "It is 3."}

SOUND: list[Messages] = [
    [USER],
    [SYSTEM, USER, SAID, USER],
    [USER, asked(call()), result()],
    [USER, asked(call("a"), call("b"), content="both"), result("b"), result("a"), SAID],
    [USER, asked(call("a")), result("a"), asked(call("b")), result("b"), SAID, USER],
    [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    [USER, asked(call(arguments='{"a": [1, null]}')), result(content="")],
    [USER, {"role": "assistant", "content": ""}],
]

PLANTED: list[tuple[Messages, str]] = [
    ([], "no messages"),
    (["hi"], "messages[0]: has no known role: None"),
    ([{"role": "robot", "content": "hi"}], "has no known role: 'robot'"),
    ([{"role": "user"}], "messages[0]: has no content"),
    ([{"role": "user", "content": []}], "has no content"),
    ([USER, {"role": "assistant", "content": None}], "messages[1]: has no content"),
    ([USER, {"role": "assistant", "content": "a", "tool_calls": []}], "must hold a call or be left out"),
    ([{**USER, "tool_calls": [call()]}], "has calls in the role 'user'"),
    ([USER, asked(call())], "no results of ['c1'] before the end"),
    ([USER, asked(call()), USER], "no results of ['c1'] before messages[2]"),
    ([USER, asked(call()), SYSTEM], "no results of ['c1'] before messages[2]"),
    ([USER, asked(call("a"), call("b")), result("a"), SAID], "no results of ['b'] before messages[3]"),
    ([USER, asked(call()), result(), result()], "messages[3]: answers 'c1', which is not open here"),
    ([USER, asked(call()), result(), SAID, result()], "messages[4]: answers 'c1', which is not open here"),
    ([USER, result()], "messages[1]: answers 'c1', which no call has"),
    ([USER, asked(call()), result(), result("c2")], "messages[3]: answers 'c2', which no call has"),
    ([USER, asked(call()), result(content=None)], "messages[2]: has no content"),
    ([USER, asked(call(), call("")), result()], "has a call without an id: ''"),
    ([USER, asked(call(), "c2"), result()], "has a call without an id: None"),
    ([USER, asked(call(), call()), result(), result()], "uses the call id 'c1' again"),
    ([USER, asked(call()), result(), asked(call()), result()], "messages[3]: uses the call id 'c1' again"),
    ([USER, asked({**call(), "type": "code"}), result()], "call 'c1' is no function call"),
    ([USER, asked(call(name="")), result()], "call 'c1' has no good name: ''"),
    ([USER, asked(call(name="no such tool")), result()], "has no good name: 'no such tool'"),
    *(
        ([USER, asked(call(arguments=arguments)), result()], "call 'c1' has arguments that are no JSON object")
        for arguments in ("", '{"a"', "[1]", "null", '{"a": NaN}', {}, None)
    ),
]


@pytest.mark.parametrize("messages", SOUND)
def test_a_sound_transcript_is_passed(messages: Messages) -> None:
    """Every call has its result right after it, in any order (OpenAI API reference)."""
    before = deepcopy(messages)
    assert chat_problems(messages) == []
    assert messages == before


@pytest.mark.parametrize(("messages", "words"), PLANTED, ids=[f"{at}-{words}" for at, (_, words) in enumerate(PLANTED)])
def test_what_a_strict_provider_refuses_is_told(messages: Messages, words: str) -> None:
    """Each rule can fail, and says where (OpenAI API reference)."""
    (found,) = chat_problems(messages)
    assert words in found
