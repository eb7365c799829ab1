"""L2: native events -> wire bytes. The events of one real L1 run are collected first, untimed;
then each encoder turns that list into frames. CPU per text/thinking delta and bytes per delta."""

from __future__ import annotations

import argparse
import asyncio
import inspect

import contender as C
import measure as M
import workload as W
from l1_loop import collect


async def eat_async(it) -> int:
    n = 0
    async for f in it:
        n += len(f)
    return n


def eat(it) -> int:
    n = 0
    for f in it:
        n += len(f)
    return n


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--only", required=True)
    p.add_argument("--api", default="")
    p.add_argument("--workloads", default="text,think,tools")
    p.add_argument("--n", type=int, default=5000)
    p.add_argument("--runs", type=int, default=7)
    a = p.parse_args()
    loop = asyncio.Runner()
    for c in C.load(a.only.split(",")):
        if a.api not in c.name or not C.has(c, "encoders"):
            continue
        for wname in a.workloads.split(","):
            script = W.build(wname, a.n)
            encs = c.encoders()
            if not encs or not c.supports(script):
                continue
            events = loop.run(collect(c, script))
            for name, make in encs.items():
                box = {}

                def once(make=make, box=box):
                    it = make(events)
                    if inspect.isasyncgen(it) or hasattr(it, "__aiter__"):
                        box["n"] = loop.run(eat_async(it))
                    else:
                        box["n"] = eat(it)

                try:
                    cpu, _ = M.cpu_runs(once, runs=a.runs, warm=1)
                except Exception as e:  # an encoder that cannot serialise this workload is a finding, not a crash
                    print(f"{c.name:26s} {name:44s} {wname:6s} FAILED {type(e).__name__}: {str(e)[:90]}", flush=True)
                    M.record("l2", {"contender": c.name, "encoder": name, "workload": wname, "error": repr(e)[:200]})
                    continue
                s = M.stats([x / script.n * 1e6 for x in cpu])
                M.record(
                    "l2",
                    {
                        "contender": c.name,
                        "encoder": name,
                        "versions": M.versions(c.dists),
                        "workload": wname,
                        "n": a.n,
                        "us_per_delta": s,
                        "bytes_per_delta": box["n"] / script.n,
                        "cal_ns": M.calibrate(),
                    },
                )
                print(
                    f"{c.name:26s} {name:44s} {wname:6s} {s['median']:8.2f} us/delta (min {s['min']:.2f})"
                    f" {box['n'] / script.n:6.0f} B/delta",
                    flush=True,
                )


if __name__ == "__main__":
    main()
