"""The short words of checks."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.testing.conformance.stores.planted import harness_of
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import bench as bench_module
from treadle.testing.conformance.stores.bench import Bench, settle, soon
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.logs import with_epoch
from treadle.values.runs import RunStatus


def bench_of(folder: Path) -> Bench:
    """A bench with a memory store."""
    clock = SettableClock()
    return Bench(MemoryStore(clock), clock, harness_of(MemoryStore, folder))


async def test_a_run_is_owned_written_read_and_ended(tmp_path: Path) -> None:
    """Ours: what most checks begin with."""
    bench = bench_of(tmp_path)
    lease, script = await bench.own()
    batch = [script.facts(1), script.speech("a", "b", "c"), script.facts(2), script.speech("d"), script.facts(3)]
    await bench.append(lease, *batch)
    for limit in (1, 2, 100):
        assert await bench.log(limit=limit) == with_epoch(batch, 1)
    assert await bench.contents() == [told.content for told in with_epoch(batch, 1)]
    assert await bench.indexes(1) == [2, 3]
    assert await bench.send("k1") is True
    assert await bench.keys() == ["k1"]
    await bench.finish(lease, script)
    assert await bench.status() is RunStatus.DONE


async def test_the_wrong_run_is_told(tmp_path: Path) -> None:
    """Ours: a check says what it expected to claim."""
    bench = bench_of(tmp_path)
    with pytest.raises(AssertionError, match="came nothing"):
        await bench.claimed("r1")
    await bench.create("r2")
    with pytest.raises(AssertionError, match="came 'r2'"):
        await bench.claimed("r1")


async def test_what_does_not_come_soon_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: no check hangs."""
    monkeypatch.setattr(bench_module, "PATIENCE_S", 0.01)
    with pytest.raises(AssertionError, match=r"within 0\.01 s"):
        await soon(asyncio.get_running_loop().create_future())
    assert await soon(asyncio.sleep(0, "came")) == "came"


async def test_others_get_their_turn() -> None:
    """Ours: a task that needs no outside gets where it waits."""
    steps: list[int] = []

    async def walk() -> None:
        for step in range(5):
            steps.append(step)
            await asyncio.sleep(0)

    task = asyncio.create_task(walk())
    await settle()
    assert steps == [*range(5)]
    await task
