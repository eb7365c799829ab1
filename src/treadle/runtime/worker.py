"""A claimed run, worked on until it rests: begun, or rebuilt from its log and gone on with.

In: a lease. Out: the run's log, further on. What is sent to the run is read from its inbox when the worker is told to
look, and is taken in the append that records what came of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from treadle.codec.records import RecordCodec
from treadle.errors import FencedError, RunLogError
from treadle.kernel.inputs import CancelRequested, Input
from treadle.ports.clock import Clock
from treadle.ports.observer import RunObserver
from treadle.ports.store import Store
from treadle.runtime.appender import Appender
from treadle.runtime.loop import RunLoop
from treadle.runtime.rebuilding import rebuilt_run
from treadle.runtime.served import ServedAgent
from treadle.runtime.thread_history import history_of
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunState, RunStatus

_log = logging.getLogger("treadle.worker")

CANCEL: Final = "cancel"
"""The kind, and the key, of the message that asks a run to stop."""


class Work:
    """One claimed run at work, as others in the process may reach it."""

    def __init__(self, *, lease: Lease, store: Store) -> None:
        self._lease = lease
        self._store = store
        self._loop: RunLoop | None = None
        self._heard: set[int] = set()
        self._pending: dict[type[Input], list[int]] = {}
        self._taken: list[int] = []
        self.appender: Appender | None = None

    def attach(self, loop: RunLoop) -> None:
        """From now on what is found in the inbox goes to this loop."""
        self._loop = loop

    async def look(self) -> None:
        """Look in the inbox, and tell the run what is new."""
        for message in await self._store.inbox(self._lease.scope, self._lease.run_id):
            if message.number in self._heard or self._loop is None:
                continue
            self._heard.add(message.number)
            if message.kind == CANCEL:
                self._pending.setdefault(CancelRequested, []).append(message.number)
                self._loop.post(CancelRequested(reason=message.body.decode(errors="replace") or None))

    @property
    def has_news(self) -> bool:
        """Whether anything was found in the inbox that the machine has not taken."""
        return any(self._pending.values())

    def told(self, given: Input) -> None:
        """The machine has taken this input: its messages go with the next append."""
        self._taken += self._pending.pop(type(given), [])

    def taken(self) -> Sequence[int]:
        """The numbers of the messages that what is written by now records; each is told once."""
        taken, self._taken = self._taken, []
        return taken


class Readers:
    """One reader, counted among those of its run until it has left."""

    def __init__(self, counts: Counter[RunId], run_id: RunId) -> None:
        self._counts = counts
        self._run_id = run_id
        counts[run_id] += 1

    def left(self) -> None:
        """The reader has gone."""
        self._counts[self._run_id] -= 1
        if not self._counts[self._run_id]:
            del self._counts[self._run_id]


class Worker:
    """Works on claimed runs of the agents it serves."""

    def __init__(
        self,
        *,
        store: Store,
        agents: Sequence[ServedAgent],
        clock: Clock,
        observers: Sequence[RunObserver] = (),
    ) -> None:
        self._store = store
        self._by_plan = {agent.plan: agent for agent in agents}
        self._clock = clock
        self._observers = observers
        self._codec = RecordCodec()
        self._readers: Counter[RunId] = Counter()
        self.live: dict[RunId, Work] = {}

    def reading(self, run_id: RunId) -> Readers:
        """Somebody reads this run from now on; `left()` of what is given says that they have gone."""
        return Readers(self._readers, run_id)

    def is_read(self, run_id: RunId) -> bool:
        """Whether anybody reads this run here."""
        return self._readers[run_id] > 0

    async def look(self, run_id: RunId) -> None:
        """Something was sent to this run: if it is at work here, let it hear of it."""
        if (work := self.live.get(run_id)) is not None:
            await work.look()

    @property
    def plans(self) -> frozenset[str]:
        """The fingerprints of the plans it can run."""
        return frozenset(self._by_plan)

    async def work(self, lease: Lease) -> None:
        """Work on a run until it rests, or another owner has it.

        Cancel:  The run is given back unfinished; what was shown of it stays, and the next owner goes on.
        """
        work = Work(lease=lease, store=self._store)
        self.live[lease.run_id] = work
        try:
            await self._work(lease, work)
        except asyncio.CancelledError:
            await self._give_back(lease, work)
            raise
        finally:
            del self.live[lease.run_id]
            self._tell(lambda observer: observer.released(lease.run_id))

    async def _work(self, lease: Lease, work: Work) -> None:
        try:
            state = await self._store.state(lease.scope, lease.run_id)
            await self._run(lease, work, state)
        except* FencedError:
            _log.warning("run %s was taken over by another worker", lease.run_id)
        except* RunLogError as failures:
            _log.error("the log of run %s failed: it stays where it is until it is claimed again", lease.run_id)
            _log.debug("why", exc_info=failures)

    async def _run(self, lease: Lease, work: Work, state: RunState) -> None:
        served = self._by_plan[state.plan]
        request, rules = self._codec.load_request(state.request)
        history = await history_of(self._store, state, load=served.load_payload)
        rebuilt = await rebuilt_run(self._store, lease, served)
        inputs = rebuilt.first_inputs(now_s=self._clock.now_s(), idempotent=served.idempotent)
        parts = rebuilt.parts(
            request=replace(request, history=history), rules=rules, served=served, clock=self._clock, told=work.told
        )
        work.appender = appender = Appender(
            log=self._store,
            lease=lease,
            runs=parts.runs,
            taken=work.taken,
            is_watched=lambda: self.is_read(lease.run_id),
            dump=served.dump_payload,
            stored=lambda stretches: self._tell(lambda observer: observer.stored(lease.run_id, stretches)),
        )
        parts.loop.commit = appender.commit
        work.attach(parts.loop)
        await work.look()
        if rebuilt.is_waiting and not work.has_news and not inputs:
            # Nobody said anything after all: it goes on waiting.
            await self._store.append(lease, (), status=RunStatus.WAITING, wake_at_s=rebuilt.wake_at_s)
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(appender.run(), name=f"treadle log {lease.run_id}")
            group.create_task(parts.loop.drive(parts.request, inputs=inputs), name=f"treadle run {lease.run_id}")

    async def _give_back(self, lease: Lease, work: Work) -> None:
        """Let another owner go on at once, instead of when the lease is over."""
        if work.appender is None or work.appender.status is not RunStatus.OWNED:
            return
        try:
            await self._store.append(work.appender.lease, (), status=RunStatus.READY)
        except RunLogError:
            _log.info("run %s could not be given back; it is claimed again when its lease is over", lease.run_id)

    def _tell(self, say: Callable[[RunObserver], None]) -> None:
        for observer in self._observers:
            try:
                say(observer)
            except Exception:  # noqa: BLE001 (whoever looks on must not harm a run, however it fails)
                _log.exception("an observer failed")
