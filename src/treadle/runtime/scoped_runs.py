"""The runs of one scope: started, read, stopped and looked at.

Nothing is ever seen across scopes: a run of another one is not found.

Source: docs/runner.md, ADR 0018 (one runner, many scopes).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

from treadle.codec.pause_tokens import TokenClaims, claims_of, token_for
from treadle.codec.request_digest import request_digest
from treadle.codec.sent_cancels import SentCancel, dump_cancel
from treadle.errors import PauseOpenError, PlanError, RunFinalError, ThreadBusyError
from treadle.runtime.answering import Answering, TakenAnswers
from treadle.runtime.conversation import conversation_of
from treadle.runtime.hearing import CANCEL
from treadle.runtime.leaving import GOES_ON, OnDisconnect, on_disconnect_of
from treadle.runtime.open_pauses import OpenPause, PausesOfRun, pauses_of
from treadle.runtime.run_reading import RunReading
from treadle.runtime.run_view import RunView, view_of
from treadle.runtime.runner_parts import RunnerParts
from treadle.runtime.served import ServedAgent
from treadle.runtime.thread_history import own_thread, stored_run
from treadle.runtime.watching import PATIENCE_S, Unit, WatchedRecord, place_of
from treadle.values.facts import CancelKept
from treadle.values.ids import RunId, ThreadId
from treadle.values.mappings import EMPTY, FrozenDict
from treadle.values.pauses import Answer, PauseKind, PendingInterrupt
from treadle.values.requests import Attachment, HistoryMessage, TurnRequest
from treadle.values.runs import NewRun, OnBusyThread, RunState, RunStatus

ASKED: Final = "asked"
"""The property of a run's state that holds the properties it was started with."""

# A dict says in one look what an enum says in two calls, and every start asks.
_ON_BUSY: Final[Mapping[str, OnBusyThread]] = {word.value: word for word in OnBusyThread}
_UNITS: Final[Mapping[str, Unit]] = {word.value: word for word in Unit}
_GOES_ON: Final = FrozenDict({"on_disconnect": "continue", "cancel_after_s": None})


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedRun:
    """A run that was started, or that an earlier start with the same key had started."""

    run_id: RunId
    thread_id: ThreadId
    state: RunStatus
    is_new: bool


