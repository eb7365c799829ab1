"""What users say to what an agent asked, as it comes back from clients: with a call that is made again, or as a reply.

In: a visit, and what came back. Out: the run that goes on, and how the call is told of it. Everything that comes back
is somebody else's word: the tokens are what proves that it was asked here. They are verified before a run is looked up,
and once more where answers are taken in, before anything is said of what was wrong with an answer.

Source: docs/protocols/mcp.md; ADR 0032 (tokens of pauses).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from treadle.errors import AlreadyAnsweredError, AnswerProblem, BadAnswerError, TokenInvalidError
from treadle.projections.mcp.endings import BETWEEN, given_up
from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.forms import Elicited, answer_of
from treadle.projections.mcp.parse import CallTool, Reply, elicited
from treadle.projections.mcp.telling import EVERYTHING, Telling
from treadle.runtime.answering import MOST_ANSWERS, TakenAnswers
from treadle.runtime.open_pauses import PausesOfRun
from treadle.server.access.principal import Action
from treadle.server.visit import Visit
from treadle.server.wires.mcp_sessions import Session
from treadle.server.wires.mcp_telling import gone_on
from treadle.values.ids import InterruptId, RunId
from treadle.values.pauses import Answer, Decision
from treadle.values.runs import RunState

COULD_NOT: Final = "the client did not ask its user"


async def answered(visit: Visit, agent: str, params: CallTool, *, telling: Telling) -> tuple[RunId, Telling]:
    """Take in what came back with a call that is made again, and say how it goes on.

    Shape:  what is no answer is asked again, with what was wrong; so is what is open beside what was answered. What
            the same principal has said before is not said twice, and leads to the same run.
    Raises:
        McpFaultError: It names nothing that was asked, or there are no answers.
        ResumeError: An answer was refused.
        RunNotFoundError: It is of another scope.
    """
    tokens = _tokens(visit, params.requestState or "")
    run = await _run_of(visit, tokens, agent)
    said = {InterruptId(name): elicited(one) for name, one in (params.inputResponses or {}).items()}
    if not said or not said.keys() <= tokens.keys():
        stray = ", ".join(repr(name[:80]) for name in said if name not in tokens) or "none"
        raise McpFaultError(Fault.INVALID_PARAMS, f"expected answers to what was asked, came {stray}")
    desk = _Desk(visit, await visit.runs.all_pauses(run.run_id))
    try:
        taken = await desk.take(said, tokens)
    except BadAnswerError as bad:
        return run.run_id, replace(telling, after=_before_the_last(run), settled=desk.settled, note=_note(bad))
    except AlreadyAnsweredError:
        if not await desk.has_heard():
            raise
        return run.run_id, replace(telling, after=EVERYTHING, settled=desk.settled)
    if taken.open:
        settled = desk.settled | frozenset(taken.taken)
        return run.run_id, replace(telling, after=_before_the_last(run), settled=settled)
    return run.run_id, gone_on(telling, run)


async def reply(visit: Visit, session: Session, said: Reply) -> None:
    """Take in what a client of a session replies to what it was asked in the midst of a call.

    Shape:  a reply that is no answer ends the call, and not the run: nobody would be asked again.
    Raises:
        ResumeError: It was refused, or no call of this session asked this.
    """
    named = visit.runs.claims_of(said.request_id).interrupt_id
    call = session.call_of(_run_named(named))
    if call is None:
        raise TokenInvalidError("no call of this session asked this")
    run = await _run_of(visit, {named: said.request_id}, session.agent)
    if said.result is None:
        call.give_up(given_up(call.telling, run.run_id, COULD_NOT))
        return
    desk = _Desk(visit, await visit.runs.all_pauses(run.run_id))
    try:
        await desk.take({named: elicited(said.result)}, {named: said.request_id})
    except BadAnswerError as bad:
        call.give_up(given_up(call.telling, run.run_id, _note(bad)))
        raise
    except AlreadyAnsweredError:
        if not await desk.has_heard():
            raise


class _Desk:
    """Takes in what was said to pauses of one run, all of it or none."""

    def __init__(self, visit: Visit, pauses: PausesOfRun) -> None:
        self._visit = visit
        self._pauses = pauses
        self._answers: list[Answer] = []
        self._problems: list[AnswerProblem] = []

    @property
    def settled(self) -> frozenset[InterruptId]:
        """The pauses that are not open, as far as that was looked up."""
        return frozenset(self._pauses.settled)

    async def take(self, said: Mapping[InterruptId, Elicited], tokens: Mapping[InterruptId, str]) -> TakenAnswers:
        """Hand the answers to where they are verified and consumed."""
        self._answers = [self._answer(named, one, tokens[named]) for named, one in said.items()]
        principal = self._visit.entry.principal.name
        try:
            return await self._visit.runs.answer(self._pauses.state.run_id, self._answers, principal=principal)
        except BadAnswerError as bad:
            raise BadAnswerError(tuple(self._problems) or bad.problems) from bad

    async def has_heard(self) -> bool:
        """Whether it was this principal who has said all of it before."""
        self._pauses = await self._visit.runs.all_pauses(self._pauses.state.run_id)
        return self._pauses.has_heard(self._answers, principal=self._visit.entry.principal.name)

    def _answer(self, named: InterruptId, said: Elicited, token: str) -> Answer:
        # As it was shown: what a person read is what they answer.
        pending = self._pauses.shown.get(named)
        if pending is None:
            # Of a pause that there never was, the token is refused, whatever is said to it.
            return Answer(interrupt_id=named, token=token, decision=Decision.CANCEL)
        try:
            return answer_of(said, pending, token)
        except BadAnswerError as bad:
            # No pause takes this: the token is verified all the same, and only then it is said what was wrong.
            self._problems += bad.problems
            return Answer(interrupt_id=named, token=token, decision=Decision.EDIT)


def _tokens(visit: Visit, state: str) -> dict[InterruptId, str]:
    """The tokens of a request state, by the pauses that they are for."""
    parts = state.split(BETWEEN)
    if len(parts) > MOST_ANSWERS:
        raise TokenInvalidError("the state is none of ours")
    return {visit.runs.claims_of(token).interrupt_id: token for token in parts}


async def _run_of(visit: Visit, tokens: Collection[InterruptId], agent: str) -> RunState:
    """The one run that pauses are of, which the caller may answer."""
    runs = {_run_named(named) for named in tokens}
    run = await visit.runs.state(runs.pop())
    if runs or run.agent != agent:
        raise TokenInvalidError("the tokens are of other runs than this agent's")
    visit.check(Action.ANSWER, run)
    return run


def _run_named(named: InterruptId) -> RunId:
    return RunId(named.rpartition(".i")[0])


def _before_the_last(run: RunState) -> int:
    """The place from which a run that waits is told once more what it waits for: its last event."""
    return run.next_index - 2


def _note(bad: BadAnswerError) -> str:
    """What was wrong with an answer, for whoever is asked again."""
    return "; ".join(f"Not an answer: {one.problem}" for one in bad.problems)
