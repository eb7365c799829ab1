"""Turn results/*.jsonl into markdown tables. For an in-process key measured several times the row with the lowest
median is used: on a shared machine every disturbance only adds time. For HTTP rows it is the middle session."""

from __future__ import annotations

import json
import sys

import measure as M


def rows(layer: str) -> list[dict]:
    p = M.RESULTS / f"{layer}.jsonl"
    return [json.loads(x) for x in open(p)] if p.exists() else []


def best(rs, key, value):
    out: dict = {}
    for r in rs:
        v = value(r)
        if v is None:
            continue
        k = key(r)
        if k not in out or v < value(out[k]):
            out[k] = r
    return out


def middle(rs, key, value):
    """Several sessions of an HTTP row: the middle one. How fast the client reads changes what the server coalesces,
    so the cheapest session is not the truest."""
    groups: dict = {}
    for r in rs:
        groups.setdefault(key(r), []).append(r)
    out = {}
    for k, g in groups.items():
        g.sort(key=value)
        out[k] = g[(len(g) - 1) // 2]
    return out


def f(x, d=2):
    if x is None:
        return "–"
    if x >= 100:
        return f"{x:,.0f}"
    if x >= 10:
        return f"{x:.1f}"
    return f"{x:.{d}f}"


def table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(" --- " if i == 0 else " ---: " for i in range(len(head))) + "|")
    for x in lines:
        print("| " + " | ".join(str(c) for c in x) + " |")
    print()


def l1():
    rs = [r for r in rows("l1") if r["loop"] == "asyncio"]
    b = best(rs, lambda r: (r["contender"], r["workload"], r["n"]), lambda r: r["us_per_delta"]["median"])
    names = list(dict.fromkeys(r["contender"] for r in rs))
    get = lambda n, w, k=5000: b.get((n, w, k))
    med = lambda n, w, k=5000: (get(n, w, k) or {"us_per_delta": {"median": None}})["us_per_delta"]["median"]
    floor = med("floor:bare-model", "text")

    def ttfd(n, w):  # wall time, so the best session
        return min(
            (r["ttfd_ms"] for r in rs if (r["contender"], r["workload"], r["n"]) == (n, w, 5000) and r["ttfd_ms"]),
            default=None,
        )

    names.sort(key=lambda n: med(n, "text") or 1e9)
    out = []
    for n in names:
        t, y = med(n, "text"), med(n, "text+yield")
        if t is None:
            continue
        rt = get(n, "text")
        out.append(
            [
                n,
                f(t),
                f(rt["us_per_delta"]["min"]),
                f"{t / floor:,.1f}×",
                f(med(n, "tools")),
                f(med(n, "think")),
                f(y),
                f(ttfd(n, "text+yield")),
                f(ttfd(n, "text")),
            ]
        )
    table(
        [
            "contender",
            "text us/delta",
            "(min)",
            "× bare generator",
            "tools",
            "thinking",
            "text, yielding model",
            "TTFD yielding, ms",
            "TTFD busy model, ms",
        ],
        out,
    )
    out = []
    for n in names:
        r20, r100 = get(n, "rounds"), get(n, "rounds100")
        a = b.get((n, "text", 1000)), b.get((n, "text", 5000)), b.get((n, "text", 20000))
        o = get(n, "once")
        out.append(
            [
                n,
                *[f(x["us_per_delta"]["median"]) if x else "–" for x in a],
                f(o["us_per_delta"]["median"] / 1e3, 3) if o else "–",
                f(r20["ms_per_round"], 3) if r20 else "–",
                f(r100["ms_per_round"], 3) if r100 else "–",
            ]
        )
    table(
        [
            "contender",
            "N=1,000",
            "N=5,000",
            "N=20,000 us/delta",
            "ms per run of one delta",
            "ms per tool round (20)",
            "ms per tool round (100)",
        ],
        out,
    )
    p = {r["contender"]: r for r in rows("l1_profile") if r["workload"] == "text"}
    out = [
        [
            n,
            f(p[n]["calls_per_delta"], 1),
            f(p[n]["callbacks_per_delta"]),
            f(p[n]["tasks_per_delta"]),
            f(p[n]["peak_heap_bytes_per_delta"]),
            f(p[n]["peak_heap_bytes_per_delta_busy"]),
        ]
        for n in names
        if n in p
    ]
    table(
        [
            "contender",
            "Python calls per delta",
            "event-loop callbacks per delta",
            "tasks per delta",
            "peak heap, bytes per delta of a 5,000-delta run",
            "same, busy model",
        ],
        out,
    )


