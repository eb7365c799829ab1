"""Messages of an Anthropic request, held to the provider's rules."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.testing.anthropic_transcript import anthropic_problems

Messages = list[Any]


def call(call_id: str = "t1", name: str = "f", given: object = None) -> dict[str, Any]:
    """One call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {} if given is None else given}


def result(call_id: str = "t1") -> dict[str, Any]:
    """What came of a call."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": "3"}


def text(said: str = "hm") -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": said}


def thought(words: str = "t", seal: str = "s1") -> dict[str, Any]:
    """A block of thinking."""
    return {"type": "thinking", "thinking": words, "signature": seal}


def user(*blocks: object) -> dict[str, Any]:
    """A user's message; plain text where it has no block."""
    return {"role": "user", "content": list(blocks) or "hi"}


def said(*blocks: object) -> dict[str, Any]:
    """An assistant's message."""
    return {"role": "assistant", "content": list(blocks) or "yes"}


HIDDEN: dict[str, Any] = {"type": "redacted_thinking", "data": "x"}

SOUND: list[Messages] = [
    [user()],
    [user(), said(), user()],
    [user(), said(call()), user(result())],
    [user(), said(text(), call("a"), call("b")), user(result("b"), result("a"), text("and?"))],
    [
        user(),
        said(thought(), HIDDEN, text(), call()),
        user(result()),
        said(thought("u", "s2"), call("t2")),
        user(result("t2")),
    ],
]

PLANTED: list[tuple[Messages, str]] = [
    ([], "no messages"),
    (["hi"], "messages[0]: role must be 'user' or 'assistant', not None"),
    ([{"role": "system", "content": "Add."}, user()], "role must be 'user' or 'assistant', not 'system'"),
    ([said(), user()], "messages[0]: role is 'assistant', expected 'user'"),
    ([user(), user()], "messages[1]: role is 'user', expected 'assistant'"),
    ([user(), said(), said(), user()], "messages[2]: role is 'assistant', expected 'user'"),
    ([{"role": "user", "content": ""}], "messages[0]: has no content"),
    ([{"role": "user", "content": []}], "has no content"),
    ([{"role": "user"}], "has no content"),
    ([user(text(" \n"))], "has an empty text block"),
    ([user(), said(call())], "the end: no results of ['t1']"),
    ([user(), said(call()), user()], "messages[2]: no results of ['t1']"),
    ([user(), said(call("a"), call("b")), user(result("a"))], "messages[2]: no results of ['b']"),
    ([user(), said(call()), user(text(), result())], "messages[2]: results do not come first"),
    ([user(result())], "messages[0]: answers 't1', which no call has"),
    ([user(), said(call()), user(result(), result("t2"))], "messages[2]: answers 't2', which no call has"),
    ([user(), said(call()), user(result(), result())], "answers 't1', which is not open here"),
    (
        [user(), said(call()), user(result()), said(), user(result())],
        "messages[4]: answers 't1', which is not open here",
    ),
    ([user(), said(call(), call()), user(result(), result())], "uses the call id 't1' again"),
    ([user(), said(call("")), user()], "has a call without a good id: ''"),
    ([user(), said(call("a b")), user()], "has a call without a good id: 'a b'"),
    ([user(), said(call(name="no such tool")), user(result())], "call 't1' has no good name"),
    ([user(), said(call(given=[1])), user(result())], "call 't1' has an input that is no object: [1]"),
    ([user(), said(text(), thought(), call()), user(result())], "messages[1]: thinking does not come first"),
    ([user(), said(thought(seal=""), call()), user(result())], "thinking without its signature"),
    ([user(), said({"type": "redacted_thinking"}, text()), user()], "redacted_thinking without its data"),
    ([user(thought(), text())], "has thinking in the role 'user'"),
    ([user(call(), text())], "has tool_use in the role 'user'"),
    ([user(), said(result(), text()), user()], "has a result in the role 'assistant'"),
]


@pytest.mark.parametrize("messages", SOUND)
def test_a_sound_transcript_is_passed(messages: Messages) -> None:
    """Roles by turns; results first, all of them; thinking first and sealed (Anthropic API reference)."""
    assert anthropic_problems(messages) == []


@pytest.mark.parametrize(("messages", "words"), PLANTED, ids=[f"{at}-{words}" for at, (_, words) in enumerate(PLANTED)])
def test_what_a_strict_provider_refuses_is_told(messages: Messages, words: str) -> None:
    """Each rule can fail, and says where (Anthropic API reference)."""
    (found,) = anthropic_problems(messages)
    assert words in found


@pytest.mark.parametrize(
    "sent",
    [[], [thought("other")], [thought(seal="s2")], [HIDDEN, thought()], [thought()]],
    ids=["left out", "other words", "another seal", "another order", "one of two"],
)
def test_thinking_goes_back_beside_its_call_as_the_model_gave_it(sent: list[Any]) -> None:
    """A block that was changed breaks its seal, and the next turn is refused (BR-053)."""
    given = said(thought(), HIDDEN, call())
    assert anthropic_problems([user(), given, user(result())], [given]) == []
    (found,) = anthropic_problems([user(), said(*sent, call()), user(result())], [given])
    assert found == "messages[1]: thinking before call 't1' is not what the model gave"


def test_answers_that_are_no_longer_told_are_no_matter() -> None:
    """A transcript may begin later than the thread (ours)."""
    assert anthropic_problems([user()], [said(thought(), call()), "odd"]) == []
