"""When two starts are the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from tests.codec.stored_values import any_of, mappings
from tests.values.fact_samples import TURN_REQUEST
from treadle.codec.request_digest import request_digest
from treadle.values.ids import NO_THREAD, RunId, ThreadId
from treadle.values.model import ModelTurn
from treadle.values.requests import Attachment, TurnMessage, TurnRequest, UserMessage

DIGEST = request_digest(TURN_REQUEST, agent="calc", thread_id=NO_THREAD)


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": RunId("r9")},
        {"root_run_id": RunId("r9")},
        {"parent_run_id": None},
        {"thread_id": ThreadId("made for this run")},
        {"scope": "other"},
        {"properties": {"nested": {"a": [1, 2.5, None]}, "locale": "de"}},
    ],
    ids=str,
)
@pytest.mark.requirement("REC-digest")
def test_what_was_not_asked_does_not_count(change: dict[str, Any]) -> None:
    """Ours: idempotent by key. A second try has new ids, a thread that went on, and keys in another order."""
    assert request_digest(replace(TURN_REQUEST, **change), agent="calc", thread_id=NO_THREAD) == DIGEST


@pytest.mark.parametrize(
    "change",
    [
        {"prompt": "1+3?"},
        {"attachments": ()},
        {"history": ()},
        {"history": (UserMessage(text="before"),)},
        {"history": (TurnMessage(turn=ModelTurn(text="before")),)},
        {"attachments": (Attachment(media_type="image/png", data=b"\x89PNG\x01", name="sum.png"),)},
        {"properties": {}},
        {"properties": {"locale": "de", "nested": {"a": [2.5, 1, None]}}},
    ],
    ids=str,
)
@pytest.mark.requirement("REC-digest")
def test_what_was_asked_counts(change: dict[str, Any]) -> None:
    """Another payload under the same key is refused, so it must be told apart."""
    assert request_digest(replace(TURN_REQUEST, **change), agent="calc", thread_id=NO_THREAD) != DIGEST


@pytest.mark.requirement("REC-digest")
def test_agent_and_thread_count() -> None:
    """The same words to another agent, or in another thread, are another request."""
    assert request_digest(TURN_REQUEST, agent="other", thread_id=NO_THREAD) != DIGEST
    assert request_digest(TURN_REQUEST, agent="calc", thread_id=ThreadId("t1")) != DIGEST


@pytest.mark.slow
@given(any_of(TurnRequest), mappings)
@pytest.mark.requirement("REC-digest")
def test_any_request_has_one_short_digest(request, properties):
    """Ours: hex of sha-256, the same each time, whatever is in it and in whatever order."""
    asked = replace(request, properties=properties)
    turned = replace(request, properties=dict(reversed(properties.items())))
    digest = request_digest(asked, agent="a", thread_id=NO_THREAD)
    assert digest == request_digest(turned, agent="a", thread_id=NO_THREAD)
    assert len(bytes.fromhex(digest)) == 32


def test_half_a_surrogate_pair_has_a_digest() -> None:
    """Ours: a caller may send one, and it is stored as U+FFFD."""
    halved = replace(TURN_REQUEST, prompt="a\ud800")
    mended = replace(TURN_REQUEST, prompt="a\ufffd")
    assert request_digest(halved, agent="calc", thread_id=NO_THREAD) == request_digest(
        mended, agent="calc", thread_id=NO_THREAD
    )


@pytest.mark.requirement("REC-digest")
def test_who_said_what_went_before_counts() -> None:
    """Ours: the same words of the user and of the assistant are two histories."""
    histories = [(UserMessage(text="a"),), (TurnMessage(turn=ModelTurn(text="a")),), ()]
    asked = [replace(TURN_REQUEST, history=history) for history in histories]
    assert len({request_digest(one, agent="calc", thread_id=NO_THREAD) for one in asked}) == 3


def test_the_span_of_the_caller_does_not_count() -> None:
    """Ours: a start that is repeated comes from another span and is the same start."""
    plain = TurnRequest(prompt="hi", run_id=RunId("r1"), root_run_id=RunId("r1"), properties={"a": 1})
    traced = replace(plain, properties={"a": 1, "traceparent": "00-1-2-01"})
    digests = {request_digest(one, agent="a", thread_id=NO_THREAD) for one in (plain, traced)}
    assert len(digests) == 1
