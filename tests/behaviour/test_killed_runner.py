"""A runner whose process is killed with -9 at every point on the way to the disk, and started again."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour.killed_runner import ANSWER, TEXT, agent_of
from treadle import Runner
from treadle.runtime.failpoints import Failpoint
from treadle.testing.failpoints import ENVIRONMENT
from treadle.testing.stream_check import check_stream
from treadle.values.events import ToolResult
from treadle.values.runs import RunStatus

ROOT = Path(__file__).resolve().parents[2]
BOUND_S = 60.0
# Runs meet these; the others belong to long logs, importing and upgrading, and are held where the store is tested.
POINTS = (
    Failpoint.OPEN_AFTER_RECOVERY,
    Failpoint.BEFORE_BEGIN,
    Failpoint.CREATE_BEFORE_COMMIT,
    Failpoint.CLAIM_AFTER_UPDATE,
    Failpoint.SEND_BEFORE_COMMIT,
    Failpoint.DELETE_MID,
    Failpoint.COMPACTION_BEFORE_COMMIT,
    Failpoint.AFTER_INSERT_ROWS,
    Failpoint.BEFORE_COMMIT,
    Failpoint.AFTER_COMMIT_BEFORE_ACK,
    Failpoint.AFTER_ACK,
)
OFTEN = (
    Failpoint.AFTER_INSERT_ROWS,
    Failpoint.BEFORE_COMMIT,
    Failpoint.AFTER_COMMIT_BEFORE_ACK,
    Failpoint.AFTER_ACK,
)
TIMES = (1, 3, 5)
KILLS = [(point, time) for point in POINTS for time in (TIMES if point in OFTEN else (1,))]


def lived(folder: Path, kill_at: str = "") -> int:
    """One life of the runner; its exit code."""
    command = [sys.executable, "-m", "tests.behaviour.killed_runner", str(folder)]
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "", **({ENVIRONMENT: kill_at} if kill_at else {})}
    return subprocess.run(command, cwd=ROOT, env=environment, timeout=BOUND_S, check=False).returncode


@pytest.mark.slow
@pytest.mark.requirement("KILL-runner")
@pytest.mark.parametrize(("point", "time"), KILLS, ids=[f"{point}-{time}" for point, time in KILLS])
async def test_a_run_outlives_its_process_killed_at_any_point(point: Failpoint, time: int, tmp_path: Path) -> None:
    """Promises 1, 5 and 8: dense indexes, nothing lost or doubled, a side effect at most once."""
    ended = lived(tmp_path, f"{point}:{time}")
    # How many commits a run takes depends on what grew into one; each point is met once at least.
    assert ended == -signal.SIGKILL or (time > 1 and ended == 0)
    assert lived(tmp_path) == 0
    async with Runner([agent_of(tmp_path)], store=f"sqlite:///{tmp_path / 'runs.db'}") as runner:
        (state,) = await runner.runs()
        view = await runner.get(state.run_id)
        records = [record async for record in runner.watch(state.run_id)]
    events = [record.event for record in records]
    assert check_stream(events) == []
    assert (view.state, view.text, view.answer) == (RunStatus.DONE, TEXT, ANSWER)
    paid = tmp_path / "paid"
    times_paid = len(paid.read_text(encoding="utf-8").splitlines()) if paid.exists() else 0
    told = [event.outcome.status for event in events if isinstance(event, ToolResult)]
    assert times_paid <= 1
    assert times_paid == 1 or "unknown" in told
