"""The ends of live logs in memory: what was committed of late, for readers that keep up.

In: what the writer has committed. Out: the same stretches, and wake-ups. A reader that is further behind reads rows.
Only the event loop comes here. A tail is bounded; that of a run at rest goes, but for a few of the latest while
their readers come for the end.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from treadle.adapters.stores.sqlite.hints import Hints
from treadle.adapters.stores.sqlite.rows import StoredRow
from treadle.values.ids import RunId
from treadle.values.runs import FINAL_STATUSES, Lease, RunState, RunStatus
from treadle.values.stretches import Stretch

TAIL_BYTES: Final = 32 * 1024
"""Bytes of memory that a tail takes at most, about, beside its last append."""
ROW_COST_BYTES: Final = 600
"""What a row in memory costs beside its text: a stretch, its tuple, its place in a tail."""
RESTING_TAILS: Final = 32
"""Tails that are kept of runs at rest, the latest."""
RESTING_BYTES: Final = 1024 * 1024
"""Bytes that they take together at most, about: the last append of a run holds all that it said."""

Place = tuple[str, RunId]


class Tail:
    """The end of one run's log. `state` gives where the run stands, without asking the disk."""

    __slots__ = ("_base", "_bytes", "_ends", "_first", "_lowest", "_max_bytes", "_rows", "index", "seq", "status")

    def __init__(self, state: RunState, *, max_bytes: int = TAIL_BYTES) -> None:
        self._base = state
        self._max_bytes = max_bytes
        self.status = state.status
        self.seq = state.next_seq
        self.index = state.next_index
        self._first = state.next_seq
        self._lowest = state.next_index
        self._rows: list[StoredRow] = []
        self._ends: list[int] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def epoch(self) -> int:
        """Whose tail it is."""
        return self._base.epoch

    @property
    def size_bytes(self) -> int:
        """What it takes of memory, about."""
        return self._bytes

    def has_after(self, after: int) -> bool:
        """Whether there is something that a reader at this index has not seen, or nothing more will come."""
        return after + 1 < self.index or self.status in FINAL_STATUSES

    def add(self, rows: Sequence[StoredRow]) -> None:
        """Add what was appended, and forget the oldest where it is too much."""
        for row in rows:
            self.seq += row.records
            self.index += row.events
            self._rows.append(row)
            self._ends.append(self.index)
            self._bytes += _cost(row)
        # Half of it goes at a time, so that an append costs the same however long the log is.
        if self._bytes > self._max_bytes:
            self._trim(keep=len(rows))

    def moved(self, status: RunStatus, changed_s: float, wake_at_s: float | None) -> None:
        """The run has another status."""
        self.status = status
        self._base = replace(self._base, changed_s=changed_s, wake_at_s=wake_at_s)

    def state(self) -> RunState:
        """Where the run stands."""
        base = self._base
        # Every reader asks at every wake-up, so it is made by hand: `replace` costs five times as much.
        return RunState(
            run_id=base.run_id,
            scope=base.scope,
            thread_id=base.thread_id,
            agent=base.agent,
            status=self.status,
            epoch=base.epoch,
            next_seq=self.seq,
            next_index=self.index,
            created_s=base.created_s,
            changed_s=base.changed_s,
            wake_at_s=base.wake_at_s,
            request=base.request,
            plan=base.plan,
            properties=base.properties,
        )

    def page(self, after: int, limit: int) -> list[Stretch] | None:
        """What comes after an event, as a page of rows; None: the rows are to be asked.

        A tail answers for what stands behind an event that it holds, and for the whole of a log that began in it.
        """
        if after < self._lowest and (after >= 0 or self._first > 0):
            return None
        at = 0 if after < 0 else bisect_right(self._ends, after)
        if after >= 0 and at < len(self._ends) and self._ends[at] == after + 1 and not self._rows[at].trailing:
            at += 1
        found: list[Stretch] = []
        count = 0
        while at < len(self._rows) and not (count >= limit and self._ends[at - 1] > after + 1):
            found.append(self._rows[at].stretch)
            count += self._rows[at].records
            at += 1
        return found

    def _trim(self, *, keep: int) -> None:
        drop = 0
        last = len(self._rows) - keep
        while drop < last and self._bytes > self._max_bytes // 2:
            self._bytes -= _cost(self._rows[drop])
            drop += 1
        if drop:
            self._first = self._rows[drop - 1].row.seq + self._rows[drop - 1].records
            self._lowest = self._ends[drop - 1]
            del self._rows[:drop], self._ends[:drop]


def _cost(row: StoredRow) -> int:
    return ROW_COST_BYTES + len(row.row.body)


class LiveTails:
    """The tails of the runs that live in this process, and who waits for them."""

    def __init__(self, *, max_bytes: int = TAIL_BYTES) -> None:
        self._max_bytes = max_bytes
        self._tails: dict[Place, Tail] = {}
        self._resting: dict[Place, int] = {}
        self._resting_bytes = 0
        self._waiting: dict[Place, Hints] = {}

    def __len__(self) -> int:
        return len(self._tails)

    def find(self, place: Place) -> Tail | None:
        """The tail of a run; None where it has none."""
        return self._tails.get(place)

    def claimed(self, state: RunState) -> None:
        """A run has a new owner in this process."""
        place = (state.scope, state.run_id)
        self._resting_bytes -= self._resting.pop(place, 0)
        self._tails[place] = Tail(state, max_bytes=self._max_bytes)
        self.wake(place)

    def appended(self, lease: Lease, rows: Sequence[StoredRow]) -> None:
        """A run's log has grown."""
        place = (lease.scope, lease.run_id)
        tail = self._tails.get(place)
        if tail is not None and tail.epoch == lease.epoch:
            tail.add(rows)
        self.wake(place)

    def rested(self, place: Place, status: RunStatus, *, changed_s: float, wake_at_s: float | None) -> None:
        """A run has no owner any more."""
        tail = self._tails.get(place)
        if tail is not None:
            tail.moved(status, changed_s, wake_at_s)
            self._resting_bytes += tail.size_bytes - self._resting.pop(place, 0)
            self._resting[place] = tail.size_bytes
            while len(self._resting) > RESTING_TAILS or self._resting_bytes > RESTING_BYTES:
                oldest = next(iter(self._resting))
                self._resting_bytes -= self._resting.pop(oldest)
                del self._tails[oldest]
        self.wake(place)

    def forget(self, place: Place) -> None:
        """What the rows say has changed in another way; they alone know."""
        self._tails.pop(place, None)
        self._resting_bytes -= self._resting.pop(place, 0)
        self.wake(place)

    def wake(self, place: Place) -> None:
        """Let everyone look who waits for a run."""
        hints = self._waiting.get(place)
        if hints is not None:
            hints.wake()

    def wake_all(self) -> None:
        """Let everybody look."""
        for hints in self._waiting.values():
            hints.wake()

    def enter(self, place: Place, timeout_s: float) -> asyncio.Future[None]:
        """What is set at the next change of a run, and after so long at the latest. Who enters leaves."""
        hints = self._waiting.get(place)
        if hints is None:
            hints = self._waiting[place] = Hints()
        return hints.enter(timeout_s)

    def leave(self, place: Place, waiter: asyncio.Future[None]) -> None:
        """Somebody waits no more."""
        hints = self._waiting.get(place)
        if hints is not None:
            hints.leave(waiter)
            if not hints:
                del self._waiting[place]
