"""What a check works with: one store, the clock it was given, and short words for what most checks do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, Final, TypeVar

from treadle.ports.store import Store
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.harness import StoreHarness
from treadle.testing.conformance.stores.logs import Script, Told, events_in, records_of
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, RunState, RunStatus
from treadle.values.stretches import Stretch

T = TypeVar("T")

SCOPE: Final = "alice"
PLAN: Final = "plan-1"
TTL_S: Final = 10.0
PATIENCE_S: Final = 5.0
"""Seconds within which what must come has come."""
LONG_S: Final = 600.0
"""A time-out that no check waits for."""
SHORT_S: Final = 0.01
"""A time-out that a check does wait for."""


class Bench:
    """A store under test."""

    def __init__(self, store: Store, clock: SettableClock, harness: StoreHarness) -> None:
        self.store = store
        self.clock = clock
        self.harness = harness

    def new_run(self, run_id: str = "r1", /, **fields: Any) -> NewRun:  # noqa: ANN401 (any fields of a new run)
        """A run to create, in a thread of its own unless one is named."""
        given: dict[str, Any] = {
            "scope": SCOPE,
            "thread_id": ThreadId(f"thread of {run_id}"),
            "agent": "calc",
            "digest": "d1",
            "request": b"1+2?",
            "plan": PLAN,
        }
        return NewRun(run_id=RunId(run_id), **{**given, **fields})

    async def create(self, run_id: str = "r1", /, **fields: Any) -> RunState:  # noqa: ANN401 (as above)
        """Create a run, a second after whatever came before."""
        self.clock.advance(1.0)
        return await self.store.create(self.new_run(run_id, **fields))

    async def claim(self, plan: str = PLAN) -> Lease | None:
        """Claim whatever there is."""
        return await self.store.claim("w1", plans={plan}, ttl_s=TTL_S)

    async def own(self, run_id: str = "r1", /, **fields: Any) -> tuple[Lease, Script]:  # noqa: ANN401 (as above)
        """Create a run and claim it."""
        await self.create(run_id, **fields)
        lease = await self.claim()
        assert lease is not None, "a run that was just created could not be claimed"
        assert lease.run_id == run_id, f"expected to claim {run_id!r}, came {lease.run_id!r}"
        return lease, Script(lease.run_id)

    async def claimed(self, run_id: str, plan: str = PLAN) -> Lease:
        """Claim, and it must be this run."""
        lease = await self.claim(plan)
        assert lease is not None, f"expected to claim {run_id!r}, came nothing"
        assert lease.run_id == run_id, f"expected to claim {run_id!r}, came {lease.run_id!r}"
        return lease

    async def append(
        self,
        lease: Lease,
        *stretches: Stretch,
        status: RunStatus = RunStatus.OWNED,
        wake_at_s: float | None = None,
        take: Sequence[int] = (),
    ) -> RunStatus:
        """Append, and stay the owner unless another status is named."""
        return await self.store.append(lease, stretches, status=status, wake_at_s=wake_at_s, take=take)

    async def finish(self, lease: Lease, script: Script) -> None:
        """Append the end of a run."""
        await self.append(lease, script.done(), status=RunStatus.DONE)

    async def state(self, run_id: str = "r1", scope: str = SCOPE) -> RunState:
        """Where a run stands."""
        return await self.store.state(scope, RunId(run_id))

    async def status(self, run_id: str = "r1") -> RunStatus:
        """The status of a run."""
        return (await self.state(run_id)).status

    async def read(self, after: int = -1, run_id: str = "r1", *, limit: int = 1000) -> Sequence[Stretch]:
        """One page of a run."""
        return await self.store.read(SCOPE, RunId(run_id), after, limit=limit)

    async def log(self, run_id: str = "r1", *, limit: int = 1000) -> list[Told]:
        """All records of a run, page by page, each once."""
        told: list[Told] = []
        after = -1
        while True:
            page = records_of(await self.read(after, run_id, limit=limit))
            seen = told[-1].seq if told else -1
            told.extend(record for record in page if record.seq > seen)
            indexes = [record.index for record in page if record.index is not None and record.index > after]
            if not indexes:
                return told
            after = indexes[-1]

    async def contents(self, run_id: str = "r1") -> list[object]:
        """What all records of a run say."""
        return [told.content for told in await self.log(run_id)]

    async def indexes(self, after: int = -1, run_id: str = "r1") -> list[int | None]:
        """The indexes of the events of one page above an index."""
        return [told.index for told in events_in(await self.read(after, run_id), after=after)]

    async def keys(self, run_id: str = "r1") -> list[str]:
        """The keys of the messages that no append has taken."""
        return [message.key for message in await self.store.inbox(SCOPE, RunId(run_id))]

    async def send(
        self, key: str = "k1", run_id: str = "r1", kind: str = "message", *, unless: str | None = None
    ) -> bool:
        """Send a message."""
        return await self.store.send(SCOPE, RunId(run_id), key=key, kind=kind, body=key.encode(), unless=unless)


async def soon(awaitable: Awaitable[T]) -> T:
    """What must come without anybody's help, within `PATIENCE_S`."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await awaitable
    except TimeoutError:
        raise AssertionError(f"nothing came within {PATIENCE_S} s") from None


async def settle() -> None:
    """Let every other task go on as far as it gets without the outside."""
    for _ in range(10):
        await asyncio.sleep(0)
