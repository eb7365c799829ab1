"""A store that another process serves says what the store itself says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.cli.programs.agents import calc, careful
from tests.cli.stored_runs import Filled, fill
from tests.server.sockets import served
from treadle.adapters.stores.served import ServedStore
from treadle.adapters.stores.sqlite import SqliteStore, owner_of, token_of
from treadle.adapters.system import SystemClock
from treadle.app.server import Server
from treadle.cli.store_choice import CommandStore
from treadle.codec.owner_wire import LONGEST_WAIT_S
from treadle.errors import RunFinalError, RunLiveError, RunLogError, RunNotFoundError
from treadle.server.pulse import Rhythm
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import RunStatus

SCOPE = "default"


async def told(store: CommandStore, runs: Filled) -> list[Any]:
    """What a store says to every question that changes nothing."""
    done, paused = RunId(runs.done), RunId(runs.paused)
    return [
        await store.state(SCOPE, done),
        await store.read(SCOPE, done, -1, limit=5),
        await store.read(SCOPE, paused, 3, limit=1000),
        await store.find(SCOPE, thread_id=ThreadId("t1"), limit=10),
        await store.find(SCOPE, statuses=[RunStatus.WAITING, RunStatus.DONE], before=paused, limit=10),
        await store.find("other"),
        await store.inbox(SCOPE, paused),
        [line async for line in store.export(SCOPE, run_ids=[done, paused], with_facts=True)],
        [line async for line in store.export("other")],
    ]


@pytest.mark.slow
@pytest.mark.requirement("SERVE-owner")
def test_a_served_store_says_what_the_store_says(tmp_path: Path) -> None:
    """Issue: the CLI goes through the owner's server. The same questions, the same answers, the same refusals."""
    db = tmp_path / "runs.db"

    async def directly() -> tuple[Filled, list[Any]]:
        runs = await fill(db)
        async with SqliteStore.open(db, clock=SystemClock()) as store:
            return runs, await told(store, runs)

    async def through(url: str, token: str) -> None:
        store = ServedStore(url, token)
        assert await told(store, runs) == expected
        with pytest.raises(RunNotFoundError, match="r_0"):
            await store.state(SCOPE, RunId("r_0"))
        with pytest.raises(RunNotFoundError, match="r_0"):
            _ = [line async for line in store.export(SCOPE, run_ids=[RunId("r_0")])]
        with pytest.raises(RunFinalError):
            await store.send(SCOPE, RunId(runs.done), key="cancel", kind="cancel")
        with pytest.raises(RunLiveError):
            await store.delete(SCOPE, RunId(runs.paused))
        assert await store.send(SCOPE, RunId(runs.paused), key="note", kind="note", body=b"\xff")
        assert not await store.send(SCOPE, RunId(runs.paused), key="note", kind="note")
        assert not await store.send(SCOPE, RunId(runs.paused), key="late", kind="answer", unless="note")
        assert await store.send(SCOPE, RunId(runs.paused), key="in time", kind="answer", unless="other")
        begun_s = asyncio.get_running_loop().time()
        await store.wait(SCOPE, RunId(runs.done), -1, timeout_s=100)
        assert asyncio.get_running_loop().time() - begun_s < 20 * LONGEST_WAIT_S
        lines = [line async for line in store.export(SCOPE, run_ids=[RunId(runs.done)], with_facts=True)]
        assert await store.delete(SCOPE, RunId(runs.done))
        imported = await store.import_lines(f"{line}\n" for line in lines)
        assert (imported.new, imported.known) == (1, 0)
        assert (await store.state(SCOPE, RunId(runs.done))).status is RunStatus.DONE
        with pytest.raises(RunLogError):
            await store.import_lines(iter(["no line of an export\n"]))

    runs, expected = asyncio.run(directly())
    with served(Server([careful, calc], store=f"sqlite:///{db}", rhythm=Rhythm(drain_s=0))) as url:
        token = token_of(db)
        assert owner_of(db)["url"] == url
        assert token is not None
        asyncio.run(through(url, token))
    assert token_of(db) is None
