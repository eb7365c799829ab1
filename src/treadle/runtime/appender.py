"""The log of a live run to its store: what the writer has written is appended, and only then may anyone see it.

While an append is in flight, further pieces of one kind grow into one: nothing waits for them and nothing is lost. A
batch is sealed between two steps of the run, so it always ends where an input ended.
A run that nobody watches is appended seldom; one that is watched, at once.

Source: ADR 0015 (commit first).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from treadle.errors import StoreFullError
from treadle.ports.log import RunLog
from treadle.runtime.kind_runs import ENTRIES, KindRun, KindRuns
from treadle.runtime.loop_turn import loop_turn
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
from treadle.values.facts import FACT_TYPES, RequestKept, TurnKept
from treadle.values.mappings import Json
from treadle.values.records import Entry
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

_log = logging.getLogger("treadle.worker")

PENDING: Final = 256
"""Pieces that may wait for an append; then the provider is not read on."""
PENDING_BYTES: Final = 4 * 1024
"""UTF-8 bytes of speech of which the same holds."""
TURNS: Final = 12
"""Turns of the event loop for which speech that comes in every one of them gathers between two appends. A model that
sends each piece by itself, milliseconds apart, never waits for them."""
UNWATCHED_S: Final = 0.25
"""Seconds that a run which nobody watches may keep back what it has written."""
FULL_WAITS_S: Final = (0.5, 1.0, 2.0, 4.0)
"""Seconds after which a store that has no room is tried again, each in turn; then the run is let go."""

_STATUSES: Final[dict[type[ClosingEvent], RunStatus]] = {
    Done: RunStatus.DONE,
    Error: RunStatus.ERROR,
    Cancelled: RunStatus.CANCELLED,
    AskUser: RunStatus.WAITING,
    Interrupt: RunStatus.WAITING,
}
# These ride with the first thing that is to be seen.
_RIDES: Final = frozenset({RunStarted, RoundStarted, *FACT_TYPES})
_RESTED: Final = frozenset({TurnKept, RequestKept})
"""Entries that may be stored in another form than they are worked with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppenderHooks:
    """What an appender asks and tells.

    `taken` gives the inbox messages that what is written by now records, each once; `dump` the stored form of a
    turn's payload; `wake_at_s` when a run that waits is to be looked after. `stored` hears of every batch that was
    stored, in order.
    """

    taken: Callable[[], Sequence[int]]
    is_watched: Callable[[], bool]
    dump: Callable[[Any], Json]
    wake_at_s: Callable[[], float | None]
    stored: Callable[[Sequence[Stretch]], None]


