"""Claims runs as they become ready, holds their leases, and lets them end in good order.

One supervisor a process. It owns the task of every run it has claimed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from treadle.errors import FencedError, RunLogError
from treadle.ports.store import Store
from treadle.runtime.first_step import FirstSteps
from treadle.runtime.worker import Worker
from treadle.values.ids import RunId
from treadle.values.runs import Lease

_log = logging.getLogger("treadle.supervisor")

LEASE_S: Final = 15.0
"""Seconds that a claim holds without being renewed."""
RENEWALS: Final = 3
"""How often a lease is renewed within its time."""
LOOK_S: Final = 1.0
"""Seconds between two looks at the inboxes of the runs at work: others may have sent to them from elsewhere."""
PATIENCE_S: Final = 5.0
"""Seconds after which the supervisor looks for work although nobody woke it."""
MAX_LIVE: Final = 1000
"""Runs that one process works on at once."""


class Supervisor:
    """Keeps a worker busy.

    Use it as an async context manager: leaving drains. Runs that are live then have `drain_s` seconds to rest; what
    is left is given back unfinished.
    """

    def __init__(self, *, store: Store, worker: Worker, name: str, drain_s: float, max_live: int = MAX_LIVE) -> None:
        self._store = store
        self._worker = worker
        self._name = name
        self._drain_s = drain_s
        self._free = max_live
        self._freed: asyncio.Future[None] | None = None
        """What the claiming task waits for where nothing is free."""
        self._works: dict[asyncio.Task[None], Lease] = {}
        self._newest: dict[RunId, asyncio.Task[None]] = {}
        """The work on each run under its newest claim."""
        self._tasks: list[asyncio.Task[None]] = []
        self._steps = FirstSteps()
        self._drained_by_s: float | None = None

    async def __aenter__(self) -> Supervisor:
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._for_ever(self._claim), name="treadle claims"),
            loop.create_task(self._for_ever(self._renew), name="treadle leases"),
            loop.create_task(self._for_ever(self._look), name="treadle inboxes"),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await self.drain()
        finally:
            await _ended([*self._works, *self._tasks])
            self._steps.close()

    async def drain(self) -> None:
        """Claim nothing more, and wait for what is at work, `drain_s` from the first call of this at most."""
        loop = asyncio.get_running_loop()
        if self._drained_by_s is None:
            self._drained_by_s = loop.time() + self._drain_s
        await _ended(self._tasks[:1])
        if self._works:
            await asyncio.wait(list(self._works), timeout=max(0.0, self._drained_by_s - loop.time()))

    async def _for_ever(self, step: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await step()
            except Exception:  # noqa: BLE001 (the border of the process's own work: it goes on, however a store fails)
                _log.exception("%s failed", _name_of_this_task())
                await asyncio.sleep(PATIENCE_S)

    async def _claim(self) -> None:
        while not self._free:
            self._freed = asyncio.get_running_loop().create_future()
            await self._freed
        lease = await self._store.claim(self._name, plans=self._worker.plans, ttl_s=LEASE_S)
        if lease is None:
            await self._store.ready(timeout_s=PATIENCE_S)
        else:
            self._begin(lease)

    def _begin(self, lease: Lease) -> None:
        if (older := self._newest.get(lease.run_id)) is not None:
            older.cancel()  # Its lease was over: this is a claim of the same run.
        work = self._steps.begin(self._worker.work(lease), name=f"treadle work {lease.run_id}")
        if work is None:
            return  # It has come to rest already.
        self._free -= 1
        self._works[work] = lease
        self._newest[lease.run_id] = work
        work.add_done_callback(self._over)

    def _over(self, work: asyncio.Task[None]) -> None:
        self._free += 1
        if self._freed is not None and not self._freed.done():
            self._freed.set_result(None)
        lease = self._works.pop(work)
        if self._newest.get(lease.run_id) is work:
            del self._newest[lease.run_id]
        if not work.cancelled() and (failure := work.exception()) is not None:
            _log.error("work on run %s broke off", lease.run_id, exc_info=failure)

    async def _renew(self) -> None:
        await asyncio.sleep(LEASE_S / RENEWALS)
        for work, lease in list(self._works.items()):
            if work.done():
                continue
            try:
                await self._store.renew(lease, ttl_s=LEASE_S)
            except FencedError:
                await self._fenced(work, lease)
            except RunLogError:
                _log.warning("the lease of run %s could not be renewed", lease.run_id, exc_info=True)

    async def _fenced(self, work: asyncio.Task[None], lease: Lease) -> None:
        """The lease holds no more: another owner has the run, or this one has just let it go."""
        try:
            is_taken_over = (await self._store.state(lease.scope, lease.run_id)).epoch != lease.epoch
        except RunLogError:
            is_taken_over = True
        if is_taken_over:
            work.cancel()

    async def _look(self) -> None:
        await asyncio.sleep(LOOK_S)
        for run_id in self._worker.live:
            await self._worker.look(run_id)


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel tasks and wait for them. If this is cancelled, they still end by themselves."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


def _name_of_this_task() -> str:
    task = asyncio.current_task()
    return task.get_name() if task is not None else "a task"
