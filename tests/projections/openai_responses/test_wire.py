"""The shapes of Responses."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.hand_logs import APPROVAL, CALL, FAILED, NAMED, PAGES, QUESTION, RESULT, RUN
from treadle.projections.openai_responses.wire import (
    COMPLETED,
    IN_PROGRESS,
    NO_MARKS,
    STOPPED,
    Marks,
    Response,
    ResponseId,
    approval_item,
    call_item,
    failed,
    marks_of,
    message_item,
    question_item,
    reasoning_item,
    response_id,
    settled_item,
    usage_json,
)
from treadle.values.calls import ToolOutcome
from treadle.values.ids import RunId
from treadle.values.usage import NO_USAGE, UsageDelta

NAME = ResponseId(run_id=RUN, segment=1)


@given(run_id=st.from_regex(r"r_[0-9a-z]{20}(\.c1)?", fullmatch=True), segment=st.integers(1, 999_999_999))
@pytest.mark.requirement("OPENAI-scope")
def test_an_id_names_the_run_and_its_segment(run_id: str, segment: int) -> None:
    """Ours: what it names can be read from it, and proves nothing."""
    named = ResponseId(run_id=RunId(run_id), segment=segment)
    assert response_id(str(named)) == named


@pytest.mark.parametrize("text", ["", "r1", "resp_", "resp_.s1", "resp_r1", "resp_r1.s0", "resp_r1.s01", "resp_r1.s١"])
def test_what_is_no_id_names_nothing(text: str) -> None:
    """Ours: no such response."""
    assert response_id(text) is None


@pytest.mark.requirement("OPENAI-store")
def test_marks_come_back_as_they_were_kept() -> None:
    """ADR 0041: beside the run, in JSON terms; a run of another wire has none."""
    marks = Marks(previous="resp_r0.s2", background=True, store=False, metadata=(("a", "b"), ("c", "d")))
    assert marks_of(json.loads(json.dumps(marks.kept()))) == marks
    assert marks_of({}) == NO_MARKS


def test_a_response_says_how_it_stands_and_what_it_went_on_from() -> None:
    """Protocol: the first segment went on from what its request named, a later one from the one before."""
    told = {"model": "calc", "created": 7, "marks": Marks(previous="resp_r0.s1", metadata=(("a", "b"),))}
    first = Response(named=NAME, ended=IN_PROGRESS, output=[], **told).json()
    assert (first["id"], first["object"], first["created_at"], first["status"]) == (
        "resp_r1.s1",
        "response",
        7,
        "in_progress",
    )
    assert (first["previous_response_id"], first["metadata"], first["store"]) == ("resp_r0.s1", {"a": "b"}, True)
    assert (first["error"], first["incomplete_details"], first["usage"]) == (None, None, None)
    assert "completed_at" not in first
    second = ResponseId(run_id=RUN, segment=2)
    done = Response(named=second, ended=COMPLETED, output=[{}], completed=9, usage={"total_tokens": 1}, **told).json()
    assert (done["previous_response_id"], done["completed_at"], done["usage"]) == (
        "resp_r1.s1",
        9,
        {"total_tokens": 1},
    )
    stopped = Response(named=NAME, ended=STOPPED, output=[], **told).json()
    assert (stopped["status"], stopped["incomplete_details"]) == ("cancelled", {"reason": "cancelled"})


def test_a_failure_has_a_code_and_a_sentence() -> None:
    """Design §9: foreign words where they may be told, and the operator's reference."""
    assert failed("stalled").error == {"code": "stalled", "message": "the model sent nothing for too long"}
    assert failed("stalled", detail="no byte", reference="e1").error == {
        "code": "stalled",
        "message": "no byte",
        "reference": "e1",
    }


def test_speech_without_a_word_has_no_part_yet() -> None:
    """Protocol: an item is added empty, and its part follows."""
    assert message_item("m", "", "in_progress")["content"] == []
    assert message_item("m", "hi", "completed")["content"][0]["text"] == "hi"
    assert reasoning_item("r", "", "in_progress")["summary"] == []
    assert reasoning_item("r", "hm", "completed")["summary"] == [{"type": "summary_text", "text": "hm"}]


@pytest.mark.parametrize(
    ("content", "said"), [("text", "text"), ("\ud800", "\ufffd"), (None, ""), ({"a": [1]}, '{"a":[1]}')]
)
def test_what_a_call_gave_is_text(content: object, said: str) -> None:
    """Protocol: `output` of a call is text; all else is compact JSON."""
    item = call_item(CALL, "add", "{}", server="calc")
    assert settled_item(item, ToolOutcome(call_id=CALL, content=content))["output"] == said


def test_a_call_is_settled_well_or_not() -> None:
    """Protocol: `completed` with an output, or `failed` with an error."""
    item = call_item(CALL, "add", "{}", server="calc")
    done, broken = (settled_item(item, event.outcome) for event in (RESULT, FAILED))
    assert (done["status"], done["error"], done["output"]) == ("completed", None, '{"sum":3}')
    assert (broken["status"], broken["output"]) == ("failed", None)
    assert broken["error"] == {
        "type": "mcp_tool_execution_error",
        "content": [{"type": "text", "text": "the tool failed"}],
    }


@pytest.mark.requirement("OPENAI-pauses")
def test_a_pause_is_a_call_or_a_request_for_approval_and_its_token_names_it() -> None:
    """Protocol: a call of a function is answered by its `call_id`, an approval by its `id`."""
    told = [question_item(pending, "t") for pending in (QUESTION, PAGES, NAMED)]
    assert [(item["call_id"], item["name"]) for item in told] == [("t", "ask_user"), ("t", "pick"), ("t", "interrupt")]
    assert json.loads(told[2]["arguments"])["response_schema"] == {"type": "integer"}
    assert approval_item(APPROVAL, "t", "calc") == {
        "id": "t",
        "type": "mcp_approval_request",
        "name": "pay",
        "arguments": '{"cents":5}',
        "server_label": "calc",
    }


def test_counts_that_nobody_reported_are_null_and_never_zero() -> None:
    """Promise 10: zero is never invented."""
    assert usage_json(NO_USAGE) is None
    told = usage_json(UsageDelta(input_tokens=7, output_tokens=3, cache_read_tokens=2))
    assert told == {
        "input_tokens": 7,
        "input_tokens_details": {"cached_tokens": 2, "cache_write_tokens": None},
        "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": None},
        "total_tokens": 10,
    }
    alone = usage_json(UsageDelta(total_tokens=12))
    assert alone is not None
    assert (alone["input_tokens"], alone["total_tokens"]) == (None, 12)
    lone = usage_json(UsageDelta(output_tokens=3))
    assert lone is not None
    assert lone["total_tokens"] is None
