"""A claimed run, worked on until it rests: begun, or rebuilt from its log and gone on with.

In: a lease. Out: the run's log, further on. What is sent to the run is read from its inbox when the worker is told to
look, and is taken in the append that records what came of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from treadle.codec.records import RecordCodec
from treadle.errors import FencedError, RunLogError
from treadle.ports.clock import Clock
from treadle.ports.observer import RunLearner, RunObserver
from treadle.ports.store import Store
from treadle.runtime.appender import Appender, AppenderHooks
from treadle.runtime.attach import made_filters
from treadle.runtime.attached import RunParts
from treadle.runtime.hearing import EXPIRY, Hearing
from treadle.runtime.rebuilding import rebuilt_run, wake_at_of
from treadle.runtime.served import ServedAgent
from treadle.runtime.thread_history import history_of, stored_run
from treadle.text.close_state import CloseState
from treadle.values.ids import InterruptId, RunId
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import Stretch

_log: Final = logging.getLogger("treadle.worker")

_Looking = TypeVar("_Looking")
GIVE_BACK_S: Final = 5.0
"""Seconds that a store has to take a run back; then its lease runs out by itself."""


class Work:
    """One claimed run at work, as others in the process may reach it."""

    def __init__(self, *, lease: Lease, hearing: Hearing) -> None:
        self.lease = lease
        self.hearing = hearing
        self.plan = ""
        """The plan of its run, once it is known."""
        self._parts: RunParts | None = None

    def attach(self, parts: RunParts) -> None:
        """The run has its parts by now."""
        self._parts = parts

    def wake(self) -> None:
        """Look at once whether something is to be stored: somebody reads the run."""
        if self._parts is not None:
            self._parts.runs.wake()


class Worker:
    """Works on claimed runs of the agents it serves."""

    def __init__(
        self,
        *,
        store: Store,
        agents: Sequence[ServedAgent],
        clock: Clock,
        is_read: Callable[[RunId], bool],
        observers: Sequence[RunObserver] = (),
    ) -> None:
        """`is_read`: whether anybody reads a run here."""
        self._store = store
        self._by_plan = {agent.plan: agent for agent in agents}
        self.plans = frozenset(self._by_plan)
        """The fingerprints of the plans it can run."""
        self._clock = clock
        self._is_read = is_read
        self._observers = observers
        self._learners = tuple(observer for observer in observers if isinstance(observer, RunLearner))
        self.codec = RecordCodec()
        """What the requests of new runs are written with: it knows them when they come back."""
        self._live: dict[RunId, Work] = {}
        self._spares: dict[str, CloseState] = {}
        """By plan, the text of a run that has not begun."""

    @property
    def live(self) -> Sequence[RunId]:
        """The runs at work now."""
        return tuple(self._live)

    def lease_of(self, run_id: RunId) -> Lease | None:
        """The lease of a run at work here; None for another one."""
        work = self._live.get(run_id)
        return None if work is None else work.lease

    async def look(self, run_id: RunId) -> None:
        """Something may have been sent to this run: if it is at work here, let it hear of it."""
        if (work := self._live.get(run_id)) is None:
            return
        try:
            await work.hearing.look()
        except RunLogError:
            _log.warning("the inbox of run %s could not be read; it is looked at again", run_id, exc_info=True)

    def wake(self, run_id: RunId) -> None:
        """Somebody reads this run from now on: what it has kept back is stored at once."""
        if (work := self._live.get(run_id)) is not None:
            work.wake()

    async def work(self, lease: Lease) -> None:
        """Work on a run until it rests, or another owner has it.

        Cancel:  The run is given back unfinished; what was shown of it stays, and the next owner goes on.
        """
        work = Work(lease=lease, hearing=Hearing(self._store, lease))
        self._live[lease.run_id] = work
        try:
            await self._work(work)
        except asyncio.CancelledError:
            await self._give_back(lease)
            raise
        finally:
            # A run that was taken over may have been claimed again here.
            if self._live.get(lease.run_id) is work:
                del self._live[lease.run_id]
                self._tell(lambda observer: observer.released(lease.run_id), to=self._observers)
            self._keep_spare(work.plan)

    async def _work(self, work: Work) -> None:
        run_id = work.lease.run_id
        try:
            await self._run(work)
        except* FencedError:
            _log.warning("run %s was taken over by another worker", run_id)
        except* RunLogError as failures:
            said = "the log of run %s failed: it stays as it was stored until it is claimed again"
            _log.error(said, run_id, exc_info=failures)

    async def _run(self, work: Work) -> None:
        lease, hearing = work.lease, work.hearing
        state, stretches = await stored_run(self._store, lease.scope, lease.run_id)
        self._teach(lease.run_id, stretches)
        served = self._by_plan[state.plan]
        work.plan = state.plan
        request, rules = self.codec.load_request(state.request)
        if earlier := await history_of(self._store, state, served):
            request = replace(request, history=(*earlier, *request.history))
        rebuilt = rebuilt_run(stretches, lease, served)
        parts = rebuilt.parts(
            request=request,
            rules=rules,
            served=served,
            clock=self._clock,
            told=hearing.told,
            spare=self._spares.pop(state.plan, None),
        )
        appender = self._appender(lease, parts, hearing, served)
        parts.loop.commit = appender.commit
        work.attach(parts)
        await hearing.attach(parts.loop.post, next_expires_at=lambda: served.pauses.expires_at(self._clock.now_s()))
        over = rebuilt.expired(now_s=self._clock.now_s(), was_sent_to=hearing.has_heard)
        if over:
            await self._expire(lease, over)
            await hearing.look()
        # What people sent comes first: a stop beats asking the model again.
        inputs = rebuilt.first_inputs(idempotent=served.idempotent)
        for given in inputs:
            parts.loop.post(given)
        if rebuilt.is_waiting and not hearing.has_news and not inputs:
            await self._wait_on(lease, hearing, wake_at_s=wake_at_of(rebuilt.machine.standing))
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(appender.run(), name=f"treadle log {lease.run_id}")
            # In this task: whatever of the run can be done in this turn of the event loop is.
            await parts.loop.drive(parts.request)

    def _keep_spare(self, plan: str) -> None:
        """Make now, when nobody waits, what the next run of this agent would have to wait for: its filters."""
        served = self._by_plan.get(plan)
        # A maker of one's own is called when its run begins, and not before.
        if served is not None and plan not in self._spares and not any(map(callable, served.filters)):
            self._spares[plan] = CloseState(made_filters(served.filters))

    def _appender(self, lease: Lease, parts: RunParts, hearing: Hearing, served: ServedAgent) -> Appender:
        run_id = lease.run_id
        hooks = AppenderHooks(
            taken=hearing.taken,
            is_watched=lambda: self._is_read(run_id),
            dump=served.dump_payload,
            wake_at_s=lambda: wake_at_of(parts.loop.machine.standing),
            stored=lambda stretches: self._tell(
                lambda observer: observer.stored(run_id, stretches), to=self._observers
            ),
        )
        return Appender(log=self._store, lease=lease, runs=parts.runs, hooks=hooks)

    async def _expire(self, lease: Lease, over: Sequence[InterruptId]) -> None:
        """Say that nobody answered these pauses in time, unless somebody did: either is sent once, under one key."""
        for named in over:
            await self._store.send(lease.scope, lease.run_id, key=named, kind=EXPIRY)

    async def _wait_on(self, lease: Lease, hearing: Hearing, *, wake_at_s: float | None) -> None:
        """Nobody said anything to the run after all: it goes on waiting."""
        await self._store.append(lease, (), status=RunStatus.WAITING, wake_at_s=wake_at_s, take=hearing.taken())

    async def _give_back(self, lease: Lease) -> None:
        """Let another owner go on at once, instead of when the lease is over."""
        try:
            async with asyncio.timeout(GIVE_BACK_S):
                await self._store.append(lease, (), status=RunStatus.READY)
        except FencedError:
            return  # It was stored to its end, or another one has it.
        except (RunLogError, TimeoutError):
            _log.warning("run %s could not be given back; it is claimed again when its lease is over", lease.run_id)

    def _teach(self, run_id: RunId, stretches: Sequence[Stretch]) -> None:
        """Whoever wants to know what was stored before is told."""
        self._tell(lambda observer: observer.learn(run_id, stretches), to=self._learners)

    def _tell(self, say: Callable[[_Looking], None], *, to: Sequence[_Looking]) -> None:
        for observer in to:
            try:
                say(observer)
            except Exception:  # noqa: BLE001 (whoever looks on must not harm a run, however it fails)
                _log.exception("an observer failed")
