"""Claims runs as they become ready, holds their leases, and lets them end in good order.

One supervisor a process. It owns the task of every run it has claimed.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from treadle.errors import FencedError, RunLogError
from treadle.ports.store import Store
from treadle.runtime.worker import Worker
from treadle.values.ids import RunId
from treadle.values.runs import Lease

_log = logging.getLogger("treadle.supervisor")

LEASE_S: Final = 15.0
"""Seconds that a claim holds without being renewed."""
RENEWALS: Final = 3
"""How often a lease is renewed within its time."""
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
        self._slots = asyncio.Semaphore(max_live)
        self._works: dict[RunId, asyncio.Task[None]] = {}
        self._leases: dict[RunId, Lease] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Supervisor:
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(self._claim_for_ever(), name="treadle claims"),
            loop.create_task(self._renew_for_ever(), name="treadle leases"),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        claims, leases = self._tasks
        await _end(claims)
        if self._works:
            await asyncio.wait(self._works.values(), timeout=self._drain_s)
        left = list(self._works.values())
        for work in left:
            work.cancel()
        if left:
            await asyncio.wait(left)
        await _end(leases)

    async def _claim_for_ever(self) -> None:
        while True:
            await self._slots.acquire()
            lease = None
            try:
                lease = await self._store.claim(self._name, plans=self._worker.plans, ttl_s=LEASE_S)
                if lease is None:
                    await self._store.ready(timeout_s=PATIENCE_S)
            except RunLogError:
                _log.exception("no run could be claimed")
                await asyncio.sleep(PATIENCE_S)
            finally:
                if lease is None:
                    self._slots.release()
            if lease is not None:
                self._begin(lease)

    def _begin(self, lease: Lease) -> None:
        work = asyncio.get_running_loop().create_task(self._worker.work(lease), name=f"treadle work {lease.run_id}")
        self._works[lease.run_id] = work
        self._leases[lease.run_id] = lease
        work.add_done_callback(lambda done: self._over(lease, done))

    def _over(self, lease: Lease, done: asyncio.Task[None]) -> None:
        self._slots.release()
        if self._works.get(lease.run_id) is done:
            del self._works[lease.run_id], self._leases[lease.run_id]
        if not done.cancelled() and (failure := done.exception()) is not None:
            _log.error("work on run %s broke off", lease.run_id, exc_info=failure)

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(LEASE_S / RENEWALS)
            for lease in list(self._leases.values()):
                try:
                    await self._store.renew(lease, ttl_s=LEASE_S)
                except FencedError:
                    if (work := self._works.get(lease.run_id)) is not None:
                        work.cancel()
                except RunLogError:
                    _log.warning("the lease of run %s could not be renewed", lease.run_id)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
