"""Physical limit of appending events: sqlite WAL, PostgreSQL, Redis. Wall and client CPU per event.

PostgreSQL and Redis are measured only when PERF_PG_DSN / PERF_REDIS_PORT are set (see README).
Events are ~150-byte JSON rows keyed (run, seq)."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import tempfile
import time

import measure as M


def rows(n: int, run: str, lo: int = 0):
    return [
        (
            run,
            i,
            json.dumps({"type": "text.delta", "seq": i, "run": run, "text": "hello world ", "pad": "x" * 70}).encode(),
        )
        for i in range(lo, lo + n)
    ]


def out(store: str, batch: int, mode: str, n: int, wall: float, cpu: float, lat: list[float]) -> None:
    lat.sort()
    row = {
        "store": store,
        "mode": mode,
        "batch": batch,
        "n": n,
        "events_per_s": n / wall,
        "client_cpu_us_per_event": cpu / n * 1e6,
        "commit_ms_median": lat[len(lat) // 2] * 1e3,
        "commit_ms_p99": lat[int(len(lat) * 0.99)] * 1e3,
    }
    M.record("limits_persist", row)
    print(
        f"{store:10s} {mode:34s} batch={batch:4d} {n / wall:10,.0f} events/s  client CPU {cpu / n * 1e6:7.2f} us/event"
        f"  commit p50 {row['commit_ms_median']:.3f} ms p99 {row['commit_ms_p99']:.3f} ms",
        flush=True,
    )


def sqlite_() -> None:
    for sync in ("OFF", "NORMAL", "FULL"):
        for batch in (1, 10, 100, 1000):
            n = {1: 2000, 10: 10_000, 100: 50_000, 1000: 100_000}[batch]
            with tempfile.TemporaryDirectory() as d:
                c = sqlite3.connect(os.path.join(d, "e.db"), isolation_level=None)
                c.execute("pragma journal_mode=wal")
                c.execute(f"pragma synchronous={sync}")
                c.execute("create table e(run text, seq int, body blob, primary key(run, seq)) without rowid")
                data = rows(n, "run-1")
                lat = []
                w, p = time.perf_counter(), time.process_time()
                for i in range(0, n, batch):
                    t = time.perf_counter()
                    c.execute("begin immediate")
                    c.executemany("insert into e values(?,?,?)", data[i : i + batch])
                    c.execute("commit")
                    lat.append(time.perf_counter() - t)
                out(
                    "sqlite", batch, f"WAL synchronous={sync}", n, time.perf_counter() - w, time.process_time() - p, lat
                )
                c.close()

    for batch in (10, 100, 1000):  # one row per batch: the segment is the unit of storage, an event's seq is its offset
        n = {10: 20_000, 100: 100_000, 1000: 400_000}[batch]
        with tempfile.TemporaryDirectory() as d:
            c = sqlite3.connect(os.path.join(d, "e.db"), isolation_level=None)
            c.execute("pragma journal_mode=wal")
            c.execute("pragma synchronous=NORMAL")
            c.execute("create table e(run text, first int, last int, body blob, primary key(run, first)) without rowid")
            data = [b for _, _, b in rows(n, "run-1")]
            lat = []
            w, p = time.perf_counter(), time.process_time()
            for i in range(0, n, batch):
                t = time.perf_counter()
                c.execute("insert into e values(?,?,?,?)", ("run-1", i, i + batch - 1, b"\n".join(data[i : i + batch])))
                lat.append(time.perf_counter() - t)
            out(
                "sqlite",
                batch,
                "WAL NORMAL, one row per batch",
                n,
                time.perf_counter() - w,
                time.process_time() - p,
                lat,
            )
            c.close()


async def pg(dsn: str) -> None:
    import asyncpg

    c = await asyncpg.connect(dsn)
    for sync in ("on", "off"):
        await c.execute(f"set synchronous_commit={sync}")
        for mode in ("insert", "executemany", "insert unnest", "copy"):
            for batch in (1, 10, 100, 1000):
                if mode == "insert" and batch > 1 or mode in ("executemany", "insert unnest") and batch == 1:
                    continue
                await c.execute("drop table if exists e")
                await c.execute("create table e(run text, seq int, body bytea, primary key(run, seq))")
                n = {1: 1000, 10: 5000, 100: 30_000, 1000: 100_000}[batch]
                data = rows(n, "run-1")
                lat = []
                w, p = time.perf_counter(), time.process_time()
                for i in range(0, n, batch):
                    t = time.perf_counter()
                    part = data[i : i + batch]
                    if mode == "insert":
                        await c.execute("insert into e values($1,$2,$3)", *part[0])
                    elif mode == "executemany":
                        await c.executemany("insert into e values($1,$2,$3)", part)
                    elif mode == "insert unnest":
                        r, s, b = zip(*part)
                        await c.execute("insert into e select * from unnest($1::text[],$2::int[],$3::bytea[])", r, s, b)
                    else:
                        await c.copy_records_to_table("e", records=part, columns=("run", "seq", "body"))
                    lat.append(time.perf_counter() - t)
                out(
                    "postgres",
                    batch,
                    f"{mode} synchronous_commit={sync}",
                    n,
                    time.perf_counter() - w,
                    time.process_time() - p,
                    lat,
                )
    await c.close()


async def redis_(port: int) -> None:
    import redis.asyncio as ra

    for batch in (1, 10, 100):
        r = ra.Redis(host="127.0.0.1", port=port)
        await r.delete("s")
        n = {1: 3000, 10: 20_000, 100: 50_000}[batch]
        data = rows(n, "run-1")
        lat = []
        w, p = time.perf_counter(), time.process_time()
        for i in range(0, n, batch):
            t = time.perf_counter()
            if batch == 1:
                await r.xadd("s", {"b": data[i][2]})
            else:
                pipe = r.pipeline(transaction=False)
                for _, _, b in data[i : i + batch]:
                    pipe.xadd("s", {"b": b})
                await pipe.execute()
            lat.append(time.perf_counter() - t)
        out(
            "redis", batch, "XADD, redis-py asyncio + hiredis", n, time.perf_counter() - w, time.process_time() - p, lat
        )
        # one stream entry that holds the whole batch: what a coalescing writer would do
        if batch > 1:
            await r.delete("s")
            lat = []
            w, p = time.perf_counter(), time.process_time()
            for i in range(0, n, batch):
                t = time.perf_counter()
                await r.xadd("s", {"b": b"\n".join(b for _, _, b in data[i : i + batch])})
                lat.append(time.perf_counter() - t)
            out("redis", batch, "XADD, one entry per batch", n, time.perf_counter() - w, time.process_time() - p, lat)
        await r.aclose()


def file_() -> None:
    for batch, fsync in ((1, False), (100, False), (1, True), (100, True)):
        n = 2000 if fsync and batch == 1 else 50_000
        data = rows(n, "run-1")
        with tempfile.TemporaryDirectory() as d:
            fd = os.open(os.path.join(d, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            lat = []
            w, p = time.perf_counter(), time.process_time()
            for i in range(0, n, batch):
                t = time.perf_counter()
                os.write(fd, b"\n".join(b for _, _, b in data[i : i + batch]) + b"\n")
                if fsync:
                    os.fdatasync(fd)
                lat.append(time.perf_counter() - t)
            out(
                "file",
                batch,
                "append" + (" + fdatasync" if fsync else ""),
                n,
                time.perf_counter() - w,
                time.process_time() - p,
                lat,
            )
            os.close(fd)


if __name__ == "__main__":
    file_()
    sqlite_()
    if os.environ.get("PERF_REDIS_PORT"):
        asyncio.run(redis_(int(os.environ["PERF_REDIS_PORT"])))
    if os.environ.get("PERF_PG_DSN"):
        asyncio.run(pg(os.environ["PERF_PG_DSN"]))