class ScopedRuns:
    """What may be done with the runs of one scope, while their runner is open."""

    def __init__(self, opened: Callable[[], RunnerParts], scope: str) -> None:
        """Of use to a runner alone: `Runner.within` gives one."""
        self._parts = opened
        self._scope = scope

    async def start(  # noqa: PLR0913 (one for each thing it is made of)
        self,
        agent: str,
        prompt: str | Sequence[HistoryMessage],
        *,
        thread_id: str | None = None,
        key: str | None = None,
        on_disconnect: str = "continue",
        on_busy: str = "reject",
        attachments: Sequence[Attachment] = (),
        properties: Mapping[str, Any] = EMPTY,
    ) -> StartedRun:
        """Start a run, or join the one that an earlier start with this key began.

        Args:
            prompt: What a person says; or, of a conversation that is kept elsewhere and has no thread here, its
                messages: text alone, and last what the person says now.
            thread_id: The conversation it belongs to; without one it gets a thread of its own.
            key: The caller's own name for this start: however often it is repeated, there is one run.
            on_disconnect: What its last reader's leaving does: `continue`, `cancel`, `continue N s`.
            on_busy: What becomes of it where the thread has a live run: `reject`, `queue`, `cancel_previous`.
            properties: What its caller wants to find again, in JSON terms: `properties["asked"]` of the run's state.
        Raises:
            PlanError: No such agent, an empty prompt, a rule that is none, or a history that is not text. Nothing was
                started.
            KeyReusedError: The key stands for another request.
            ThreadBusyError: The thread has a live run and the rule is `reject`; `PauseOpenError` where that waits for a
                person.
        """
        parts = self._parts()
        now, history = conversation_of(prompt, thread_id)
        served, leave, busy = _checked(parts, agent, now.text, on_disconnect, on_busy)
        run_id = parts.ids.run_id()
        named = ThreadId(thread_id or "")
        request = TurnRequest(
            prompt=now.text,
            attachments=(*now.attachments, *attachments),
            history=history,
            run_id=run_id,
            root_run_id=run_id,
            thread_id=named or own_thread(run_id),
            scope=self._scope,
            properties=properties,
        )
        state = await self._created(
            parts,
            NewRun(
                run_id=run_id,
                scope=self._scope,
                thread_id=request.thread_id,
                agent=agent,
                digest="" if key is None else request_digest(request, agent=agent, thread_id=named),
                request=parts.codec.dump_request(request, served.rules),
                key=key,
                on_busy=busy,
                plan=served.plan,
                properties=_kept_with(on_disconnect, leave, properties),
            ),
        )
        if busy is OnBusyThread.CANCEL_PREVIOUS:
            await self._let_hear(parts, state)
        return StartedRun(
            run_id=state.run_id, thread_id=state.thread_id, state=state.status, is_new=state.run_id == run_id
        )

    async def watch(
        self, run_id: str, *, after: str | None = None, to_end_of: str = "run"
    ) -> AsyncGenerator[WatchedRecord, None]:
        """The events of a run after a cursor, live until the end of the run, or of its segment.

        Leaving it is what `on_disconnect` of the run decides about, once no other reader is there.

        Raises:
            RunNotFoundError: No such run in this scope.
            CursorError: The cursor is not one of this log; `reset_to` says where to go on.
        """
        reading = await self.reading(run_id, after=after, to_end_of=to_end_of)
        async with reading, aclosing(reading.records()) as records:
            async for record in records:
                yield record

    async def reading(self, run_id: str, *, after: str | None = None, to_end_of: str = "run") -> RunReading:
        """A reader as `watch` is one, for whoever delivers by stretches. Entering it makes it count.

        Raises:
            RunNotFoundError: No such run in this scope.
            CursorError: The cursor is not one of this log; `reset_to` says where to go on.
        """
        parts, unit = self._parts(), _unit_of(to_end_of)
        state = await parts.store.state(self._scope, RunId(run_id))
        place = await place_of(parts.store, state, after)
        return RunReading(parts, state, place=place, to_end_of=unit)

    async def cancel(self, run_id: str, *, reason: str | None = None, principal: str | None = None) -> bool:
        """Ask a run to stop. It is `cancelled` when its log says so; another end may come first.

        From then on it takes no answers any more.

        Shape:  True where the wish was taken in; False where the run is final, or was asked before.
        Args:
            principal: Who asks for it; it is remembered with the end of the run's pauses.
        Raises:
            RunNotFoundError: No such run in this scope.
        """
        parts, named = self._parts(), RunId(run_id)
        asked = None
        if principal is not None:
            asked = CancelKept(by=principal, at_s=parts.clock.now_s(), reason=reason)
        body = dump_cancel(SentCancel(reason=reason, asked=asked))
        try:
            accepted = await parts.store.send(self._scope, named, key=CANCEL, kind=CANCEL, body=body)
        except RunFinalError:
            return False
        await parts.worker.look(named)
        return accepted

    async def pauses(self, run_id: str) -> tuple[OpenPause, ...]:
        """What a run waits for people to say, each with the token that an answer to it needs.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        parts = self._parts()
        return (await pauses_of(parts.store, self._scope, RunId(run_id))).as_shown(keys=parts.keys)

    async def all_pauses(self, run_id: str) -> PausesOfRun:
        """All pauses that a run has had, what of them waits, and what was said to the others.

        Shape:  it holds what is asked in truth: of use to whoever reads answers, and nothing to be shown.
        Raises:
            RunNotFoundError: No such run in this scope.
        """
        return await pauses_of(self._parts().store, self._scope, RunId(run_id))

    def claims_of(self, token: str) -> TokenClaims:
        """The pause, and with it the run, that a token of this scope is for.

        Raises:
            TokenInvalidError: None of the keys has made it.
            RunNotFoundError: It is of another scope.
        """
        return claims_of(token, scope=self._scope, keys=self._parts().keys)

    def output_schema(self, agent: str) -> Mapping[str, Any]:
        """What the answers of an agent that is served here are read into; empty where they are text."""
        return self._parts().served[agent].output

    def token_of(self, pending: PendingInterrupt) -> str:
        """The token of a pause of this scope, for a reader who may answer it.

        Raises:
            PlanError: There are no keys that could be used.
        """
        return token_for(pending, scope=self._scope, keys=self._parts().keys)

    def asking_tools(self, agent: str) -> Mapping[str, PauseKind]:
        """The tools of an agent whose calls are asked of somebody in place of being run here, and of whom.

        Raises:
            PlanError: No such agent.
        """
        served = self._parts().served
        if agent not in served:
            raise PlanError((f"no agent is called {agent!r}; there are {', '.join(served)}",))
        return served[agent].asking_tools

    def stood_s(self, state: RunState) -> float:
        """For how long a run has stood where it stands, by the clock of this side."""
        return self._parts().clock.now_s() - state.changed_s

    async def answer(self, run_id: str, answers: Sequence[Answer], *, principal: str) -> TakenAnswers:
        """Take in what a person says to pauses of a run, all of it or, where anything is refused, none of it.

        The run goes on when none of its pauses is open.

        Args:
            principal: By whom it is said; it is remembered with the decision.
        Raises:
            RunNotFoundError: No such run in this scope.
            BadAnswerError: An answer does not fit what was asked; `problems` names the pause and the question.
            TokenInvalidError: A token is not ours, or of another pause.
            PauseNotFoundError: The run has never had one of these pauses.
            TokenExpiredError: The time of a pause is over.
            CancelAskedError: The run was asked to stop before.
            AlreadyAnsweredError: A pause is settled. `taken` names those of this body that were taken before that was
                seen, where another body came at the same moment.
        """
        parts, named = self._parts(), RunId(run_id)
        desk = Answering(store=parts.store, scope=self._scope, keys=parts.keys, clock=parts.clock, checks=parts.checks)
        try:
            return await desk.answer(named, answers, principal=principal)
        finally:
            await parts.worker.look(named)

    async def get(self, run_id: str) -> RunView:
        """A run at a glance: where it stands and what it has said by now.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        parts, named = self._parts(), RunId(run_id)
        state, stretches = await stored_run(parts.store, self._scope, named)
        return view_of(state, stretches)

    async def state(self, run_id: str) -> RunState:
        """Where a run stands, without what it has said.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        return await self._parts().store.state(self._scope, RunId(run_id))

    async def wait(self, run_id: str) -> RunView:
        """A run at a glance once it rests: final, or waiting for a person.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        parts, named = self._parts(), RunId(run_id)
        while True:
            state = await parts.store.state(self._scope, named)
            if state.is_final or state.status is RunStatus.WAITING:
                return await self.get(run_id)
            await parts.store.wait(self._scope, named, state.next_index - 1, timeout_s=PATIENCE_S)

    async def runs(
        self,
        *,
        thread_id: str | None = None,
        state: RunStatus | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> Sequence[RunState]:
        """Where the runs of this scope stand, newest first.

        Args:
            before: The id of the last run of an earlier page.
        Raises:
            RunNotFoundError: `before` is no run of this scope.
        """
        return await self._parts().store.find(
            self._scope,
            thread_id=None if thread_id is None else ThreadId(thread_id),
            statuses=None if state is None else (state,),
            before=None if before is None else RunId(before),
            limit=limit,
        )

    async def delete(self, run_id: str, *, facts_only: bool = False) -> bool:
        """Delete a final run, or its facts alone. False where there is none.

        Raises:
            RunLiveError: It is not final.
        """
        return await self._parts().store.delete(self._scope, RunId(run_id), facts_only=facts_only)

    async def _created(self, parts: RunnerParts, new: NewRun) -> RunState:
        try:
            return await parts.store.create(new)
        except ThreadBusyError:
            waiting = await parts.store.find(
                self._scope, thread_id=new.thread_id, statuses={RunStatus.WAITING}, limit=1
            )
            if not waiting:
                raise
            said = (
                f"run {waiting[0].run_id!r} of thread {new.thread_id!r} waits for a person, and a message is no answer"
            )
            raise PauseOpenError(said) from None

    async def _let_hear(self, parts: RunnerParts, new: RunState) -> None:
        """The store has asked the runs before a new one to stop: those at work here hear of it now."""
        for run in await parts.store.find(self._scope, thread_id=new.thread_id, statuses={RunStatus.OWNED}):
            await parts.worker.look(run.run_id)


def _checked(
    parts: RunnerParts, agent: str, prompt: str, on_disconnect: str, on_busy: str
) -> tuple[ServedAgent, OnDisconnect, OnBusyThread]:
    problems = []
    leave: OnDisconnect | None = None
    if agent not in parts.served:
        problems.append(f"no agent is called {agent!r}; there are {', '.join(parts.served)}")
    if not prompt.strip():
        problems.append(f"a prompt needs text, came {prompt!r}")
    busy = _ON_BUSY.get(on_busy)
    if busy is None:
        problems.append(f"on_busy is 'reject', 'queue' or 'cancel_previous', not {on_busy!r}")
    try:
        leave = on_disconnect_of(on_disconnect)
    except ValueError as wrong:
        problems.append(str(wrong))
    if leave is None or busy is None or problems:
        raise PlanError(tuple(problems))
    return parts.served[agent], leave, busy


def _kept_with(on_disconnect: str, leave: OnDisconnect, asked: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is kept with a run: how it was to be left, and what its caller wants to find again."""
    if not asked and leave is GOES_ON:
        return _GOES_ON
    kept = {"on_disconnect": on_disconnect, "cancel_after_s": leave.cancel_after_s}
    return {**kept, ASKED: asked} if asked else kept


def _unit_of(text: str) -> Unit:
    unit = _UNITS.get(text)
    if unit is None:
        raise PlanError((f"to_end_of is 'run' or 'segment', not {text!r}",))
    return unit
