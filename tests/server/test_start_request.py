"""The body of a start."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.errors import BadRequestError
from treadle.runtime.leaving import on_disconnect_of
from treadle.server.start_request import (
    MAX_NAME_CHARS,
    ON_DISCONNECT_PATTERN,
    StartRequest,
    cancel_request,
    start_request,
)

ASKED = {"agent": "calc", "prompt": "1+2?"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def started(**more: Any) -> StartRequest:  # noqa: ANN401 (any JSON)
    """What a body of these fields asks for."""
    return start_request(json.dumps({**ASKED, **more}).encode(), ["calc"])


def test_what_is_not_said_has_its_default() -> None:
    """Issue: `{agent, prompt, thread_id?, key?, on_disconnect?}`."""
    assert started() == StartRequest(
        agent="calc", prompt="1+2?", thread_id=None, key=None, on_disconnect="continue", on_busy="reject"
    )


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"agent": "other"}, "/agent"),
        ({"agent": 5}, "/agent"),
        ({"agent": None}, "/agent"),
        ({"prompt": " \n"}, "/prompt"),
        ({"prompt": ["x"]}, "/prompt"),
        ({"thread_id": ""}, "/thread_id"),
        ({"thread_id": "a\nb"}, "/thread_id"),
        ({"thread_id": "x" * (MAX_NAME_CHARS + 1)}, "/thread_id"),
        ({"key": "a\x00"}, "/key"),
        ({"on_disconnect": "stay"}, "/on_disconnect"),
        ({"on_busy": "wait"}, "/on_busy"),
        ({"scope": "somebody"}, "/scope"),
        ({"tenant_id": "OTHER"}, "/tenant_id"),
    ],
)
def test_each_field_is_refused_with_its_place(fields: dict[str, Any], pointer: str) -> None:
    """Source: D43 turned round. What decides whose run it is cannot be said here, and saying it is no silence."""
    with pytest.raises(BadRequestError) as refused:
        started(**fields)
    assert refused.value.pointer == pointer


@pytest.mark.parametrize(
    ("body", "says", "pointer"),
    [
        (b"", "came none", ""),
        (b"{bad", "no JSON", ""),
        (b"[]", "`object`, got `array`", ""),
        (b'{"agent": "calc"}', "`prompt`", "/prompt"),
        (b'{"agent": "x", "prompt": "hi"}', "GET /v1/agents", "/agent"),
        (b'{"agent": "calc", "prompt": 5}', "`str`, got `int`", "/prompt"),
        (b'{"agent": "calc", "prompt": "hi", "on_busy": "hm"}', "queue, cancel_previous, came 'hm'", "/on_busy"),
    ],
)
def test_whoever_sent_it_is_told_what_was_expected_what_came_and_where(body: bytes, says: str, pointer: str) -> None:
    """Ours: a refusal helps whoever reads it, without a look at the documentation."""
    with pytest.raises(BadRequestError, match=re.escape(says)) as refused:
        start_request(body, ["calc"])
    assert refused.value.pointer == pointer


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"1", b"\xff", b"[" * 100_000, b'{"agent": "calc"}'])
def test_what_is_no_such_object_is_refused(body: bytes) -> None:
    """Ours: never an exception that nobody meant."""
    with pytest.raises(BadRequestError):
        start_request(body, ["calc"])


@given(st.dictionaries(st.sampled_from([*StartRequest.__struct_fields__, "x"]), JSON))
def test_any_object_is_taken_or_refused(fields: dict[str, Any]) -> None:
    """Ours: closed for whatever comes."""
    try:
        taken = start_request(json.dumps({**ASKED, **fields}).encode(), ["calc"])
    except BadRequestError:
        return
    assert taken.agent == "calc"
    on_disconnect_of(taken.on_disconnect)


def test_half_a_surrogate_pair_is_replaced_where_it_enters() -> None:
    """Source: BR-186. What a browser writes for it is legal JSON."""
    assert started(prompt="ok \ud83d end").prompt == "ok \ufffd end"
    assert started(prompt="\ud83d\ude00").prompt == "😀"


@given(st.text(max_size=20) | st.from_regex(ON_DISCONNECT_PATTERN))
def test_what_is_published_of_a_rule_is_what_is_taken(text: str) -> None:
    """Ours: the pattern of the document and the rule itself agree."""
    try:
        on_disconnect_of(text)
    except ValueError:
        assert not re.fullmatch(ON_DISCONNECT_PATTERN, text) or text.endswith("\n")
    else:
        assert re.fullmatch(ON_DISCONNECT_PATTERN, text)


def test_a_cancel_needs_no_body_and_may_give_a_reason() -> None:
    """Ours: the reason stands in the log."""
    assert cancel_request(b"").reason is None
    assert cancel_request(b'{"reason": "enough"}').reason == "enough"
    for body in (b'{"why": 1}', b'{"reason": 1}', json.dumps({"reason": "x" * 300}).encode()):
        with pytest.raises(BadRequestError):
            cancel_request(body)
