"""What a schema asks for, in words."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.cli.schema_words import ANYTHING, is_text, words_of

TEXT = {"type": "string"}
COUNT = {"type": "integer"}


@pytest.mark.requirement("CLI-asking")
@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, ANYTHING),
        (TEXT, "text"),
        (COUNT, "a whole number"),
        ({"type": "number"}, "a number"),
        ({"type": "boolean"}, "true or false"),
        ({"type": ["integer", "null"]}, "a whole number or null"),
        ({"type": "strange"}, "JSON"),
        ({"const": 3}, "3"),
        ({"enum": ["a", "b\x1b", 3]}, "one of a, b\\x1b, 3"),
        ({"enum": list(range(20))}, "one of 0, 1, 2, 3, 4, 5, 6, 7, …"),
        ({"anyOf": [COUNT, {"type": "null"}, {}]}, f"a whole number or null or {ANYTHING}"),
        ({"type": "array", "items": COUNT}, "a JSON array of a whole number"),
        ({"type": "array"}, "a JSON array"),
        ({"type": "object"}, "a JSON object"),
        (
            {"type": "object", "properties": {"n": COUNT, "why": {}}, "required": ["n"]},
            f"a JSON object with n (a whole number), why ({ANYTHING}, may be left out)",
        ),
        ({"$ref": "#/$defs/A", "$defs": {"A": COUNT}}, "a whole number"),
        ({"$ref": "#/$defs/B", "$defs": {"A": COUNT}}, ANYTHING),
        ({"$ref": "#/$defs/A", "$defs": {"A": True}}, ANYTHING),
    ],
)
def test_a_schema_is_told_in_words(schema: dict[str, Any], words: str) -> None:
    """Ours: whoever is to type a value knows of which kind."""
    assert words_of(schema) == words


def test_what_is_within_itself_comes_to_an_end() -> None:
    """Ours: a tree of trees is told of as far as anybody reads."""
    tree = {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Tree"}}, "required": ["inner"]}
    assert words_of({"$ref": "#/$defs/Tree", "$defs": {"Tree": tree}}).count("inner") == 2


def test_text_is_known_behind_a_reference_too() -> None:
    """Ours: nobody has to put a name of a city in quotes."""
    assert is_text(TEXT)
    assert is_text({"$ref": "#/$defs/A", "$defs": {"A": TEXT}})
    assert not is_text(COUNT)
    assert not is_text({})
