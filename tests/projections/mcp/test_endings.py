"""How a segment ends, as the result of a call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projections.mcp.calls import RUN, messages, result_of, telling, text_of, token_of
from tests.projections.mcp.hand import asking, began, entries, leave, outcome
from treadle.projections.mcp.endings import asked_in_session, due, given_up, refused_call
from treadle.values import events as ev
from treadle.values.events import ClosingEvent


def ended(event: ClosingEvent, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (fields of a telling)
    """The result that a run gives which ends so."""
    return result_of(messages([entries(began(), event)], telling(**more)))


@pytest.mark.requirement("MCP-result")
def test_what_was_said_on_the_way_stands_before_the_answer() -> None:
    """Ours: joined it is what was shown, and whoever wants the answer alone takes the last."""
    result = ended(ev.Done(index=1, run_id=RUN, outcome=outcome("Let me see. It is 3.", 12)))
    assert result == {
        "resultType": "complete",
        "content": [{"type": "text", "text": "Let me see. "}, {"type": "text", "text": "It is 3."}],
        "isError": False,
        "_meta": {"treadle/run_id": "r1", "treadle/thread_id": "t1"},
    }


def test_a_run_that_said_nothing_has_an_empty_text() -> None:
    """MCP: a result has content."""
    result = ended(ev.Done(index=1, run_id=RUN, outcome=outcome(), termination="empty_answer"))
    assert result["content"] == [{"type": "text", "text": ""}]
    assert result["_meta"]["treadle/termination"] == "empty_answer"


@pytest.mark.requirement("MCP-result")
def test_a_structure_is_given_as_one_and_as_text_where_nothing_was_said() -> None:
    """MCP: whoever gives a structure gives it as text too, for clients that know none."""
    silent = ended(ev.Done(index=1, run_id=RUN, outcome=outcome(output={"sum": 3})))
    assert (silent["structuredContent"], text_of(silent)) == ({"sum": 3}, '{"sum":3}')
    said = ended(ev.Done(index=1, run_id=RUN, outcome=outcome("three", output=[3])))
    assert (said["structuredContent"], text_of(said)) == ({"result": [3]}, "three")


@pytest.mark.requirement("MCP-errors")
def test_a_failure_is_a_result_with_a_code_and_a_fixed_sentence() -> None:
    """Design 8: errors are a stable code and a fixed sentence; the calling model sees them."""
    failed = ev.Error(
        index=1, run_id=RUN, outcome=outcome("part"), code="upstream_error", reference="e1", retryable=True
    )
    result = ended(failed)
    assert result["content"] == [
        {"type": "text", "text": "part"},
        {"type": "text", "text": "upstream_error: the model failed"},
    ]
    assert result["isError"] is True
    own = {name.removeprefix("treadle/"): value for name, value in result["_meta"].items()}
    assert own == {
        "run_id": "r1",
        "thread_id": "t1",
        "code": "upstream_error",
        "retryable": True,
        "reference": "e1",
    }


def test_foreign_words_are_said_where_they_were_let_through() -> None:
    """Design 8: text only where an exposure says so; what it hides never comes here."""
    failed = ev.Error(index=1, run_id=RUN, outcome=outcome(), code="internal", detail="KeyError: x")
    assert text_of(ended(failed)) == "internal: KeyError: x"


@pytest.mark.requirement("MCP-errors")
def test_a_run_that_was_stopped_is_an_error_that_says_so() -> None:
    """MCP: stopped by the server's side, `isError`."""
    result = ended(ev.Cancelled(index=1, run_id=RUN, outcome=outcome("a"), reason="too late"))
    assert (text_of(result), result["isError"]) == ("acancelled: the run was stopped", True)
    assert result["_meta"]["treadle/reason"] == "too late"


@pytest.mark.requirement("MCP-pause")
def test_what_is_asked_stands_under_the_names_of_pauses_and_the_state_holds_their_tokens() -> None:
    """MCP 2026-07-28: `input_required`; the state comes back as it was given."""
    pending = (asking(), leave({"euros": 3}, number=2))
    result = ended(ev.Interrupt(index=1, run_id=RUN, pending=pending, outcome=outcome("May I?")))
    assert result["resultType"] == "input_required"
    assert list(result["inputRequests"]) == ["r1.i1", "r1.i2"]
    assert all(one["method"] == "elicitation/create" for one in result["inputRequests"].values())
    assert result["requestState"].split(".") == [token_of(one) for one in pending]


def test_in_a_session_each_pause_is_a_request_of_its_own() -> None:
    """MCP 2025-11-25: its id comes back with the answer, so it is the token."""
    pending = (asking(), leave({"euros": 3}, number=2))
    asked = asked_in_session(pending, telling("2025-11-25"))
    assert asked is not None
    assert [name for name, _ in asked] == [json.loads(payload)["id"] for _, payload in asked]
    assert [name for name, _ in asked] == [token_of(one) for one in pending]
    assert asked_in_session((), telling("2025-11-25")) is None


@pytest.mark.requirement("MCP-due")
def test_a_call_that_was_given_up_says_where_its_run_waits() -> None:
    """Ours: nothing is asked again on a stream whose client does not answer, and nothing is lost."""
    result = json.loads(given_up(telling("2025-11-25"), RUN, "no!"))["result"]
    assert text_of(result) == f"no!\n{due('/v1/runs', RUN)}"
    assert (result["isError"], result["_meta"]) == (True, {"treadle/run_id": "r1", "treadle/code": "decision_due"})


@pytest.mark.parametrize(("version", "kinds"), [("2026-07-28", {"resultType": "complete"}), ("2025-11-25", {})])
def test_a_call_that_led_to_no_run_says_why(version: str, kinds: dict[str, str]) -> None:
    """MCP: what is wrong with arguments is a result, so that the model can do better."""
    result = json.loads(refused_call(telling(version), "bad_arguments: no"))["result"]
    text = {"type": "text", "text": "bad_arguments: no"}
    assert result == {**kinds, "content": [text], "isError": True, "_meta": {}}
