"""Values against JSON schemas."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.json_schema import CHECKED, MOST_FAULTS, faults, unchecked
from treadle.values.mappings import frozen

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, -2.5]) | st.text("ab", max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
kinds = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
sizes = st.integers(0, 3)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": kinds | st.lists(kinds, min_size=1, max_size=2, unique=True),
            "enum": st.lists(values, min_size=1, max_size=3),
            "const": values,
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
            "required": st.lists(st.sampled_from("abc"), max_size=2, unique=True),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "uniqueItems": st.booleans(),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "minItems": sizes,
            "maxItems": sizes,
            "minLength": sizes,
            "maxLength": sizes,
            "minimum": st.integers(-2, 2),
            "maximum": st.integers(-2, 2),
            "exclusiveMinimum": st.integers(-2, 2),
            "exclusiveMaximum": st.integers(-2, 2),
            "title": st.just("t"),
        },
    )


schemas = st.recursive(st.booleans() | _schemas(st.booleans()), _schemas, max_leaves=5)


@given(values, schemas)
def test_a_value_fits_exactly_where_another_validator_says_so(value: object, schema: object) -> None:
    """JSON Schema 2020-12: the same verdict as a whole implementation, for every word that is checked here."""
    root = schema if isinstance(schema, dict) else {"allOf": [schema]}
    expected = jsonschema_rs.Draft202012Validator(root).is_valid(value)
    assert (faults(value, root) == ()) is expected
    assert (faults(frozen(value), frozen(root)) == ()) is expected
    assert unchecked(root) == ()


def test_a_reference_is_followed_within_its_schema() -> None:
    """JSON Schema 2020-12: `$ref` to a place in the same schema; pydantic writes nested models so."""
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/tr~1ee"}}, "required": ["next"]}
    schema = {"$ref": "#/$defs/tr~1ee", "$defs": {"tr/ee": {"anyOf": [{"type": "null"}, tree]}}}
    assert faults({"next": {"next": None}}, schema) == ()
    assert faults({"next": {"next": 1}}, schema) != ()
    assert faults(1, {"$ref": "#/$defs/none"}) != ()
    assert faults(1, {"$ref": "https://elsewhere.example/schema"}) != ()


def test_a_schema_that_goes_in_a_circle_ends() -> None:
    """Ours: whoever writes a schema cannot keep a process busy with it."""
    assert faults(1, {"$ref": "#"}) != ()


def test_a_fault_says_where_and_what_was_expected_and_not_what_came() -> None:
    """Ours: a person is told how to mend it; what they sent may be secret."""
    schema = {"properties": {"a/b": {"type": "array", "items": {"enum": ["red"]}}}, "required": ["c"]}
    told = [str(fault) for fault in faults({"a/b": ["red", "hunter2"]}, schema)]
    assert told == ['/a~1b/1: expected one of ["red"]', "/c: expected a value, and none came"]
    assert str(faults(1, {"type": "string"})[0]) == "the value: expected string"


def test_no_more_faults_are_told_than_can_be_read() -> None:
    """Ours: a hundred wrong items are told as the first few."""
    assert len(faults([1] * 100, {"items": {"type": "string"}})) == MOST_FAULTS


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"pattern": "^a"}, ("pattern",)),
        ({"items": {"properties": {"a": {"multipleOf": 2}}}}, ("multipleOf",)),
        ({"anyOf": [{"not": {}}], "$defs": {"a": {"if": {}}}}, ("if", "not")),
        ({"items": 5}, ("a int in place of a schema",)),
        ("text", ("a str in place of a schema",)),
    ],
)
def test_what_is_not_checked_is_named(schema: object, words: tuple[str, ...]) -> None:
    """Ours: a demand that nobody holds would be taken for one that somebody does."""
    assert unchecked(schema) == words


def test_every_word_that_is_checked_is_tried_above() -> None:
    """Ours: a word that is added is held against the other validator too."""
    tried = {"type", "enum", "const", "properties", "required", "additionalProperties", "items", "prefixItems"}
    tried |= {"uniqueItems", "anyOf", "oneOf", "allOf", "minItems", "maxItems", "minLength", "maxLength"}
    tried |= {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "$ref"}
    assert set(CHECKED) == tried
