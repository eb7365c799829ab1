"""L1: agent loop -> native events. CPU per delta, in-process, warm."""

from __future__ import annotations

import argparse
import asyncio
import time

import contender as C
import measure as M
import workload as W


async def drain(c: C.Contender, script: W.Script) -> None:
    async for _ in c.run(script):
        pass


async def collect(c: C.Contender, script: W.Script) -> list[object]:
    return [e async for e in c.run(script)]


async def first(c: C.Contender, script: W.Script) -> float:
    t = time.perf_counter()
    dt = 0.0
    async for e in c.run(script):  # drained, so that no contender's early-close path is involved
        if not dt and c.text_of(e):
            dt = time.perf_counter() - t
    return dt


def check(runner, c: C.Contender, script: W.Script) -> dict[str, object]:
    ev = runner(collect(c, script))
    text = "".join(t for e in ev if (t := c.text_of(e)))
    thought = "".join(t for e in ev if (t := c.thought_of(e)))
    return {
        "events": len(ev),
        "text_ok": text == script.text,
        "thought_ok": thought == script.thought,
        "text_events": sum(1 for e in ev if c.text_of(e)),
    }


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--only", required=True, help="comma separated modules in contenders/")
    p.add_argument("--api", default="", help="substring filter on the contender's name")
    p.add_argument("--workloads", default="text,tools,think,text+yield")
    p.add_argument("--n", type=int, default=5000)
    p.add_argument("--scale", action="store_true", help="also N/5 and 4N on text, to see super-linear cost")
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--uvloop", action="store_true")
    a = p.parse_args()
    factory = None
    if a.uvloop:
        import uvloop

        factory = uvloop.new_event_loop
    loop = asyncio.Runner(loop_factory=factory)  # one loop for all runs: its creation is not the contender's cost
    runner = loop.run
    for c in C.load(a.only.split(",")):
        if a.api not in c.name:
            continue
        jobs = [(w, a.n) for w in a.workloads.split(",")]
        if a.scale:
            jobs += [("text", a.n // 5), ("text", a.n * 4)]
        for wname, n in jobs:
            script = W.build(wname, n)
            if not c.supports(script):
                continue
            ok = check(runner, c, script)
            cal = M.calibrate()
            once = wname == "once"
            cpu, wall = M.cpu_runs(lambda: runner(drain(c, script)), runs=31 if once else a.runs, warm=5 if once else 1)
            ttfd = [runner(first(c, script)) for _ in range(5)] if wname.startswith("text") else []
            s = M.stats([x / script.n * 1e6 for x in cpu])
            row = {
                "contender": c.name,
                "api": c.api,
                "versions": M.versions(c.dists),
                "workload": wname,
                "n": n,
                "us_per_delta": s,
                "calls": script.calls,
                "ms_per_round": s["median"] * script.n / 1e3 / script.calls if wname.startswith("rounds") else None,
                "wall_us_per_delta": M.stats([x / script.n * 1e6 for x in wall])["median"],
                "ttfd_ms": round(M.stats(ttfd)["median"] * 1e3, 3) if ttfd else None,
                "loop": "uvloop" if a.uvloop else "asyncio",
                "cal_ns": cal,
                **ok,
            }
            M.record("l1", row)
            if once:
                print(f"{c.name:34s} one whole run of one delta {s['median'] / 1e3:8.3f} ms CPU", flush=True)
                continue
            if row["ms_per_round"]:
                print(
                    f"{c.name:34s} {wname:11s} {row['ms_per_round']:8.3f} ms per tool round text_ok={ok['text_ok']}",
                    flush=True,
                )
                continue
            print(
                f"{c.name:34s} {wname:11s} n={n:6d} {s['median']:9.2f} us/delta (min {s['min']:.2f} max {s['max']:.2f})"
                f" ev={ok['events']} text_ok={ok['text_ok']} thought_ok={ok['thought_ok']}"
                f" ttfd={row['ttfd_ms']}ms cal={cal:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
