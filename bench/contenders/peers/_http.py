"""HTTP plumbing shared by the contenders' L3 apps. None of it sits on a per-delta path of a
contender that brings its own HTTP surface: it only routes, replaces the request body and
keeps the gate that pauses a fake model after its first delta."""

from __future__ import annotations

import asyncio
import inspect
import time
from functools import lru_cache
from urllib.parse import parse_qs

import workload as W


@lru_cache(maxsize=64)
def script_of(name: str, n: int) -> W.Script:
    return W.build(name, n)


class Gate:
    event: asyncio.Event | None = None

    @classmethod
    def get(cls) -> asyncio.Event:
        if cls.event is None:
            cls.event = asyncio.Event()
        return cls.event


def query(scope):
    q = parse_qs(scope["query_string"].decode())
    script = script_of(q.get("script", ["text"])[0], int(q.get("n", ["5000"])[0]))
    gate = Gate.get() if q.get("gate", ["0"])[0] == "1" else None
    return script, gate


async def plain(send, body: bytes, status: int = 200) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


async def control(scope, send) -> bool:
    if scope["path"] == "/ping":
        await plain(send, b"ok")
        return True
    if scope["path"] == "/cpu":  # the server process' own clock: /proc only counts in 10 ms steps
        await plain(send, b"cpu=%.9f ok" % time.process_time())
        return True
    if scope["path"] == "/release":
        Gate.get().set()
        Gate.event = None
        await plain(send, b"ok")
        return True
    return False


async def lifespan(receive, send):
    while True:
        m = await receive()
        await send({"type": m["type"] + ".complete"})
        if m["type"] == "lifespan.shutdown":
            return


HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")]


def sse_app(frames):
    """For a contender without an HTTP surface: the thinnest ASGI app around its frames."""

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            return await lifespan(receive, send)
        if await control(scope, send):
            return
        script, gate = query(scope)
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        async for f in frames(script, gate):
            await send(
                {"type": "http.response.body", "body": f.encode() if isinstance(f, str) else f, "more_body": True}
            )
        await send({"type": "http.response.body", "body": b""})

    return app


def with_body(receive, body: bytes):
    sent = False

    async def r():
        nonlocal sent
        if not sent:
            sent = True
            while (await receive()).get("more_body"):
                pass
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return r


AGUI_BODY = (
    b'{"threadId":"t","runId":"r","state":{},"messages":[{"id":"1","role":"user","content":"hi"}],'
    b'"tools":[],"context":[],"forwardedProps":{}}'
)
VERCEL_BODY = (
    b'{"trigger":"submit-message","id":"c","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"hi"}]}]}'
)
BODIES = {"/run": AGUI_BODY, "/vercel": VERCEL_BODY}


def json_headers(scope, extra=()):
    drop = (b"content-type", b"content-length", b"accept")
    return [
        *[h for h in scope["headers"] if h[0] not in drop],
        (b"content-type", b"application/json"),
        (b"accept", b"text/event-stream"),
        *extra,
    ]


def peer_route(handlers):
    """handlers: path -> async (starlette request, script, gate) -> starlette response."""
    from starlette.requests import Request

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            return await lifespan(receive, send)
        if await control(scope, send):
            return
        script, gate = query(scope)
        path = scope["path"]
        scope = dict(scope, headers=json_headers(scope))
        receive = with_body(receive, BODIES[path])
        request = Request(scope, receive, send)
        response = await handlers[path](request, script, gate)
        await response(scope, receive, send)

    return app


def forward_to(build, patch):
    """For a contender that mounts routes on its own app: build(script, gate) once per script."""
    apps = {}

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            return await lifespan(receive, send)
        if await control(scope, send):
            return
        script, gate = query(scope)
        key = (script.name, script.n, id(gate))
        if key not in apps:
            a = build(script, gate)
            apps[key] = await a if inspect.isawaitable(a) else a
        new, body, paths = patch(scope, b"")
        new["path"] = paths[0]
        new["raw_path"] = paths[0].encode()
        await apps[key](new, with_body(receive, body), send)

    return app
