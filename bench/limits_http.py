"""Physical limit of the HTTP leg: prebuilt frames through each server. Frames/s and CPU us per frame."""

from __future__ import annotations

import argparse

import httpkit as H
import measure as M

MARK, SEP = b"agent reader", b"\n\n"


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--servers", default="protocol,uvicorn,uvicorn-h11,uvicorn-asyncio,granian,hypercorn")
    p.add_argument("--runs", type=int, default=5)
    a = p.parse_args()
    for kind in a.servers.split(","):
        with H.Server(kind, "limits_asgi:app") as s:
            for streams, n in ((1, 20_000), (100, 1_000)):
                for k, y in ((1, 0), (1, 1), (4, 0), (16, 0), (64, 0)):
                    path = f"/run?n={n}&k={k}&y={y}"
                    H.drive(s.port, path, min(streams, 5), MARK, b"}\n\n")
                    rates, cpus, ttf = [], [], []
                    for _ in range(a.runs):
                        c = s.cpu()
                        r = H.drive(s.port, path, streams, MARK, b"}\n\n")
                        cpus.append((s.cpu() - c) / (streams * n) * 1e6)
                        rates.append(streams * n / r["wall"])
                        ttf.append(r["ttfd"] * 1e3)
                        want = streams * (n // k) * k
                        assert r["frames"] == want, (r, want)
                    row = {
                        "server": kind,
                        "streams": streams,
                        "per_send": k,
                        "sleep0": bool(y),
                        "n": n,
                        "frames_per_s": M.stats(rates),
                        "cpu_us_per_frame": M.stats(cpus),
                        "ttfd_ms": M.stats(ttf)["median"],
                        "versions": M.versions(("uvicorn", "httptools", "uvloop", "granian", "hypercorn", "h11")),
                    }
                    M.record("limits_http", row)
                    print(
                        f"{kind:16s} streams={streams:4d} per_send={k:3d} sleep0={y} {row['frames_per_s']['median']:12,.0f} frames/s"
                        f" {row['cpu_us_per_frame']['median']:8.2f} us CPU/frame  ttf={row['ttfd_ms']:.2f} ms",
                        flush=True,
                    )
            if kind != "protocol":
                base = s.rss()
                H.hold(s.port, "/run?n=10&gate=1", 50, MARK)
                base = s.rss()
                socks = H.hold(s.port, "/run?n=10&gate=1", 1000, MARK)
                per = (s.rss() - base) / 1000
                M.record("limits_http_mem", {"server": kind, "rss_per_idle_stream": per})
                print(f"{kind:16s} RSS per open idle stream {per / 1024:.1f} KiB", flush=True)
                for x in socks:
                    x.close()


if __name__ == "__main__":
    main()
