"""What the owner of a file may do with it: retention, export and import, compaction, a bound."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.adapters.stores.sqlite.stores import opened
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.stores.sqlite.owner_lock import owner_of
from treadle.adapters.stores.sqlite.store import RETENTION_RUNS
from treadle.adapters.stores.sqlite.transfer import Imported
from treadle.errors import RunNotFoundError, StoreFullError
from treadle.testing.conformance.stores.bench import SCOPE, Bench
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.logs import Script
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus


async def _ended(bench: Bench, name: str, scope: str = SCOPE) -> None:
    await bench.create(name, plan=name, scope=scope)
    lease = await bench.claimed(name, name)
    script = Script(lease.run_id)
    await bench.append(
        lease, script.facts(1), script.speech("a"), script.speech("b"), script.done(), status=RunStatus.DONE
    )


async def test_retention_deletes_what_has_been_final_for_long(tmp_path: Path) -> None:
    """Ours: of every scope, in parts, and nothing that lives."""
    async with opened(tmp_path) as (store, bench):
        await bench.create("live")
        for number in range(RETENTION_RUNS + 5):
            await _ended(bench, f"r{number}", scope=SCOPE if number % 2 else "bob")
        bench.clock.advance(100)
        await _ended(bench, "new")
        assert await store.delete_final_older_than(50) == RETENTION_RUNS + 5
        assert [run.run_id for run in await store.find(SCOPE)] == ["new", "live"]
        assert list(await store.find("bob")) == []
        assert await store.delete_final_older_than(50) == 0


async def test_runs_go_from_one_store_to_another(tmp_path: Path) -> None:
    """Ours: all of a scope, or those that are named, oldest first; a second time changes nothing."""
    (tmp_path / "other").mkdir()
    async with opened(tmp_path) as (store, bench), opened(tmp_path / "other") as (other, _):
        for name in ("r2", "r1", "r3"):
            await _ended(bench, name)
        await _ended(bench, "theirs", scope="bob")
        lines = [line async for line in store.export(SCOPE, with_facts=True)]
        heads = [json.loads(line) for line in lines if json.loads(line)["line"] == "run"]
        assert [head["run_id"] for head in heads] == ["r2", "r1", "r3"]
        assert await other.import_lines(lines) == Imported(new=3)
        assert await other.import_lines(lines) == Imported(known=3)
        assert list(await other.find(SCOPE)) == list(await store.find(SCOPE))
        shown = [line async for line in store.export(SCOPE, run_ids=[RunId("r1")])]
        assert await other.import_lines(shown) == Imported(known=1)
        with pytest.raises(RunNotFoundError):
            _ = [line async for line in store.export("bob", run_ids=[RunId("r1")])]


async def test_a_run_is_compacted_when_it_is_asked_for(tmp_path: Path) -> None:
    """Ours: the same events in fewer rows; a run that is not there has none."""
    async with opened(tmp_path, tail_bytes=0) as (store, bench):
        lease, script = await bench.own()
        await bench.append(lease, *(script.speech(str(number)) for number in range(600)))
        before = await bench.log()
        await asyncio.gather(*(store.compact(SCOPE, RunId("r1")) for _ in range(3)))
        assert await bench.log() == before
        with pytest.raises(RunNotFoundError):
            await store.compact(SCOPE, RunId("r9"))


async def test_a_store_may_be_bounded(tmp_path: Path) -> None:
    """Ours: it is full then, and what is deleted makes room."""
    async with opened(tmp_path) as (store, bench):
        await _ended(bench, "r0")
        lease, script = await bench.own()
        await store.limit_size(1_000_000)
        batches = [[script.speech("x" * 50_000)] for _ in range(100)]
        ends = await asyncio.gather(*(bench.append(lease, *batch) for batch in batches), return_exceptions=True)
        assert StoreFullError in map(type, ends)
        assert store.path.stat().st_size <= 1_000_000
        await store.limit_size(None)


async def test_the_lock_says_where_the_owner_serves(tmp_path: Path) -> None:
    """Ours: another process can say where to ask."""
    async with opened(tmp_path) as (store, _):
        store.serves_at("http://localhost:8000")
        assert owner_of(store.path)["url"] == "http://localhost:8000"
        store.serves_at(None)
        assert "url" not in owner_of(store.path)


async def test_a_word_for_durability_is_one_of_two(tmp_path: Path) -> None:
    """Ours: a mistyped word is no weaker promise."""
    folder = tmp_path / "none"
    with pytest.raises(ValueError, match="OFF"):
        async with SqliteStore.open(folder / "runs.db", clock=SettableClock(), synchronous="OFF"):  # type: ignore[arg-type]  # that is the point
            pass


async def test_commits_are_counted_and_kept_apart(tmp_path: Path) -> None:
    """Ours: appends of many runs that wait together share one, and a claim that finds nothing is none."""
    async with opened(tmp_path) as (store, bench):
        pairs = []
        for number in range(20):
            await bench.create(f"r{number}", plan=f"p{number}")
            lease = await bench.claimed(f"r{number}", f"p{number}")
            pairs.append((lease, Script(lease.run_id)))
        before = store.commits
        await asyncio.gather(*(bench.append(lease, script.speech("a")) for lease, script in pairs))
        assert store.commits - before <= 2
        before = store.commits
        assert await bench.claim() is None
        assert store.commits == before
