"""Tool parts: calls, and what people are asked about them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from treadle.projections.vercel.calls import ToolParts
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution, Settlement

RUN = RunId("r1")
CALL = CallId("r1.c1")
PAUSE = InterruptId("r1.i1")


def parts() -> ToolParts:
    """Of an agent with a tool of each kind."""
    made = ToolParts(page=frozenset({"pick_file"}), person=frozenset({"ask_user"}))
    made.most = 2
    return made


def announced(name: str, call_id: CallId = CALL) -> ev.ToolAnnounced:
    """The model speaks of a call."""
    return ev.ToolAnnounced(index=0, run_id=RUN, call_id=call_id, name=name)


def called(name: str, **arguments: object) -> ev.ToolCall:
    """It runs."""
    return ev.ToolCall(index=0, run_id=RUN, request=ToolRequest(call_id=CALL, name=name, arguments=arguments))


def failed(status: ToolStatus = ToolStatus.FAILED) -> ToolOutcome:
    """It came to nothing."""
    return ToolOutcome(call_id=CALL, status=status, error="no")


def asked(
    kind: PauseKind,
    request: dict[str, Any] | None = None,
    **fields: Any,  # noqa: ANN401 (its own fields)
) -> PendingInterrupt:
    """A pause."""
    about = {"name": "transfer", "arguments": {"a": 1}} if request is None else request
    return PendingInterrupt(interrupt_id=PAUSE, kind=kind, call_id=CALL, request=about, **fields)


def settled(settlement: Settlement, **fields: Any) -> Resolution:  # noqa: ANN401 (its own fields)
    """How it was settled."""
    return Resolution(interrupt_id=PAUSE, settlement=settlement, **fields)


def read(said: list[str]) -> list[dict[str, Any]]:
    """Chunks as the client reads them."""
    return [json.loads(one) for one in said]


def types(said: list[str]) -> list[str]:
    """What they are."""
    return [one["type"] for one in read(said)]


@pytest.mark.requirement("VERCEL-damaged")
@pytest.mark.parametrize(
    ("texts", "shown"),
    [(['{"a":', " 1}"], {"a": 1}), (['{"a": '], '{"a": '), ([], {}), (["9" * 5000], "9" * 5000), (["NaN"], None)],
)
def test_a_call_that_never_runs_gives_no_go_signal(texts: list[str], shown: object) -> None:
    """Source: BR-163. An input-error part in place of `tool-input-available`, with what the model said."""
    tools = parts()
    tools.announced(announced("pick_file"))
    if texts:
        tools.spoken(CALL, texts)
    (told,) = read(tools.settled(failed()))
    assert (told["type"], told["input"], told["errorText"]) == ("tool-input-error", shown, "no")


def test_a_call_runs_with_its_input_and_ends_with_its_output() -> None:
    """Source: AI SDK: outputs need a call of that id with an input."""
    tools = parts()
    said = [tools.announced(announced("add")), *tools.spoken(CALL, ["{}"]), tools.called(called("add", a=1))]
    said += [tools.progressed(ev.ToolProgress(index=0, run_id=RUN, call_id=CALL, sequence=0, payload=0.5))]
    said += tools.settled(ToolOutcome(call_id=CALL, content=3))
    assert types(said) == [
        "tool-input-start",
        "tool-input-delta",
        "tool-input-available",
        "tool-output-available",
        "tool-output-available",
    ]
    tools.begin_round()
    assert tools.settled(ToolOutcome(call_id=CALL, content=3)) == []


def test_a_call_whose_announcement_was_hidden_is_told_when_it_runs() -> None:
    """Ours: an exposure or a provider may leave out that a call was spoken of."""
    tools = parts()
    assert types([tools.called(called("add", a=1)), *tools.settled(failed())]) == [
        "tool-input-available",
        "tool-output-error",
    ]


def test_an_output_whose_input_was_never_told_has_it_told_first() -> None:
    """Ours: what somebody else answered, this reader could not be asked."""
    tools = parts()
    tools.announced(announced("pick_file"))
    tools.asked(asked(PauseKind.FRONT_END), token=None, is_past=False)
    said = read(tools.settled(ToolOutcome(call_id=CALL, content="a.txt")))
    assert [one["type"] for one in said] == ["tool-input-available", "tool-output-available"]
    assert said[0]["providerExecuted"] is True


@pytest.mark.requirement("VERCEL-approval")
def test_leave_is_asked_with_the_token_and_what_is_to_run() -> None:
    """Source: AI SDK, `tool-approval-request`. The approval's id comes back, so it is the token."""
    tools = parts()
    tools.announced(announced("transfer"))
    said = read(tools.asked(asked(PauseKind.APPROVAL, expires_at=1.5), token="t0ken", is_past=False))
    assert said[0]["input"] == {"a": 1}
    assert said[1] == {
        "type": "tool-approval-request",
        "approvalId": "t0ken",
        "toolCallId": CALL,
        "approvalDescriptor": {"interruptId": PAUSE, "expiresAt": "1970-01-01T00:00:01.500Z"},
    }
    granted = read([*tools.answered(settled(Settlement.ANSWERED)), tools.called(called("transfer", a=7))])
    assert granted[0] == {"type": "tool-approval-response", "approvalId": "t0ken", "approved": True}
    assert (granted[1]["type"], granted[1]["input"]) == ("tool-input-available", {"a": 7})


