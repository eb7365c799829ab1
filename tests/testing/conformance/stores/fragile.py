"""A memory store that can be hurt in every way the suite knows, and stores that bear it badly."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import RecordFormatError, StoreFullError
from treadle.ports.clock import Clock
from treadle.ports.store import Store
from treadle.testing.conformance.stores import LostAcknowledgementError, StoreHarness
from treadle.testing.conformance.stores.logs import events_in
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import EntryStretch, Stretch

Passed = Any
"""What a method passes on as it came."""


class FragileStore(MemoryStore):
    """Bears everything well."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.is_full = False
        self.loses = False
        self.damaged: int | None = None

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        if self.is_full:
            raise StoreFullError
        given = await super().append(lease, stretches, **words)
        if self.loses:
            self.loses = False
            raise LostAcknowledgementError
        return given

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        whole: list[Stretch] = []
        for stretch in await super().read(scope, run_id, after, limit=limit):
            if stretch.seq == self.damaged:
                if whole:
                    return whole
                raise RecordFormatError(self.complaint(run_id))
            whole.append(stretch)
        return whole

    def complaint(self, run_id: RunId) -> str:
        """What is said of a damaged row."""
        return f"run {run_id!r} has a row at {self.damaged!r} that cannot be read"

    def compacted(self) -> None:
        """Its rows are compact as they are."""

    def opened_again(self) -> MemoryStore:
        """Nothing is lost."""
        return self


class ForgetsOnOpening(FragileStore):
    """What is opened again is empty."""

    def opened_again(self) -> MemoryStore:
        return FragileStore(self._clock)


class WritesWhatItRefuses(FragileStore):
    """A full store says so, and has written."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        given = await MemoryStore.append(self, lease, stretches, **words)
        if self.is_full:
            raise StoreFullError
        return given


class LosesWhatItDoes(FragileStore):
    """Where the word is lost, so is the work."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        if self.loses:
            self.loses = False
            raise LostAcknowledgementError
        return await super().append(lease, stretches, **words)


class ComplainsVaguely(FragileStore):
    """A damaged row is told without its place."""

    def complaint(self, run_id: RunId) -> str:  # noqa: ARG002 (the fault)
        return "a row cannot be read"


class StopsAtDamage(FragileStore):
    """What lies after a damaged row cannot be read any more."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        if self.damaged is not None and after >= self.damaged:
            raise RecordFormatError(self.complaint(run_id))
        return await super().read(scope, run_id, after, limit=limit)


class CompactsFactsAway(FragileStore):
    """Compaction leaves events alone."""

    def compacted(self) -> None:
        for state in self._catalogue.newest_first("alice", None):
            state.rows.forget_facts()


class FragileHarness(StoreHarness):
    """Hurts the store that it made in every way."""

    store: ClassVar[type[FragileStore]] = FragileStore

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.made: FragileStore | None = None

    @asynccontextmanager
    async def make(self, clock: Clock, /) -> AsyncIterator[Store]:
        """A store, remembered."""
        self.made = self.store(clock)
        yield self.made

    @asynccontextmanager
    async def reopen(self, clock: Clock, /) -> AsyncIterator[Store]:  # noqa: ARG002 (the suite's)
        """The same store again."""
        yield self._made.opened_again()

    async def corrupt(self, run_id: RunId, seq: int, /) -> None:
        """Mark the row."""
        page = await self._made.read("alice", run_id, -1, limit=1000)
        assert any(isinstance(one, EntryStretch) and one.seq == seq for one in page), events_in(page)
        self._made.damaged = seq

    @asynccontextmanager
    async def fill_disk(self) -> AsyncIterator[None]:
        """Refuse to write."""
        self._made.is_full = True
        yield
        self._made.is_full = False

    def lose_acknowledgement(self) -> None:
        """Fail once after the append."""
        self._made.loses = True

    async def compact(self, scope: str, run_id: RunId, /) -> None:  # noqa: ARG002 (the suite's)
        """Do what the store does."""
        self._made.compacted()

    @property
    def _made(self) -> FragileStore:
        assert self.made is not None
        return self.made


def fragile(store: type[FragileStore]) -> type[FragileHarness]:
    """A harness class that makes and hurts such stores."""
    return type("Harness", (FragileHarness,), {"store": store})
