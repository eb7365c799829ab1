"""A store as one would write it to be read: lists, loops and no regard for cost. What a true store is compared with.

It knows the rules of the three ports and nothing of waiting, rows or concurrency.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from treadle.errors import (
    FencedError,
    KeyReusedError,
    RunFinalError,
    RunLiveError,
    RunNotFoundError,
    SequenceConflictError,
    ThreadBusyError,
)
from treadle.testing.conformance.stores.logs import Told, with_epoch
from treadle.values.ids import NO_THREAD, RunId
from treadle.values.runs import FINAL_STATUSES, Lease, NewRun, OnBusyThread, RunStatus
from treadle.values.stretches import Stretch


@dataclass(slots=True)
class NaiveRun:
    """Everything about one run."""

    new: NewRun
    status: RunStatus = RunStatus.READY
    epoch: int = 0
    lease_until_s: float = 0.0
    wake_at_s: float | None = None
    log: list[Told] = field(default_factory=list)
    batches: list[tuple[Stretch, ...]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """Keys of all messages, in order."""
    kinds: list[str] = field(default_factory=list)
    """Their kinds, in the same order."""
    open: list[str] = field(default_factory=list)
    """Keys of the messages that no append has taken."""

    @property
    def is_live(self) -> bool:
        """Whether more may be written."""
        return self.status not in FINAL_STATUSES

    @property
    def next_index(self) -> int:
        """The index of the next event."""
        return sum(told.index is not None for told in self.log)


class NaiveStore:
    """All runs, in the order of their creation."""

    def __init__(self) -> None:
        self.runs: list[NaiveRun] = []

    def create(self, new: NewRun) -> NaiveRun:
        """As the port says."""
        for run in self.runs:
            same_key = new.key is not None and run.new.key == new.key
            if run.new.scope == new.scope and (same_key or run.new.run_id == new.run_id):
                if run.new.digest != new.digest:
                    raise KeyReusedError
                return run
        busy = [run for run in self._thread(new) if run.is_live]
        if busy and new.on_busy is OnBusyThread.REJECT:
            raise ThreadBusyError
        if new.on_busy is OnBusyThread.CANCEL_PREVIOUS:
            for run in busy:
                self._take_in(run, f"cancel {len(self.runs)}", "cancel")
        self.runs.append(NaiveRun(new))
        return self.runs[-1]

    def claimable(self, plans: Collection[str], now_s: float) -> list[NaiveRun]:
        """The runs that a worker with these plans may have."""
        return [run for run in self.runs if run.new.plan in plans and self._may_be_claimed(run, now_s)]

    def claim(self, run: NaiveRun, until_s: float) -> None:
        """Give a run to an owner."""
        run.status, run.epoch, run.lease_until_s, run.wake_at_s = RunStatus.OWNED, run.epoch + 1, until_s, None

    def renew(self, lease: Lease, until_s: float) -> None:
        """As the port says."""
        self._owned(lease).lease_until_s = until_s

    def append(
        self, lease: Lease, batch: Sequence[Stretch], *, status: RunStatus, wake_at_s: float | None, take: Sequence[str]
    ) -> RunStatus:
        """As the port says; messages are named by their keys."""
        run = self._of_epoch(lease)
        records = with_epoch(batch, lease.epoch)
        if records and records[0].seq < len(run.log):
            stored = run.log[records[0].seq : records[0].seq + len(records)]
            if [_content(told) for told in stored] == [_content(told) for told in records]:
                return run.status
        self._owned(lease)
        seq, index = len(run.log), run.next_index
        for stretch in batch:
            if (stretch.seq, stretch.index) != (seq, index):
                raise SequenceConflictError
            seq, index = seq + stretch.records, index + stretch.events
        run.log += records
        if batch:
            run.batches.append(tuple(batch))
        run.open = [key for key in run.open if key not in take]
        run.status = RunStatus.READY if status is RunStatus.WAITING and run.open else status
        run.wake_at_s = wake_at_s if run.status is RunStatus.WAITING else None
        return run.status

    def send(self, scope: str, run_id: RunId, key: str, *, kind: str = "message", unless: str | None = None) -> bool:
        """As the port says."""
        run = self.run(scope, run_id)
        if not run.is_live:
            raise RunFinalError
        return key not in run.sent and unless not in run.kinds and self._take_in(run, key, kind)

    def delete(self, scope: str, run_id: RunId, *, facts_only: bool) -> bool:
        """As the port says."""
        run = next((run for run in self.runs if (run.new.scope, run.new.run_id) == (scope, run_id)), None)
        if run is None:
            return False
        if run.is_live:
            raise RunLiveError
        if facts_only:
            run.log = [told for told in run.log if told.index is not None]
            run.batches.clear()
        else:
            self.runs.remove(run)
        return True

    def run(self, scope: str, run_id: RunId) -> NaiveRun:
        """The run of this name."""
        for run in self.runs:
            if (run.new.scope, run.new.run_id) == (scope, run_id):
                return run
        raise RunNotFoundError

    def _thread(self, new: NewRun) -> list[NaiveRun]:
        name = new.scope, new.thread_id
        return [run for run in self.runs if (run.new.scope, run.new.thread_id) == name and new.thread_id != NO_THREAD]

    def _may_be_claimed(self, run: NaiveRun, now_s: float) -> bool:
        if run.status is RunStatus.READY:
            before = self._thread(run.new)
            return not any(other.is_live for other in before[: before.index(run) if before else 0])
        if run.status is RunStatus.WAITING:
            return run.wake_at_s is not None and run.wake_at_s <= now_s
        return run.status is RunStatus.OWNED and run.lease_until_s <= now_s

    def _take_in(self, run: NaiveRun, key: str, kind: str) -> bool:
        run.sent.append(key)
        run.kinds.append(kind)
        run.open.append(key)
        if run.status is RunStatus.WAITING:
            run.status, run.wake_at_s = RunStatus.READY, None
        return True

    def _of_epoch(self, lease: Lease) -> NaiveRun:
        try:
            run = self.run(lease.scope, lease.run_id)
        except RunNotFoundError:
            raise FencedError from None
        if run.epoch != lease.epoch:
            raise FencedError
        return run

    def _owned(self, lease: Lease) -> NaiveRun:
        run = self._of_epoch(lease)
        if run.status is not RunStatus.OWNED:
            raise FencedError
        return run


def _content(told: Told) -> tuple[int, int | None, object]:
    return told.seq, told.index, told.content
