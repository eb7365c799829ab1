"""What is open on the wire."""

from __future__ import annotations

import pytest

from tests.projections.agui.rules import read
from treadle.projections.agui.brackets import Brackets
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

C1, C2 = CallId("r1.c1"), CallId("r1.c2")


def brackets(limit: int = 64) -> Brackets:
    """A run whose model is being asked."""
    made = Brackets(RunId("r1"))
    made.begin("", "hi", tool_call_limit=limit)
    made.begin_attempt("round 1")
    made.said.clear()
    return made


def told(made: Brackets) -> list[tuple[str, str]]:
    """Types and ids of what was said since."""
    events = read(made.said)
    made.said.clear()
    ids = ("messageId", "toolCallId", "stepName")
    return [(event["type"], str(next((event[name] for name in ids if name in event), ""))) for event in events]


@pytest.mark.requirement("BR-160", "BR-161")
def test_each_passage_is_a_message_of_its_own() -> None:
    """Faults reported in the field: BR-161, BR-103, BR-160."""
    made = brackets()
    made.hear(THINKING, 1, ("a",))
    made.hear(TEXT, 2, ("b",))
    made.hear(TEXT, 2, ("c",))
    made.hear(TEXT, 3, ("d",))
    made.close_speech()
    assert told(made) == [
        ("REASONING_START", "r1.p1"),
        ("REASONING_MESSAGE_START", "r1.p1"),
        ("REASONING_MESSAGE_END", "r1.p1"),
        ("REASONING_END", "r1.p1"),
        ("TEXT_MESSAGE_START", "r1.p2"),
        ("TEXT_MESSAGE_END", "r1.p2"),
        ("TEXT_MESSAGE_START", "r1.p3"),
        ("TEXT_MESSAGE_END", "r1.p3"),
    ]


@pytest.mark.requirement("BR-094")
def test_a_call_closes_the_text_before_it() -> None:
    """A fault reported in the field: BR-094."""
    made = brackets()
    made.hear(TEXT, 1, ("Let me",))
    made.call(C1, "add")
    made.call(C1, "add")
    assert told(made) == [
        ("TEXT_MESSAGE_START", "r1.p1"),
        ("TEXT_MESSAGE_END", "r1.p1"),
        ("TOOL_CALL_START", "r1.c1"),
    ]


def test_arguments_that_interleave_stay_with_their_calls() -> None:
    """Faults reported in the field: BR-102; the text between them is closed when they go on."""
    made = brackets()
    for call in (C1, C2):
        made.call(call, "add")
    for key, text in ((C1, '{"a":'), (C2, "{"), (C1, "1}"), (C2, "}")):
        made.hear(ARGUMENTS, key, (text,))
    made.hear(TEXT, 1, ("so",))
    made.hear(ARGUMENTS, C2, (" ",))
    made.end_told_calls()
    assert [call.arguments for call in made.calls.values()] == ['{"a":1}', "{} "]
    assert told(made)[2:] == [
        ("TEXT_MESSAGE_START", "r1.p1"),
        ("TEXT_MESSAGE_END", "r1.p1"),
        ("TOOL_CALL_END", "r1.c1"),
        ("TOOL_CALL_END", "r1.c2"),
    ]


def test_a_call_without_pieces_is_open_until_its_arguments_are_known() -> None:
    """A fault reported in the field: BR-043."""
    made = brackets()
    call = made.call(C1, "ping")
    made.end_told_calls()
    assert told(made) == [("TOOL_CALL_START", "r1.c1")]
    made.arguments(call, "{}")
    made.arguments(call, '{"never": "twice"}')
    made.end_call(call)
    made.end_call(call)
    assert told(made) == [("TOOL_CALL_ARGS", "r1.c1"), ("TOOL_CALL_END", "r1.c1")]
    assert call.arguments == "{}"


def test_a_result_tells_how_the_call_ended_and_how_long_it_took() -> None:
    """Spec: an error has no field of its own; metadata reaches the message."""
    made = brackets()
    made.settle(made.call(C1, "add"), ToolOutcome(call_id=C1, content={"sum": 3}, duration_ms=4.25))
    failed = ToolOutcome(call_id=C2, status=ToolStatus.FAILED, error="no")
    made.settle(made.call(C2, "add"), failed)
    results = [event for event in read(made.said) if event["type"] == "TOOL_CALL_RESULT"]
    assert [(one["messageId"], one["content"], one["metadata"]) for one in results] == [
        ("r1.c1.result", '{"sum":3}', {"status": "ok", "durationMs": 4.25}),
        ("r1.c2.result", "no", {"status": "failed", "error": "no"}),
    ]
    assert made.calls == {}


def test_a_step_goes_on_until_the_next_round() -> None:
    """Ours: the calls of a round stand in its step; another attempt at it is the same step."""
    made = brackets()
    made.begin_attempt("round 1")
    made.begin_attempt("round 2")
    made.close()
    made.close()
    assert told(made) == [("STEP_FINISHED", "round 1"), ("STEP_STARTED", "round 2"), ("STEP_FINISHED", "round 2")]


@pytest.mark.requirement("BR-096", "AGUI-brackets")
def test_everything_is_closed_the_last_first() -> None:
    """A fault reported in the field: BR-096."""
    made = brackets()
    for call in (C1, C2):
        made.call(call, "add")
    made.hear(THINKING, 1, ("hm",))
    made.said.clear()
    made.close()
    assert told(made) == [
        ("REASONING_MESSAGE_END", "r1.p1"),
        ("REASONING_END", "r1.p1"),
        ("TOOL_CALL_END", "r1.c2"),
        ("TOOL_CALL_END", "r1.c1"),
        ("STEP_FINISHED", "round 1"),
    ]


def test_what_is_taken_back_is_closed_and_forgotten() -> None:
    """Ours: a retraction closes what was open of its attempt."""
    made = brackets()
    made.call(C1, "add")
    made.hear(TEXT, 1, ("a",))
    made.said.clear()
    made.retract()
    assert told(made) == [("TEXT_MESSAGE_END", "r1.p1"), ("TOOL_CALL_END", "r1.c1")]
    assert made.calls == {}
    assert [named for named, _ in made.messages.told()] == ["r1.user"]


def test_what_is_open_can_be_opened_again() -> None:
    """Ours: for a client that was told of it by a snapshot; what is closed stays closed."""
    made = brackets()
    made.end_call(made.call(C1, "add"))
    made.call(C2, "add")
    made.hear(TEXT, 1, ("a",))
    made.said = list(made.reopened())
    assert told(made) == [("STEP_STARTED", "round 1"), ("TEXT_MESSAGE_START", "r1.p1"), ("TOOL_CALL_START", "r1.c2")]
    assert list(Brackets(RunId("r1")).reopened()) == []


def test_a_call_whose_name_may_not_be_known_is_a_step_of_so_many() -> None:
    """Design §8: opaque shows step n/max, past it step n."""
    made = brackets(limit=1)
    assert [made.call(call, "").name for call in (C1, C2)] == ["step 1/1", "step 2"]


def test_the_users_message_has_the_clients_own_id() -> None:
    """A fault reported in the field (BR-169): or one of ours, where no client named it."""
    made = Brackets(RunId("r1"))
    made.begin("u1", "hi", tool_call_limit=0)
    assert [named for named, _ in made.messages.told()] == ["u1"]
