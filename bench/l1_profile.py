"""Why a contender costs what it costs at L1: Python calls, event-loop callbacks and tasks per delta (text, N=2000), peak heap of a run of 5,000."""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import gc
import pstats
import tracemalloc

import contender as C
import measure as M
import workload as W
from l1_loop import drain


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--only", required=True)
    p.add_argument("--api", default="")
    p.add_argument("--n", type=int, default=2000)
    p.add_argument("--top", type=int, default=8)
    p.add_argument("--workload", default="text")
    a = p.parse_args()
    r = asyncio.Runner()
    for c in C.load(a.only.split(",")):
        if a.api not in c.name:
            continue
        script = W.build(a.workload, a.n)
        r.run(drain(c, script))
        count = {"cb": 0, "task": 0}
        loop = r.get_loop()
        real = asyncio.events.Handle._run
        real_ct = loop.create_task

        def run(self, real=real):
            count["cb"] += 1
            return real(self)

        def ct(*x, **k):
            count["task"] += 1
            return real_ct(*x, **k)

        asyncio.events.Handle._run = run
        loop.create_task = ct
        r.run(drain(c, script))
        asyncio.events.Handle._run = real
        del loop.create_task
        heap = {}
        for w in ("text", "text+yield"):
            sc = W.build(w, 5000)
            r.run(drain(c, sc))
            gc.collect()
            tracemalloc.start()
            r.run(drain(c, sc))
            heap[w] = tracemalloc.get_traced_memory()[1] / sc.n
            tracemalloc.stop()
        pr = cProfile.Profile()
        pr.enable()
        r.run(drain(c, script))
        pr.disable()
        st = pstats.Stats(pr)
        row = {
            "contender": c.name,
            "workload": a.workload,
            "calls_per_delta": st.total_calls / script.n,
            "callbacks_per_delta": count["cb"] / script.n,
            "tasks_per_delta": count["task"] / script.n,
            "peak_heap_bytes_per_delta": heap["text+yield"],
            "peak_heap_bytes_per_delta_busy": heap["text"],
        }
        top = sorted(st.stats.items(), key=lambda kv: -kv[1][2])[: a.top]

        def short(path):  # no machine path in a result file
            tail = path.split("site-packages/")[-1]
            return tail if tail != path else "/".join(path.split("/")[-2:])

        row["top"] = [
            f"{short(k[0])}:{k[1]}:{k[2]} calls/delta={v[1] / script.n:.1f} share={v[2] / st.total_tt:.0%}"
            for k, v in top
        ]
        M.record("l1_profile", row)
        print(
            f"{c.name}: {row['calls_per_delta']:.1f} calls, {row['callbacks_per_delta']:.2f} loop callbacks,"
            f" {row['tasks_per_delta']:.2f} tasks per delta; peak heap {heap['text+yield']:.0f} B/delta yielding, {heap['text']:.0f} busy"
        )
        for t in row["top"]:
            print("    ", t)


if __name__ == "__main__":
    main()
