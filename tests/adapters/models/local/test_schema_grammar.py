"""JSON schemas as grammars: every text is a value of the schema, in one spelling, and has an end."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from tests.adapters.models.local.as_pattern import pattern
from treadle.adapters.models.local.schema_grammar import LONGEST_TEXT_CHARS, MOST_ITEMS, SchemaGrammar


class Colour(Enum):
    """Values to choose from."""

    RED = "red"
    GREEN = 'the "green" one'


class Place(BaseModel):
    """An object inside of another."""

    model_config = ConfigDict(extra="forbid")
    city: str
    floor: int = Field(ge=-3, le=120)
    note: str | None = None


class Order(BaseModel):
    """What tools of all kinds ask for."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=12)
    count: int = Field(gt=0, lt=1000)
    whole: int
    size: Literal["s", "m", 3]
    colour: Colour
    express: bool
    price: float
    places: list[Place] = Field(min_length=1, max_length=3)
    home: Place | None
    tags: list[str] = []
    either: int | Literal["none"] = 0
    only: Literal["x"] = "x"


class Wishes(BaseModel):
    """Nothing in it must be given."""

    model_config = ConfigDict(extra="forbid")
    first: bool = False
    second: int = 0
    third: None = None


def grammar_of(schema: dict[str, Any]) -> re.Pattern[str]:
    """The texts of a schema that can be said."""
    reader = SchemaGrammar(schema)
    node = reader.node()
    assert reader.problems == []
    return pattern(node)


