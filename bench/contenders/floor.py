"""The physical floor at L1 and L2: no framework, prebuilt or minimal objects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import msgspec
from contender import Contender
from fast_filter import TagFilter
from workload import Script

from contenders.peers._http import sse_app

BLOCKS = ("<MEMORY_EXTRACT>", "<GRAPH_OPERATIONS>")
TAGS = ("<MEMORY_EXTRACT>", "<think>", "[semantic]", "[episodic]", "[procedural]", "[working]")
ONE_LEAD = "floor: one 'in' test, then pass the chunk"
TWO_LEADS = "floor: 6 tags of two first characters"


class Text(msgspec.Struct, tag="text.delta", tag_field="type"):
    """A piece of text."""

    seq: int
    text: str


class Think(msgspec.Struct, tag="think.delta", tag_field="type"):
    """A piece of thinking."""

    seq: int
    text: str


async def model(script: Script, k: int) -> AsyncIterator[tuple[str, str]]:
    """Stream round k."""
    r = script.rounds[k]
    y = script.yields
    for s in r.think:
        if y:
            await asyncio.sleep(0)
        yield "think", s
    for s in r.text:
        if y:
            await asyncio.sleep(0)
        yield "text", s


class Floor(Contender):
    """Scripted model generator to one msgspec.Struct a delta to consumer: two async generators."""

    name = "floor:struct-per-delta"
    api = "async generator over async generator, msgspec.Struct(seq, text)"
    dists = ("msgspec",)

    async def run(self, script: Script) -> AsyncIterator[Text | Think]:
        """Run the script once."""
        seq = 0
        for k in range(len(script.rounds)):
            async for kind, s in model(script, k):
                seq += 1
                yield Text(seq, s) if kind == "text" else Think(seq, s)

    def text_of(self, event: object) -> str | None:
        """The text of an event."""
        return event.text if isinstance(event, Text) else None

    def thought_of(self, event: object) -> str | None:
        """The thinking of an event."""
        return event.text if isinstance(event, Think) else None

    def encoders(self) -> dict[str, Callable[[list[Any]], Iterator[bytes]]]:
        """A typed frame of a struct, in two ways."""
        encoder = msgspec.json.Encoder()

        def into(events: list[Any]) -> Iterator[bytes]:
            for event in events:
                buffer = bytearray(b"data: ")
                encoder.encode_into(event, buffer, -1)
                buffer += b"\n\n"
                yield bytes(buffer)

        def joined(events: list[Any]) -> Iterator[bytes]:
            encode = encoder.encode
            for event in events:
                yield b"data: " + encode(event) + b"\n\n"

        return {"floor: msgspec + SSE join": joined, "floor: msgspec encode_into": into}

    def asgi(self) -> Callable[..., Any]:
        """The thinnest app."""
        encoder = msgspec.json.Encoder()

        async def frames(script: Script, gate: asyncio.Event | None) -> AsyncIterator[bytes]:
            sent = 0
            async for event in self.run(script):
                yield b"data: " + encoder.encode(event) + b"\n\n"
                sent += 1
                if sent == 1 and gate is not None:
                    await gate.wait()

        return sse_app(frames)

    def filters(self) -> dict[str, Callable[[], TagFilter]]:
        """Filters of one first character and of two."""
        return {ONE_LEAD: lambda: TagFilter(BLOCKS), TWO_LEADS: lambda: TagFilter(TAGS)}


class FloorPassthrough(Contender):
    """The model's own generator, nothing around it."""

    name = "floor:bare-model"
    api = "one async generator yielding prebuilt tuples"

    async def run(self, script: Script) -> AsyncIterator[tuple[str, str]]:
        """Run the script once."""
        for k in range(len(script.rounds)):
            async for x in model(script, k):
                yield x

    def text_of(self, event: Any) -> str | None:  # noqa: ANN401 (an event is whatever the contender makes)
        """The text of an event."""
        return event[1] if event[0] == "text" else None

    def thought_of(self, event: Any) -> str | None:  # noqa: ANN401 (an event is whatever the contender makes)
        """The thinking of an event."""
        return event[1] if event[0] == "think" else None


CONTENDERS = [FloorPassthrough(), Floor()]
