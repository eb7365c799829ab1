"""Runs in the memory of one process: what attached runs and tests use, and nothing outlives.

It fulfils the three ports of a store. Every method does its work without awaiting anything, so each is one
transaction, and an append is committed at once. One event loop at a time.

Source: ADR 0014 (three ports of a store).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Final

from treadle.adapters.stores.memory.catalogue import Catalogue
from treadle.adapters.stores.memory.claim_queue import ClaimQueue
from treadle.adapters.stores.memory.hints import Hints
from treadle.adapters.stores.memory.stored_run import StoredRun
from treadle.errors import FencedError, KeyReusedError, RunFinalError, RunLiveError, RunNotFoundError, ThreadBusyError
from treadle.ports.clock import Clock
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, Message, NewRun, OnBusyThread, RunState, RunStatus
from treadle.values.stretches import Stretch

CANCEL: Final = "cancel"


class MemoryStore:
    """All runs of one process.

    Args:
        clock: Whose `now_s` leases and wake-ups go by.
        keep_final: How many final runs are kept; the one that ended first is deleted when there are more. None keeps
            all of them.
    """

    def __init__(self, clock: Clock, *, keep_final: int | None = None) -> None:
        if keep_final is not None and keep_final < 0:
            raise ValueError(f"keep_final must be 0 or more, or None to keep all, not {keep_final!r}")
        self._clock = clock
        self._keep_final = keep_final
        self._catalogue = Catalogue()
        self._queue = ClaimQueue()
        self._final: deque[StoredRun] = deque()
        self._workers = Hints()
        self._may_claim = False
        """Whether anything came since a claim last found nothing."""

    # ---------------------------------------------------------------- the table of runs

    async def create(self, run: NewRun, /) -> RunState:
        """Create a run, or find the one that its key or its id stands for. See `RunTable.create`."""
        twin = self._catalogue.twin(run)
        if twin is not None:
            if twin.new.digest != run.digest:
                raise KeyReusedError(f"the key or the id of run {run.run_id!r} stands for another request")
            return twin.state
        before = self._catalogue.live(run.scope, run.thread_id)
        if before and run.on_busy is OnBusyThread.REJECT:
            raise ThreadBusyError(f"thread {run.thread_id!r} has a live run, {before[0].new.run_id!r}")
        created = self._catalogue.add(run, self._clock.now_s())
        if run.on_busy is OnBusyThread.CANCEL_PREVIOUS:
            for earlier in before:
                self._take_in(earlier, f"{CANCEL} by {run.run_id}", CANCEL, b"")
        if not before:
            self._offer(created)
        return created.state

    async def claim(self, worker: str, /, *, plans: Collection[str], ttl_s: float) -> Lease | None:  # noqa: ARG002 (the port's)
        """Take over the run that could be claimed for the longest time. See `RunTable.claim`."""
        now_s = self._clock.now_s()
        run = self._queue.take(plans, now_s)
        if run is None:
            self._may_claim = False
            return None
        run.claimed(now_s)
        self._queue.put(run, now_s + ttl_s)
        return run.lease

    async def ready(self, *, timeout_s: float) -> None:
        """Come back when there may be a run to claim. See `RunTable.ready`."""
        if not self._may_claim:
            await self._workers.wait(timeout_s)

    async def renew(self, lease: Lease, /, *, ttl_s: float) -> None:
        """Hold a run for longer. See `RunTable.renew`."""
        self._queue.put_off(self._owned(lease), self._clock.now_s() + ttl_s)

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
        number = None if before is None else self._catalogue.get(scope, before).number
        found = (
            run.state
            for run in self._catalogue.newest_first(scope, thread_id)
            if (number is None or run.number < number) and (statuses is None or run.status in statuses)
        )
        return list(islice(found, limit))

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:
        """Delete a final run, or its facts and the stored form of its request. See `RunTable.delete`."""
        try:
            run = self._catalogue.get(scope, run_id)
        except RunNotFoundError:
            return False
        if not run.is_final:
            raise RunLiveError(f"run {run_id!r} is {run.status.value}, not final")
        if facts_only:
            run.rows.forget_facts()
            run.request = b""
        else:
            self._final.remove(run)
            self._catalogue.remove(run)
        return True

    # ---------------------------------------------------------------- the log

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
        run = self._of_epoch(lease)
        if run.rows.repeats(stretches):
            return run.status
        _check_owned(run)
        run.rows.refuse(lease.run_id, stretches)
        run.rows.add(stretches, lease.epoch)
        for number in take:
            run.inbox.pop(number, None)
        if status is RunStatus.WAITING and run.inbox:
            status = RunStatus.READY
        if status is RunStatus.OWNED:
            run.readers.wake()
        else:
            self._release(run, status, wake_at_s)
        return status

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        """What is stored after an event. See `RunLog.read`."""
        return self._catalogue.get(scope, run_id).rows.read(after, max(1, limit))

    async def wait(self, scope: str, run_id: RunId, after: int, /, *, timeout_s: float) -> None:
        """Come back when there may be more after an event. See `RunLog.wait`.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        run = self._catalogue.get(scope, run_id)
        if after + 1 >= run.rows.next_index and not run.is_final:
            await run.readers.wait(timeout_s)

    async def state(self, scope: str, run_id: RunId, /) -> RunState:
        """Where a run stands. See `RunLog.state`."""
        return self._catalogue.get(scope, run_id).state

    # ---------------------------------------------------------------- the inboxes

    async def send(
        self, scope: str, run_id: RunId, /, *, key: str, kind: str, body: bytes = b"", unless: str | None = None
    ) -> bool:
        """Send a message, once for each key. See `Inbox.send`."""
        run = self._catalogue.get(scope, run_id)
        if run.is_final:
            raise RunFinalError(f"run {run_id!r} is {run.status.value} and hears nothing more")
        return unless not in run.kinds and self._take_in(run, key, kind, body)

    async def inbox(self, scope: str, run_id: RunId, /) -> Sequence[Message]:
        """The messages that no append has taken, in order. See `Inbox.inbox`."""
        return list(self._catalogue.get(scope, run_id).inbox.values())

    # ---------------------------------------------------------------- within

    def _take_in(self, run: StoredRun, key: str, kind: str, body: bytes) -> bool:
        if not run.take_in(key, kind, body):
            return False
        if run.status is RunStatus.WAITING:
            run.change(RunStatus.READY, self._clock.now_s())
            self._offer(run)
        return True

    def _release(self, run: StoredRun, status: RunStatus, wake_at_s: float | None) -> None:
        """The owner lets a run go."""
        self._queue.drop(run)
        run.change(status, self._clock.now_s(), wake_at_s=wake_at_s if status is RunStatus.WAITING else None)
        if run.is_final:
            self._retire(run)
        elif status is RunStatus.READY:
            self._offer(run)
        elif run.wake_at_s is not None:
            self._queue.put(run, run.wake_at_s)

    def _retire(self, run: StoredRun) -> None:
        """A run is final: the next of its thread may go, and the oldest final run may have to."""
        self._catalogue.retire(run)
        self._final.append(run)
        for following in self._catalogue.live(run.new.scope, run.new.thread_id)[:1]:
            self._offer(following)
        if self._keep_final is not None and len(self._final) > self._keep_final:
            self._catalogue.remove(self._final.popleft())

    def _offer(self, run: StoredRun) -> None:
        """A run may be claimed now."""
        self._queue.put(run, self._clock.now_s())
        self._may_claim = True
        self._workers.wake()

    def _of_epoch(self, lease: Lease) -> StoredRun:
        """The run of a lease that no newer one has replaced."""
        try:
            run = self._catalogue.get(lease.scope, lease.run_id)
        except RunNotFoundError as gone:
            raise FencedError(f"run {lease.run_id!r} is there no more") from gone
        if run.epoch != lease.epoch:
            raise FencedError(f"run {lease.run_id!r} is at epoch {run.epoch!r}, the lease is of {lease.epoch!r}")
        return run

    def _owned(self, lease: Lease) -> StoredRun:
        """The run that this lease holds."""
        run = self._of_epoch(lease)
        _check_owned(run)
        return run


def _check_owned(run: StoredRun) -> None:
    if run.status is not RunStatus.OWNED:
        raise FencedError(f"run {run.new.run_id!r} is {run.status.value}: its lease ended when it was let go")
