"""Raw ASGI app: prebuilt frames, nothing else. /run?n=5000&k=1&y=0&size=110: k frames per send, y=1 sleeps(0) per send.

Served by limits_http.py under uvicorn, granian and hypercorn. `python limits_asgi.py PORT` is the floor
below ASGI: an asyncio Protocol on uvloop that writes the same frames with transport.write."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import parse_qs

from contenders.peers._http import Gate, control, lifespan

START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache")],
}


def frame_of(size: int) -> bytes:
    return b'data: {"text":"agent reader ' + b"x" * (size - 33) + b'"}\n\n'


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return await lifespan(receive, send)
    if await control(scope, send):
        return
    q = {k: v[0] for k, v in parse_qs(scope["query_string"].decode()).items()}
    n, k, y = int(q.get("n", 5000)), int(q.get("k", 1)), q.get("y") == "1"
    one = frame_of(int(q.get("size", 110)))
    body = {"type": "http.response.body", "body": one * k, "more_body": True}
    await send(START)
    if q.get("gate") == "1":
        await send({"type": "http.response.body", "body": one, "more_body": True})
        await Gate.get().wait()
    for _ in range(n // k):
        await send(body)
        if y:
            await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b""})


class Floor(asyncio.Protocol):
    def connection_made(self, t):
        self.t = t
        self.task = None
        self.can = asyncio.Event()
        self.can.set()

    def pause_writing(self):
        self.can.clear()

    def resume_writing(self):
        self.can.set()

    def data_received(self, data):
        line = data.split(b" ", 2)[1].decode()
        if line.startswith(("/ping", "/cpu")):
            self.t.write(b"HTTP/1.1 200 OK\r\n\r\ncpu=%.9f ok" % time.process_time())
            self.t.close()
            return
        q = {k: v[0] for k, v in parse_qs(line.partition("?")[2]).items()}
        self.task = asyncio.ensure_future(
            self.stream(int(q.get("n", 5000)), int(q.get("k", 1)), q.get("y") == "1", int(q.get("size", 110)))
        )

    async def stream(self, n, k, y, size):
        t = self.t
        t.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        body = frame_of(size) * k
        for _ in range(n // k):
            if not self.can.is_set():
                await self.can.wait()
            t.write(body)
            if y:
                await asyncio.sleep(0)
        t.close()


async def floor(port: int) -> None:
    loop = asyncio.get_running_loop()
    s = await loop.create_server(Floor, "127.0.0.1", port, backlog=2048)
    await s.serve_forever()


if __name__ == "__main__":
    import sys

    import uvloop

    uvloop.run(floor(int(sys.argv[1])))
