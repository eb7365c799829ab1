"""Schemas of answers as flat fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from treadle.projections.mcp.fields import LONGEST_SCHEMA, VALUE, Filled, fields_of, filled_in

TEXT = {"type": "string"}


@pytest.mark.requirement("MCP-forms")
@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({}, {"type": "string", "title": "Answer"}),
        (TEXT, TEXT),
        (
            {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "x", "format": "email", "default": "a"},
            {"type": "string", "minLength": 1, "maxLength": 9, "format": "email", "default": "a"},
        ),
        ({"type": "string", "format": "uuid", "default": 3}, TEXT),
        ({"type": "integer", "minimum": 0, "exclusiveMaximum": 9}, {"type": "integer", "minimum": 0}),
        ({"type": "number", "title": "N", "default": 0.5}, {"type": "number", "title": "N", "default": 0.5}),
        ({"type": "boolean", "description": "d"}, {"type": "boolean", "description": "d"}),
        ({"enum": ["a", "b"], "title": "E"}, {"type": "string", "enum": ["a", "b"], "title": "E"}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        ({"anyOf": [TEXT, {"type": "null"}], "title": "T"}, {"type": "string", "title": "T"}),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, {"type": "integer"}),
    ],
)
def test_one_primitive_is_a_form_of_one_field(schema: Mapping[str, Any], field: Mapping[str, Any]) -> None:
    """MCP: a form is a flat object of primitives, with few words for each."""
    made = fields_of(schema)
    assert made.schema == {"type": "object", "properties": {VALUE: field}, "required": [VALUE]}
    assert made.filled is Filled.AS_VALUE
    assert filled_in({VALUE: "x"}, made) == "x"


@pytest.mark.requirement("MCP-forms")
def test_an_object_of_primitives_is_a_form_as_it_is() -> None:
    """MCP: only properties at the top."""
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "why": {"anyOf": [TEXT, {"type": "null"}]}},
        "required": ["ok"],
        "additionalProperties": False,
    }
    made = fields_of(schema)
    assert made.schema == {"type": "object", "properties": {"ok": {"type": "boolean"}, "why": TEXT}, "required": ["ok"]}
    assert filled_in({"ok": True, "why": None}, made) == {"ok": True}
    assert filled_in({"ok": None, "why": "so"}, made) == {"ok": None, "why": "so"}


@pytest.mark.requirement("MCP-forms")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": TEXT},
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "properties": {"a": TEXT}, "required": ["b"]},
        {"enum": [1, 2]},
        {"enum": []},
        {"type": "integer", "enum": ["a"], "anyOf": []} | {"type": ["integer", "null"]},
        {"anyOf": [TEXT, TEXT]},
        {"anyOf": [{"type": "array"}, {"type": "null"}]},
        {"anyOf": [TEXT, {"type": "null"}, {"type": "integer"}]},
        {"$ref": "#/$defs/a"},
    ],
)
def test_what_fits_no_form_is_a_text_of_json(schema: Mapping[str, Any]) -> None:
    """Ours: every pause can be answered."""
    made = fields_of(schema)
    field = made.schema["properties"][VALUE]
    assert (field["type"], made.filled) == ("string", Filled.AS_JSON)
    assert json.dumps(schema, separators=(",", ":")) in field["description"]
    assert filled_in({VALUE: '{"a": [1]}'}, made) == {"a": (1,)}


def test_a_long_schema_is_told_in_part() -> None:
    """Ours: it is for people."""
    description = fields_of({"type": "array", "title": "x" * 9_000}).schema["properties"][VALUE]["description"]
    assert description.endswith("…")
    assert len(description) < LONGEST_SCHEMA + 100


@pytest.mark.parametrize(
    ("schema", "content"),
    [(TEXT, {}), ({"type": "array"}, {}), ({"type": "array"}, {VALUE: "["}), ({"type": "array"}, {VALUE: 3})],
)
def test_a_form_that_holds_no_answer_is_refused(schema: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    """Ours: nothing is made up for what was not said."""
    with pytest.raises(ValueError, match=VALUE):
        filled_in(content, fields_of(schema))
