"""Physical limits, in-process: iteration, object creation, encoding, scanning. ns per item of CPU."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from collections import deque, namedtuple
from dataclasses import dataclass, make_dataclass
from typing import NamedTuple

import measure as M
import msgspec
import orjson

N = 20_000


def bench(group: str, name: str, fn, n: int = N, runs: int = 9, note: str = "") -> None:
    cpu, _ = M.cpu_runs(fn, runs=runs, warm=2)
    s = M.stats([c / n * 1e9 for c in cpu])
    M.record("limits_cpu", {"group": group, "name": name, "ns": s, "note": note, "cal_ns": None})
    print(f"{group:8s} {name:58s} {s['median']:10.0f} ns (min {s['min']:.0f} max {s['max']:.0f}) {note}", flush=True)


def loop(expr: str, over: str, ns: dict, keep: bool = False):
    """A function that evaluates expr for each item, dropping each result at once (or keeping them all in a list)."""
    body = f"def run():\n    return [{expr} for {over}]" if keep else f"def run():\n    for {over}: {expr}"
    ns = dict(ns)
    exec(body, ns)
    return ns["run"]


# ---------------------------------------------------------------- iteration


def iteration() -> None:
    r = asyncio.Runner()
    objs = [object() for _ in range(N)]

    async def agen():
        for o in objs:
            yield o

    async def agen_y():
        for o in objs:
            await asyncio.sleep(0)
            yield o

    def wrap(it):
        async def g():
            async for o in it:
                yield o

        return g()

    async def eat(it):
        async for _ in it:
            pass

    class Anext:
        def __init__(self):
            self.i = iter(objs)

        def __aiter__(self):
            return self

        async def __anext__(self):
            for o in self.i:
                return o
            raise StopAsyncIteration

    class Ready:
        """__anext__ returns an awaitable object that finishes at once: no coroutine per item."""

        __slots__ = ("it",)

        def __init__(self):
            self.it = iter(objs)

        def __aiter__(self):
            return self

        def __anext__(self):
            return self

        def __await__(self):
            return self

        def __iter__(self):
            return self

        def __next__(self):
            for o in self.it:
                raise StopIteration(o)
            raise StopAsyncIteration

    def sync_gen():
        for o in objs:
            yield o

    bench("iterate", "for over list", lambda: [None for _ in objs])
    bench("iterate", "for over sync generator", lambda: deque(sync_gen(), maxlen=0))
    bench("iterate", "async for over async generator (1 level)", lambda: r.run(eat(agen())))
    bench("iterate", "async for, 2 nested async generators", lambda: r.run(eat(wrap(agen()))))
    bench("iterate", "async for, 4 nested async generators", lambda: r.run(eat(wrap(wrap(wrap(agen()))))))
    bench(
        "iterate",
        "async for, 8 nested async generators",
        lambda: r.run(eat(wrap(wrap(wrap(wrap(wrap(wrap(wrap(agen()))))))))),
    )
    bench("iterate", "async for over class with async def __anext__", lambda: r.run(eat(Anext())))
    bench("iterate", "async for over hand-made awaitable", lambda: r.run(eat(Ready())))
    bench("iterate", "async for, model does sleep(0) per item", lambda: r.run(eat(agen_y())))

    async def chain(depth):
        async def leaf():
            return None

        f = leaf
        for _ in range(depth):

            def mk(g):
                async def h():
                    return await g()

                return h

            f = mk(f)
        for _ in range(N):
            await f()

    bench("iterate", "await a coroutine, depth 1", lambda: r.run(chain(0)))
    bench("iterate", "await a coroutine chain, depth 5", lambda: r.run(chain(4)))

    async def queue(maxsize):
        q = asyncio.Queue(maxsize)

        async def prod():
            for o in objs:
                await q.put(o)
            await q.put(None)

        t = asyncio.create_task(prod())
        while await q.get() is not None:
            pass
        await t

    bench("iterate", "asyncio.Queue unbounded, producer task", lambda: r.run(queue(0)))
    bench("iterate", "asyncio.Queue(1), producer task", lambda: r.run(queue(1)))
    bench("iterate", "asyncio.Queue(64), producer task", lambda: r.run(queue(64)))

    async def dq():
        """deque + one Event-like future: the consumer drains what is there, then waits once."""
        buf: deque = deque()
        loop = asyncio.get_running_loop()
        waiter = None
        done = False

        async def prod():
            nonlocal waiter, done
            for i, o in enumerate(objs):
                buf.append(o)
                if waiter is not None and not waiter.done():
                    waiter.set_result(None)
                if i % 64 == 63:
                    await asyncio.sleep(0)
            done = True
            if waiter is not None and not waiter.done():
                waiter.set_result(None)

        t = loop.create_task(prod())
        got = 0
        while True:
            while buf:
                buf.popleft()
                got += 1
            if done:
                break
            waiter = loop.create_future()
            await waiter
            waiter = None
        await t
        assert got == N

    bench("iterate", "deque + future wakeup, 64 per wakeup", lambda: r.run(dq()))

    async def task_per():
        async def one():
            return None

        for _ in range(N):
            await asyncio.ensure_future(one())

    async def shield_timeout():
        async def one():
            return None

        for _ in range(N):
            async with asyncio.timeout(15):
                await asyncio.shield(asyncio.ensure_future(one()))

    async def timeout_only():
        async def one():
            return None

        for _ in range(N):
            async with asyncio.timeout(15):
                await one()

    async def wait_for():
        async def one():
            return None

        for _ in range(N):
            await asyncio.wait_for(one(), 15)

    bench("iterate", "a task per item", lambda: r.run(task_per()))
    bench("iterate", "asyncio.timeout() per item", lambda: r.run(timeout_only()))
    bench("iterate", "asyncio.wait_for() per item", lambda: r.run(wait_for()))
    bench("iterate", "task + shield + timeout per item (a heartbeat race)", lambda: r.run(shield_timeout()))

    import uvloop

    ru = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    bench("iterate", "uvloop: model does sleep(0) per item", lambda: ru.run(eat(agen_y())))
    bench("iterate", "uvloop: asyncio.Queue(1), producer task", lambda: ru.run(queue(1)))
    bench("iterate", "uvloop: task + shield + timeout per item", lambda: ru.run(shield_timeout()))


# ---------------------------------------------------------------- objects


def objects() -> None:
    names20 = [f"f{i}" for i in range(20)]
    D20 = make_dataclass("D20", [(n, object, None) for n in names20], frozen=True, slots=True)

    @dataclass(frozen=True, slots=True)
    class D4:
        seq: int
        run: str
        kind: str
        text: str

    @dataclass(slots=True)
    class M4:
        seq: int
        run: str
        kind: str
        text: str

    S4 = msgspec.defstruct("S4", [("seq", int), ("run", str), ("kind", str), ("text", str)], frozen=True)
    S4g = msgspec.defstruct("S4g", [("seq", int), ("run", str), ("kind", str), ("text", str)], frozen=True, gc=False)
    S2 = msgspec.defstruct("S2", [("seq", int), ("text", str)], frozen=True, gc=False)
    S20 = msgspec.defstruct("S20", [(n, object, None) for n in names20], frozen=True)

    class NT(NamedTuple):
        seq: int
        run: str
        kind: str
        text: str

    import uuid
    from datetime import datetime, timezone

    from ag_ui.core import EventType, TextMessageContentEvent
    from pydantic import BaseModel, ConfigDict

    class P4(BaseModel):
        model_config = ConfigDict(frozen=True)
        seq: int
        run: str
        kind: str
        text: str

    ns = {**locals(), "rng": range(N), "v20": list(range(20)), "time": time}
    over = "i in rng"

    def b(name, expr, keep=True):
        bench("object", name, loop(expr, over, ns), note="dropped")
        if keep:
            bench("object", name, loop(expr, over, ns, True), note="20,000 kept in a list")

    b("nothing (loop overhead)", "i", keep=False)
    b("tuple of 4", '(i, "r", "k", "hello")')
    b("dict of 4", '{"seq": i, "run": "r", "kind": "k", "text": "hello"}')
    b("NamedTuple of 4", 'NT(i, "r", "k", "hello")')
    b("slots dataclass, 4 fields, mutable", 'M4(i, "r", "k", "hello")')
    b("frozen slots dataclass, 4 fields", 'D4(i, "r", "k", "hello")')
    b("frozen slots dataclass, 20 fields, 4 given by keyword", 'D20(f0=i, f1="r", f2="k", f3="hello")')
    b("frozen slots dataclass, 20 fields, all given", "D20(*v20)")
    b("msgspec.Struct frozen gc=False, 2 fields", 'S2(i, "hello")')
    b("msgspec.Struct frozen, 4 fields", 'S4(i, "r", "k", "hello")')
    b("msgspec.Struct frozen gc=False, 4 fields", 'S4g(i, "r", "k", "hello")')
    b("msgspec.Struct frozen gc=False, 4 fields, by keyword", 'S4g(seq=i, run="r", kind="k", text="hello")')
    b("msgspec.Struct frozen, 20 fields, 4 given by keyword", 'S20(f0=i, f1="r", f2="k", f3="hello")')
    b("pydantic BaseModel frozen, 4 fields", 'P4(seq=i, run="r", kind="k", text="hello")')
    b("pydantic model_construct, 4 fields", 'P4.model_construct(seq=i, run="r", kind="k", text="hello")')
    b(
        "ag_ui TextMessageContentEvent",
        'TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id="m", delta="hello")',
    )
    b("uuid4()", "uuid.uuid4()", keep=False)
    b("str(uuid4())", "str(uuid.uuid4())", keep=False)
    b("time.time()", "time.time()", keep=False)
    b("datetime.now(utc).isoformat()", "datetime.now(timezone.utc).isoformat()", keep=False)


# ---------------------------------------------------------------- encoding


def encoding() -> None:
    from ag_ui.core import EventType, TextMessageContentEvent
    from ag_ui.encoder import EventEncoder
    from google.protobuf.json_format import MessageToDict, MessageToJson
    from pydantic import BaseModel

    class T(msgspec.Struct, tag="TEXT_MESSAGE_CONTENT", tag_field="type", frozen=True, gc=False):
        messageId: str
        delta: str

    mid = "0191a3c4-7d2e-7c55-9f64-0a1b2c3d4e5f"
    texts = [f"hello wor {i % 10} " for i in range(N)]
    ts = [T(mid, t) for t in texts]
    ds = [{"type": "TEXT_MESSAGE_CONTENT", "messageId": mid, "delta": t} for t in texts]
    e = msgspec.json.Encoder()
    enc = e.encode
    into = e.encode_into

    class P(BaseModel):
        type: str
        message_id: str
        delta: str

    from a2a.types.a2a_pb2 import Artifact, Part, StreamResponse, TaskArtifactUpdateEvent

    def mk(t):
        return StreamResponse(
            artifact_update=TaskArtifactUpdateEvent(
                task_id="t", context_id="c", artifact=Artifact(artifact_id="a", parts=[Part(text=t)]), append=True
            )
        )

    pre = b'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"' + mid.encode() + b'","delta":'
    suf = b"}\n\n"
    ps = [P(type="TEXT_MESSAGE_CONTENT", message_id=mid, delta=t) for t in texts]
    ag = [TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id=mid, delta=t) for t in texts]
    ee = EventEncoder()
    few = texts[: N // 10]
    pb = [mk(t) for t in few]
    groups = {k: [texts[i : i + k] for i in range(0, N, k)] for k in (4, 16, 64)}

    def into_one(t):
        buf = bytearray(b"data: ")
        into(t, buf, -1)
        buf += b"\n\n"
        return buf

    def one_buffer(ts_):
        buf = bytearray()
        for t in ts_:
            buf += pre
            buf += enc(t)
            buf += suf
        return bytes(buf)

    def one_join(ts_):
        return pre + (suf + pre).join([enc(t) for t in ts_]) + suf

    ns = {**globals(), **locals()}

    def b(name, expr, over, n=N, note=""):
        bench("encode", name, loop(expr, over, ns), n=n, note=note)

    b("json.dumps(dict)", "json.dumps(d)", "d in ds")
    b(
        "json.dumps(dict, separators, ensure_ascii=False).encode()",
        "json.dumps(d, separators=(',', ':'), ensure_ascii=False).encode()",
        "d in ds",
    )
    b("orjson.dumps(dict)", "orjson.dumps(d)", "d in ds")
    bench("encode", "orjson.dumps(dict), 20,000 results kept", loop("orjson.dumps(d)", "d in ds", ns, True))
    b("msgspec encode(dict)", "enc(d)", "d in ds")
    b("msgspec encode(Struct)", "enc(t)", "t in ts")
    bench("encode", "msgspec encode(Struct), 20,000 results kept", loop("enc(t)", "t in ts", ns, True))
    b("msgspec encode(Struct) + SSE 'data: ' join", "b'data: ' + enc(t) + b'\\n\\n'", "t in ts")
    b(
        "msgspec encode(Struct) + SSE 'id:' and 'data:' with %",
        "b'id: %d\\ndata: %b\\n\\n' % (i, enc(t))",
        "i, t in enumerate(ts)",
    )
    b("msgspec encode_into a new bytearray + SSE", "into_one(t)", "t in ts")
    b("cached prefix + encode(text) + suffix = SSE frame", "pre + enc(t) + suf", "t in texts")
    b("cached prefix with % formatting", "b'%b%b%b' % (pre, enc(t), suf)", "t in texts")
    b("struct made and encoded, SSE framed", "b'data: ' + enc(T(mid, t)) + b'\\n\\n'", "t in texts")
    for k in (4, 16, 64):
        b(
            f"cached prefix, {k} frames into one bytearray -> bytes",
            "one_buffer(x)",
            f"x in groups[{k}]",
            note="ns per delta",
        )
    for k in (16, 64):
        b(f"cached prefix, {k} frames with one bytes.join", "one_join(x)", f"x in groups[{k}]", note="ns per delta")
    for k in (4, 16):
        b(
            f"merge {k} deltas' text into one frame",
            "pre + enc(''.join(x)) + suf",
            f"x in groups[{k}]",
            note="ns per delta",
        )
    b("pydantic model_dump_json", "p.model_dump_json()", "p in ps")
    b("pydantic model_dump + json.dumps", "json.dumps(p.model_dump())", "p in ps")
    b("ag_ui EventEncoder.encode", "ee.encode(a)", "a in ag")
    b(
        "ag_ui event made and encoded",
        "ee.encode(TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id=mid, delta=t))",
        "t in texts",
    )
    n = len(few)
    b("a2a-sdk protobuf event made", "mk(t)", "t in few", n=n)
    b("a2a-sdk MessageToJson(StreamResponse)", "MessageToJson(p, indent=None)", "p in pb", n=n)
    b("a2a-sdk MessageToDict + json.dumps", "json.dumps(MessageToDict(p))", "p in pb", n=n)
    b("a2a-sdk SerializeToString (binary)", "p.SerializeToString()", "p in pb", n=n)

    class A(msgspec.Struct, frozen=True, gc=False):
        text: str

    apre = (
        b'data: {"jsonrpc":"2.0","id":"1","result":{"artifactUpdate":{"taskId":"t","contextId":"c",'
        b'"artifact":{"artifactId":"a","parts":['
    )
    asuf = b']},"append":true}}}\n\n'
    ns.update(apre=apre, asuf=asuf, A=A)
    b("the same A2A JSON-RPC frame by cached prefix", "apre + enc(A(t)) + asuf", "t in texts")


# ---------------------------------------------------------------- scanning


def scanning() -> None:
    import workload as W

    text = "".join(W.deltas(40_000))[:400_000]
    big = text * 10
    rx = re.compile(r"<(?:MEMORY_EXTRACT|GRAPH_OPERATIONS)>")

    def b(name, fn, n):
        bench("scan", name, fn, n=n, note="ns per chunk")

    M_ = 1_000_000
    bench("scan", "str.find('<') over one 4 MB string, no hit", lambda: big.find("<"), n=len(big), note="ns per char")
    bench("scan", "re.search tag over one 4 MB string, no hit", lambda: rx.search(big), n=len(big), note="ns per char")
    del M_

    class Fast:
        """The floor for a correct filter on tag-free text: one find, return the chunk itself."""

        __slots__ = ("held",)

        def __init__(self):
            self.held = ""

        def feed(self, t):
            if not self.held and t.find("<") < 0:
                return t
            raise NotImplementedError

    for size in (1, 12, 200):
        chunks = [text[i : i + size] for i in range(0, len(text), size)]

        def just_find():
            for c in chunks:
                c.find("<")

        def fast():
            f = Fast().feed
            for c in chunks:
                f(c)

        def isin():
            for c in chunks:
                "<" in c

        b(f"'<' in chunk, size {size}", isin, len(chunks))
        b(f"chunk.find('<'), size {size}", just_find, len(chunks))
        b(f"feed() method with one find, size {size}", fast, len(chunks))


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("groups", nargs="*", default=["iteration", "objects", "encoding", "scanning"])
    a = p.parse_args()
    print(f"calibration {M.calibrate():.1f} ns per iteration of an empty Python loop")
    for g in a.groups:
        globals()[g]()


if __name__ == "__main__":
    main()
