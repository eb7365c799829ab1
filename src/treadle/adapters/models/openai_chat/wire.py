"""The fields of a chat completion chunk that matter, as types. All else in a chunk is skipped unread.

Source: OpenAI API reference, "The chat completion chunk object"; the fields `reasoning_content`, `reasoning` and
`extra_content` are those of compatible servers.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec

from treadle.adapters.models.openai_chat.tolerance import put_right

Count = Annotated[int, msgspec.Meta(ge=0)]


class CallFunction(msgspec.Struct, gc=False):
    """Name and arguments of a call, in pieces."""

    name: str | None = None
    arguments: str | None = None


class CallPiece(msgspec.Struct, gc=False):
    """One fragment of a call."""

    index: int | None = None
    id: str | None = None
    function: CallFunction | None = None
    extra_content: Any = None
    """A seal that some servers want back with the call."""


class Delta(msgspec.Struct, gc=False):
    """What the model said in this chunk."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[CallPiece] | None = None
    function_call: CallFunction | None = None
    """The one call of a model from before there were several."""


class Choice(msgspec.Struct, gc=False):
    """One choice; only that at index 0 was asked for. `message` and `text` stand in for a missing `delta`."""

    delta: Delta | None = None
    finish_reason: str | None = None
    index: int | None = None
    message: Delta | None = None
    text: str | None = None


class PromptDetails(msgspec.Struct, gc=False):
    """What of the prompt came from, and went to, the provider's cache."""

    cached_tokens: Count | None = None
    cache_write_tokens: Count | None = None


class CompletionDetails(msgspec.Struct, gc=False):
    """What of the completion was reasoning."""

    reasoning_tokens: Count | None = None


class Usage(msgspec.Struct, gc=False):
    """Token counts so far, any of which may be missing."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    total_tokens: Count | None = None
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None


class Chunk(msgspec.Struct, gc=False):
    """One event of the stream. `message`, `type` and `code` stand on an event that is itself an error."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    error: Any = None
    message: Any = None
    type: Any = None
    code: Any = None


decode_chunk = msgspec.json.Decoder(Chunk).decode


def decode_leniently(data: bytes) -> tuple[Chunk | None, bool]:
    """A chunk that the strict reading refuses, for one of these reasons or several.

    Fields of odd types, see `tolerance`; raw bytes that are no UTF-8, half a surrogate pair, or NaN somewhere.

    Shape:  None for a null. The second tells whether the bytes were no UTF-8; each byte that is none then stands as
            U+DC80 to U+DCFF.
    Raises:
        ValueError: It is no JSON, or not a chunk.
    """
    try:
        text, raw = data.decode(), False
    except UnicodeDecodeError:
        text, raw = data.decode("utf-8", "surrogateescape"), True
    try:
        return msgspec.convert(put_right(json.loads(text)), Chunk | None), raw
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