class Appender:
    """Appends one live run, as long as its lease holds.

    `status` is the status that the store gave with the last append.
    """

    def __init__(self, *, log: RunLog, lease: Lease, runs: KindRuns, hooks: AppenderHooks) -> None:
        self._log = log
        self._lease = lease
        self._runs = runs
        self._hooks = hooks
        self._at = (0, 0)
        self._seq = lease.next_seq
        self._index = lease.next_index
        self._in_flight = False
        self._committed: list[asyncio.Future[None]] = []
        self.status = RunStatus.OWNED
        self._let_more_come()

    async def run(self) -> None:
        """Append until the segment is closed and stored.

        Raises:
            FencedError: A newer owner holds the run. What was not stored was never seen.
            RunLogError: The store failed.
        """
        while self.status is RunStatus.OWNED:
            if not self._is_due():
                await self._runs.more()
                continue
            if not self._is_hurried():
                await self._linger()
            await self._append()
            await self._gather()

    async def commit(self) -> None:
        """Wait until all that is written by now is stored."""
        if self._has_more() or self._in_flight:
            waiter = asyncio.get_running_loop().create_future()
            self._committed.append(waiter)
            self._runs.wake()
            await waiter

    def _has_more(self) -> bool:
        run, item = self._at
        runs = self._runs.runs
        return run < len(runs) - 1 or item < len(runs[-1].items)

    def _is_due(self) -> bool:
        """Whether there is something that is to be stored on its own."""
        if self._committed or self._runs.closed:
            return True
        at, skip = self._at
        for run in self._runs.runs[at:]:
            items = run.items[skip:]
            skip = 0
            if items and (run.kind is not ENTRIES or not _RIDES.issuperset(map(type, items))):
                return True
        return False

    def _is_hurried(self) -> bool:
        return bool(self._committed) or self._runs.closed or self._hooks.is_watched() or self._runs.is_full

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

    async def _gather(self) -> None:
        """Let speech that comes in every turn of the event loop gather, for so many turns and unless somebody waits."""
        for turn in range(TURNS):
            if self._committed or self._runs.closed or self._runs.is_full:
                return
            await loop_turn()
            if turn == 0 and not self._is_due():
                return

    async def _append(self) -> None:
        waiters, self._committed = self._committed, []
        held = self._lease
        # By hand: `replace` costs more than all else that an append does here.
        lease = Lease(
            run_id=held.run_id, scope=held.scope, epoch=held.epoch, next_seq=self._seq, next_index=self._index
        )
        stretches = self._sealed()
        status = self._status_now()
        self._runs.coalesce()
        self._let_more_come()
        self._in_flight = True
        self.status = await self._store(lease, stretches, status)
        self._in_flight = False
        self._runs.settle()
        if not self._has_more():
            # Whoever asked meanwhile asked for what is stored now.
            waiters += self._committed
            self._committed = []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        if stretches:
            self._hooks.stored(stretches)

    def _let_more_come(self) -> None:
        """Nothing waits by now: let the model say so much that will."""
        self._runs.let(self._runs.next + PENDING, size_bytes=PENDING_BYTES)

    async def _store(self, lease: Lease, stretches: Sequence[Stretch], status: RunStatus) -> RunStatus:
        """Append a batch; a store without room is tried again for some seconds, and nothing is shown meanwhile."""
        wake_at_s = self._hooks.wake_at_s() if status is RunStatus.WAITING else None
        take = self._hooks.taken()
        for wait_s in FULL_WAITS_S:
            try:
                return await self._log.append(lease, stretches, status=status, wake_at_s=wake_at_s, take=take)
            except StoreFullError:
                _log.warning("the store has no room for run %s; it is tried again in %s s", lease.run_id, wait_s)
            await asyncio.sleep(wait_s)
        return await self._log.append(lease, stretches, status=status, wake_at_s=wake_at_s, take=take)

    def _status_now(self) -> RunStatus:
        """The status that goes with all that is written by now."""
        if not self._runs.closed:
            return RunStatus.OWNED
        # A segment that ends without a closing event goes on waiting for people.
        return _STATUSES.get(type(self._runs.last), RunStatus.WAITING)

    def _sealed(self) -> list[Stretch]:
        """What is new, numbered."""
        stretches: list[Stretch] = []
        at, skip = self._at
        for run in self._runs.runs[at:]:
            if skip < len(run.items):
                made = self._stretch(run, skip)
                stretches.append(made)
                self._seq += made.records
                self._index += made.events
            skip = 0
        self._at = self._runs.place()
        return stretches

    def _stretch(self, run: KindRun, skip: int) -> Stretch:
        items, epoch = run.items[skip:], self._lease.epoch
        # What goes on with a stretch that is stored in part has come since.
        at_s = self._runs.now_s() if skip else run.at_s
        if run.kind is ENTRIES:
            entries = tuple([self._at_rest(entry) if type(entry) in _RESTED else entry for entry in items])
            return EntryStretch(seq=self._seq, index=self._index, entries=entries, at_s=at_s, epoch=epoch)
        return SpeechStretch(
            seq=self._seq,
            index=self._index,
            kind=run.kind,
            key=run.key,
            texts=tuple(items),
            at_s=at_s,
            epoch=epoch,
        )

    def _at_rest(self, entry: Entry) -> Entry:
        """The entry as it is stored: a turn's payload in its adapter's stored form, and no run twice.

        What earlier runs of the thread said stands in their own logs, from which it is read again.
        """
        if type(entry) is TurnKept and entry.turn.payload is not None:
            return replace(entry, turn=replace(entry.turn, payload=self._hooks.dump(entry.turn.payload)))
        if type(entry) is RequestKept and entry.request.history:
            return replace(entry, request=replace(entry.request, history=()))
        return entry
