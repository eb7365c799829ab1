"""What an answer has to be, where it is a value."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from treadle.plan.output import output_block, output_of, output_schema

pytestmark = pytest.mark.requirement("OUTPUT-schema")


class Point(BaseModel):
    """A type of pydantic's."""

    x: int
    y: int = 0


class Tree(BaseModel):
    """A type that refers to itself, so its schema begins with a reference."""

    children: list[Tree] = []


@dataclass
class Plain:
    """A dataclass."""

    name: str


POINT: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "required": ["x"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("declared", [POINT, Point, Tree, Plain])
def test_a_schema_or_a_type_of_an_object_may_be_declared(declared: object) -> None:
    """docs/agents.md: a JSON schema, or a type that has one."""
    schema, problems = output_schema(declared)
    assert problems == ()
    assert json.loads(output_block(schema).partition(": ")[2])


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (int, "must be an object"),
        ({"type": "array"}, "must be an object"),
        ({"$ref": "#/$defs/No"}, "must be an object"),
        ({"$ref": "elsewhere", "type": "array"}, "must be an object"),
        ({"type": "object", "patternProperties": {}}, "demands what is not checked: patternProperties"),
        (5, "must be a JSON schema, or a type that has one"),
    ],
)
def test_what_cannot_be_held_is_told_when_it_is_declared(declared: object, said: str) -> None:
    """Ours: a schema that is checked in part only is worse than none."""
    assert any(said in problem for problem in output_schema(declared)[1])


@given(st.integers(-(10**20), 10**20), st.sampled_from(["", " ", "\n", "\t\r\n"]))
def test_an_answer_that_fits_is_its_value_whatever_blanks_are_round_it(x: int, blanks: str) -> None:
    """Property: what was said is what is read, to the digit."""
    assert output_of(f'{blanks}{{"x": {x}}}{blanks}', POINT) == ({"x": x}, None)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "it says nothing"),
        (" \n", "it says nothing"),
        ("null", "its contents are null"),
        ("[1]", "its contents must be a JSON object, not a list"),
        ("It is 3.", "its contents are not one JSON object"),
        ('{"x": 1} and', "its contents are not one JSON object"),
        ('```json\n{"x": 1}\n```', "its contents are not one JSON object"),
        ('{"x": NaN}', "a number that cannot be read"),
        ("{}", "expected"),
        ('{"x": "1"}', "/x: expected integer"),
        ('{"x": 1, "z": 1}', "expected"),
    ],
)
def test_an_answer_that_does_not_fit_has_no_value_and_a_reason(answer: str, said: str) -> None:
    """docs/agents.md: one JSON object, and nothing else."""
    value, fault = output_of(answer, POINT)
    assert value is None
    assert fault is not None
    assert said in fault


def test_an_empty_object_is_a_value() -> None:
    """Ours: arguments may be left out, an answer may not."""
    assert output_of("{}", {"type": "object"}) == ({}, None)
