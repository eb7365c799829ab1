"""L3: the whole HTTP leg. Starts the contender's ASGI app in its own virtual environment and reads it over loopback.

python l3_http.py --contender prototype:log --python PATH --server uvicorn
PERF_CONTENDER is MODULE or MODULE:SUBSTRING-OF-NAME."""

from __future__ import annotations

import argparse
import sys

import httpkit as H
import measure as M
import workload as W

MARK = W.deltas(1)[0].strip().encode()


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--contender", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--server", default="uvicorn")
    p.add_argument("--path", default="/run")
    p.add_argument("--label", default="")
    p.add_argument("--n", type=int, default=5000)
    p.add_argument("--n100", type=int, default=300)
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--hold", type=int, default=1000)
    p.add_argument("--skip", default="")
    a = p.parse_args()
    label = a.label or a.contender
    base_row = {"contender": label, "server": a.server}
    with H.Server(a.server, "l3_app:app", a.python, {"PERF_CONTENDER": a.contender}) as s:
        for wname in ("text", "text+yield"):
            url = f"{a.path}?script={wname.replace('+', '%2B')}"
            H.drive(s.port, f"{url}&n=200", 1, MARK, b"data:")
            rates, cpus, ttf, rec = [], [], [], []
            H.drive(s.port, f"{url}&n={a.n}", 1, MARK, b"data:")
            for _ in range(a.runs):
                c = s.cpu()
                r = H.drive(s.port, f"{url}&n={a.n}", 1, MARK, b"data:")
                rates.append(a.n / r["wall"])
                cpus.append((s.cpu() - c) / a.n * 1e6)
                ttf.append(r["ttfd"] * 1e3)
                rec.append(r["recvs"])
            frames, head, nbytes = r["frames"], r["head"], r["bytes"]
            row = {
                **base_row,
                "workload": wname,
                "streams": 1,
                "n": a.n,
                "deltas_per_s": M.stats(rates),
                "cpu_us_per_delta": M.stats(cpus),
                "ttfd_ms": M.stats(ttf),
                "frames": frames,
                "bytes": nbytes,
                "status": head,
            }
            M.record("l3", row)
            print(
                f"{label:28s} {a.server:10s} {wname:11s} 1 stream   {row['deltas_per_s']['median']:10,.0f} deltas/s"
                f" {row['cpu_us_per_delta']['median']:8.2f} us CPU/delta  ttfd {row['ttfd_ms']['median']:.2f} ms"
                f" frames={frames} bytes/delta={nbytes / a.n:.0f} recvs={rec[-1]} {head}",
                flush=True,
            )
            rates, cpus, ttf = [], [], []
            for _ in range(max(3, a.runs - 2)):
                c = s.cpu()
                r = H.drive(s.port, f"{url}&n={a.n100}", 100, MARK, b"data:")
                tot = a.n100 * 100
                rates.append(tot / r["wall"])
                cpus.append((s.cpu() - c) / tot * 1e6)
                ttf.append(r["ttfd"] * 1e3)
                if r["wall"] > 15:
                    break
            row = {
                **base_row,
                "workload": wname,
                "streams": 100,
                "n": a.n100,
                "deltas_per_s": M.stats(rates),
                "cpu_us_per_delta": M.stats(cpus),
                "ttfd_ms": M.stats(ttf),
                "frames": r["frames"],
            }
            M.record("l3", row)
            print(
                f"{label:28s} {a.server:10s} {wname:11s} 100 streams {row['deltas_per_s']['median']:9,.0f} deltas/s"
                f" {row['cpu_us_per_delta']['median']:8.2f} us CPU/delta  ttfd {row['ttfd_ms']['median']:.1f} ms"
                f" = {row['cpu_us_per_delta']['median']:.1f} CPU s per 1M deltas frames={r['frames']}",
                flush=True,
            )
        if a.hold and "hold" not in a.skip:
            url = f"{a.path}?script=text&n=50&gate=1"
            H.hold(s.port, url, 50, MARK)
            base = s.rss()
            c0 = s.cpu()
            socks = H.hold(s.port, url, a.hold, MARK)
            per = (s.rss() - base) / a.hold
            cpu = (s.cpu() - c0) / a.hold * 1e3
            M.record(
                "l3_mem",
                {**base_row, "streams": a.hold, "rss_per_stream": per, "cpu_ms_per_open": cpu, "base_rss": base},
            )
            print(
                f"{label:28s} {a.server:10s} RSS per open idle stream {per / 1024:8.1f} KiB over {a.hold} (base {base / 2**20:.0f} MiB),"
                f" {cpu:.2f} ms CPU to open one and deliver its first delta",
                flush=True,
            )
            for x in socks:
                x.close()


if __name__ == "__main__":
    main()
