"""L4: stream text filters. Characters per CPU second, and the scaling of an unterminated block."""

from __future__ import annotations

import argparse
import gc
import time

import contender as C
import measure as M
import workload as W


def text_of(n: int) -> str:
    t = "".join(W.deltas(n // 8 + 1000))
    return (t * (n // len(t) + 1))[:n]


def feed_all(make, chunks) -> tuple[float, str]:
    gc.collect()
    f = make()
    feed = f.feed
    out = []
    c = time.process_time()
    for x in chunks:
        out.append(feed(x))
    out.append(f.flush())
    return time.process_time() - c, "".join(filter(None, out))  # a filter that holds all may say so by None


def chop(t: str, size: int) -> list[str]:
    return [t[i : i + size] for i in range(0, len(t), size)]


OPENERS = {"ExtractionFilter": "<MEMORY_EXTRACT>", "CitationFilter": "[semantic ", "think": "<think>"}


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--only", required=True)
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--chars", type=int, default=1_000_000)
    p.add_argument("--budget", type=float, default=120.0, help="seconds allowed for the largest unterminated block")
    a = p.parse_args()
    for c in C.load(a.only.split(",")):
        if not C.has(c, "filters"):
            continue
        for name, make in c.filters().items():
            clean = text_of(a.chars)
            for size in (1, 12, 200):
                chunks = chop(clean, size)
                runs = [feed_all(make, chunks) for _ in range(a.runs)]
                ok = runs[0][1] == clean
                s = M.stats([r[0] / len(chunks) * 1e9 for r in runs])
                cps = a.chars / M.stats([r[0] for r in runs])["median"]
                M.record(
                    "l4",
                    {
                        "contender": c.name,
                        "filter": name,
                        "case": "tag-free",
                        "chunk": size,
                        "ns_per_chunk": s,
                        "chars_per_s": cps,
                        "lossless": ok,
                        "versions": M.versions(c.dists),
                    },
                )
                print(
                    f"{name:40s} tag-free chunk={size:4d} {s['median']:9.0f} ns/chunk {cps / 1e6:9.2f} M chars/s lossless={ok}",
                    flush=True,
                )
            near = text_of(a.chars // 4).replace(" ", " <b> [1] ", 20_000)
            chunks = chop(near, 12)
            runs = [feed_all(make, chunks) for _ in range(3)]
            s = M.stats([r[0] / len(chunks) * 1e9 for r in runs])
            M.record(
                "l4",
                {
                    "contender": c.name,
                    "filter": name,
                    "case": "html-like '<b> [1]'",
                    "chunk": 12,
                    "ns_per_chunk": s,
                    "chars_per_s": len(near) / M.stats([r[0] for r in runs])["median"],
                    "lossless": runs[0][1] == near,
                },
            )
            print(
                f"{name:40s} near-miss chunk=12 {s['median']:9.0f} ns/chunk lossless={runs[0][1] == near}", flush=True
            )
            opener = getattr(make, "opener", None) or next(
                (o for k, o in OPENERS.items() if k in name), "<MEMORY_EXTRACT>"
            )
            spent = 0.0
            for kb in (16, 64, 256, 1024):
                if spent * 16 > a.budget:
                    print(f"{name:40s} unterminated {kb} KiB skipped: would take about {spent * 16:.0f} s", flush=True)
                    M.record(
                        "l4",
                        {
                            "contender": c.name,
                            "filter": name,
                            "case": "unterminated",
                            "kib": kb,
                            "seconds": None,
                            "estimate_s": spent * 16,
                        },
                    )
                    spent *= 16
                    continue
                chunks = chop(opener + text_of(kb * 1024), 12)
                spent, _ = feed_all(make, chunks)
                M.record(
                    "l4",
                    {
                        "contender": c.name,
                        "filter": name,
                        "case": "unterminated",
                        "kib": kb,
                        "seconds": spent,
                        "us_per_chunk": spent / len(chunks) * 1e6,
                    },
                )
                print(
                    f"{name:40s} unterminated {kb:5d} KiB {spent:9.3f} s {spent / len(chunks) * 1e6:9.2f} us/chunk",
                    flush=True,
                )


if __name__ == "__main__":
    main()
