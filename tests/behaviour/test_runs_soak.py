"""Five hundred runs at once, read by people who come and go, and what is left of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.behaviour.many_runs import PROC

ROOT = Path(__file__).resolve().parents[2]
GROWTH = 1.25
ALLOCATOR = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
"""Gives back what is free, whichever thread it was of."""
BOUND_S = 600.0


@pytest.mark.soak
@pytest.mark.requirement("RUNNER-many")
@pytest.mark.skipif(not (PROC / "statm").exists(), reason="platform: memory and descriptors are read from /proc")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_hundreds_of_runs_at_once_leave_nothing_behind(kind: str, tmp_path: Path) -> None:
    """Ours: every reader's events are the log; no task, no descriptor and no memory stays after fifty warmed it up."""
    command = [sys.executable, "-m", "tests.behaviour.many_runs", kind, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **ALLOCATOR}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, timeout=BOUND_S, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    begun, hot = told["begun"], told["hot"]
    assert (hot["tasks"], hot["descriptors"]) == (begun["tasks"], begun["descriptors"])
    grown = hot["rss_bytes"] / told["warm"]["rss_bytes"]
    assert grown <= GROWTH, f"{grown:.2f} times the memory of the warm-up"
