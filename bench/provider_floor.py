"""The least that turns a provider's bytes into deltas: split at blank lines, decode the fields that matter.

In: chat completion chunks as server-sent events, one or several a read. Out: how many of them carried text.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Final

import msgspec

N: Final = 3_000
"""Chunks in one stream."""
CHUNK: Final = {
    "id": "chatcmpl-9",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "m",
    "system_fingerprint": "fp",
    "choices": [{"index": 0, "delta": {"content": "hello world "}, "logprobs": None, "finish_reason": None}],
    "usage": None,
}
PIECE: Final = b"data: " + json.dumps(CHUNK).encode() + b"\n\n"
END: Final = b"data: [DONE]\n\n"


class Delta(msgspec.Struct):
    """What was said in a chunk."""

    content: str | None = None
    reasoning_content: str | None = None


class Choice(msgspec.Struct):
    """One answer of those asked for."""

    delta: Delta
    finish_reason: str | None = None


class Chunk(msgspec.Struct):
    """One event of the stream."""

    choices: list[Choice] = []


async def pieces(events_a_read: int) -> AsyncIterator[bytes]:
    """Give the stream as it is read."""
    for _ in range(N // events_a_read):
        yield PIECE * events_a_read
    yield END


async def floor(events_a_read: int) -> int:
    """Read a stream and count its deltas."""
    decode = msgspec.json.Decoder(Chunk).decode
    rest = b""
    found = 0
    async for piece in pieces(events_a_read):
        rest = rest + piece if rest else piece
        *events, rest = rest.split(b"\n\n")
        for event in events:
            if event.startswith(b"data: {"):
                chunk = decode(memoryview(event)[6:])
                if chunk.choices and chunk.choices[0].delta.content:
                    found += 1
    return found
