"""Runs that outlive their readers and their process: started here, worked on in the background, watched from anywhere.

Source: docs/runner.md.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from treadle.adapters.system import RandomIds, SystemClock
from treadle.app.agent import Agent
from treadle.app.stores import opened_store
from treadle.codec.records import RecordCodec
from treadle.codec.request_digest import request_digest
from treadle.errors import PlanError, RunFinalError, RunLogError, RunNotFoundError, StateError
from treadle.ports.observer import RunObserver
from treadle.ports.store import Store
from treadle.runtime.hearing import CANCEL
from treadle.runtime.leaving import GOES_ON, OnDisconnect, Readership, on_disconnect_of
from treadle.runtime.run_view import RunView, view_of
from treadle.runtime.served import ServedAgent
from treadle.runtime.supervisor import Supervisor
from treadle.runtime.thread_history import stored_run
from treadle.runtime.watching import PATIENCE_S, Unit, WatchedRecord, followed, place_of
from treadle.runtime.worker import Worker
from treadle.values.ids import RunId, ThreadId
from treadle.values.mappings import EMPTY
from treadle.values.requests import Attachment, TurnRequest
from treadle.values.runs import NewRun, OnBusyThread, RunState, RunStatus
from treadle.values.stretches import entries_of

_log: Final = logging.getLogger("treadle.runner")

DRAIN_S: Final = 30.0
"""Seconds that live runs have to rest when a runner is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedRun:
    """A run that was started, or that an earlier start with the same key had started."""

    run_id: RunId
    thread_id: ThreadId
    state: RunStatus
    is_new: bool


