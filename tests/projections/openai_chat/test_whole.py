"""A run as one completion."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projections.hand_logs import (
    APPROVAL,
    CALLED,
    CANCELLED,
    DONE,
    QUESTION,
    RESULT,
    RESUMED,
    RETRACTED,
    ROUND,
    ROUND_ENDED,
    RUN,
    STARTED,
    error,
    log,
    made,
    paused,
    said,
)
from tests.projections.openai_chat.tellings import options
from treadle.projections.openai_chat.whole import WholeCompletion
from treadle.values import events as ev
from treadle.values.events import EVENT_TYPES
from treadle.values.model import ARGUMENTS, THINKING

BEGUN = (STARTED, ROUND, said("It ", "is"))


def told(*parts: Any, **more: Any) -> tuple[list[Any], str | None]:  # noqa: ANN401 (parts of a log, fields of the options)
    """What a log says, read, and the code of its failure."""
    fold = WholeCompletion(RUN, options(**more))
    payloads = [payload for stretch in log(*parts) for payload in fold.payloads(stretch)]
    assert fold.is_over == bool(payloads)
    return [json.loads(payload) for payload in payloads], fold.failure


def message(*parts: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (as of `told`)
    """The message of a completion, with its finish reason."""
    ((completion,), failure) = told(*parts, **more)
    assert failure is None
    (choice,) = completion["choices"]
    return {**choice["message"], "finish": choice["finish_reason"]}


def test_the_table_is_total() -> None:
    """Design §8: a total table keyed by event class."""
    assert set(WholeCompletion.TABLE) == set(EVENT_TYPES)


@pytest.mark.requirement("OPENAI-chat")
def test_nothing_is_said_before_the_end_and_then_all_of_it() -> None:
    """Ours: the same message as a stream would have accumulated."""
    parts = *BEGUN, ROUND_ENDED, CALLED, RESULT, DONE
    ((completion,), _) = told(*parts)
    assert message(*parts) == {"role": "assistant", "content": "It is", "refusal": None, "finish": "stop"}
    assert (completion["id"], completion["created"]) == ("chatcmpl-r1.s1", 1_700_000_000)
    assert completion["usage"]["total_tokens"] == 10
    assert told(*BEGUN) == ([], None)


def test_thinking_stands_beside_the_content_and_argument_text_nowhere() -> None:
    """Ours: the field that clients read, where the mount tells thinking."""
    parts = STARTED, ROUND, said("hm", kind=THINKING), said("{}", kind=ARGUMENTS), said("ok", passage=2), DONE
    assert message(*parts)["reasoning_content"] == "hm"
    single = STARTED, ROUND, made(ev.Thinking, passage=1, text="hm"), made(ev.TextDelta, passage=2, text="ok"), DONE
    assert message(*single) == message(*parts)


@pytest.mark.requirement("OPENAI-retraction")
def test_what_was_taken_back_is_not_in_it() -> None:
    """Ours: nobody was told of it, so nothing has to be ended for it."""
    assert message(*BEGUN, RETRACTED, ROUND, said("3", passage=2), DONE)["content"] == "3"


@pytest.mark.requirement("OPENAI-pauses")
def test_a_pause_is_calls_and_no_content_where_nothing_was_said() -> None:
    """Protocol: `content` of a message with calls alone is null."""
    assert message(*BEGUN, paused(QUESTION))["content"] == "It is"
    silent = message(STARTED, ROUND, paused(QUESTION, APPROVAL))
    assert (silent["content"], silent["finish"]) == (None, "tool_calls")
    assert [call["id"] for call in silent["tool_calls"]] == ["token-r1.i1", "token-r1.i2"]


@pytest.mark.requirement("OPENAI-endings")
@pytest.mark.parametrize(
    ("closing", "code"),
    [(error("stalled"), "stalled"), (CANCELLED, "cancelled"), (paused(APPROVAL), "decision_due")],
)
def test_what_did_not_come_to_its_end_is_an_error_with_what_it_spent(closing: Any, code: str) -> None:  # noqa: ANN401 (an event)
    """Promise 3, promise 10: failed and cancelled runs report what they spent."""
    ((failed,), failure) = told(*BEGUN, closing, token_of=lambda _: None)
    assert (failure, failed["error"]["code"], failed["usage"]["total_tokens"]) == (code, code, 10)


@pytest.mark.parametrize("code", ["length", "content_filter"])
def test_an_answer_that_was_cut_finishes_as_cut(code: str) -> None:
    """Protocol: these are finish reasons of their own."""
    assert message(*BEGUN, error(code))["finish"] == code


def test_a_later_segment_is_told_alone() -> None:
    """Design §8: a completion is a segment; nothing that comes behind it is in it."""
    parts = *BEGUN, paused(QUESTION), RESUMED, ROUND, said("red", passage=2), DONE, ROUND
    assert message(*parts, segment=2)["content"] == "red"
    assert message(*parts)["content"] == "It is"
