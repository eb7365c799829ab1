"""What the design under study could cost: a small kernel with an ordered log, cached-prefix projections
and a draining HTTP writer. It is a probe for the targets, not the product: no errors, limits, or storage.

run -> model deltas -> kernel (sequence, dispatch, tool rounds) -> append to the run's log (a list)
    -> any number of readers, each a cursor into the list; a reader is woken only when it waits
    -> projection: bytes prefix built once per message + msgspec string encode
    -> HTTP: everything that is ready leaves in one ASGI send
"""

from __future__ import annotations

import asyncio
import types

import msgspec

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script, arg_chunks


class Ev(msgspec.Struct, frozen=True, gc=False):
    seq: int


class TextDelta(Ev, tag="text.delta"):
    message: str
    text: str


class ThinkDelta(Ev, tag="think.delta"):
    message: str
    text: str


class ToolArgs(Ev, tag="tool.args"):
    call: str
    delta: str


class ToolStart(Ev, tag="tool.start"):
    call: str
    name: str


class ToolResult(Ev, tag="tool.result"):
    call: str
    text: str


class MessageStart(Ev, tag="message.start"):
    message: str


class MessageEnd(Ev, tag="message.end"):
    message: str


class RunEnd(Ev, tag="run.end"):
    text: str


async def model(script: Script, k: int, gate=None):
    """A provider adapter's output: (kind, text) pairs, kind an int."""
    r, y = script.rounds[k], script.yields
    for s in r.think:
        if y:
            await asyncio.sleep(0)
        yield 1, s
    for s in r.text:
        if y:
            await asyncio.sleep(0)
        yield 0, s
        if gate is not None:
            await gate.wait()
            gate = None
    if r.call_id:
        yield 2, r.call_id
        for a in arg_chunks(r.call_id):
            yield 3, a


async def tool(args: str) -> str:
    msgspec.json.decode(args)
    return TOOL_RESULT


async def kernel(script: Script, gate=None):
    """The loop as one flat async generator: nothing between the model's generator and the caller."""
    seq = 0
    final: list[str] = []
    for k in range(len(script.rounds)):
        mid = f"m{k}"
        seq += 1
        yield MessageStart(seq, mid)
        final = []
        add = final.append
        call = None
        args: list[str] = []
        async for kind, s in model(script, k, gate):
            seq += 1
            if kind == 0:
                add(s)
                yield TextDelta(seq, mid, s)
            elif kind == 1:
                yield ThinkDelta(seq, mid, s)
            elif kind == 2:
                call = s
                yield ToolStart(seq, s, TOOL)
            else:
                args.append(s)
                yield ToolArgs(seq, call, s)
        seq += 1
        yield MessageEnd(seq, mid)
        if call is None:
            break
        seq += 1
        yield ToolResult(seq, call, await tool("".join(args)))
    yield RunEnd(seq + 1, "".join(final))


class Log:
    """The ordered log of one run. Readers are cursors; replay from any position is the same code path."""

    __slots__ = ("events", "done", "waiters")

    def __init__(self):
        self.events: list[Ev] = []
        self.done = False
        self.waiters: list[asyncio.Future] = []

    def wake(self):
        if self.waiters:
            ws, self.waiters = self.waiters, []
            for w in ws:
                if not w.done():
                    w.set_result(None)

    async def drive(self, script, gate=None):
        add = self.events.append
        try:
            async for e in kernel(script, gate):
                add(e)
                if self.waiters:
                    self.wake()
        finally:
            self.done = True
            self.wake()

    async def read(self, at: int = 0):
        ev = self.events
        while True:
            while at < len(ev):
                yield ev[at]
                at += 1
            if self.done:
                return
            w = asyncio.get_running_loop().create_future()
            self.waiters.append(w)
            await w

    async def read_batches(self, at: int = 0, most: int = 64):
        ev = self.events
        while True:
            n = len(ev)
            while at < n:
                b = ev[at : at + most]
                at += len(b)
                yield b
                n = len(ev)
            if self.done:
                return
            w = asyncio.get_running_loop().create_future()
            self.waiters.append(w)
            await w


@types.coroutine
def _rest(it, waiting):
    """Finish an awaitable that was started by hand and has already asked to wait on `waiting`."""
    yield waiting
    return (yield from it)


class PushWriter:
    """A reader without a task of its own: the run's task hands it each event, the frames of one loop turn leave
    together from one call_soon. A send that finishes at once costs no task and no future; one that is held back by
    flow control is finished by a task while frames gather."""

    __slots__ = ("send", "frame", "buf", "planned", "busy", "loop", "closed", "ending")

    def __init__(self, send, frame):
        self.send, self.frame = send, frame
        self.buf: list[bytes] = []
        self.planned = self.busy = self.ending = False
        self.loop = asyncio.get_running_loop()
        self.closed = self.loop.create_future()

    def feed(self, e):
        self.buf.append(self.frame(e))
        if not self.planned:
            self.planned = True
            self.loop.call_soon(self.flush)

    def flush(self):
        self.planned = False
        if self.busy or not self.buf:
            return
        body = b"".join(self.buf)
        self.buf.clear()
        it = self.send({"type": "http.response.body", "body": body, "more_body": True}).__await__()
        try:
            waiting = next(it)
        except StopIteration:
            return
        self.busy = True
        asyncio.ensure_future(self.slow(it, waiting))

    async def slow(self, it, waiting):
        await _rest(it, waiting)
        self.busy = False
        self.flush()
        if not self.busy and not self.buf and self.closed.done() is False and self.ending:
            self.closed.set_result(None)