@pytest.mark.requirement("VERCEL-approval")
def test_leave_for_a_call_without_a_name_says_what_it_is_called() -> None:
    """Ours: nobody decides about what they cannot see; the name of a part that was begun cannot be changed."""
    tools = parts()
    tools.announced(announced(""))
    said = read(tools.asked(asked(PauseKind.APPROVAL), token="t0ken", is_past=False))
    assert said[1]["approvalDescriptor"] == {"interruptId": PAUSE, "toolName": "transfer"}


@pytest.mark.parametrize("settlement", [Settlement.DECLINED, Settlement.EXPIRED, Settlement.CANCELLED])
@pytest.mark.parametrize("status", [ToolStatus.DENIED, ToolStatus.CANCELLED])
def test_a_call_that_got_no_leave_is_denied(settlement: Settlement, status: ToolStatus) -> None:
    """Source: AI SDK: a part that was not approved can hold no output, only `output-denied`."""
    tools = parts()
    tools.announced(announced("transfer"))
    tools.asked(asked(PauseKind.APPROVAL), token="t0ken", is_past=False)
    said = [*tools.answered(settled(settlement, reason="not today")), *tools.settled(failed(status))]
    assert read(said)[0]["reason"] == "not today"
    assert types(said) == ["tool-approval-response", "tool-output-denied"]


def test_a_call_with_leave_that_is_denied_later_has_an_error() -> None:
    """Source: AI SDK: what was approved cannot be `output-denied`."""
    tools = parts()
    tools.called(called("transfer"))
    tools.asked(asked(PauseKind.APPROVAL), token="t0ken", is_past=False)
    tools.answered(settled(Settlement.ANSWERED))
    assert types(tools.settled(failed(ToolStatus.DENIED))) == ["tool-output-error"]


def test_leave_that_is_asked_again_is_asked_of_the_same_part() -> None:
    """docs/pauses.md: `keep` asks again under a new id."""
    tools = parts()
    tools.announced(announced("transfer"))
    tools.asked(asked(PauseKind.APPROVAL), token="one", is_past=False)
    tools.answered(settled(Settlement.EXPIRED))
    assert types(tools.asked(asked(PauseKind.APPROVAL), token="two", is_past=False)) == ["tool-approval-request"]
    tools.answered(settled(Settlement.ANSWERED))
    assert types(tools.settled(ToolOutcome(call_id=CALL, content=1))) == ["tool-output-available"]


def test_what_a_page_has_answered_itself_is_not_told_to_it() -> None:
    """Source: AI SDK: an approval response for an id that the message does not hold ends the chat."""
    tools = parts()
    tools.announced(announced("transfer"))
    tools.asked(asked(PauseKind.APPROVAL), token="t0ken", is_past=False)
    tools.decided(frozenset({PAUSE, InterruptId("r1.i9")}))
    assert tools.answered(settled(Settlement.ANSWERED)) == []


def test_past_approvals_hold_no_token() -> None:
    """Ours: a token that was used is no use to anybody; the pause's own name says which it was."""
    tools = parts()
    said = read(tools.asked(asked(PauseKind.APPROVAL), token=None, is_past=True))
    assert said[1]["approvalId"] == PAUSE


@pytest.mark.requirement("VERCEL-questions")
def test_a_question_waits_for_its_output() -> None:
    """Source: AI SDK: a part left `input-available` is the page's to answer by `addToolOutput`."""
    tools = parts()
    tools.announced(announced("ask_user"))
    questions = {"questions": [{"question_id": "q1"}]}
    pending = asked(PauseKind.ASK_USER, questions, response_schema={"type": "object"})
    said = read(tools.asked(pending, token="t0ken", is_past=False))
    assert said[0] == {
        "type": "tool-input-available",
        "toolCallId": CALL,
        "toolName": "ask_user",
        "dynamic": True,
        "input": questions,
    }
    assert said[1]["type"] == "data-treadle-pause"
    assert said[1]["data"] == {
        "interruptId": PAUSE,
        "toolCallId": CALL,
        "kind": "ask_user",
        "state": "open",
        "token": "t0ken",
        "responseSchema": {"type": "object"},
    }
    assert read(tools.answered(settled(Settlement.ANSWERED)))[0]["data"]["state"] == "answered"
    assert tools.acts_on_page


@pytest.mark.requirement("VERCEL-front-end")
def test_what_the_page_runs_is_a_part_of_the_tools_own_name() -> None:
    """Source: AI SDK: without `dynamic` a part is `tool-NAME`, and `onToolCall` is called for it."""
    tools = parts()
    tools.announced(announced("pick_file"))
    request = {"name": "pick_file", "arguments": {"kind": "pdf"}}
    said = read(tools.asked(asked(PauseKind.FRONT_END, request), token="t0ken", is_past=False))
    assert said[0]["input"] == {"kind": "pdf"}
    assert not {"dynamic", "providerExecuted"} & said[0].keys()