def l2():
    rs = rows("l2")
    b = best(
        [r for r in rs if "us_per_delta" in r],
        lambda r: (r["encoder"], r["workload"]),
        lambda r: r["us_per_delta"]["median"],
    )
    encs = sorted({k[0] for k in b}, key=lambda e: b[e, "text"]["us_per_delta"]["median"] if (e, "text") in b else 1e9)
    base = b["prototype AG-UI, frame by frame", "text"]["us_per_delta"]["median"]
    out = []
    for e in encs:
        g = lambda w: b[e, w]["us_per_delta"]["median"] if (e, w) in b else None
        out.append(
            [
                e,
                f(g("text")),
                f"{g('text') / base:,.1f}×" if g("text") else "–",
                f(g("think")),
                f(g("tools")),
                f(b[e, "text"]["bytes_per_delta"]) if (e, "text") in b else "–",
            ]
        )
    table(["encoder", "text us/delta", "× cached prefix", "thinking", "tools", "bytes/delta"], out)


def l3():
    rs = rows("l3")
    b = middle(
        rs,
        lambda r: (r["contender"], r["server"], r["workload"], r["streams"]),
        lambda r: r["cpu_us_per_delta"]["median"],
    )
    m = middle(rows("l3_mem"), lambda r: (r["contender"], r["server"]), lambda r: r["rss_per_stream"])
    keys = list(dict.fromkeys((r["contender"], r["server"]) for r in rs))
    out = []
    for c, s in keys:
        g = lambda w, n: b.get((c, s, w, n))
        one, hun, y1, y100 = g("text", 1), g("text", 100), g("text+yield", 1), g("text+yield", 100)
        mm = m.get((c, s))
        rate = max(
            (
                r["deltas_per_s"]["median"]
                for r in rs
                if (r["contender"], r["server"], r["workload"], r["streams"]) == (c, s, "text+yield", 1)
            ),
            default=None,
        )
        out.append(
            [
                c,
                s,
                f(rate),
                f(one["cpu_us_per_delta"]["median"]),
                f(y1["cpu_us_per_delta"]["median"] if y1 else None),
                f(hun["cpu_us_per_delta"]["median"] if hun else None),
                f(y100["cpu_us_per_delta"]["median"] if y100 else None),
                f(y1["ttfd_ms"]["median"] if y1 else None),
                f(mm["rss_per_stream"] / 1024 if mm else None),
                f(mm["cpu_ms_per_open"] if mm else None),
            ]
        )
    table(
        [
            "contender",
            "server",
            "deltas/s, 1 stream, yielding",
            "CPU us/delta 1 stream",
            "same, yielding",
            "CPU s per 1M deltas, 100 streams",
            "same, yielding",
            "TTFD ms",
            "KiB per open idle stream",
            "CPU ms to open + first delta",
        ],
        out,
    )