enc = msgspec.json.Encoder().encode


class AGUI:
    """AG-UI frames. The per-message prefix is built at message start; a delta costs one string encode and one join."""

    def __init__(self):
        self.pre = self.tpre = b""
        self.suf = b"}\n\n"

    def frame(self, e) -> bytes:
        t = type(e)
        if t is TextDelta:
            return self.pre + enc(e.text) + b"}\n\n"
        if t is ThinkDelta:
            return self.tpre + enc(e.text) + b"}\n\n"
        if t is MessageStart:
            m = enc(e.message)
            self.pre = b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":' + m + b',"delta":'
            self.tpre = b'data: {"type":"REASONING_MESSAGE_CONTENT","messageId":' + m + b',"delta":'
            return b'data: {"type":"TEXT_MESSAGE_START","messageId":' + m + b',"role":"assistant"}\n\n'
        if t is MessageEnd:
            return b'data: {"type":"TEXT_MESSAGE_END","messageId":' + enc(e.message) + b"}\n\n"
        if t is ToolStart:
            return (
                b'data: {"type":"TOOL_CALL_START","toolCallId":'
                + enc(e.call)
                + b',"toolCallName":'
                + enc(e.name)
                + b"}\n\n"
            )
        if t is ToolArgs:
            return (
                b'data: {"type":"TOOL_CALL_ARGS","toolCallId":' + enc(e.call) + b',"delta":' + enc(e.delta) + b"}\n\n"
            )
        if t is ToolResult:
            return (
                b'data: {"type":"TOOL_CALL_RESULT","toolCallId":'
                + enc(e.call)
                + b',"content":'
                + enc(e.text)
                + b"}\n\n"
            )
        return b'data: {"type":"RUN_FINISHED"}\n\n'


class A2A:
    def __init__(self):
        self.pre = (
            b'data: {"jsonrpc":"2.0","id":"1","result":{"artifactUpdate":{"taskId":"t-0191a3c4","contextId":"c-0191a3c4",'
            b'"artifact":{"artifactId":"response","parts":[{"text":'
        )

    def frame(self, e) -> bytes:
        if type(e) is TextDelta:
            return self.pre + enc(e.text) + b'}]},"append":true}}}\n\n'
        return b""


class Prototype(Contender):
    dists = ("msgspec",)

    def __init__(self, kind: str):
        self.kind = kind
        self.name = f"prototype[{kind}]"
        self.api = {
            "flat": "kernel generator, read directly",
            "log": "kernel task -> log -> cursor reader",
            "push": "kernel task -> log, HTTP writer fed by call",
        }[kind]

    async def run(self, script):
        if self.kind == "flat":
            async for e in kernel(script):
                yield e
            return
        log = Log()
        t = asyncio.ensure_future(log.drive(script))
        async for e in log.read():
            yield e
        await t

    def text_of(self, e):
        return e.text if type(e) is TextDelta else None

    def thought_of(self, e):
        return e.text if type(e) is ThinkDelta else None

    def encoders(self):
        if self.kind != "flat":
            return {}

        def agui(events):
            f = AGUI().frame
            for e in events:
                yield f(e)

        def agui_join(events):
            f = AGUI().frame
            for i in range(0, len(events), 16):
                yield b"".join([f(e) for e in events[i : i + 16]])

        def a2a(events):
            f = A2A().frame
            for e in events:
                yield f(e)

        def typed(events):
            e1 = enc
            for e in events:
                yield b"id: %d\ndata: %b\n\n" % (e.seq, e1(e))

        return {
            "prototype AG-UI, frame by frame": agui,
            "prototype AG-UI, 16 frames joined": agui_join,
            "prototype A2A JSON-RPC": a2a,
            "prototype typed SSE with id": typed,
        }

    def asgi(self):
        from contenders.peers._http import HEADERS, control, lifespan, query

        batched = self.kind == "log"

        async def app(scope, receive, send):
            if scope["type"] == "lifespan":
                return await lifespan(receive, send)
            if await control(scope, send):
                return
            script, gate = query(scope)
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            f = AGUI().frame
            if self.kind == "push":
                w = PushWriter(send, f)
                feed = w.feed
                log: list = []
                async for e in kernel(script, gate):
                    log.append(e)
                    feed(e)
                w.ending = True
                w.flush()
                if w.busy:
                    await w.closed
            elif batched:
                log = Log()
                t = asyncio.ensure_future(log.drive(script, gate))
                async for b in log.read_batches():
                    await send({"type": "http.response.body", "body": b"".join([f(e) for e in b]), "more_body": True})
                await t
            else:
                async for e in kernel(script, gate):
                    await send({"type": "http.response.body", "body": f(e), "more_body": True})
            await send({"type": "http.response.body", "body": b""})

        return app


CONTENDERS = [Prototype("flat"), Prototype("log"), Prototype("push")]
