"""What a post to AG-UI leads to: a new run, a run that goes on with what was answered, or one that is come back to.

In: a visit, and what was posted. Out: the run to be told, and how. A post that repeats another one starts nothing twice
and answers nothing twice: it is led to what the first one began.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from treadle.codec.foreign import json_text
from treadle.errors import AlreadyAnsweredError, BadRequestError, ThreadBusyError, TokenInvalidError
from treadle.projections.agui.answers import answer_of, result_of
from treadle.projections.agui.interrupts import no_token
from treadle.projections.agui.messages import Told
from treadle.projections.agui.parse import Answered, NothingNew, RunAgentInput, UserSays
from treadle.projections.agui.telling import Telling
from treadle.runtime.open_pauses import PausesOfRun
from treadle.server.access.principal import Action
from treadle.server.start_request import StartRequest, check_name
from treadle.server.starting import started
from treadle.server.visit import Visit
from treadle.server.wires.agui_history import with_missed
from treadle.server.wires.agui_telling import MESSAGE, answered, begun, message_of
from treadle.values.exposure import Exposure
from treadle.values.ids import RunId
from treadle.values.pauses import Answer, PauseKind
from treadle.values.runs import RunState, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was posted to whom, and what its client may be told. `held` are the messages that it holds."""

    agent: str
    body: RunAgentInput
    said: UserSays | Answered | NothingNew
    held: tuple[Told, ...]
    exposure: Exposure


async def entered(visit: Visit, asked: Asked) -> tuple[RunId, Telling]:
    """The run that a post is about, started or answered by now, and how its client is told of it.

    Raises:
        BadRequestError: There is nothing that it could be about, or it says two things at once.
        ThreadBusyError: It says something new to a thread that is at work; `PauseOpenError` where that waits.
        KeyReusedError: Their run was posted before, with another message.
        ResumeError: An answer was refused: `TokenInvalidError`, `TokenExpiredError`, `BadAnswerError` and their like.
        RunNotFoundError: An answer is to a run of another scope.
    """
    telling = Telling(
        thread_id=asked.body.thread_id,
        run_id=asked.body.run_id,
        parent_run_id=asked.body.parent_run_id,
        before=asked.held,
        token_of=visit.runs.token_of if visit.may_answer else no_token,
    )
    if isinstance(asked.said, UserSays):
        return await _started(visit, asked, asked.said, telling)
    if isinstance(asked.said, Answered):
        return await _answered(visit, asked, asked.said, telling)
    return await _come_back(visit, asked, await _newest(visit, asked), telling)


# Something new.


async def _started(visit: Visit, asked: Asked, said: UserSays, telling: Telling) -> tuple[RunId, Telling]:
    body = asked.body
    newest = f"messages/{len(body.messages) - 1}"
    check_name(f"{newest}/id", said.message_id)
    if not said.text.strip():
        raise BadRequestError("a message needs text", pointer=f"/{newest}/content")
    start = StartRequest(
        agent=asked.agent,
        prompt=said.text,
        thread_id=body.thread_id,
        key=json_text(["agui", body.thread_id, body.run_id]),
    )
    try:
        run = await started(visit, start, attachments=said.attachments, properties={MESSAGE: said.message_id})
    except ThreadBusyError:
        live = await _newest(visit, asked)
        if live is None or live.is_final or message_of(live) != said.message_id:
            raise
        # The page was loaded again, and posts what the run at hand was started with.
        return await _come_back(visit, asked, live, telling)
    if not run.is_new:
        return await _come_back(visit, asked, await visit.runs.state(run.run_id), telling)
    return run.run_id, begun(telling, said.message_id)


# Answers.


async def _answered(visit: Visit, asked: Asked, said: Answered, telling: Telling) -> tuple[RunId, Telling]:
    run = await _resumed_run(visit, asked, said) if said.resume else await _newest(visit, asked)
    if run is None:
        return await _come_back(visit, asked, run, telling)
    visit.check(Action.ANSWER, run)
    if said.newest_user_id is not None and said.newest_user_id != (message_of(run) or said.newest_user_id):
        said_twice = "a post answers what a run asked, or says something new: not both"
        raise BadRequestError(said_twice, pointer=f"/messages/{len(asked.body.messages) - 1}")
    pauses = await visit.runs.all_pauses(run.run_id)
    answers = [*_to_interrupts(said, pauses, visit), *_to_calls(said, pauses, visit)]
    if not answers:
        return await _come_back(visit, asked, run, telling)
    principal = visit.entry.principal.name
    try:
        taken = await visit.runs.answer(run.run_id, answers, principal=principal)
    except AlreadyAnsweredError:
        if not (await visit.runs.all_pauses(run.run_id)).has_heard(answers, principal=principal):
            raise
        return await _come_back(visit, asked, await visit.runs.state(run.run_id), telling)
    return run.run_id, answered(telling, run, open_=taken.open)


async def _resumed_run(visit: Visit, asked: Asked, said: Answered) -> RunState:
    """The run whose pauses are answered, by what the tokens prove."""
    runs = {visit.runs.claims_of(one.interrupt_id).run_id for one in said.resume}
    run = await visit.runs.state(runs.pop())
    if runs or (run.thread_id, run.agent) != (asked.body.thread_id, asked.agent):
        raise TokenInvalidError("the tokens are of other runs than this thread's")
    return run


def _to_interrupts(said: Answered, pauses: PausesOfRun, visit: Visit) -> list[Answer]:
    answers = []
    for one in said.resume:
        named = visit.runs.claims_of(one.interrupt_id).interrupt_id
        # What a final run has asked may have been deleted with its facts: then every answer comes too late.
        kind = pauses.asked[named].kind if named in pauses.asked else PauseKind.INTERRUPT
        answers.append(answer_of(one, named, kind))
    return answers


def _to_calls(said: Answered, pauses: PausesOfRun, visit: Visit) -> list[Answer]:
    """The results of calls that wait for the front end. What is said of others is history, and grants nothing."""
    waiting = {str(one.call_id): one for one in pauses.open.values() if one.kind is PauseKind.FRONT_END}
    by_token = {one.interrupt_id for one in said.resume}
    answers = []
    for one in said.results:
        pending = waiting.get(one.call_id)
        if pending is not None and (token := visit.runs.token_of(pending)) not in by_token:
            answers.append(result_of(one, pending.interrupt_id, token, schema=pending.response_schema))
    return answers


# Coming back.


async def _newest(visit: Visit, asked: Asked) -> RunState | None:
    """The newest run of the thread, if it is this agent's."""
    found = next(iter(await visit.runs.runs(thread_id=asked.body.thread_id, limit=1)), None)
    return found if found is not None and found.agent == asked.agent else None


async def _come_back(visit: Visit, asked: Asked, run: RunState | None, telling: Telling) -> tuple[RunId, Telling]:
    """What the client has missed of a run as a snapshot, then what comes; of one that rests, its end again."""
    if run is None:
        said = "the newest message is not of the user's, and no run of this thread is there to come back to"
        raise BadRequestError(said, pointer="/messages")
    visit.check(Action.READ, run)
    open_ = None
    if run.status is RunStatus.WAITING:
        open_ = frozenset((await visit.runs.all_pauses(run.run_id)).open)
    return run.run_id, replace(
        telling,
        after=run.next_index - 1,
        # A run whose every pause is answered is about to go on.
        rests=run.is_final or bool(open_),
        snapshots=True,
        before=await with_missed(visit, asked.held, run, exposure=asked.exposure),
        user_message_id=message_of(run),
        open_pauses=open_,
    )
