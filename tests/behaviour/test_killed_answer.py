"""A process that is killed with -9 at every point between an answer and the next model call."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour.answers import problems_of
from tests.behaviour.killed_answer import agent_of
from treadle import Runner
from treadle.runtime.failpoints import Failpoint
from treadle.testing.failpoints import ENVIRONMENT
from treadle.values.events import Resumed, ToolResult
from treadle.values.facts import DecisionKept
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus
from treadle.values.stretches import entries_of

ROOT = Path(__file__).resolve().parents[2]
BOUND_S = 60.0
# How often the points of the store are met depends on what grew into one commit; each of the others is met once.
OF_THE_STORE = (
    Failpoint.BEFORE_BEGIN,
    Failpoint.AFTER_INSERT_ROWS,
    Failpoint.BEFORE_COMMIT,
    Failpoint.AFTER_COMMIT_BEFORE_ACK,
    Failpoint.AFTER_ACK,
)
OF_AN_ANSWER = (
    Failpoint.ANSWER_BEFORE_SEND,
    Failpoint.SEND_BEFORE_COMMIT,
    Failpoint.ANSWER_AFTER_SEND,
    Failpoint.CLAIM_AFTER_UPDATE,
    Failpoint.ANSWER_HEARD,
    Failpoint.CALL_BEFORE_TOOL,
    Failpoint.CALL_AFTER_TOOL,
    Failpoint.BEFORE_MODEL_CALL,
)
KILLS = [(point, 1) for point in OF_AN_ANSWER] + [(point, time) for point in OF_THE_STORE for time in range(1, 7)]


def lived(folder: Path, kill_at: str = "") -> int:
    """One life of the process; its exit code."""
    command = [sys.executable, "-m", "tests.behaviour.killed_answer", str(folder)]
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": "", **({ENVIRONMENT: kill_at} if kill_at else {})}
    return subprocess.run(command, cwd=ROOT, env=environment, timeout=BOUND_S, check=False).returncode


@pytest.mark.slow
@pytest.mark.requirement("KILL-answer")
@pytest.mark.parametrize(("point", "time"), KILLS, ids=[f"{point}-{time}" for point, time in KILLS])
async def test_an_approved_tool_runs_at_most_once_wherever_its_process_dies(
    point: Failpoint, time: int, tmp_path: Path
) -> None:
    """Promises 7 and 8: at most once, else its outcome is `unknown` and said so; the approval is not lost."""
    assert lived(tmp_path) == 0
    ended = lived(tmp_path, f"{point}:{time}")
    assert ended == -signal.SIGKILL or (time > 1 and ended == 0)
    assert lived(tmp_path) == 0
    async with Runner([agent_of(tmp_path)], store=f"sqlite:///{tmp_path / 'runs.db'}") as runner:
        (state,) = await runner.runs()
        view = await runner.get(state.run_id)
        events = [record.event async for record in runner.watch(state.run_id)]
        stretches = await runner.store.read("default", RunId(state.run_id), -1, limit=10_000)
    assert problems_of(events) == []
    assert (view.state, view.text) == (RunStatus.DONE, "May I?You paid.")
    paid = tmp_path / "paid"
    times_paid = len(paid.read_text(encoding="utf-8").splitlines()) if paid.exists() else 0
    (status,) = [event.outcome.status.value for event in events if isinstance(event, ToolResult)]
    assert (times_paid, status) in [(1, "ok"), (1, "unknown"), (0, "unknown")]
    settled = [[one.settlement.value for one in event.resolutions] for event in events if isinstance(event, Resumed)]
    assert settled == [["answered"]]
    decided = [entry.by for entry in entries_of(stretches, RunId(state.run_id)) if isinstance(entry, DecisionKept)]
    assert decided == ["ann"]
    if point in (Failpoint.CALL_AFTER_TOOL, Failpoint.CALL_BEFORE_TOOL):
        assert status == "unknown"
    if point in (Failpoint.BEFORE_MODEL_CALL, *OF_AN_ANSWER[:5]):
        assert (times_paid, status) == (1, "ok")
