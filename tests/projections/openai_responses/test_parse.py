"""The body of a response's request."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.errors import BadRequestError
from treadle.projections.openai_responses.parse import ResponseRequest, ResponsesBody, Said, response_request
from treadle.values.model import ModelTurn
from treadle.values.requests import TurnMessage, UserMessage

USER = {"role": "user", "content": "hi"}


def read(said: Any, **more: Any) -> ResponseRequest:  # noqa: ANN401 (any JSON)
    """What a body asks for."""
    return response_request(msgspec.convert({"model": "calc", "input": said, **more}, ResponsesBody))


def refused(said: Any, **more: Any) -> BadRequestError:  # noqa: ANN401 (any JSON)
    """Why it is refused."""
    with pytest.raises(BadRequestError) as caught:
        read(said, **more)
    return caught.value


def output(token: str, text: Any = "1") -> dict[str, Any]:  # noqa: ANN401 (any output)
    """The output of a function."""
    return {"type": "function_call_output", "call_id": token, "output": text}


def decision(token: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (fields of it)
    """A decision."""
    return {"type": "mcp_approval_response", "approval_request_id": token, "approve": True, **more}


@pytest.mark.requirement("OPENAI-parse")
def test_an_input_is_a_text_or_items_of_which_the_last_is_the_prompt() -> None:
    """Protocol: both forms say the same; a body says how it is told and kept."""
    plain = read("hi")
    assert plain == ResponseRequest(
        model="calc", stream=False, background=False, store=True, previous=None, metadata=(), prompt="hi"
    )
    assert read([USER]) == read([{"type": "message", **USER}]) == plain
    asked = read("hi", stream=True, background=True, previous_response_id="resp_r.s1", metadata={"a": "b"})
    assert (asked.stream, asked.background, asked.previous, asked.metadata) == (
        True,
        True,
        "resp_r.s1",
        (("a", "b"),),
    )
    assert not read("hi", store=False).store


@pytest.mark.requirement("OPENAI-history", "BR-073")
def test_history_is_text_of_users_and_the_assistant_and_nothing_else() -> None:
    """Design §8: a client that sends all back each time is told of what was said; nothing in it grants or instructs."""
    asked = read(
        [
            {"role": "developer", "content": "obey"},
            {"role": "user", "content": [{"type": "input_text", "text": "pay"}]},
            {"type": "reasoning", "id": "rs", "summary": []},
            {"type": "function_call", "call_id": "t", "name": "approve", "arguments": "{}"},
            output("t", "approve"),
            {"type": "mcp_call", "id": "m"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "paid"}]},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": ""}]},
            USER,
        ],
        instructions="obey me",
    )
    assert asked.history == (UserMessage(text="pay"), TurnMessage(turn=ModelTurn(text="paid")))
    assert (asked.prompt, asked.answers) == ("hi", ())


@pytest.mark.requirement("OPENAI-pauses", "BR-091")
def test_answers_that_stand_last_count_and_all_others_do_not() -> None:
    """BR-091: by one rule. Outputs are texts, or parts of text; decisions have a reason."""
    parts = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    told = read([USER, output("old"), {"type": "function_call"}, output("x", parts), decision("y", reason="ok")])
    assert told.answers == (
        Said(token="x", pointer="/input/3", text="ab"),
        Said(token="y", pointer="/input/4", approves=True, reason="ok"),
    )
    assert (told.prompt, told.history) == ("", ())
    assert read([decision("y", approve=False, reason="")]).answers[0].reason is None


@pytest.mark.requirement("OPENAI-history")
def test_what_goes_on_from_a_response_holds_what_is_new_alone() -> None:
    """Design §8: with a thread of its own, the newest message and the answers alone are read, and no more may come."""
    on = {"previous_response_id": "resp_r.s1"}
    assert read([{"role": "system", "content": "x"}, {"type": "reasoning"}, USER], **on).prompt == "hi"
    assert read([output("t")], **on).answers
    assert refused([USER, USER], **on).pointer == "/input/0"
    assert refused([output("t"), USER], **on).pointer == "/input/0"
    assert refused([USER, output("t")], **on).pointer == "/input/0"


@pytest.mark.requirement("OPENAI-parse")
@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        (None, "/input"),
        ([], "/input"),
        ({"a": 1}, "/input"),
        (" ", "/input"),
        (["x"], "/input/0"),
        ([{"type": "item_reference", "id": "x"}, USER], "/input/0/type"),
        ([{"type": {}, "content": "x"}], "/input/0/type"),
        ([{"role": "king", "content": "x"}], "/input/0/role"),
        ([{"content": "x"}], "/input/0/role"),
        ([{"role": "developer", "content": "x"}], "/input"),
        ([USER, {"role": "assistant", "content": "pre"}], "/input"),
        ([{"role": "user", "content": ""}], "/input/0/content"),
        ([{"role": "user", "content": 7}], "/input/0/content"),
        ([{"role": "user", "content": [7]}], "/input/0/content/0"),
        ([output("")], "/input/0/call_id"),
        ([output("t", 7)], "/input/0/output"),
        ([{"type": "function_call_output", "call_id": 7}], "/input/0/call_id"),
        ([decision("")], "/input/0/approval_request_id"),
        ([decision("t", approve="yes")], "/input/0/approve"),
        ([decision("t", reason=7)], "/input/0/reason"),
    ],
)
def test_a_body_that_asks_for_nothing_is_refused_where_it_does(said: Any, pointer: str) -> None:  # noqa: ANN401 (any JSON)
    """Ours: a clear refusal that says where."""
    assert refused(said).pointer == pointer


@pytest.mark.requirement("OPENAI-parse")
@pytest.mark.parametrize("kind", ["input_image", "input_file", "input_audio"])
def test_what_is_not_text_is_refused_wherever_it_stands(kind: str) -> None:
    """Ours: a picture that nobody looks at would be answered as if it had been seen."""
    now = {"role": "user", "content": [{"type": "input_text", "text": "look"}, {"type": kind}]}
    assert refused([now]).pointer == "/input/0/content/1"
    assert refused([now, USER]).pointer == "/input/0/content/1"


@pytest.mark.requirement("OPENAI-parse")
@pytest.mark.parametrize(
    "asked",
    [
        {"conversation": "c1"},
        {"prompt": {"id": "p"}},
        {"tools": [{"type": "web_search"}]},
        {"tools": ["x"]},
        {"tool_choice": "required"},
        {"text": {"format": {"type": "json_schema"}}},
        {"text": "x"},
        {"top_logprobs": 2},
        {"metadata": {"k" * 65: "v"}},
        {"metadata": {"k": "v" * 513}},
        {"metadata": {str(number): "v" for number in range(17)}},
    ],
    ids=lambda asked: str(asked)[:40],
)
def test_what_would_be_missed_is_refused(asked: dict[str, Any]) -> None:
    """Ours: what changes the answer, and is not done here, is never passed over in silence."""
    (name,) = asked
    assert refused("hi", **asked).pointer == f"/{name}"


@pytest.mark.requirement("OPENAI-store")
def test_what_is_asked_for_later_is_stored() -> None:
    """Protocol: a response in the background cannot be one that is not stored."""
    assert refused("hi", background=True, store=False).pointer == "/store"


@pytest.mark.requirement("OPENAI-parse")
def test_what_is_the_agents_affair_is_passed_over() -> None:
    """Ours: clients send these each time; an agent's own declaration holds."""
    passed = {"instructions": "obey", "temperature": 0, "max_output_tokens": 5, "include": ["x"], "truncation": "auto"}
    neutral = {"tools": [{"type": "function", "name": "f"}], "tool_choice": "none", "text": {"verbosity": "low"}}
    assert read("hi", **passed, **neutral, text_=1) == read("hi")


json_values = st.recursive(
    st.none() | st.booleans() | st.text(max_size=4) | st.sampled_from(["user", "message", "function_call_output"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["role", "content", "type", "text", "call_id", "output"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(said=json_values, previous=st.none() | st.text(max_size=4))
def test_whatever_comes_is_a_request_or_a_refusal(said: Any, previous: str | None) -> None:  # noqa: ANN401 (any JSON)
    """Ours: a body is an attacker's."""
    try:
        asked = read(said, previous_response_id=previous)
    except (BadRequestError, msgspec.ValidationError):
        return
    assert asked.prompt.strip() or asked.answers
