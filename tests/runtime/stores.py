"""Stores that a test has in its hand, and worlds in which runners live and die: shared by the tests of stored runs."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.agents import scripted
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import RunLogError
from treadle.plan.tools import tool
from treadle.testing.virtual_time import run_virtually
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import Stretch, events_of

SCOPE = "default"
ROUNDS = """think: Hm|m.
text: Let me |see.\\s
call: add cut=3 {"a": 1, "b": 2}
usage: 10 5
---
text: It |is 3.
usage: 20 7"""
GATED = "text: It \ngate: go\ntext: is 3."
PATIENCE_S = 20.0
"""Seconds of real time within which a run over a file has come to where a test waits for it."""


@tool(requires_approval=True)
def pay(euros: int) -> str:
    """Pay somebody."""
    raise AssertionError(f"paid {euros} without leave")


def paying() -> Agent:
    """An agent that asks for leave."""
    return scripted('text: May I? \ncall: pay {"euros": 3}', tools=[pay])


async def pass_time(seconds: float) -> None:
    """Let virtual time pass."""
    await asyncio.sleep(seconds)


class LoopClock:
    """The clock port by the event loop's own time, which a test may make virtual."""

    def now_s(self) -> float:
        """Seconds since some day."""
        return 1_000_000_000.0 + asyncio.get_running_loop().time()

    def monotonic_s(self) -> float:
        """Seconds that only grow."""
        return asyncio.get_running_loop().time()


class KilledError(RunLogError):
    """The process that used this store is dead; nothing reaches it any more."""


class StoreInHand:
    """A store whose appends a test may hold, refuse, or die at.

    Shape: `appends` holds what was given to each append that wrote or tried to. `die_at` is the number of an append,
    from 0, and whether it is still written; from then on nothing is done. `deaf`: appends and renewals
    do not reach it for a while. `mute`: its inboxes cannot be read. `idle`: there is nothing
    to claim.
    """

    def __init__(self, inner: Any, *, die_at: tuple[int, bool] | None = None) -> None:  # noqa: ANN401 (any store)
        self.inner = inner
        self.appends: list[tuple[tuple[Stretch, ...], RunStatus]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.arrived = asyncio.Event()
        self.failures: list[Exception] = []
        self.dead = asyncio.Event()
        self.deaf = False
        self.mute = False
        self.idle = False
        self._die_at = die_at

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (any method of the ports)
        method = getattr(self.inner, name)

        async def asked(*args: Any, **more: Any) -> Any:  # noqa: ANN401 (any arguments)
            self._check()
            if (self.deaf and name == "renew") or (self.mute and name == "inbox"):
                raise RunLogError("nothing is heard of the store")
            if self.idle and name == "claim":
                return None
            return await method(*args, **more)

        return asked

    async def append(
        self,
        lease: Lease,
        stretches: Sequence[Stretch],
        /,
        *,
        status: RunStatus,
        **more: Any,  # noqa: ANN401 (as given)
    ) -> RunStatus:
        """Append, when the gate is open."""
        if self.deaf:
            raise RunLogError("nothing is heard of the store")
        self._check()
        number = len(self.appends)
        self.appends.append((tuple(stretches), status))
        self.arrived.set()
        await self.gate.wait()
        if self.failures:
            raise self.failures.pop(0)
        if self._die_at == (number, False):
            self.dead.set()
            self._check()
        stored: RunStatus = await self.inner.append(lease, stretches, status=status, **more)
        if self._die_at == (number, True):
            self.dead.set()
            self._check()
        return stored

    def _check(self) -> None:
        if self.dead.is_set():
            raise KilledError("killed")


class World:
    """Where runners come and go over one store: in memory, or in a file."""

    def __init__(self, folder: Path | None = None) -> None:
        """A world with a folder keeps its runs in a file."""
        self._store: Any = MemoryStore(LoopClock()) if folder is None else f"sqlite:///{folder / 'runs.db'}"

    @property
    def store(self) -> Any:  # noqa: ANN401 (a store, or its name)
        """The store that outlives its runners, or its name."""
        return self._store

    def runner(self, *agents: Agent, **more: Any) -> Runner:  # noqa: ANN401 (as of a runner)
        """Another runner over the store of this world."""
        return Runner(list(agents), store=self._store, **more)


_Test = Callable[..., Coroutine[Any, Any, None]]


def virtually(test: _Test) -> Callable[..., None]:
    """A test in virtual time."""

    @functools.wraps(test)
    def run(*args: Any, **more: Any) -> None:  # noqa: ANN401 (as of the test)
        run_virtually(test(*args, **more))

    return run


def everywhere(test: Callable[[World], Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test of a world, in memory and virtual time, and over a file."""

    @pytest.mark.parametrize("kind", ["memory", "sqlite"])
    def run(kind: str, tmp_path: Path) -> None:
        async def main() -> None:
            await test(World(tmp_path if kind == "sqlite" else None))

        if kind == "memory":
            run_virtually(main())
        else:
            asyncio.run(_in_time(main()))

    run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
    return run


async def _in_time(main: Awaitable[None]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await main


async def watched(runner: Runner, run_id: str, **more: Any) -> list[KernelEvent]:  # noqa: ANN401 (as of `watch`)
    """All events that a reader sees until its stream ends."""
    return [record.event async for record in runner.watch(run_id, **more)]


async def cursors(runner: Runner, run_id: str) -> list[str]:
    """The cursor of every event of a run that is over."""
    return [record.cursor async for record in runner.watch(run_id)]


async def seen(runner: Runner, run_id: str, kind: str, count: int = 1) -> str:
    """Read a run until so many events of this kind were seen; the cursor of the last."""
    records = runner.watch(run_id)
    try:
        async for record in records:
            count -= record.event.kind == kind
            if not count:
                return record.cursor
    finally:
        await records.aclose()
    raise AssertionError(f"no event {kind!r} came")


async def log_of(store: Any, run_id: str) -> list[KernelEvent]:  # noqa: ANN401 (any store)
    """All events that a store holds of a run."""
    named = RunId(run_id)
    found: list[KernelEvent] = []
    while page := [
        event
        for stretch in await store.read(SCOPE, named, len(found) - 1, limit=1000)
        for event in events_of(stretch, named, after=len(found) - 1)
    ]:
        found += page
    return found


async def until(holds: Callable[[], bool]) -> None:
    """Let others run until something holds."""
    for _ in range(10_000):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to hold")
