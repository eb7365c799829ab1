"""The port to the table of runs, over the file.

Source: ports.runs.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress

from treadle.adapters.stores.sqlite import creating, deleting, run_table
from treadle.adapters.stores.sqlite.core import StoreCore
from treadle.adapters.stores.sqlite.creating import Created
from treadle.adapters.stores.sqlite.hints import end
from treadle.errors import StateError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, RunState, RunStatus


class TablePort:
    """Which runs there are in one file, and who may write them."""

    _core: StoreCore

    async def create(self, run: NewRun, /) -> RunState:
        """Create a run, or find the one that was created for this request. See `RunTable.create`."""
        now_s = self._core.now_s()
        created: Created = await self._core.write(
            lambda connection: creating.create(connection, run, now_s),
            lambda created: self._heed_create(created, now_s),
        )
        return created.state

    async def claim(self, worker: str, /, *, plans: Collection[str], ttl_s: float) -> Lease | None:
        """Take over the run that is due for longest. See `RunTable.claim`."""
        now_s = self._core.now_s()
        self._core.hints.look()

        def do(connection: sqlite3.Connection) -> RunState | None:
            claimed = run_table.claim(connection, worker, plans=plans, now_s=now_s, ttl_s=ttl_s)
            if claimed is not None:
                self._core.appending.claimed(claimed.scope, claimed.run_id)
                reach(Failpoint.CLAIM_AFTER_UPDATE)
            return claimed

        def heed(claimed: RunState | None) -> None:
            if claimed is not None and future.cancelled():
                # Nobody is left to own it.
                self._give_back(claimed)
            elif claimed is not None:
                self._core.tails.claimed(claimed)

        future = self._core.writer.submit(do, heed)
        claimed: RunState | None = await future
        return None if claimed is None else _lease(claimed)

    async def ready(self, *, timeout_s: float) -> None:
        """Come back when there may be a run to claim, or one becomes due. See `RunTable.ready`."""
        hints = self._core.hints
        if hints.has_news():
            return
        waiter = hints.enter(timeout_s)
        try:
            now_s = self._core.now_s()
            due_s = await self._core.ask(lambda connection: run_table.next_due_s(connection, now_s))
            timer = None
            if due_s is not None:
                timer = asyncio.get_running_loop().call_later(due_s - now_s, end, waiter)
            try:
                await waiter
            finally:
                if timer is not None:
                    timer.cancel()
        finally:
            hints.leave(waiter)

    async def renew(self, lease: Lease, /, *, ttl_s: float) -> None:
        """Hold a run for longer. See `RunTable.renew`."""
        until_s = self._core.now_s() + ttl_s
        await self._core.write(lambda connection: self._core.appending.renew(connection, lease, until_s=until_s))

    async def find(
        self,
        scope: str,
        /,
        *,
        thread_id: ThreadId | None = None,
        statuses: Collection[RunStatus] | None = None,
        before: RunId | None = None,
        limit: int = 100,
    ) -> Sequence[RunState]:
        """Runs of a scope, newest first. See `RunTable.find`.

        Raises:
            RunNotFoundError: `before` is no run of this scope.
        """
        return await self._core.ask(
            lambda connection: run_table.find(
                connection, scope, thread_id=thread_id, statuses=statuses, before=before, limit=limit
            )
        )

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:
        """Delete a final run, or its facts and what they were made of. See `RunTable.delete`."""

        def do(connection: sqlite3.Connection) -> bool:
            if facts_only:
                return deleting.delete_facts(connection, scope, run_id, codec=self._core.codec)
            return deleting.delete(connection, scope, run_id)

        deleted: bool = await self._core.write(do, lambda _: self._core.tails.forget((scope, run_id)))
        return deleted

    def _give_back(self, claimed: RunState) -> None:
        lease, now_s = _lease(claimed), self._core.now_s()
        self._core.tails.forget((lease.scope, lease.run_id))
        with suppress(StateError):
            self._core.writer.submit(
                lambda connection: self._core.appending.give_back(connection, lease, now_s),
                lambda _: self._core.hints.tell(),
            )

    def _heed_create(self, created: Created, now_s: float) -> None:
        scope = created.state.scope
        for run_id in created.told:
            if run_id in created.woken:
                self._core.rested((scope, run_id), RunStatus.READY, now_s=now_s)
            else:
                self._core.tails.wake((scope, run_id))
        if created.is_new:
            self._core.hints.tell()


def _lease(state: RunState) -> Lease:
    return Lease(
        run_id=state.run_id,
        scope=state.scope,
        epoch=state.epoch,
        next_seq=state.next_seq,
        next_index=state.next_index,
    )
