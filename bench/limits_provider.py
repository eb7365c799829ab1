"""The leg before L1: provider SSE bytes -> one text delta. Bytes are fed in-process, one SSE event per read, no socket.

Run in the 'openai' environment for the SDK rows; any environment with msgspec gives the floor rows."""

from __future__ import annotations

import asyncio
import json

import measure as M
import msgspec
from provider_floor import N, Chunk, floor, pieces


async def untyped():
    n = 0
    buf = b""
    async for p in pieces(1):
        buf += p
        *events, buf = buf.split(b"\n\n")
        for e in events:
            if e.startswith(b"data: {"):
                c = json.loads(e[6:])
                if c["choices"][0]["delta"].get("content"):
                    n += 1
    assert n == N


def show(name: str, fn, versions=()) -> None:
    r = asyncio.Runner()
    cpu, _ = M.cpu_runs(lambda: r.run(fn()), runs=7, warm=1)
    s = M.stats([c / N * 1e6 for c in cpu])
    M.record("limits_provider", {"name": name, "us_per_delta": s, "versions": M.versions(versions)})
    print(f"{name:60s} {s['median']:8.2f} us/delta (min {s['min']:.2f})", flush=True)


def main() -> None:
    show("floor: split + msgspec typed decode, 1 event per read", lambda: floor(1), ("msgspec",))
    show("floor: same, 10 events per read", lambda: floor(10), ("msgspec",))
    show("json.loads of the whole chunk", untyped)
    try:
        import httpx2 as hx
        from openai import AsyncOpenAI
    except ImportError:
        return

    class Body(hx.AsyncByteStream):
        async def __aiter__(self):
            async for p in pieces(1):
                yield p

    async def handler(request):
        return hx.Response(200, headers={"content-type": "text/event-stream"}, stream=Body())

    async def sdk():
        async with AsyncOpenAI(
            api_key="k", base_url="http://x/v1", http_client=hx.AsyncClient(transport=hx.MockTransport(handler))
        ) as c:
            n = 0
            s = await c.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}], stream=True)
            async for ch in s:
                if ch.choices and ch.choices[0].delta.content:
                    n += 1
            assert n == N, n

    show("openai SDK chat.completions stream", sdk, ("openai", "httpx2", "pydantic"))

    async def only_client():
        async with hx.AsyncClient(transport=hx.MockTransport(handler)) as c:
            n = 0
            dec = msgspec.json.Decoder(Chunk).decode
            async with c.stream("POST", "http://x/v1") as r:
                buf = b""
                async for p in r.aiter_bytes():
                    buf = buf + p if buf else p
                    *events, buf = buf.split(b"\n\n")
                    for e in events:
                        if e.startswith(b"data: {"):
                            ch = dec(memoryview(e)[6:])
                            if ch.choices and ch.choices[0].delta.content:
                                n += 1
            assert n == N, n

    show("httpx2 aiter_bytes + split + msgspec typed decode", only_client, ("httpx2", "msgspec"))


if __name__ == "__main__":
    main()
