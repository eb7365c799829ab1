"""Runs that outlive their readers and their process: started here, worked on in the background, watched from anywhere.

Source: docs/runner.md.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from types import TracebackType
from typing import Any, Final, Self

from treadle.adapters.system import RandomIds, SystemClock
from treadle.app.agent import Agent
from treadle.app.pause_keys import PauseKeys
from treadle.app.stores import opened_store
from treadle.errors import PlanError, RunLogError, RunNotFoundError, StateError
from treadle.ports.observer import RunObserver, RunSettler
from treadle.ports.store import Store
from treadle.runtime.leaving import Readership
from treadle.runtime.runner_parts import RunnerParts
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.runtime.supervisor import Supervisor
from treadle.runtime.worker import Worker
from treadle.values.ids import RunId

_log: Final = logging.getLogger("treadle.runner")

DRAIN_S: Final = 30.0
"""Seconds that live runs have to rest when a runner is left."""


class Runner(ScopedRuns):
    """Agents and a store: entering it goes on with what was under way, leaving it drains.

    Shape: `store` is `sqlite:///PATH`, `memory://`, or an object with the ports of a store. `scope` says whose runs
    these are; nothing is ever seen across scopes, and `within` is how the runs of another one are reached.

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
        super().__init__(self._opened, scope)
        self._agents = {agent.name: agent for agent in agents}
        if len(self._agents) != len(agents):
            raise PlanError((f"agents need different names, came {[agent.name for agent in agents]!r}",))
        self._given = store
        self._drain_s = drain_s
        self._observers = tuple(observers)
        self._clock, self._ids = SystemClock(), RandomIds()
        self._stack = AsyncExitStack()
        self._open: RunnerParts | None = None
        self._supervisor: Supervisor | None = None
        self._stopping: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        keys = PauseKeys(self._given, os.environ)
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
            self._supervisor = await stack.enter_async_context(supervisor)
            self._open = RunnerParts(
                store=store,
                served=served,
                worker=worker,
                readers=readers,
                ids=self._ids,
                clock=self._clock,
                keys=keys,
            )
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        parts = self._opened()
        try:
            await self._stack.aclose()
        finally:
            self._open = self._supervisor = None
            parts.is_closed = True
            parts.readers.close()
            for task in self._stopping:
                task.cancel()
            if self._stopping:
                await asyncio.wait(self._stopping)
            await self._settled()

    def within(self, scope: str) -> ScopedRuns:
        """The runs of another scope, while this runner is open. Its worker serves all scopes alike."""
        return ScopedRuns(self._opened, scope)

    @property
    def store(self) -> Store:
        """The store, while the runner is open.

        Raises:
            StateError: It is not.
        """
        return self._opened().store

    async def look(self, run_id: RunId) -> None:
        """Something was sent to a run: if it is at work here, it hears of it now."""
        await self._opened().worker.look(run_id)

    def stop_at_work(self, run_id: RunId, reason: str) -> None:
        """Ask a run that this runner works on to stop, in whatever scope. Nothing happens where it works on none."""
        lease = self._opened().worker.lease_of(run_id)
        if lease is not None:
            self._later(self._stop(lease.scope, run_id, reason), name=f"treadle stop {run_id}")

    @property
    def at_work(self) -> int:
        """How many runs are worked on here now."""
        return 0 if self._open is None else len(self._open.worker.live)

    async def drain(self) -> None:
        """Take no new work, and let live runs end for `drain_s` seconds. Leaving does it by itself.

        What is left then goes on until the runner is left, and is given back. Readers and the store stay.
        """
        self._opened()
        if self._supervisor is not None:
            await self._supervisor.drain()

    async def _settled(self) -> None:
        """Observers come to the end of what they have under way."""
        for observer in self._observers:
            if isinstance(observer, RunSettler):
                try:
                    await observer.settle()
                except Exception:  # noqa: BLE001 (whoever looks on must not harm a runner, however it fails)
                    _log.exception("an observer could not settle")

    def _opened(self) -> RunnerParts:
        if self._open is None:
            raise StateError("a runner is used inside its block: `async with Runner([...]) as runner:`")
        return self._open

    def _abandoned(self, scope: str, run_id: RunId) -> None:
        """The last reader of a run has gone for good, and its rule says that it ends with that."""
        self._later(self._stop(scope, run_id, "readers_left"), name=f"treadle leave {run_id}")

    def _later(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)

    async def _stop(self, scope: str, run_id: RunId, reason: str) -> None:
        try:
            with suppress(RunNotFoundError):
                await self.within(scope).cancel(run_id, reason=reason)
        except RunLogError:
            _log.exception("run %s could not be told to stop (%s)", run_id, reason)
