"""Chunks in which single fields have another type than the wire's description gives them, put right.

In: an event's JSON as plain Python values. Out: the same, with each field that can be understood in the type of
`wire`. What cannot be understood is left as it is, for the typed reading to refuse; a count is left out instead, for
an answer is worth more than its price. Knows nothing of streams.

    a count             an integral float or digits are its number; anything else is no count
    an index            likewise; anything else is left
    an id               a number is its text
    arguments           what is not text is its JSON text
    content and speech  of a list of parts the texts are joined, other parts passed over
    null in a list      is left out
    an empty container of the wrong kind   is as good as null

Source: field reports; some servers build chunks in languages that have one type for numbers, or for lists and maps.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

MAX_COUNT: Final = 2**53
"""The longest run of numbers that a float tells apart: a larger count in such a form says nothing."""

_TEXT_PARTS: Final = (None, "text", "output_text")
_DETAILS: Final = ("prompt_tokens_details", "completion_tokens_details")
_TEXTS: Final = ("content", "reasoning_content", "reasoning", "refusal")


def put_right(event: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    """An event with its odd fields in their types, as far as they are understood.

    Shape:  an event that fits `wire.Chunk` says the same before and after. Nothing is raised but RecursionError.
    """
    if not isinstance(event, dict):
        return event
    usage = event.get("usage")
    return event | {
        "choices": _each(event.get("choices"), _choice),
        "usage": _usage(usage) if isinstance(usage, dict) else None,
    }


def _each(items: Any, put_item_right: Callable[[Any], Any]) -> Any:  # noqa: ANN401 (whatever a server sends)
    if not isinstance(items, list):
        return items or None
    return [put_item_right(item) for item in items if item is not None]


def _choice(choice: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    if not isinstance(choice, dict):
        return choice
    return choice | {
        "index": _index(choice.get("index")),
        "delta": _delta(choice.get("delta")),
        "message": _delta(choice.get("message")),
        "text": _text(choice.get("text")),
    }


def _delta(delta: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    if not isinstance(delta, dict):
        return delta or None
    return (
        delta
        | {name: _text(delta.get(name)) for name in _TEXTS}
        | {
            "tool_calls": _each(delta.get("tool_calls"), _piece),
            "function_call": _function(delta.get("function_call")),
        }
    )


def _piece(piece: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    if not isinstance(piece, dict):
        return piece
    named = piece.get("id")
    return piece | {
        "index": _index(piece.get("index")),
        "id": json.dumps(named) if type(named) in (int, float) else named,
        "function": _function(piece.get("function")),
    }


def _function(function: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    if not isinstance(function, dict):
        return function or None
    arguments = function.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return function
    return function | {"arguments": json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))}


def _text(told: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    return "".join(map(_part, told)) if isinstance(told, list) else told


def _part(part: Any) -> str:  # noqa: ANN401 (whatever a server sends)
    if isinstance(part, dict) and part.get("type") in _TEXT_PARTS:
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _usage(usage: dict[str, Any]) -> dict[str, Any]:
    counts: dict[str, Any] = {name: _count(told) for name, told in usage.items() if name not in _DETAILS}
    for name in _DETAILS:
        details = usage.get(name)
        counts[name] = _usage(details) if isinstance(details, dict) else None
    return counts


def _count(told: Any) -> int | None:  # noqa: ANN401 (whatever a server sends)
    number = _index(told)
    return number if type(number) is int and number >= 0 else None


def _index(told: Any) -> Any:  # noqa: ANN401 (whatever a server sends)
    if isinstance(told, str) and told.isascii() and told.isdecimal() and len(told) < len(str(MAX_COUNT)):
        return int(told)
    if isinstance(told, float) and told.is_integer() and abs(told) <= MAX_COUNT:
        return int(told)
    return told
