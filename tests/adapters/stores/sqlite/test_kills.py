"""A process that dies at any point of the way to the disk leaves a store that goes on.

Demand: what was acknowledged is there, no append is there in part, indexes are dense, and the next owner goes on.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.stores.sqlite.kill_child import BROUGHT, GONE, KEY, PLAN, RUN, SCOPE, batches, new_run, write
from treadle.adapters.stores.sqlite import SqliteStore, schema, upgrade
from treadle.adapters.system import SystemClock
from treadle.errors import RunNotFoundError
from treadle.testing.conformance.stores.logs import Told, records_of, with_epoch
from treadle.testing.failpoints import ENVIRONMENT, POINTS, Failpoint
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus

ROOT = Path(__file__).parents[4]
pytestmark = pytest.mark.slow

# An upgrade has a test of its own below; the others are points of a run, met in tests/behaviour/test_killed_answer.py.
_ELSEWHERE = {
    Failpoint.UPGRADE_BETWEEN_FILES,
    Failpoint.ANSWER_BEFORE_SEND,
    Failpoint.ANSWER_AFTER_SEND,
    Failpoint.ANSWER_HEARD,
    Failpoint.CALL_BEFORE_TOOL,
    Failpoint.CALL_AFTER_TOOL,
    Failpoint.BEFORE_MODEL_CALL,
}
_LIVED = [point for point in POINTS if point not in _ELSEWHERE]
_OFTEN = (
    Failpoint.BEFORE_BEGIN,
    Failpoint.AFTER_INSERT_ROWS,
    Failpoint.BEFORE_COMMIT,
    Failpoint.AFTER_COMMIT_BEFORE_ACK,
    Failpoint.AFTER_ACK,
)
KILLS = [(point, 1) for point in _LIVED] + [(point, time) for point in _OFTEN for time in (2, 3, 4, 5)]


def _child(path: Path, kill_at: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.adapters.stores.sqlite.kill_child", str(path)],
        cwd=ROOT,
        env={**os.environ, ENVIRONMENT: kill_at},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


async def _log(store: SqliteStore, run_id: RunId) -> list[Told]:
    return records_of(await store.read(SCOPE, run_id, -1, limit=100_000))


def _said(log: list[Told]) -> list[tuple[int, int | None, object]]:
    return [(told.seq, told.index, told.content) for told in log]


def _written(run_id: RunId) -> list[list[tuple[int, int | None, object]]]:
    """What the log of a run says after each append, from none."""
    whole = batches(run_id)
    return [
        _said(with_epoch([part for batch in whole[:count] for part in batch], 1)) for count in range(len(whole) + 1)
    ]


async def _goes_on(store: SqliteStore, run_id: RunId, acknowledged: list[str]) -> None:
    """A run is as far as was acknowledged, or one append further, and comes to its end."""
    if f"created {run_id}" not in acknowledged:
        await store.create(new_run(run_id))
    count = sum(line.startswith(f"{run_id} ") for line in acknowledged)
    log, expected = _said(await _log(store, run_id)), _written(run_id)
    assert log in expected[count : count + 2]
    at = expected.index(log)
    if f"sent {run_id}" in acknowledged and at < len(batches(run_id)):
        assert [message.key for message in await store.inbox(SCOPE, run_id)] == [KEY]
    state = await store.state(SCOPE, run_id)
    if not state.is_final:
        lease = await store.claim("w2", plans=[PLAN], ttl_s=60.0)
        assert lease is not None
        assert (lease.run_id, lease.next_seq) == (run_id, len(log))
        assert lease.epoch > state.epoch
        if at:
            # The owner that died may have asked for this once more.
            await store.append(lease, batches(run_id)[at - 1], status=RunStatus.OWNED)
        await write(store, lease, first=at)
    assert _said(await _log(store, run_id)) == expected[-1]
    assert (await store.state(SCOPE, run_id)).status is RunStatus.DONE
    assert await store.inbox(SCOPE, run_id) == []


async def _is_whole_or_gone(store: SqliteStore, run_id: RunId) -> bool:
    try:
        log = _said(await _log(store, run_id))
    except RunNotFoundError:
        return False
    assert log == _written(run_id)[-1]
    return True


@pytest.mark.parametrize(("point", "time"), KILLS, ids=[f"{point}-{time}" for point, time in KILLS])
async def test_a_store_outlives_a_kill_at_every_point(point: Failpoint, time: int, tmp_path: Path) -> None:
    """Ours: kill -9, then reopen. A point that the child does not reach fails here too: it comes to its end."""
    path = tmp_path / "runs.db"
    child = _child(path, f"{point}:{time}")
    assert child.returncode == -signal.SIGKILL, f"{point} was not reached {time} times: {child.stderr}"
    acknowledged = child.stdout.splitlines()
    async with SqliteStore.open(path, clock=SystemClock(), synchronous="NORMAL") as store:
        await _goes_on(store, RUN, acknowledged)
        if f"created {GONE}" in acknowledged and point is not Failpoint.IMPORT_MID:
            if "deleted" in acknowledged:
                assert not await _is_whole_or_gone(store, GONE)
            elif f"{GONE} {len(batches(GONE)) - 1}" in acknowledged:
                await _is_whole_or_gone(store, GONE)
            else:
                await _goes_on(store, GONE, acknowledged)
        await _is_whole_or_gone(store, BROUGHT)
        await store.compact(SCOPE, RUN)
        assert _said(await _log(store, RUN)) == _written(RUN)[-1]
    connection = sqlite3.connect(path)
    assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_the_child_comes_to_its_end_where_nothing_kills_it(tmp_path: Path) -> None:
    """Ours: the life in which the points stand is one that works."""
    child = _child(tmp_path / "runs.db", "")
    assert (child.returncode, child.stderr) == (0, "")
    assert child.stdout.splitlines()[-3:] == ["deleted", "imported", "end"]


def test_an_upgrade_that_dies_between_two_steps_goes_on(tmp_path: Path) -> None:
    """Ours: each step stands when it is done."""
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.close()
    assert _child(path, f"{Failpoint.UPGRADE_BETWEEN_FILES}:1").returncode == -signal.SIGKILL
    assert upgrade(path) == (1, schema.newest())
