"""CPU time, its statistics, and the rows of the record."""

from __future__ import annotations

import gc
import importlib.metadata as md
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

RESULTS = Path(os.environ.get("PERF_RESULTS", Path(__file__).parent / "results"))


def stats(values: Iterable[float]) -> dict[str, float]:
    """Median, least and most of some runs."""
    xs = sorted(values)
    return {"median": statistics.median(xs), "min": xs[0], "max": xs[-1], "runs": len(xs)}


def cpu_runs(fn: Callable[[], object], *, runs: int = 7, warm: int = 2) -> tuple[list[float], list[float]]:
    """CPU and wall seconds of `runs` calls after `warm` unmeasured ones. The garbage collector is as it always is."""
    for _ in range(warm):
        fn()
    cpu, wall = [], []
    for _ in range(runs):
        gc.collect()
        w, c = time.perf_counter(), time.process_time()
        fn()
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - w)
    return cpu, wall


def versions(names: tuple[str, ...]) -> dict[str, str]:
    """The installed versions of some distributions."""
    out = {}
    for name in names:
        try:
            out[name] = md.version(name)
        except md.PackageNotFoundError:
            out[name] = "-"
    return out


def env() -> dict[str, object]:
    """What a row says of the machine."""
    return {
        "python": platform.python_version(),
        "impl": sys.implementation.name,
        "load1": round(os.getloadavg()[0], 2),
        "cpus": os.cpu_count(),
    }


def record(layer: str, row: dict[str, object]) -> None:
    """Append a row."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    row = {"layer": layer, **env(), **row}
    with (RESULTS / f"{layer}.jsonl").open("a") as f:
        f.write(json.dumps(row) + "\n")


def calibrate(seconds: float = 0.3) -> float:
    """Nanoseconds an iteration of a fixed loop takes: how fast the machine is right now."""

    def once() -> float:
        c = time.process_time()
        x = 0
        for i in range(1_000_000):
            x += i & 7
        return (time.process_time() - c) * 1e3

    return min(once() for _ in range(max(3, int(seconds / 0.05))))
