"""What a page has put into a message, to answers of pauses: held against what the run asked, by our own store.

In: tool parts as the page gives them back, and the pauses of a run. Out: answers, or a refusal. A part that says
`approved` is a wish and no leave: it counts where its approval is the token of an open pause, stands on the call that
the pause is about, and has the very input that was asked about. One that does not, and that says nothing which was said
and taken before, refuses all of the post.

Source: docs/protocols/vercel.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from treadle.codec.pause_tokens import interrupt_named_in
from treadle.errors import AlreadyAnsweredError, BadAnswerError, BadRequestError, TokenInvalidError
from treadle.projections.vercel.parse import PageAnswers, ToolPartSaid, is_same_input
from treadle.runtime.open_pauses import OpenPause
from treadle.values.pauses import Answer, Decision, PauseKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What a page says.

    Shape: `answers` to pauses that are open; `again`, what it has said before to others, word for word; `stray`,
        approvals that are none of both.
    """

    answers: tuple[Answer, ...]
    again: tuple[Answer, ...] = ()
    stray: tuple[ToolPartSaid, ...] = ()


def matched(
    said: PageAnswers,
    open_pauses: Sequence[OpenPause],
    settled: Sequence[OpenPause] = (),
    *,
    was_heard: Callable[[Answer], bool],
) -> Matched:
    """What was said to which pause.

    Args:
        was_heard: Whether the caller has said just this to a pause that is settled.
    Raises:
        BadAnswerError: Leave is given for another input than the one that was asked about.
    """
    parts = {part.call_id: part for part in said.parts}
    used: list[ToolPartSaid] = []
    answers: list[Answer] = []
    again: list[Answer] = []
    for pause in open_pauses:
        part, answer = _said_to(pause, parts, said.tokens)
        if part is not None and answer is not None:
            answers.append(answer)
            used.append(part)
    for pause in settled:
        part, answer = _said_to(pause, parts, said.tokens)
        if part in used or part is None or answer is None:
            continue
        if answer.token == pause.token and was_heard(answer):
            again.append(answer)
            used.append(part)
    stray = [part for part in said.parts if part.approval_id is not None and part not in used]
    return Matched(answers=tuple(answers), again=tuple(again), stray=tuple(stray))


def refused(stray: ToolPartSaid, pauses: Sequence[OpenPause]) -> Answer:
    """An answer that says no to what a stray approval names: it is not open, so sending it tells why.

    Raises:
        TokenInvalidError: It is no token at all, or that of a pause which is open, on a call that this is not about.
    """
    token = stray.approval_id or ""
    named = interrupt_named_in(token)
    if any(pause.interrupt_id == named for pause in pauses):
        raise TokenInvalidError("the token is of another call")
    return Answer(interrupt_id=named, token=token, decision=Decision.DENY)


def nothing_said(said: PageAnswers, pauses: Sequence[OpenPause]) -> Exception:
    """Why a message without an answer cannot be gone on with."""
    if said.parts and not pauses:
        return AlreadyAnsweredError("the run waits for nothing that this message answers")
    told = f"the message answers none of the {len(pauses)} pauses of the chat; a new message is one of the user's"
    return BadRequestError(told, pointer="/messages")


def _said_to(
    pause: OpenPause, parts: Mapping[str, ToolPartSaid], tokens: Mapping[str, str]
) -> tuple[ToolPartSaid | None, Answer | None]:
    """The part of a pause, and what it says; None where it says nothing that could be an answer."""
    part = parts.get(pause.interrupt_id if pause.kind is PauseKind.INTERRUPT else pause.call_id)
    return part, None if part is None else _answer(part, pause, tokens)


def _answer(part: ToolPartSaid, pause: OpenPause, tokens: Mapping[str, str]) -> Answer | None:
    named = pause.interrupt_id
    if pause.kind is PauseKind.APPROVAL:
        return None if part.approval_id is None else _leave(part, part.approval_id, pause)
    token = tokens.get(named, pause.token)
    if part.has_output:
        return Answer(interrupt_id=named, token=token, decision=Decision.ANSWER, value=part.output)
    if part.error is not None:
        return Answer(interrupt_id=named, token=token, decision=Decision.DENY, reason=part.error or None)
    return None


def _leave(part: ToolPartSaid, token: str, pause: OpenPause) -> Answer:
    if part.approved and not is_same_input(part.input, pause.request["arguments"]):
        said = f"leave is given for the input that was asked about, and {part.pointer}/input is another one"
        raise BadAnswerError(((pause.interrupt_id, said),))
    decision = Decision.APPROVE if part.approved else Decision.DENY
    return Answer(interrupt_id=pause.interrupt_id, token=token, decision=decision, reason=part.reason or None)