def texts_of(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    """Any text of the schema's grammar."""
    return st.from_regex(re.compile(rf"\A{grammar_of(schema).pattern}\Z"))


SPOKEN = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
WHOLE = st.integers(-(10**15) + 1, 10**15 - 1)
PLACES = st.builds(dict, city=SPOKEN, floor=st.integers(-3, 120), note=st.none() | SPOKEN)


@given(text=texts_of(Order.model_json_schema()))
def test_every_text_of_the_grammar_is_accepted_by_the_schemas_own_model(text: str) -> None:
    """Ours: the model may be wrong about the world, but its call has the right form."""
    Order.model_validate_json(text)


@given(text=texts_of(Wishes.model_json_schema()))
def test_members_that_may_be_left_out_keep_their_commas_in_order(text: str) -> None:
    """RFC 8259: a comma between two members, none before the first and none after the last."""
    Wishes.model_validate_json(text)


@given(
    order=st.fixed_dictionaries(
        {
            "name": SPOKEN.filter(bool),
            "count": st.integers(1, 999),
            "whole": WHOLE,
            "size": st.sampled_from(["s", "m", 3]),
            "colour": st.sampled_from([colour.value for colour in Colour]),
            "express": st.booleans(),
            "price": st.integers(-1000, 1000).map(lambda cents: cents / 100),
            "places": st.lists(PLACES, min_size=1, max_size=3),
            "home": st.none() | PLACES,
        },
        optional={
            "tags": st.lists(SPOKEN, max_size=MOST_ITEMS),
            "either": WHOLE | st.just("none"),
            "only": st.just("x"),
        },
    )
)
def test_every_value_within_the_bounds_has_a_text_in_the_grammar(order: dict[str, Any]) -> None:
    """Ours: the grammar takes nothing away that a user could have asked for."""
    in_order = {name: order[name] for name in Order.model_fields if name in order}
    assert grammar_of(Order.model_json_schema()).fullmatch(json.dumps(in_order, ensure_ascii=False))


@given(chosen=st.sets(st.sampled_from(["first", "second", "third"])))
def test_any_of_the_optional_members_may_be_there(chosen: set[str]) -> None:
    """JSON Schema: what is not required may be absent, each for itself."""
    values = {"first": True, "second": 7, "third": None}
    text = json.dumps({name: value for name, value in values.items() if name in chosen})
    assert grammar_of(Wishes.model_json_schema()).fullmatch(text)


@pytest.mark.parametrize(
    "text", ['{ "a": 1}', '{"a":1}', '{"a":  1}', '{"a": 1 }', '{"a": 1}\n', '{"a": 1, "b": 2}', "{}", '{"a": 1.5}']
)
def test_there_is_one_spelling_and_no_free_white_space_or_name(text: str) -> None:
    """Ours: a model that may write blanks writes them to the token limit."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    assert grammar_of(schema).fullmatch('{"a": 1}')
    assert not grammar_of(schema).fullmatch(text)


def test_texts_lists_and_numbers_are_bounded_where_the_schema_leaves_them_open() -> None:
    """Ours: an unbounded text can run to the token limit and come back cut."""
    text, items, number = {"type": "string"}, {"type": "array", "items": {"type": "null"}}, {"type": "integer"}
    assert grammar_of(text).fullmatch(json.dumps("x" * LONGEST_TEXT_CHARS))
    assert not grammar_of(text).fullmatch(json.dumps("x" * (LONGEST_TEXT_CHARS + 1)))
    assert not grammar_of(text | {"maxLength": 10**6}).fullmatch(json.dumps("x" * (LONGEST_TEXT_CHARS + 1)))
    assert grammar_of(items).fullmatch(json.dumps([None] * MOST_ITEMS))
    assert not grammar_of(items).fullmatch(json.dumps([None] * (MOST_ITEMS + 1)))
    assert not grammar_of(number).fullmatch("1" * 16)


@pytest.mark.parametrize(
    ("schema", "inside", "outside"),
    [
        ({"exclusiveMinimum": 3}, "4", "3"),
        ({"minimum": 2.5}, "3", "2"),
        ({"exclusiveMinimum": 2.5}, "3", "2"),
        ({"exclusiveMaximum": 3}, "2", "3"),
        ({"maximum": 2.5}, "2", "3"),
        ({"maximum": -1}, "-1", "0"),
    ],
)
def test_bounds_of_whole_numbers_hold(schema: dict[str, Any], inside: str, outside: str) -> None:
    """JSON Schema: excluded bounds, and bounds that are no whole numbers."""
    expression = grammar_of({"type": "integer", **schema})
    assert expression.fullmatch(inside)
    assert not expression.fullmatch(outside)


def test_a_fraction_that_is_never_negative_has_no_sign() -> None:
    """JSON Schema: `minimum` 0; further bounds of fractions are the tool's to check."""
    assert grammar_of({"type": "number"}).fullmatch("-0.5")
    assert grammar_of({"type": "number", "minimum": 0}).fullmatch("0.5")
    assert not grammar_of({"type": "number", "minimum": 0}).fullmatch("-0.5")


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "array", "items": {"type": "null"}, "maxItems": 0}, "[]"),
        ({"type": "object", "additionalProperties": False}, "{}"),
        ({"type": ["integer", "null"]}, "null"),
        ({"oneOf": [{"type": "boolean"}, {"const": [1, {"a": None}]}]}, '[1, {"a": null}]'),
        ({"allOf": [{"$ref": "#/$defs/a~1b"}], "$defs": {"a/b": {"const": 1}}}, "1"),
    ],
)
def test_corners_that_generators_of_schemas_write(schema: dict[str, Any], text: str) -> None:
    """JSON Schema 2020-12: empty lists and objects, lists of types, single `allOf`, escaped references."""
    assert grammar_of(schema).fullmatch(text)


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({}, "arguments: expected a type, came None: any value at all cannot be asked for"),
        ({"type": "array"}, "arguments[]: expected a schema that says what may stand here, came None"),
        ({"type": "object"}, "arguments: an object with free names cannot be asked for; name its properties"),
        ({"properties": {"a": {"not": {}}}, "type": "object"}, "arguments.a: 'not' cannot be said as a grammar"),
        (
            {"allOf": [{"type": "null"}, {"type": "null"}]},
            "arguments: several schemas at once ('allOf') cannot be said as a grammar",
        ),
        ({"anyOf": []}, "arguments: expected schemas under 'anyOf', came []"),
        ({"enum": []}, "arguments: expected values to choose from, came []"),
        ({"$ref": "other.json"}, "arguments: 'other.json' names nothing in this schema"),
        ({"$ref": "#/$defs/none"}, "arguments: '#/$defs/none' names nothing in this schema"),
        (
            {"type": "object", "properties": {}, "required": ["a"]},
            "arguments: 'a' is required and has no schema",
        ),
        ({"type": "string", "minLength": 201}, "arguments: expected at most 200 characters, came at least 201"),
        (
            {"type": "array", "items": {"type": "null"}, "minItems": 9},
            "arguments: expected at most 8 items, came at least 9",
        ),
        (
            {"type": "integer", "minimum": 2, "maximum": 1},
            "arguments: no whole number of at most 15 digits is within the bounds",
        ),
    ],
)
def test_what_a_grammar_cannot_say_is_refused_with_its_place(schema: dict[str, Any], problem: str) -> None:
    """Ours: a tool that cannot be called rightly is told of before it is called wrongly."""
    reader = SchemaGrammar(schema)
    reader.node()
    assert reader.problems == [problem]


def test_a_schema_that_holds_itself_is_refused() -> None:
    """Ours: its text has no bound."""

    class Tree(BaseModel):
        """Branches of branches."""

        branches: list[Tree]

    reader = SchemaGrammar(Tree.model_json_schema())
    reader.node()
    assert ["holds itself" in problem for problem in reader.problems] == [True]


def test_a_schema_that_grows_without_end_is_refused_in_bounded_time() -> None:
    """Ours: names that each name the next one twice make a grammar that doubles at every step."""
    names = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}
    reader = SchemaGrammar({"$ref": "#/$defs/d0", "$defs": {**names, "d60": {"type": "null"}}})
    reader.node()
    assert reader.problems == ["arguments: more than 200 schemas in one cannot be asked for"]


def test_all_problems_are_told_at_once() -> None:
    """Ours: whoever mends one should not meet the next only then."""
    reader = SchemaGrammar({"type": "object", "properties": {"a": {}, "b": {"type": "object"}}})
    reader.node()
    assert [problem.partition(":")[0] for problem in reader.problems] == ["arguments.a", "arguments.b"]
