"""Stores whose logs have one fault each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import FencedError
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import SpeechStretch, Stretch

Passed = Any
"""What a faulty method passes on as it came."""


class Sleeps(MemoryStore):
    """Nobody who waits is ever woken, and nobody looks before the wait."""

    async def wait(self, scope: str, run_id: RunId, after: int, /, *, timeout_s: float) -> None:  # noqa: ARG002 (the port's)
        await asyncio.get_running_loop().create_future()

    async def ready(self, *, timeout_s: float) -> None:  # noqa: ARG002 (the port's)
        await asyncio.get_running_loop().create_future()


class ForgetsTimes(MemoryStore):
    """Everything that is read has the time of the first record."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        page = await super().read(scope, run_id, after, limit=limit)
        return [replace(stretch, at_s=page[0].at_s) for stretch in page]


class FencesNobody(MemoryStore):
    """Any lease writes and renews, at the epoch of now."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        run = self._catalogue.get(lease.scope, lease.run_id)
        run.status = RunStatus.OWNED
        return await super().append(replace(lease, epoch=run.epoch), stretches, **words)

    async def renew(self, lease: Lease, /, *, ttl_s: float) -> None:
        run = self._catalogue.get(lease.scope, lease.run_id)
        self._queue.put_off(run, self._clock.now_s() + ttl_s)


class FencesLateOwners(MemoryStore):
    """An owner whose lease is over is fenced although nobody claimed."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        run = self._catalogue.get(lease.scope, lease.run_id)
        if run.due_s is not None and run.due_s < self._clock.now_s():
            raise FencedError
        return await super().append(lease, stretches, **words)


class RepeatsItself(MemoryStore):
    """Whatever comes is put at the end of the log."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        rows = self._catalogue.get(lease.scope, lease.run_id).rows
        moved, seq, index = [], rows.next_seq, rows.next_index
        for stretch in stretches:
            moved.append(replace(stretch, seq=seq, index=index))
            seq += stretch.records
            index += stretch.events
        return await super().append(lease, moved, **words)


class BelievesRepeats(MemoryStore):
    """Whatever comes at a written place counts as a repetition."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        run = self._catalogue.get(lease.scope, lease.run_id)
        if stretches and stretches[0].seq < run.rows.next_seq and lease.epoch == run.epoch:
            return run.status
        return await super().append(lease, stretches, **words)


class WritesInParts(MemoryStore):
    """Each stretch is a transaction of its own, and others get their turn between them."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        for stretch in stretches[:-1]:
            await super().append(lease, [stretch], status=RunStatus.OWNED)
            await asyncio.sleep(0)
        return await super().append(lease, stretches[-1:], **words)


class LosesFacts(MemoryStore):
    """Facts are not kept."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        self._catalogue.get(scope, run_id).rows.forget_facts()
        return await super().read(scope, run_id, after, limit=limit)


class StripsTexts(MemoryStore):
    """White space and control characters at the ends of a text are lost."""

    async def append(self, lease: Lease, stretches: Sequence[Stretch], /, **words: Passed) -> RunStatus:
        stripped = [
            replace(one, texts=tuple(text.strip("\x00\r\n\u2028") or "?" for text in one.texts))
            if isinstance(one, SpeechStretch)
            else one
            for one in stretches
        ]
        return await super().append(lease, stripped, **words)


class StampsEpochOne(MemoryStore):
    """All records are of the first owner."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        return [replace(one, epoch=1) for one in await super().read(scope, run_id, after, limit=limit)]


class SkipsRows(MemoryStore):
    """A reader begins after the row in which its place lies."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        return [one for one in await super().read(scope, run_id, -1, limit=10**6) if one.index > after][:limit]


class ReadsAll(MemoryStore):
    """A page is the whole log."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:  # noqa: ARG002 (the port's)
        return await super().read(scope, run_id, -1, limit=10**6)


class CutsPages(MemoryStore):
    """A page ends at its limit, whatever it holds by then."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        return (await super().read(scope, run_id, after, limit=limit))[:1]


class ReadsOnce(MemoryStore):
    """What was read is taken away."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        page = await super().read(scope, run_id, after, limit=limit)
        read = self.__dict__.setdefault("read_of", {}).setdefault((scope, run_id), set())
        fresh = [one for one in page if one.seq not in read]
        read.update(one.seq for one in fresh)
        return fresh


class RenumbersEvents(MemoryStore):
    """When facts are deleted, what is left is numbered anew from 1."""

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:
        deleted = await super().delete(scope, run_id, facts_only=facts_only)
        if deleted and facts_only:
            rows = self._catalogue.get(scope, run_id).rows
            stretches = [replace(one, index=one.index + 1) for one in rows.read(-1, 10**6)]
            rows.__init__()  # type: ignore[misc]  # the fault is to begin anew
            rows.add(stretches, 1)
        return deleted
