"""How many live runs each principal has.

In: starts, ends, and on a full count the word of the store. Out: a place, or a refusal. The count is this process's: it
knows the runs that were started here. Ends that nobody tells of are found when a count is full.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Self, TypeAlias

from treadle.errors import TooManyRunsError
from treadle.ports.clock import Clock
from treadle.server.access.principal import Principal
from treadle.values.ids import RunId

RECOUNT_S: Final = 1.0
"""Seconds between two questions to the store about one principal's runs, however often they are refused."""

StillLive: TypeAlias = Callable[[Collection[RunId]], Awaitable[Collection[RunId]]]
"""Which of these runs are live still."""


class Place:
    """Room for one run of a principal, for the time of its block. It is given back unless a run takes it."""

    __slots__ = ("_live_runs", "_principal", "_run_id", "_still_live")

    def __init__(self, live_runs: LiveRuns, principal: Principal, still_live: StillLive) -> None:
        self._live_runs = live_runs
        self._principal = principal
        self._still_live = still_live
        self._run_id: RunId | None = None

    def keep(self, run_id: RunId) -> None:
        """The run that was started takes the place, until it has ended."""
        self._run_id = run_id

    async def __aenter__(self) -> Self:
        await self._live_runs.take(self._principal, self._still_live)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._live_runs.give_back(self._principal, self._run_id)


@dataclass(slots=True)
class _Count:
    """One principal's runs."""

    starting: int = 0
    runs: set[RunId] = field(default_factory=set)
    lock: asyncio.Lock | None = None
    recounted_s: float | None = None
    asking: int = 0

    @property
    def taken(self) -> int:
        return self.starting + len(self.runs)

    @property
    def is_idle(self) -> bool:
        return not (self.starting or self.runs or self.asking)


class LiveRuns:
    """The live runs that were started here, counted by principal."""

    def __init__(self, limit: int, clock: Clock) -> None:
        self._limit = limit
        self._clock = clock
        self._counts: dict[Principal, _Count] = {}
        self._whose: dict[RunId, Principal] = {}

    def start(self, principal: Principal, still_live: StillLive) -> Place:
        """Hold a place while a run is started, for the time of its block.

        Shape:  inside the block `keep` the run; without that, the place is given back, whatever ends the block.
        Raises:
            TooManyRunsError: On entering: as many are live as may be.
        """
        return Place(self, principal, still_live)

    async def take(self, principal: Principal, still_live: StillLive) -> None:
        """Take a place. Of use to a place alone."""
        count = self._counts.get(principal)
        if count is None:
            count = self._counts[principal] = _Count()
        if count.taken < self._limit:
            count.starting += 1
            return
        count.asking += 1
        try:
            await self._make_room(count, still_live)
            count.starting += 1
        finally:
            count.asking -= 1
            self._drop_idle(principal)

    def give_back(self, principal: Principal, run_id: RunId | None) -> None:
        """The start is over: its place goes to the run that it started, if it did. Of use to a place alone."""
        count = self._counts[principal]
        count.starting -= 1
        if run_id is not None and run_id not in self._whose:
            count.runs.add(run_id)
            self._whose[run_id] = principal
        self._drop_idle(principal)

    def ended(self, run_id: RunId) -> None:
        """A run has ended: its place is free. To be told of a run twice, or of one that is not known, is harmless."""
        principal = self._whose.pop(run_id, None)
        if principal is not None:
            self._counts[principal].runs.discard(run_id)
            self._drop_idle(principal)

    def taken(self, principal: Principal) -> int:
        """How many places are taken now."""
        count = self._counts.get(principal)
        return 0 if count is None else count.taken

    async def _make_room(self, count: _Count, still_live: StillLive) -> None:
        if count.taken >= self._limit:
            lock = count.lock = count.lock or asyncio.Lock()
            async with lock:
                await self._recount(count, still_live)
        if count.taken >= self._limit:
            raise TooManyRunsError(
                f"at most {self._limit} live runs: wait for one to end, or stop one", retry_after_s=RECOUNT_S
            )

    async def _recount(self, count: _Count, still_live: StillLive) -> None:
        now_s = self._clock.monotonic_s()
        is_fresh = count.recounted_s is not None and now_s - count.recounted_s < RECOUNT_S
        if is_fresh or count.taken < self._limit:
            return
        known = frozenset(count.runs)
        live = frozenset(await still_live(known))
        count.recounted_s = now_s
        for run_id in known - live:
            count.runs.discard(run_id)
            self._whose.pop(run_id, None)

    def _drop_idle(self, principal: Principal) -> None:
        count = self._counts.get(principal)
        if count is not None and count.is_idle:
            del self._counts[principal]
