"""The bench is the project's own: its gate is linted, its record is there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"

# What the gate runs is held to ruff; the record's own scripts stay as they were when its rows were measured.
GATE = [
    "contender.py", "contenders/__init__.py", "contenders/floor.py", "contenders/treadle_.py", "counters.py",
    "fast_filter.py", "gate.py", "http_apps.py", "http_asking.py", "http_gate.py", "http_load.py", "http_races.py",
    "measure.py", "provider_floor.py", "races.py", "verdicts.py", "workload.py",
]  # fmt: skip


def test_what_the_gate_runs_passes_ruff() -> None:
    """Ours: the folder as a whole is left out of the linter for the sake of the record; the gate is not."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--ignore", "INP001,T201", *(str(BENCH / name) for name in GATE)],
        cwd=BENCH.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_every_row_of_the_record_can_be_read() -> None:
    """Ours: a baseline that cannot be read is none."""
    files = sorted((BENCH / "results").glob("*.jsonl"))
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert {"l1", "l1_profile", "l2", "l3", "l4"} <= {row["layer"] for row in rows} <= {path.stem for path in files}
