"""What requests for completions and for responses have in common: how they start a run or answer one, and as whom.

In: a visit, and what is said to pauses. Out: the run, and which of its segments is to be told.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import msgspec
from starlette.requests import Request

from treadle.errors import AgentNotFoundError, AlreadyAnsweredError, BadRequestError
from treadle.runtime.open_pauses import PausesOfRun
from treadle.server.access.principal import Action
from treadle.server.start_request import StartRequest, check_name
from treadle.server.starting import started
from treadle.server.visit import Visit
from treadle.values.exposure import Exposure, PauseExposure, ToolExposure, is_hidden
from treadle.values.ids import InterruptId, RunId
from treadle.values.mappings import EMPTY
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt
from treadle.values.requests import HistoryMessage
from treadle.values.runs import RunState

LEAVES: Final = "continue 10 s"
"""When the last reader of a run that is not in the background has gone, it is cancelled, a little later."""
STAYS: Final = "continue"
NO_RETRY: Final[Mapping[str, str]] = {"x-should-retry": "false"}

_ABOUT_A_CALL: Final = frozenset({PauseKind.APPROVAL, PauseKind.FRONT_END})


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A segment of a run that a request has begun. Segments count from 1."""

    run: RunState
    segment: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What is said to one pause: the token that came, where it stood, and what it says once the pause is known."""

    token: str
    pointer: str
    answers: Callable[[PendingInterrupt], Answer]


def has_run(request: Request) -> bool:
    """Whether a run exists that this request has begun, or is about."""
    return bool(getattr(request.state, "has_run", False))


def agent_called(visit: Visit, model: str) -> str:
    """The agent that a model's name is the name of.

    Raises:
        AgentNotFoundError: There is none of this name.
    """
    if model not in visit.parts.agents:
        raise AgentNotFoundError(f"no model is called {model[:256]!r}; GET models names those there are")
    return model


TokenOf: TypeAlias = Callable[[PendingInterrupt], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who is told, as far as that matters: whether they may answer, and the tokens that they answer with."""

    may_answer: bool
    token_of: TokenOf


def reader_of(visit: Visit) -> Reader:
    """The caller, as a reader."""
    return Reader(may_answer=visit.may_answer, token_of=visit.runs.token_of)


def shown_tokens(reader: Reader) -> TokenOf:
    """The tokens of pauses that a reader may answer, and is shown."""

    def told(pending: PendingInterrupt) -> str | None:
        return reader.token_of(pending) if reader.may_answer and not is_hidden(pending) else None

    return told


def tells_losses(exposure: Exposure) -> bool:
    """Whether what can be lost would have been told."""
    return exposure.tools is ToolExposure.FULL or bool(exposure.extensions)


async def begin(
    visit: Visit,
    asked: StartRequest,
    *,
    history: Sequence[HistoryMessage] = (),
    properties: Mapping[str, Any] = EMPTY,
) -> Begun:
    """Start a run, or join the one that a request with the same `Idempotency-Key` began."""
    key = visit.request.headers.get("idempotency-key")
    check_name("idempotency-key", key)
    run = await started(visit, msgspec.structs.replace(asked, key=key), history=history, properties=properties)
    visit.request.state.has_run = True
    return Begun(run=await visit.runs.state(run.run_id), segment=1)


async def answer_pauses(
    visit: Visit, agent: str, words: Sequence[Word], *, exposure: Exposure, run_id: RunId | None = None
) -> Begun:
    """Answer the pauses that tokens name, all of what a run waits for. `run_id`: the run that the request names.

    The same answers by the same caller are the same request: they come back to the segment that they led to.

    Raises:
        BadRequestError: They are of two runs, of another than is named, of another agent's, or one that the run waits
            for is not answered.
        TreadleError: A token is none, or an answer is refused. See `ScopedRuns.answer`.
    """
    claims = [visit.runs.claims_of(word.token) for word in words]
    named = [one.interrupt_id for one in claims]
    run_ids = {one.run_id for one in claims} | ({run_id} if run_id is not None else set())
    if len(run_ids) != 1:
        raise BadRequestError("the calls that are answered are of one run", pointer=words[0].pointer)
    run = await visit.runs.state(run_ids.pop())
    visit.check(Action.ANSWER, run)
    visit.request.state.has_run = True
    if run.agent != agent:
        raise BadRequestError(f"the calls that are answered are {run.agent!r}'s", pointer="/model")
    pauses, principal = await visit.runs.all_pauses(run.run_id), visit.entry.principal.name
    answers = [_said(pauses.shown.get(one), one, word) for one, word in zip(named, words, strict=True)]
    if pauses.open.keys() >= set(named):
        _check_that_all_are_answered(pauses, named, exposure, words[0].pointer)
    try:
        await visit.runs.answer(run.run_id, answers, principal=principal)
    except AlreadyAnsweredError:
        if not (await visit.runs.all_pauses(run.run_id)).has_heard(answers, principal=principal):
            raise
    return Begun(run=run, segment=1 + max(pauses.segments[one] for one in named))


def _check_that_all_are_answered(
    pauses: PausesOfRun, named: Collection[InterruptId], exposure: Exposure, pointer: str
) -> None:
    left = [one for one, pause in pauses.open.items() if one not in named and _is_shown(pause, exposure)]
    if left:
        # By their names: a token is for whoever it was shown to.
        said = f"the run goes on when each of its calls is answered, and no answer came to {', '.join(left)}"
        raise BadRequestError(said, pointer=pointer)


def _said(pause: PendingInterrupt | None, named: InterruptId, word: Word) -> Answer:
    if pause is None:
        # Whoever takes answers in says why this one is none.
        return Answer(interrupt_id=named, token=word.token, decision=Decision.CANCEL)
    return word.answers(pause)


def _is_shown(pause: PendingInterrupt, exposure: Exposure) -> bool:
    return exposure.pauses is PauseExposure.FULL or pause.kind not in _ABOUT_A_CALL
