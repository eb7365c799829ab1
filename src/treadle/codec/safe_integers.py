"""Integers for readers whose numbers are 64-bit floats: a browser's `JSON.parse` rounds what lies beyond 2^53.

In: JSON terms. Out: the same, with each integer that would be rounded said as text.
"""

from __future__ import annotations

from typing import Final

from treadle.values.mappings import Json

LARGEST_SAFE: Final = 2**53 - 1
"""The largest integer that, with its neighbour, is exact as a 64-bit float."""


def with_safe_integers(value: Json) -> Json:
    """The value with integers beyond `LARGEST_SAFE`, up or down, as text. What is not changed is not copied."""
    if type(value) is int:
        return value if -LARGEST_SAFE <= value <= LARGEST_SAFE else str(value)
    if isinstance(value, dict):
        changed = {key: with_safe_integers(item) for key, item in value.items()}
        return changed if any(changed[key] is not item for key, item in value.items()) else value
    if isinstance(value, list | tuple):
        items = [with_safe_integers(item) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value