def l4():
    rs = rows("l4")
    names = list(dict.fromkeys(r["filter"] for r in rs))
    out = []
    for n in names:
        mine = [r for r in rs if r["filter"] == n]
        g = lambda c: min(
            (r["ns_per_chunk"]["median"] for r in mine if r["case"] == "tag-free" and r["chunk"] == c), default=None
        )
        h = min((r["ns_per_chunk"]["median"] for r in mine if r["case"].startswith("html")), default=None)
        u = lambda kb: min(
            (r["seconds"] for r in mine if r["case"] == "unterminated" and r["kib"] == kb and r["seconds"]),
            default=None,
        )
        est = min(
            (
                r.get("estimate_s")
                for r in mine
                if r["case"] == "unterminated" and r["kib"] == 1024 and r.get("estimate_s")
            ),
            default=None,
        )
        big = u(1024)
        out.append(
            [
                n,
                f(g(1)),
                f(g(12)),
                f(12e3 / g(12)) if g(12) else "–",
                f(g(200)),
                f(h),
                f(u(16), 4),
                f(u(64), 4),
                f(u(256), 3),
                f(big, 3) if big else (f"≈{est:,.0f}" if est else "–"),
            ]
        )
    table(
        [
            "filter",
            "ns/chunk of 1",
            "of 12",
            "M chars/s at 12",
            "of 200",
            "near-miss, 12",
            "unterminated 16 KiB, s",
            "64 KiB",
            "256 KiB",
            "1 MiB",
        ],
        out,
    )


def limits():
    b = best(rows("limits_cpu"), lambda r: (r["group"], r["name"]), lambda r: r["ns"]["median"])
    for g in ("iterate", "object", "encode", "scan"):
        print(f"### {g}\n")
        table(
            ["what", "ns median", "ns min"],
            [
                [k[1] + (f" ({v['note']})" if v["note"] else ""), f(v["ns"]["median"]), f(v["ns"]["min"])]
                for k, v in b.items()
                if k[0] == g
            ],
        )
    rs = rows("limits_http")
    b = middle(
        rs, lambda r: (r["server"], r["streams"], r["per_send"], r["sleep0"]), lambda r: r["cpu_us_per_frame"]["median"]
    )
    top = middle(
        rs, lambda r: (r["server"], r["streams"], r["per_send"], r["sleep0"]), lambda r: -r["frames_per_s"]["median"]
    )
    mem = middle(rows("limits_http_mem"), lambda r: r["server"], lambda r: r["rss_per_idle_stream"])
    print("### http\n")
    table(
        ["server", "streams", "frames per send", "model yields", "frames/s", "CPU us/frame"],
        [
            [
                k[0],
                k[1],
                k[2],
                "yes" if k[3] else "no",
                f(top[k]["frames_per_s"]["median"]),
                f(v["cpu_us_per_frame"]["median"]),
            ]
            for k, v in b.items()
        ],
    )
    table(
        ["server", "KiB RSS per open idle stream (1,000 raw ASGI streams)"],
        [[k, f(v["rss_per_idle_stream"] / 1024)] for k, v in mem.items()],
    )
    b = best(rows("limits_persist"), lambda r: (r["store"], r["mode"], r["batch"]), lambda r: -r["events_per_s"])
    print("### persist\n")
    table(
        ["store", "mode", "events per commit", "events/s", "client CPU us/event", "commit p50 ms", "p99 ms"],
        [
            [
                *k,
                f(v["events_per_s"]),
                f(v["client_cpu_us_per_event"]),
                f(v["commit_ms_median"], 3),
                f(v["commit_ms_p99"], 3),
            ]
            for k, v in b.items()
        ],
    )
    b = best(rows("limits_memory"), lambda r: r["name"], lambda r: r["full_gc_ms"])
    print("### memory\n")
    table(
        ["kept as", "bytes per delta", "full GC ms with 500,000 kept"],
        [[k, f(v["bytes_per_delta"]), f(v["full_gc_ms"])] for k, v in b.items()],
    )
    b = best(rows("limits_provider"), lambda r: r["name"], lambda r: r["us_per_delta"]["median"])
    print("### provider\n")
    table(["provider bytes -> delta", "us/delta"], [[k, f(v["us_per_delta"]["median"])] for k, v in b.items()])


if __name__ == "__main__":
    for s in sys.argv[1:] or ["l1", "l2", "l3", "l4", "limits"]:
        print(f"## {s}\n")
        globals()[s]()
