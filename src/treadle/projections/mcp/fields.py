"""A JSON schema of an answer as a form's flat fields, and what was filled in as the answer.

In: any schema. Out: fields of primitives. An object of primitives is its own form; one primitive is a form of one
field; all else is one text. A field may demand less than the schema does: the answer is held against the schema later.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from treadle.codec.foreign import json_terms, json_text, json_value
from treadle.values.mappings import Json

VALUE: Final = "value"
"""The one field of a form that is not an object's own."""
LONGEST_SCHEMA: Final = 4_000
"""Characters of a schema that are told in words."""

_WORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"title", "description", "default", "minLength", "maxLength"}),
    "number": frozenset({"title", "description", "default", "minimum", "maximum"}),
    "integer": frozenset({"title", "description", "default", "minimum", "maximum"}),
    "boolean": frozenset({"title", "description", "default"}),
}
"""What a field of each type may say beside its type."""
_FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})
_DEFAULTS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
}


class Filled(Enum):
    """How what was filled in becomes an answer."""

    AS_OBJECT = "the fields are the answer's"
    AS_VALUE = "the field is the answer"
    AS_JSON = "the field holds the answer as JSON"


@dataclass(frozen=True, slots=True)
class Fields:
    """A form for answers to one schema."""

    schema: Mapping[str, Any]
    filled: Filled
    needed: frozenset[str] = frozenset()


def fields_of(schema: Mapping[str, Any]) -> Fields:
    """The form for answers that fit a schema."""
    if not schema:
        anything = {"type": "string", "title": "Answer"}
        return Fields(_one(anything), Filled.AS_VALUE)
    if (field := _field(schema)) is not None:
        return Fields(_one(field), Filled.AS_VALUE)
    if (whole := _whole(schema)) is not None:
        return whole
    told = json_text(json_terms(schema))
    description = f"JSON that fits this schema: {told[:LONGEST_SCHEMA]}{'…' if len(told) > LONGEST_SCHEMA else ''}"
    return Fields(_one({"type": "string", "title": "Answer", "description": description}), Filled.AS_JSON)


def filled_in(content: Mapping[str, Json], fields: Fields) -> Json:
    """The answer that a form was filled in with.

    Raises:
        ValueError: It holds none; the message says what was expected.
    """
    if fields.filled is Filled.AS_OBJECT:
        return {name: value for name, value in content.items() if value is not None or name in fields.needed}
    if VALUE not in content:
        raise ValueError(f"expected the field {VALUE!r}")
    value = content[VALUE]
    if fields.filled is Filled.AS_VALUE:
        return value
    try:
        return json_value(json.loads(value if isinstance(value, str) else ""))
    except (ValueError, RecursionError):
        raise ValueError(f"expected JSON in the field {VALUE!r}") from None


def _one(field: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {VALUE: field}, "required": [VALUE]}


def _whole(schema: Mapping[str, Any]) -> Fields | None:
    """An object of primitives as it is; None for any other schema."""
    declared = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(declared, Mapping) or not declared:
        return None
    made = {name: _field(one) for name, one in declared.items()}
    needed = schema.get("required", ())
    if not all(made.values()) or not all(name in made for name in needed):
        return None
    form = {"type": "object", "properties": made, "required": list(needed)}
    return Fields(form, Filled.AS_OBJECT, frozenset(needed))


def _field(schema: object) -> dict[str, Any] | None:
    """A schema of a primitive as a field; None for any other."""
    if not isinstance(schema, Mapping):
        return None
    if (choices := _choices(schema)) is not None:
        return {"type": "string", **_told(schema, "string"), "enum": choices}
    kind = str(schema.get("type"))
    if kind in _WORDS:
        field = {"type": kind, **_told(schema, kind)}
        return {**field, "format": schema["format"]} if schema.get("format") in _FORMATS and kind == "string" else field
    # What may be left out: one of two, and the other is null.
    either = schema.get("anyOf")
    if isinstance(either, list | tuple) and len(either) == 2 and {"type": "null"} in either:
        inner = _field(next((one for one in either if one != {"type": "null"}), None))
        return None if inner is None else {**inner, **_told(schema, inner["type"])}
    return None


def _choices(schema: Mapping[str, Any]) -> list[str] | None:
    given = schema.get("enum", [schema["const"]] if "const" in schema else ())
    is_text = schema.get("type", "string") == "string"
    if not is_text or not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        return None
    return list(given) or None


def _told(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    said = {word: schema[word] for word in sorted(_WORDS[kind]) if schema.get(word) is not None}
    if not isinstance(said.get("default", _SAMPLE[kind]), _DEFAULTS[kind]):
        del said["default"]
    return said


_SAMPLE: Final[Mapping[str, object]] = {"string": "", "number": 0, "integer": 0, "boolean": False}
