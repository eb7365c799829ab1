"""What a page has put in, held against what was asked."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.codec.pause_tokens import TokenKeys, token_for
from treadle.errors import AlreadyAnsweredError, BadAnswerError, BadRequestError, TokenInvalidError
from treadle.projections.vercel.parse import PageAnswers, ToolPartSaid
from treadle.runtime.open_pauses import OpenPause
from treadle.server.wires import vercel_answers
from treadle.server.wires.vercel_answers import Matched, nothing_said, refused
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import Answer, Decision, OnExpiry, PauseKind, PendingInterrupt

CALL = CallId("r1.c1")
NAMED = InterruptId("r1.i1")
TOKEN = token_for(
    PendingInterrupt(interrupt_id=NAMED, kind=PauseKind.APPROVAL, call_id=CALL), scope="s", keys=TokenKeys(b"k" * 32)
)


def pause(kind: PauseKind, **request: Any) -> OpenPause:  # noqa: ANN401 (what is asked)
    """A pause that is open."""
    return OpenPause(
        interrupt_id=NAMED,
        kind=kind,
        call_id=CALL,
        request=request,
        response_schema={},
        expires_at=None,
        on_expiry=OnExpiry.DECLINE,
        token=TOKEN,
    )


APPROVAL = pause(PauseKind.APPROVAL, name="pay", arguments={"cents": 5})


def part(call_id: str = CALL, **more: Any) -> ToolPartSaid:  # noqa: ANN401 (fields of a part)
    """A part that the page gives back."""
    return ToolPartSaid(call_id=call_id, pointer="/messages/0/parts/1", **more)


def leave(**more: Any) -> ToolPartSaid:  # noqa: ANN401 (fields of a part)
    """One that says yes."""
    return part(**{"approval_id": TOKEN, "approved": True, "input": {"cents": 5}, **more})


def said(*parts: ToolPartSaid, **tokens: str) -> PageAnswers:
    """All of them."""
    return PageAnswers(parts=parts, tokens=tokens)


def matched(told: PageAnswers, pauses: list[OpenPause], settled: list[OpenPause] | None = None) -> Matched:
    """What was said to which, where everything that could have been said before was."""
    return vercel_answers.matched(told, pauses, settled or [], was_heard=lambda one: one.reason != "never said")


def test_leave_is_given_by_the_token_for_the_input_that_was_asked_about() -> None:
    """Source: AI SDK security: look it up in your own store, and compare the input."""
    found = matched(said(leave(reason="fine")), [APPROVAL])
    assert found.answers == (Answer(interrupt_id=NAMED, token=TOKEN, decision=Decision.APPROVE, reason="fine"),)
    assert found.stray == ()


@pytest.mark.parametrize("other", [{"cents": 500}, {}, None, {"cents": 5, "to": "me"}, {"cents": True}])
def test_leave_for_anything_else_is_refused(other: object) -> None:
    """Design promise 7: bound to one call and its exact arguments. `problems` says where."""
    with pytest.raises(BadAnswerError) as bad:
        matched(said(leave(input=other)), [APPROVAL])
    (problem,) = bad.value.problems
    assert problem.interrupt_id == NAMED
    assert "/messages/0/parts/1/input" in problem.problem


def test_a_no_needs_no_input() -> None:
    """Ours: whatever the page thinks it was asked about, nothing runs."""
    (answer,) = matched(said(leave(approved=False, input=None, reason="")), [APPROVAL]).answers
    assert (answer.decision, answer.reason) == (Decision.DENY, None)


@pytest.mark.parametrize("other", [leave(call_id="r1.c2"), leave(call_id="r1.c1x")])
def test_a_token_on_another_call_is_astray(other: ToolPartSaid) -> None:
    """Ours: an approval is of its call."""
    found = matched(said(other), [APPROVAL])
    assert (found.answers, found.stray) == ((), (other,))
    with pytest.raises(TokenInvalidError):
        refused(other, [APPROVAL])


def test_a_second_part_of_the_same_call_is_astray() -> None:
    """Ours: of two parts of one call only one can be it; the other refuses the post."""
    forged = leave(approval_id="forged")
    assert matched(said(forged, leave()), [APPROVAL]).stray == (forged,)


def test_an_output_is_no_leave() -> None:
    """Source: BR-073. A page that gives an output to what waits for leave has said nothing."""
    assert matched(said(part(has_output=True, output=1)), [APPROVAL]).answers == ()


@pytest.mark.parametrize(
    ("kind", "call_id"),
    [(PauseKind.ASK_USER, CALL), (PauseKind.FRONT_END, CALL), (PauseKind.INTERRUPT, NAMED)],
)
def test_an_output_answers_what_waits_for_one(kind: PauseKind, call_id: str) -> None:
    """Source: AI SDK: `addToolOutput`. The token is that of the message, or of the pause where it has kept none."""
    asked = pause(kind, name="x", payload=None)
    (answer,) = matched(said(part(call_id, has_output=True, output={"a": 1})), [asked]).answers
    assert answer == Answer(interrupt_id=NAMED, token=TOKEN, decision=Decision.ANSWER, value={"a": 1})
    (other,) = matched(said(part(call_id, has_output=True), **{NAMED: "t"}), [asked]).answers
    assert other.token == "t"
    (failed,) = matched(said(part(call_id, error="no file")), [asked]).answers
    assert (failed.decision, failed.reason) == (Decision.DENY, "no file")
    assert matched(said(part(call_id)), [asked]).answers == ()


def test_why_an_approval_is_astray_is_told_by_sending_a_no() -> None:
    """Ours: a token of a pause that is not open is refused where tokens are verified, for its own reason."""
    assert refused(leave(), []) == Answer(interrupt_id=NAMED, token=TOKEN, decision=Decision.DENY)
    with pytest.raises(TokenInvalidError):
        refused(leave(approval_id="forged"), [])


def test_a_message_without_an_answer_says_why_it_is_none() -> None:
    """Ours: settled already, or nothing was put in."""
    assert isinstance(nothing_said(said(part(has_output=True)), []), AlreadyAnsweredError)
    assert isinstance(nothing_said(said(), []), BadRequestError)
    assert isinstance(nothing_said(said(part(has_output=True)), [APPROVAL]), BadRequestError)


@pytest.mark.requirement("VERCEL-answered-twice")
@pytest.mark.parametrize(
    ("again", "is_heard"),
    [
        (leave(), True),
        (leave(reason="never said"), False),
        (leave(approval_id="forged"), False),
        (leave(call_id="r1.c2"), False),
    ],
)
def test_an_approval_that_was_given_before_is_no_stray_one(again: ToolPartSaid, is_heard: bool) -> None:  # noqa: FBT001 (a case)
    """Source: BR-070. A page whose response was lost, or that answers pause by pause, still holds what it has said."""
    other = pause(PauseKind.FRONT_END)
    found = matched(said(again, part("r1.c9", has_output=True)), [], [APPROVAL, other])
    assert (len(found.again), found.stray) == ((1, ()) if is_heard else (0, (again,)))
    assert found.answers == ()


def test_what_is_open_goes_before_what_is_settled() -> None:
    """docs/pauses.md: `keep` asks about the same call again, under a new id."""
    found = matched(said(leave()), [APPROVAL], [APPROVAL])
    assert (len(found.answers), found.again, found.stray) == (1, (), ())
