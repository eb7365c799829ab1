"""What a JSON schema asks for, in words for a person who is to type it.

In: a schema. Out: a few words on one line. Whether what they type fits is held against the schema itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from treadle.cli.foreign_text import line
from treadle.codec.foreign import json_text, json_value

DEEPEST: Final = 2
"""Schemas within schemas that are told of."""
MOST: Final = 8
"""Fields, choices or forms that are told of."""
ANYTHING: Final = "anything"

_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a JSON array",
    "object": "a JSON object",
}


def words_of(schema: Mapping[str, Any]) -> str:
    """What fits this schema."""
    return _words(schema, schema, DEEPEST) or ANYTHING


def is_text(schema: Mapping[str, Any]) -> bool:
    """Whether only text fits, so that nobody has to put it in quotes."""
    found = _followed(schema, schema)
    return found.get("type") == "string"


def _words(schema: Any, root: Mapping[str, Any], levels: int) -> str:  # noqa: ANN401 (a schema within a schema)
    found = _followed(schema, root)
    if "const" in found:
        return _shown(found["const"])
    if "enum" in found:
        return f"one of {_listed(map(_shown, found['enum']))}"
    for either in ("anyOf", "oneOf"):
        if either in found and levels:
            return " or ".join(_words(one, root, levels - 1) or ANYTHING for one in found[either][:MOST])
    kind = found.get("type")
    said = " or ".join(_TYPES.get(one, "JSON") for one in ([kind] if isinstance(kind, str) else kind or ()))
    if kind == "array" and levels and (inner := _words(found.get("items", {}), root, levels - 1)):
        return f"{said} of {inner}"
    if kind == "object" and levels and found.get("properties"):
        return f"{said} with {_listed(_fields(found, root, levels - 1))}"
    return said


def _fields(schema: Mapping[str, Any], root: Mapping[str, Any], levels: int) -> Iterator[str]:
    required = schema.get("required", ())
    for name, inner in schema["properties"].items():
        more = "" if name in required else ", may be left out"
        yield f"{line(name)} ({_words(inner, root, levels) or ANYTHING}{more})"


def _followed(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ANN401 (as above)
    """The schema that a reference leads to: one step, and nothing where it leads on."""
    name = schema.get("$ref") if isinstance(schema, Mapping) else None
    found = root.get("$defs", {}).get(str(name).removeprefix("#/$defs/"), {}) if name is not None else schema
    return found if isinstance(found, Mapping) else {}


def _listed(parts: Iterator[str]) -> str:
    found = list(parts)
    return ", ".join([*found[:MOST], *(["…"] if len(found) > MOST else [])])


def _shown(value: object) -> str:
    return line(value if isinstance(value, str) else json_text(json_value(value)))
