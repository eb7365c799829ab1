"""The port to the log of runs, over the file.

Source: ports.log.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from treadle.adapters.stores.sqlite import appending, rows, run_table
from treadle.adapters.stores.sqlite.appending import Appended, Batch
from treadle.adapters.stores.sqlite.core import StoreCore
from treadle.codec.records import Row
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunState, RunStatus
from treadle.values.stretches import Stretch


class LogPort:
    """Append-only logs in one file."""

    _core: StoreCore

    async def append(
        self,
        lease: Lease,
        stretches: Sequence[Stretch],
        /,
        *,
        status: RunStatus,
        wake_at_s: float | None = None,
        take: Sequence[int] = (),
    ) -> RunStatus:
        """Add stretches to the end of a log, with the run's new status. See `RunLog.append`."""
        batch = Batch(
            lease=lease,
            rows=appending.sealed(self._core.codec, lease, stretches),
            status=status,
            now_s=self._core.now_s(),
            wake_at_s=wake_at_s,
            take=tuple(take),
            flaw=appending.flaw_of(lease, stretches),
        )

        def do(connection: sqlite3.Connection) -> Appended:
            done = self._core.appending.append(connection, batch)
            if done.is_new and done.status is not RunStatus.OWNED:
                self._core.compaction.want(lease.scope, lease.run_id)
            elif done.ended is not None:
                self._core.compaction.want(lease.scope, lease.run_id, before=done.ended)
            return done

        done: Appended = await self._core.writer.submit(
            do, lambda done: self._heed_append(batch, done), is_buffered=True
        )
        return done.status

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        """What is stored after an event. See `RunLog.read`.

        Shape:  facts that stand behind the event come too. A page that is not the last one holds an event.
        """
        limit, after = max(1, limit), max(-1, after)
        tail = self._core.tails.find((scope, run_id))
        page = None if tail is None else tail.page(after, limit)
        if page is not None:
            return page

        def query(connection: sqlite3.Connection) -> list[tuple[Row, int]]:
            found = rows.page(connection, scope, run_id, after=after, limit=limit)
            if not found:
                run_table.standing(connection, scope, run_id)
            return found

        return rows.loaded(self._core.codec, run_id, await self._core.ask(query), after=after)

    async def wait(self, scope: str, run_id: RunId, after: int, /, *, timeout_s: float) -> None:
        """Come back when there may be more after an event. See `RunLog.wait`.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        place = (scope, run_id)
        tails = self._core.tails
        tail = tails.find(place)
        if tail is not None and tail.has_after(after):
            return
        # It enters before it looks at the rows: what comes in between wakes it.
        waiter = tails.enter(place, timeout_s)
        try:
            if tail is None:
                state = await self.state(scope, run_id)
                if after + 1 < state.next_index or state.is_final:
                    return
            await waiter
        finally:
            tails.leave(place, waiter)

    async def state(self, scope: str, run_id: RunId, /) -> RunState:
        """Where a run stands. See `RunLog.state`."""
        tail = self._core.tails.find((scope, run_id))
        if tail is not None:
            return tail.state()
        return await self._core.ask(lambda connection: run_table.state(connection, scope, run_id))

    def _heed_append(self, batch: Batch, done: Appended) -> None:
        if not done.is_new:
            return
        lease = batch.lease
        self._core.tails.appended(lease, batch.rows)
        if done.status is not RunStatus.OWNED:
            wake_at_s = batch.wake_at_s if done.status is RunStatus.WAITING else None
            place = (lease.scope, lease.run_id)
            self._core.rested(place, done.status, now_s=batch.now_s, wake_at_s=wake_at_s)
