"""Stores whose table of runs has one fault each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import KeyReusedError
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, OnBusyThread, RunState, RunStatus

Passed = Any
"""What a faulty method passes on as it came."""


class ForgetsKeys(MemoryStore):
    """Every request is another run."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, key=None))


class SharesKeys(MemoryStore):
    """A key is unique over all scopes."""

    async def create(self, run: NewRun, /) -> RunState:
        for scope in ("alice", "bob"):
            for twin in await self.find(scope):
                if run.key is not None and self._catalogue.get(scope, twin.run_id).new.key == run.key:
                    return twin
        return await super().create(run)


class JoinsTwins(MemoryStore):
    """Equal requests are one run, asked or not."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, key=run.key or run.digest))


class IgnoresDigests(MemoryStore):
    """A key joins any request."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, digest="d1"))


class LooksThenLeaps(MemoryStore):
    """Between the look for a key and the new run others get their turn."""

    async def create(self, run: NewRun, /) -> RunState:
        if run.key is not None and self._catalogue.twin(run) is None:
            await asyncio.sleep(0)
            return await super().create(replace(run, key=None))
        return await super().create(run)


class RefusesTwins(MemoryStore):
    """A run that is created again is an error."""

    async def create(self, run: NewRun, /) -> RunState:
        twin = self._catalogue.twin(run)
        if twin is not None and twin.new.run_id == run.run_id:
            raise KeyReusedError
        return await super().create(run)


class LosesRequests(MemoryStore):
    """What was asked is not kept."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, request=b""))


class HasNoThreads(MemoryStore):
    """Threads have no rule."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, thread_id=ThreadId("")))


class HasOneThread(MemoryStore):
    """All runs are of one thread, and stand in its queue."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, thread_id=ThreadId("t"), on_busy=OnBusyThread.QUEUE))


class AlwaysQueues(MemoryStore):
    """Whatever the rule, a run is queued."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, on_busy=OnBusyThread.QUEUE))


class AlwaysRejects(MemoryStore):
    """Whatever the rule, a busy thread refuses."""

    async def create(self, run: NewRun, /) -> RunState:
        return await super().create(replace(run, on_busy=OnBusyThread.REJECT))


class NeverRaisesEpochs(MemoryStore):
    """A claim gives the epoch of the claim before."""

    async def claim(self, worker: str, /, *, plans: Passed, ttl_s: float) -> Lease | None:
        lease = await super().claim(worker, plans=plans, ttl_s=ttl_s)
        if lease is not None:
            run = self._catalogue.get(lease.scope, lease.run_id)
            run.epoch = 1
            return run.lease
        return None


class HoldsForEver(MemoryStore):
    """A lease is never over."""

    async def claim(self, worker: str, /, *, plans: Passed, ttl_s: float) -> Lease | None:  # noqa: ARG002 (the port's)
        return await super().claim(worker, plans=plans, ttl_s=1e9)


class HoldsNothing(MemoryStore):
    """A lease is over at once."""

    async def claim(self, worker: str, /, *, plans: Passed, ttl_s: float) -> Lease | None:  # noqa: ARG002 (the port's)
        return await super().claim(worker, plans=plans, ttl_s=0.0)


class ClaimsSlowly(MemoryStore):
    """A claim looks, lets others look, and takes."""

    async def claim(self, worker: str, /, *, plans: Passed, ttl_s: float) -> Lease | None:
        seen = [state.run_id for state in await self.find("alice") if state.status is RunStatus.READY]
        await asyncio.sleep(0)
        lease = await super().claim(worker, plans=plans, ttl_s=ttl_s)
        return lease or (self._catalogue.get("alice", seen[0]).lease if seen else None)


class ClaimsAnyPlan(MemoryStore):
    """Plans are not looked at."""

    async def claim(self, worker: str, /, *, plans: Passed, ttl_s: float) -> Lease | None:
        return await super().claim(worker, plans=[*plans, *(f"plan-{n}" for n in range(4))], ttl_s=ttl_s)


class ClaimsTheDead(MemoryStore):
    """Where nothing can be claimed, a run that is final is."""

    async def claim(self, worker: str, /, *, plans: Passed, ttl_s: float) -> Lease | None:
        lease = await super().claim(worker, plans=plans, ttl_s=ttl_s)
        final = [state.run_id for state in await self.find("alice") if state.is_final]
        return self._catalogue.get("alice", final[0]).lease if lease is None and final else lease


class StopsClocks(MemoryStore):
    """No change has a moment."""

    async def state(self, scope: str, run_id: RunId, /) -> RunState:
        state = await super().state(scope, run_id)
        return replace(state, changed_s=state.created_s)


class NeverRenews(MemoryStore):
    """A renewal is taken and forgotten."""

    async def renew(self, lease: Lease, /, *, ttl_s: float) -> None:
        """Do nothing."""


class ListsByName(MemoryStore):
    """Runs are listed by their ids, and pages and filters are not looked at."""

    async def find(self, scope: str, /, **words: Passed) -> Sequence[RunState]:  # noqa: ARG002 (the port's)
        return sorted(await super().find(scope), key=lambda state: state.run_id)


class PagesByTime(MemoryStore):
    """A page goes on below the moment at which the last run was created."""

    async def find(self, scope: str, /, **words: Passed) -> Sequence[RunState]:
        before = words.pop("before", None)
        limit = words.pop("limit", 100)
        if before is None:
            return await super().find(scope, limit=limit, **words)
        moment = (await self.state(scope, before)).created_s
        return [state for state in await super().find(scope, **words) if state.created_s < moment][:limit]


class DeletesLive(MemoryStore):
    """Any run can be deleted."""

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:
        self._catalogue.get(scope, run_id).status = RunStatus.DONE
        return await super().delete(scope, run_id, facts_only=facts_only)


class DeletesSoftly(MemoryStore):
    """A deleted run is still there."""

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:  # noqa: ARG002 (the port's)
        return any(state.run_id == run_id for state in await self.find(scope))
