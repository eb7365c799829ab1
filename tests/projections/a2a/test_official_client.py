"""The official SDK, on runs that could have happened: it reads every frame, and folds to the task that is stored."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.projections.a2a.task_folds import segments, telling, token_of, told
from tests.projections.legal_logs import legal_run
from tests.projections.soaking import laps
from treadle.projections.a2a.wire import Shape
from treadle.values.exposure import OPAQUE, UI

SCRIPT = Path(__file__).parents[3] / "conformance" / "verify_a2a.py"
RUNS = 100
LONGEST_S = 600


def sdk_python() -> Path | None:
    """A Python that has the SDK: below TREADLE_CLIENTS, or the newest that `treadle conformance` has installed."""
    named = os.environ.get("TREADLE_CLIENTS")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "treadle"
    folders = [Path(named)] if named else sorted(cache.glob("conformance-*"), key=lambda path: path.stat().st_mtime)
    environment = f"python{sys.version_info[0]}{sys.version_info[1]}"
    usable = [
        folder / environment / "bin" / "python"
        for folder in folders
        if any((folder / environment).glob("lib/*/site-packages/a2a/types"))
    ]
    return usable[-1] if usable else None


PYTHON = sdk_python()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        PYTHON is None,
        reason="platform: the official SDK is not installed here (TREADLE_CLIENTS, or `treadle conformance a2a`)",
    ),
]


def cases(seed: int) -> list[dict[str, Any]]:
    """Every segment of one run, in every form."""
    run = legal_run(seed)
    made = []
    for shape in Shape:
        for exposure, details in ((OPAQUE, False), (UI, True)):
            for after in segments(run.events):
                how = telling(shape, details=details, after=after, token_of=token_of)
                frames, task = told(run.stretches, how, exposure)
                made.append(
                    {"shape": shape.value, "frames": [*map(json.loads, frames)], "task": json.loads(task.task())}
                )
    return made


def problems(first: int, count: int) -> list[str]:
    """What the SDK finds wrong with so many runs."""
    assert PYTHON is not None
    said = [(seed, case) for seed in range(first, first + count) for case in cases(seed)]
    ran = subprocess.run(
        [str(PYTHON), str(SCRIPT)],
        input="".join(f"{json.dumps(case)}\n" for _, case in said),
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=True,
    )
    found = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(found) == len(said)
    return [f"run {seed}, {case['shape']}: {one}" for (seed, case), one in zip(said, found, strict=True) if one]


@pytest.mark.requirement("A2A-fold", "D31", "D32")
def test_the_sdk_folds_our_frames_to_the_task_that_is_stored() -> None:
    """Promise 14: the official client's own fold, over generated runs, in both versions and over both bindings."""
    assert problems(0, RUNS) == []


@pytest.mark.soak
def test_the_sdk_folds_thousands_of_runs() -> None:
    """Promise 14, at length."""
    for seeds in laps(RUNS):
        assert problems(seeds.start, len(seeds)) == []


def test_the_script_finds_what_is_wrong() -> None:
    """Ours: a judge that finds nothing has to be able to."""
    (case, *_) = cases(3)
    assert PYTHON is not None
    broken = {**case, "frames": case["frames"][1:]}
    other = {**case, "task": {**case["task"], "status": {"state": "TASK_STATE_WORKING"}}}
    ran = subprocess.run(
        [str(PYTHON), str(SCRIPT)],
        input="".join(f"{json.dumps(one)}\n" for one in (case, broken, other)),
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=True,
    )
    fine, *wrong = (json.loads(line) for line in ran.stdout.splitlines())
    assert fine is None
    assert all(wrong)
