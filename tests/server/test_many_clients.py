"""Hundreds of clients that drop their streams and return, over sockets, and what a server holds when they are gone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.behaviour.many_runs import PROC
from tests.behaviour.test_runs_soak import ALLOCATOR, GROWTH
from tests.server.many_clients import DROPS, Client
from tests.server.test_servers import QUESTIONS

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 60.0
SOAK_S = 900.0


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url: str = self._line()["url"]

    def holds(self) -> dict[str, Any]:
        """What it holds now."""
        assert self._process.stdin is not None
        self._process.stdin.write("tell\n")
        self._process.stdin.flush()
        return self._line()

    def rested(self, tasks: int) -> dict[str, Any]:
        """The same, once no more than so many tasks are left: a client is gone before the server has seen it."""
        for _ in range(QUESTIONS):
            told = self.holds()
            if told["tasks"] <= tasks:
                return told
        raise AssertionError(f"{told['tasks']} tasks are left, not {tasks}")

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the server is gone"
        told: dict[str, Any] = json.loads(line)
        return told


@contextmanager
def serving(kind: str, folder: Path) -> Generator[Served, None, None]:
    """A server for the block, which ends in good order."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.server.many_clients", kind, str(folder)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **ALLOCATOR},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield Served(process)
        _, stderr = process.communicate(timeout=LONGEST_S)
        assert (process.returncode, stderr) == (0, "")
    finally:
        process.kill()
        process.communicate()


async def read_all(url: str, count: int, seed: int) -> int:
    """So many clients at once, each with a run of its own; how many connections they took."""
    client, room = Client(url), asyncio.Semaphore(64)

    async def one(number: int) -> int:
        async with room:  # a listening socket keeps only so many waiting
            run_id = (await client.asked("POST", "/v1/runs", {"agent": "a", "prompt": str(number)}))["run_id"]
        seen = await client.read(run_id, Random(seed * 1_000 + number))
        assert [event.event_id for event in seen.events] == [f"1:{index}" for index in range(len(seen.events))]
        assert seen.connections > DROPS
        view = await client.asked("GET", f"/v1/runs/{run_id}")
        assert (view["state"], view["text"], view["events"]) == ("done", seen.text, len(seen.events))
        await client.asked("DELETE", f"/v1/runs/{run_id}")
        return seen.connections

    return sum(await asyncio.gather(*[one(number) for number in range(count)]))


def samples(told: dict[str, Any]) -> dict[str, float]:
    """What its metrics say of streams and runs."""
    return {
        ":".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(told["metrics"])
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def drop_and_return(kind: str, folder: Path, *, warm_up: int, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a server holds after the warm-up, and after all have read; both are whole, and leave nothing open."""
    with serving(kind, folder) as server:
        begun = server.holds()
        asyncio.run(read_all(server.url, warm_up, seed=0))
        warm = server.rested(begun["tasks"])
        connections = asyncio.run(read_all(server.url, count, seed=1))
        hot = server.rested(begun["tasks"])
    assert hot["descriptors"] <= warm["descriptors"]
    counted = samples(hot)
    assert (counted["treadle_readers"], counted["treadle_live_runs"]) == (0, 0)
    before = sum(number for name, number in samples(warm).items() if name.startswith("treadle_streams_ended_total"))
    ended = {name.rpartition(":")[2]: number for name, number in counted.items() if "streams_ended_total" in name}
    assert set(ended) <= {"read", "left"}
    assert sum(ended.values()) - before <= connections
    assert ended["left"] >= count
    return warm, hot


@pytest.mark.slow
@pytest.mark.requirement("SERVE-many")
@pytest.mark.skipif(not (PROC / "statm").exists(), reason="platform: memory and descriptors are read from /proc")
def test_clients_that_drop_and_return_read_the_log_and_leave_nothing(tmp_path: Path) -> None:
    """Issue: streaming clients that each drop and return 3 times: all texts equal the log; nothing leaks."""
    drop_and_return("sqlite", tmp_path, warm_up=4, count=24)


@pytest.mark.soak
@pytest.mark.requirement("SERVE-many")
@pytest.mark.skipif(not (PROC / "statm").exists(), reason="platform: memory and descriptors are read from /proc")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_five_hundred_clients_that_drop_and_return_leave_no_memory_behind(kind: str, tmp_path: Path) -> None:
    """Issue: 500 streaming clients that each drop and return 3 times: all texts equal the log; nothing leaks."""
    warm, hot = drop_and_return(kind, tmp_path, warm_up=500, count=500)
    grown = hot["rss_bytes"] / warm["rss_bytes"]
    assert grown <= GROWTH, f"{grown:.2f} times the memory of the warm-up"