def test_a_past_question_asks_nobody() -> None:
    """Ours: a page that is loaded again must not run or ask once more what was answered."""
    tools = parts()
    tools.announced(announced("pick_file"))
    request = {"name": "pick_file", "arguments": {}}
    said = read(tools.asked(asked(PauseKind.FRONT_END, request), token=None, is_past=True))
    assert said[0]["providerExecuted"] is True
    assert "token" not in said[1]["data"]


@pytest.mark.parametrize(
    ("kind", "name", "dynamic"),
    [(PauseKind.ASK_USER, "ask_user", True), (PauseKind.FRONT_END, "transfer", None)],
)
def test_a_reader_who_is_told_of_no_calls_is_told_of_what_it_may_answer(
    kind: PauseKind,
    name: str,
    dynamic: bool | None,  # noqa: FBT001 (a case)
) -> None:
    """Design 8: a pause shows whoever may answer it exactly what it asks about."""
    questions: dict[str, Any] = {"questions": []}
    pending = asked(kind, questions) if kind is PauseKind.ASK_USER else asked(kind)
    said = read(parts().asked(pending, token="t0ken", is_past=False))
    assert (said[0]["toolName"], said[0].get("dynamic")) == (name, dynamic)


def test_a_question_that_is_asked_again_has_its_part_already() -> None:
    """docs/pauses.md: `keep` asks again under a new id."""
    tools = parts()
    tools.asked(asked(PauseKind.FRONT_END), token="one", is_past=False)
    assert types(tools.asked(asked(PauseKind.FRONT_END), token="two", is_past=False)) == ["data-treadle-pause"]


@pytest.mark.requirement("VERCEL-interrupts")
@pytest.mark.parametrize(
    ("resolution", "told"),
    [
        (settled(Settlement.ANSWERED, value={"ok": True}), {"type": "tool-output-available", "output": {"ok": True}}),
        (settled(Settlement.DECLINED, reason="no"), {"type": "tool-output-error", "errorText": "a person said no: no"}),
        (settled(Settlement.EXPIRED), {"type": "tool-output-error", "errorText": "nobody answered in time"}),
    ],
)
def test_a_named_interrupt_is_a_part_of_its_own(resolution: Resolution, told: dict[str, Any]) -> None:
    """Ours: its call has a part that runs here; what is asked in the middle of it is one that a person answers."""
    tools = parts()
    tools.called(called("book"))
    pending = asked(PauseKind.INTERRUPT, {"name": "nights", "payload": None})
    said = read(tools.asked(pending, token="t0ken", is_past=False))
    assert said[0] == {
        "type": "tool-input-available",
        "toolCallId": PAUSE,
        "toolName": "nights",
        "dynamic": True,
        "input": None,
    }
    answered = read(tools.answered(resolution))
    assert answered[0] == {"toolCallId": PAUSE, **told}
    assert answered[1]["data"]["state"] == resolution.settlement.value


@pytest.mark.requirement("VERCEL-unseen")
@pytest.mark.parametrize(
    "pending",
    [asked(PauseKind.APPROVAL), asked(PauseKind.APPROVAL, {}), asked(PauseKind.FRONT_END)],
    ids=["approval", "hidden", "front end"],
)
def test_who_may_not_answer_is_told_that_a_decision_is_due(pending: PendingInterrupt) -> None:
    """Design 8: a mount that may not show it says only that a decision is due and gives no token."""
    tools = parts()
    tools.announced(announced("transfer"))
    (said,) = read(tools.asked(pending, token=None if pending.request else "t0ken", is_past=False))
    assert said["data"] == {
        "interruptId": PAUSE,
        "toolCallId": CALL,
        "kind": pending.kind.value,
        "state": "open",
    }
    (answered,) = read(tools.answered(settled(Settlement.ANSWERED)))
    assert answered["data"]["state"] == "answered"


def test_an_approval_that_somebody_else_gave_needs_no_part_of_its_call() -> None:
    """Ours: nothing of a call that this reader was never told of."""
    tools = parts()
    tools.asked(asked(PauseKind.APPROVAL), token=None, is_past=False)
    assert types(tools.answered(settled(Settlement.DECLINED))) == ["data-treadle-pause"]


def test_calls_without_a_name_are_counted() -> None:
    """Design 8: `opaque` shows step n of max; past it step n."""
    tools = parts()
    said = [json.loads(tools.announced(announced("", CallId(f"r1.c{number}")))) for number in (1, 2, 3)]
    assert [(one["toolName"], one["title"]) for one in said] == [
        ("step", "step 1/2"),
        ("step", "step 2/2"),
        ("step", "step 3"),
    ]


def test_what_was_taken_back_is_closed() -> None:
    """Source: BR-096. What is open is closed before the end of the response."""
    tools = parts()
    tools.announced(announced("add"))
    tools.spoken(CALL, ['{"a": 1}'])
    (told,) = read(tools.take_back())
    assert (told["type"], told["input"]) == ("tool-input-error", {"a": 1})
    assert tools.take_back() == []
