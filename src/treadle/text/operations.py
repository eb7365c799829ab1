"""The content of a block to operations, or to the reason why there are none.

Accepted: an object with a list of objects under `ops` or `operations`, a list of objects, a single object with a
`type`. A code fence around the JSON is taken off, never one inside it. Nothing here raises over what a model wrote.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from treadle.framing.surrogates import whole_text
from treadle.text.pieces import Extraction
from treadle.text.strings import map_strings

MAX_DEPTH: Final = 64
"""Deepest nesting of brackets that is read."""

_LISTS: Final = ("ops", "operations")
# A string that never ends is taken to the end: no place is looked at twice.
_token: Final = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[{]|[\]}]', re.DOTALL)
_opening_fence: Final = re.compile(r"\s*+```[A-Za-z]*+")


def read_operations(tag: str, content: str) -> Extraction:
    """Read what a block held."""
    text = content[json_start(content) :].rstrip().removesuffix("```")
    if too_deep(text):
        return Extraction(tag=tag, diagnostic="too_deep")
    try:
        value = json.loads(text, parse_constant=_refused, parse_float=_finite)
    except ValueError:
        return Extraction(tag=tag, diagnostic="not_json")
    operations = _listed(value)
    if operations is None or not all(isinstance(operation, Mapping) for operation in operations):
        return Extraction(tag=tag, diagnostic="wrong_shape")
    return Extraction(tag=tag, operations=tuple(map_strings(operations, whole_text)))


def too_deep(text: str) -> bool:
    """Tell whether brackets outside strings nest deeper than is read."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for token in _token.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token.group()[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False


def json_start(content: str) -> int:
    """Find where the JSON of a block begins: after the fence, if there is one."""
    fence = _opening_fence.match(content)
    return fence.end() if fence else 0


def _listed(value: object) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        return None
    for name in _LISTS:
        if name in value:
            listed = value[name]
            return listed if isinstance(listed, list) else None
    return [value] if "type" in value else None


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("a number past what can be held")
    return number