class Runner:
    """Agents and a store: entering it goes on with what was under way, leaving it drains.

    Shape: `store` is `sqlite:///PATH`, `memory://`, or an object with the ports of a store. `scope` says whose runs
    these are; nothing is ever seen across scopes.

    Raises:
        PlanError: Two agents have one name.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        *,
        store: str | Store = "memory://",
        scope: str = "default",
        drain_s: float = DRAIN_S,
        observers: Sequence[RunObserver] = (),
    ) -> None:
        self._agents = {agent.name: agent for agent in agents}
        if len(self._agents) != len(agents):
            raise PlanError((f"agents need different names, came {[agent.name for agent in agents]!r}",))
        self._given = store
        self._scope = scope
        self._drain_s = drain_s
        self._observers = tuple(observers)
        self._clock, self._ids, self._codec = SystemClock(), RandomIds(), RecordCodec()
        self._stack = AsyncExitStack()
        self._open: _Open | None = None

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            store = await stack.enter_async_context(opened_store(self._given, self._clock))
            served = {name: agent.served() for name, agent in self._agents.items()}
            readers = Readership(self._abandoned)
            worker = Worker(
                store=store,
                agents=tuple(served.values()),
                clock=self._clock,
                is_read=readers.is_read,
                observers=self._observers,
            )
            name = f"{socket.gethostname()}:{os.getpid()}"
            supervisor = Supervisor(store=store, worker=worker, name=name, drain_s=self._drain_s)
            await stack.enter_async_context(supervisor)
            self._open = _Open(store=store, served=served, worker=worker, readers=readers)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        open_ = self._opened()
        try:
            await self._stack.aclose()
        finally:
            self._open = None
            open_.readers.close()
            for task in open_.leaving:
                task.cancel()
            if open_.leaving:
                await asyncio.wait(open_.leaving)

    async def start(  # noqa: PLR0913 (one for each thing it is made of)
        self,
        agent: str,
        prompt: str,
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
            thread_id: The conversation it belongs to; without one it gets a thread of its own.
            key: The caller's own name for this start: however often it is repeated, there is one run.
            on_disconnect: What its last reader's leaving does: `continue`, `cancel`, `continue N s`.
            on_busy: What becomes of it where the thread has a live run: `reject`, `queue`, `cancel_previous`.
        Raises:
            PlanError: No such agent, an empty prompt, or a rule that is none. Nothing was started.
            KeyReusedError: The key stands for another request.
            ThreadBusyError: The thread has a live run and the rule is `reject`.
        """
        open_ = self._opened()
        served, leave, busy = self._checked(agent, prompt, on_disconnect, on_busy)
        run_id = self._ids.run_id()
        named = ThreadId(thread_id or "")
        request = TurnRequest(
            prompt=prompt,
            attachments=tuple(attachments),
            run_id=run_id,
            root_run_id=run_id,
            thread_id=named or ThreadId(f"t_{run_id[2:]}"),
            scope=self._scope,
            properties=properties,
        )
        state = await open_.store.create(
            NewRun(
                run_id=run_id,
                scope=self._scope,
                thread_id=request.thread_id,
                agent=agent,
                digest=request_digest(request, agent=agent, thread_id=named),
                request=self._codec.dump_request(request, served.rules),
                key=key,
                on_busy=busy,
                plan=served.plan,
                properties={"on_disconnect": on_disconnect, "cancel_after_s": leave.cancel_after_s},
            )
        )
        if busy is OnBusyThread.CANCEL_PREVIOUS:
            await self._let_hear(open_, state)
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
        open_, named = self._opened(), RunId(run_id)
        unit = _unit_of(to_end_of)
        state = await open_.store.state(self._scope, named)
        at = await place_of(open_.store, state, after)
        rule, at_end = _rule_of(state), False
        open_.readers.enter(named)
        open_.worker.wake(named)
        try:
            async with aclosing(followed(open_.store, self._scope, named, at=at, to_end_of=unit)) as records:
                async for record in records:
                    yield record
            at_end = True
        finally:
            open_.readers.leave(named, rule if self._open is open_ else GOES_ON, at_end=at_end)

    async def cancel(self, run_id: str, *, reason: str | None = None) -> bool:
        """Ask a run to stop. It is `cancelled` when its log says so; another end may come first.

        Shape:  True where the wish was taken in; False where the run is final, or was asked before.
        Raises:
            RunNotFoundError: No such run in this scope.
        """
        open_, named = self._opened(), RunId(run_id)
        body = (reason or "").encode()
        try:
            accepted = await open_.store.send(self._scope, named, key=CANCEL, kind=CANCEL, body=body)
        except RunFinalError:
            return False
        await open_.worker.look(named)
        return accepted

    async def get(self, run_id: str) -> RunView:
        """A run at a glance: where it stands and what it has said by now.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        open_, named = self._opened(), RunId(run_id)
        state, stretches = await stored_run(open_.store, self._scope, named)
        return view_of(state, entries_of(stretches, named))

    async def wait(self, run_id: str) -> RunView:
        """A run at a glance once it rests: final, or waiting for a person.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        open_, named = self._opened(), RunId(run_id)
        while True:
            state = await open_.store.state(self._scope, named)
            if state.is_final or state.status is RunStatus.WAITING:
                return await self.get(run_id)
            await open_.store.wait(self._scope, named, state.next_index - 1, timeout_s=PATIENCE_S)

    async def runs(self, *, thread_id: str | None = None, limit: int = 100) -> Sequence[RunState]:
        """Where the runs of this scope stand, newest first."""
        named = None if thread_id is None else ThreadId(thread_id)
        return await self._opened().store.find(self._scope, thread_id=named, limit=limit)

    async def delete(self, run_id: str, *, facts_only: bool = False) -> bool:
        """Delete a final run, or its facts alone. False where there is none.

        Raises:
            RunLiveError: It is not final.
        """
        return await self._opened().store.delete(self._scope, RunId(run_id), facts_only=facts_only)

    def _opened(self) -> _Open:
        if self._open is None:
            raise StateError("a runner is used inside its block: `async with Runner([...]) as runner:`")
        return self._open

    def _checked(
        self, agent: str, prompt: str, on_disconnect: str, on_busy: str
    ) -> tuple[ServedAgent, OnDisconnect, OnBusyThread]:
        problems = []
        leave: OnDisconnect | None = None
        if agent not in self._agents:
            problems.append(f"no agent is called {agent!r}; there are {', '.join(self._agents)}")
        if not prompt.strip():
            problems.append(f"a prompt needs text, came {prompt!r}")
        if on_busy not in list(OnBusyThread):
            problems.append(f"on_busy is 'reject', 'queue' or 'cancel_previous', not {on_busy!r}")
        try:
            leave = on_disconnect_of(on_disconnect)
        except ValueError as wrong:
            problems.append(str(wrong))
        if problems:
            raise PlanError(tuple(problems))
        assert leave is not None
        return self._opened().served[agent], leave, OnBusyThread(on_busy)

    async def _let_hear(self, open_: _Open, new: RunState) -> None:
        """The store has asked the runs before a new one to stop: those at work here hear of it now."""
        for run in await open_.store.find(self._scope, thread_id=new.thread_id, statuses={RunStatus.OWNED}):
            await open_.worker.look(run.run_id)

    def _abandoned(self, run_id: RunId) -> None:
        """The last reader of a run has gone for good, and its rule says that it ends with that."""
        open_ = self._opened()
        task = asyncio.get_running_loop().create_task(self._cancel_unread(run_id), name=f"treadle leave {run_id}")
        open_.leaving.add(task)
        task.add_done_callback(open_.leaving.discard)

    async def _cancel_unread(self, run_id: RunId) -> None:
        try:
            with suppress(RunNotFoundError):
                await self.cancel(run_id, reason="readers_left")
        except RunLogError:
            _log.exception("run %s has lost its readers and could not be told to stop", run_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """What a runner holds while it is open."""

    store: Store
    served: Mapping[str, ServedAgent]
    worker: Worker
    readers: Readership
    leaving: set[asyncio.Task[None]] = field(default_factory=set)


def _rule_of(state: RunState) -> OnDisconnect:
    after_s = state.properties.get("cancel_after_s")
    return GOES_ON if after_s is None else OnDisconnect(cancel_after_s=after_s)


def _unit_of(text: str) -> Unit:
    try:
        return Unit(text)
    except ValueError:
        raise PlanError((f"to_end_of is 'run' or 'segment', not {text!r}",)) from None
