"""The log of a live run to its store: what the writer has written is appended, and only then may anyone see it.

While an append is in flight, further pieces of one kind grow into one: nothing waits for them and nothing is lost. A
batch is sealed between two steps of the run, so it always ends where an input ended.
A run that nobody watches is appended seldom; one that is watched, at once.

Source: ADR 0015 (commit first).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from treadle.ports.log import RunLog
from treadle.runtime.kind_runs import ENTRIES, KindRuns
from treadle.values.events import (
    AskUser,
    Cancelled,
    ClosingEvent,
    Done,
    Error,
    Interrupt,
    RoundStarted,
    RunStarted,
)
from treadle.values.facts import FACT_TYPES, TurnKept
from treadle.values.mappings import Json
from treadle.values.records import Entry
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

PENDING: Final = 256
"""Pieces that may wait for an append; then the provider is not read on."""
UNWATCHED_S: Final = 0.25
"""Seconds that a run which nobody watches may keep back what it has written."""

_STATUSES: Final[dict[type[ClosingEvent], RunStatus]] = {
    Done: RunStatus.DONE,
    Error: RunStatus.ERROR,
    Cancelled: RunStatus.CANCELLED,
    AskUser: RunStatus.WAITING,
    Interrupt: RunStatus.WAITING,
}
# These ride with the first thing that is to be seen.
_RIDES: Final = frozenset({RunStarted, RoundStarted, *FACT_TYPES})


class Appender:
    """Appends one live run, as long as its lease holds.

    `status` is the status that the store gave with the last append.
    """

    def __init__(
        self,
        *,
        log: RunLog,
        lease: Lease,
        runs: KindRuns,
        taken: Callable[[], Sequence[int]],
        is_watched: Callable[[], bool],
        dump: Callable[[Any], Json],
        stored: Callable[[Sequence[Stretch]], None],
    ) -> None:
        """`dump` gives the stored form of a turn's payload; `stored` hears of every batch that was stored."""
        self._log = log
        self._lease = lease
        self._runs = runs
        self._taken = taken
        self._is_watched = is_watched
        self._dump = dump
        self._tell = stored
        self._at = (0, 0)
        self._seq = lease.next_seq
        self._index = lease.next_index
        self._wanted = 0
        self._committed: list[asyncio.Future[None]] = []
        self.status = RunStatus.OWNED

    @property
    def lease(self) -> Lease:
        """The lease, standing where the log ends now."""
        return replace(self._lease, next_seq=self._seq, next_index=self._index)

    async def run(self) -> None:
        """Append until the segment is closed and stored.

        Raises:
            FencedError: A newer owner holds the run. What was not stored was never seen.
            RunLogError: The store failed.
        """
        while True:
            if not self._is_due():
                if self._runs.closed and not self._has_more():
                    return
                await self._runs.more()
                continue
            if not self._is_hurried():
                await self._linger()
            await self._append()

    async def commit(self) -> None:
        """Wait until all that is written by now is stored."""
        if self._has_more():
            self._wanted += 1
            waiter = asyncio.get_running_loop().create_future()
            self._committed.append(waiter)
            self._runs.wake()
            await waiter

    def _has_more(self) -> bool:
        run, item = self._at
        runs = self._runs.runs
        return bool(runs) and (run < len(runs) - 1 or item < len(runs[-1].items))

    def _is_due(self) -> bool:
        """Whether there is something that is to be stored on its own."""
        if self._wanted or self._runs.closed:
            return self._has_more()
        at, skip = self._at
        for run in self._runs.runs[at:]:
            items = run.items[skip:]
            skip = 0
            if items and (run.kind is not ENTRIES or any(type(entry) not in _RIDES for entry in items)):
                return True
        return False

    def _is_hurried(self) -> bool:
        return bool(self._wanted) or self._runs.closed or self._is_watched() or self._runs.is_full

    async def _linger(self) -> None:
        """Nobody watches: let more come, up to a bound, unless somebody needs it stored."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + UNWATCHED_S
        while not self._is_hurried() and (left_s := until_s - loop.time()) > 0:
            timer = loop.call_later(left_s, self._runs.wake)
            try:
                await self._runs.more()
            finally:
                timer.cancel()

    async def _append(self) -> None:
        wanted, waiters = self._wanted, self._committed
        self._committed = []
        stretches, closing = self._sealed()
        status = _STATUSES[type(closing)] if closing is not None else RunStatus.OWNED
        wake_at_s = _wake_at(closing)
        lease = replace(self._lease, next_seq=stretches[0].seq, next_index=stretches[0].index)
        self._runs.coalesce()
        self.status = await self._log.append(lease, stretches, status=status, wake_at_s=wake_at_s, take=self._taken())
        self._runs.settle()
        self._wanted -= wanted
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._tell(stretches)
        self._runs.let(self._runs.next + PENDING)

    def _sealed(self) -> tuple[list[Stretch], ClosingEvent | None]:
        """What is new, numbered; pieces of one stretch that waited together become one."""
        stretches: list[Stretch] = []
        closing: ClosingEvent | None = None
        at, skip = self._at
        runs = self._runs.runs
        for run in runs[at:]:
            items = run.items
            if skip < len(items):
                if run.kind is ENTRIES:
                    made: Stretch = EntryStretch(
                        seq=self._seq,
                        index=self._index,
                        entries=tuple(self._at_rest(entry) for entry in items[skip:]),
                        at_s=run.at_s,
                        epoch=self._lease.epoch,
                    )
                    last = items[-1]
                    closing = last if isinstance(last, (Done, Error, Cancelled, AskUser, Interrupt)) else None
                else:
                    made = SpeechStretch(
                        seq=self._seq,
                        index=self._index,
                        kind=run.kind,
                        key=run.key,
                        texts=tuple(items[skip:]),
                        at_s=run.at_s,
                        epoch=self._lease.epoch,
                    )
                stretches.append(made)
                self._seq += made.records
                self._index += made.events
            skip = 0
        self._at = self._runs.place()
        return stretches, closing

    def _at_rest(self, entry: Entry) -> Entry:
        """The entry as it is stored: a turn's payload in its adapter's stored form."""
        if isinstance(entry, TurnKept) and entry.turn.payload is not None:
            return replace(entry, turn=replace(entry.turn, payload=self._dump(entry.turn.payload)))
        return entry


def _wake_at(closing: ClosingEvent | None) -> float | None:
    """When the first of the pauses is over."""
    if not isinstance(closing, (AskUser, Interrupt)):
        return None
    times = [pause.expires_at for pause in closing.pending if pause.expires_at is not None]
    return min(times) if times else None
