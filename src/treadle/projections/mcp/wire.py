"""The shapes of MCP: JSON-RPC messages, the results of a tool's call, and the versions there are.

In: ids and tokens that are JSON already, words, JSON terms. Out: JSON text, unframed.

Shape: what a client said (the id of its request, its progress token) comes back as it came, type and all. A result is
    never larger than a client reads: it is cut with a mark that says so.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from treadle.codec.foreign import json_bytes, json_terms, json_text
from treadle.framing.surrogates import whole_text
from treadle.values.ids import RunId
from treadle.values.mappings import Json
from treadle.values.usage import COUNTS, UsageDelta, count_or_none

MODERN: Final = "2026-07-28"
"""The version in which each request stands alone."""
HANDSHAKE: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""The versions of sessions, the newest first."""
ASKING: Final = frozenset({MODERN, "2025-11-25", "2025-06-18"})
"""Versions in which a client can be asked something."""
WITH_LISTS: Final = frozenset({MODERN, "2025-11-25"})
"""Versions whose forms may let somebody choose more than one thing."""

_META: Final = "io.modelcontextprotocol/"
PROTOCOL_VERSION: Final = f"{_META}protocolVersion"
CLIENT_CAPABILITIES: Final = f"{_META}clientCapabilities"
SERVER_INFO: Final = f"{_META}serverInfo"
OWN: Final = "treadle/"
"""Before the names of what a result's `_meta` says of our own."""

LARGEST_EVENT: Final = 1_000_000
"""Bytes that one message may have: clients give up on an event of 1 MiB."""
_ROOM_BESIDE: Final = 8_192
"""Bytes of a result that are not what the agent said."""
_PIECE: Final = 512
"""Characters by which a text is cut."""


def message(**fields: Json) -> str:
    """A message of JSON-RPC."""
    return json_text({"jsonrpc": "2.0", **fields})


def response(id_json: str, result: Mapping[str, Json]) -> str:
    """The answer to a request. Its id is JSON already."""
    return f'{{"jsonrpc":"2.0","id":{id_json},"result":{json_text(dict(result))}}}'


def progress_template(token_json: str) -> str:
    """All of a notification of progress up to its number."""
    params = f'{{"progressToken":{token_json},"progress":'
    return f'{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}'


def progress(template: str, number: int, words: str) -> str:
    """A notification of progress."""
    return f'{template}{number},"message":{json_text(whole_text(words))}}}}}'


def text_block(text: str) -> dict[str, Json]:
    """A text as a part of a result."""
    return {"type": "text", "text": whole_text(text)}


def own_meta(**said: object) -> dict[str, Json]:
    """What `_meta` says of our own; what is None is left out."""
    return {f"{OWN}{name}": json_terms(value) for name, value in said.items() if value is not None}


def usage_terms(spent: UsageDelta) -> dict[str, Json] | None:
    """What was spent, as far as it was reported; None where nothing was."""
    counts = {name: count_or_none(spent, name) for name in COUNTS}
    told: dict[str, Json] = {name: count for name, count in counts.items() if count is not None}
    if told and spent.unmeasured_rounds:
        told["unmeasured_rounds"] = spent.unmeasured_rounds
    return told or None


def structured(output: object) -> Json:
    """What a run gave in a structure, as the object that the protocol wants; None where there is none."""
    if output is None:
        return None
    terms = json_terms(output)
    return terms if isinstance(terms, Mapping) else {"result": terms}


def call_result(
    texts: Sequence[str], *, is_modern: bool, is_error: bool, output: Json, meta: Mapping[str, Json], run_id: RunId
) -> dict[str, Json]:
    """The result of a tool's call.

    Shape:  each text is a block; joined they are what was shown. `output` is an object, or None for none. What has no
            room is cut, and a last block says what is missing.
    """
    shown, kept, lost = _within(texts, output)
    cut = [] if lost is None else [f"[cut: {lost}; run {run_id} holds all of it]"]
    result: dict[str, Json] = {"resultType": "complete"} if is_modern else {}
    result["content"] = [text_block(text) for text in (*shown, *cut)]
    if kept is not None:
        result["structuredContent"] = kept
    # A client that was promised a structure takes a result without one for none.
    result["isError"] = is_error or (output is not None and kept is None)
    result["_meta"] = {**meta, **(own_meta(cut=True) if cut else {})}
    return result


def _within(texts: Sequence[str], output: Json) -> tuple[list[str], Json, str | None]:
    """What there is room for, and what of it there is not, in words."""
    room = LARGEST_EVENT - _ROOM_BESIDE
    lost: list[str] = []
    if output is not None:
        size = len(json_bytes(output))
        if size > room // 2:
            lost.append(f"the structured output has {size} bytes and is left out")
            output = None
        else:
            room -= size
    shown: list[str] = []
    total = sum(map(len, texts))
    for text in texts:
        fits = fitting(whole_text(text), room)
        room -= len(json_bytes(fits)) + len('{"type":"text","text":},')
        shown.append(fits)
        if len(fits) < len(text):
            lost.insert(0, f"{sum(map(len, shown))} of {total} characters are here")
            break
    return shown, output, "; ".join(lost) or None


def fitting(text: str, room: int) -> str:
    """As much of the beginning of a text as has so many bytes in JSON.

    Shape:  linear in the text; cut between characters.
    """
    if 6 * len(text) + 2 <= room or len(json_bytes(text)) <= room:
        return text
    kept, left = 0, room - 2
    # It does not fit, so some piece of it does not.
    while (size := len(json_bytes(text[kept : kept + _PIECE])) - 2) <= left:
        kept, left = kept + _PIECE, left - size
    return text[:kept]


def elicitation(words: str, schema: Mapping[str, Any], *, version: str) -> dict[str, Json]:
    """What a client is to ask its user: a form. The first version that knew forms knew no others."""
    mode = {} if version == "2025-06-18" else {"mode": "form"}
    return {**mode, "message": whole_text(words), "requestedSchema": json_terms(schema)}
