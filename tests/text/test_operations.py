"""The content of a block to operations."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.text.operations import MAX_DEPTH, json_start, read_operations, too_deep
from treadle.text.pieces import Diagnostic, Extraction

A, B = {"type": "a"}, {"x": [1, 2.5, "é"]}


@pytest.mark.parametrize(
    ("content", "operations"),
    [
        ('{"ops":[{"type":"a"}]}', (A,)),
        ('{"operations":[{"type":"a"},{"x":[1,2.5,"é"]}]}', (A, B)),
        ('[{"type":"a"}]', (A,)),
        ('{"type":"a"}', (A,)),
        ('{"ops":[]}', ()),
        ('  \n```json\n{"type":"a"}\n```\n ', (A,)),
        ('```{"type":"a"}```', (A,)),
        ('{"type":"\\ud83d","\\ude00":1}', ({"type": "\ufffd", "\ufffd": 1},)),
    ],
)
def test_operations_are_read(content: str, operations: tuple[object, ...]) -> None:
    """Design §5: content is parsed; a fence around it is taken off; what comes out can be encoded."""
    assert read_operations("T", content) == Extraction(tag="T", operations=operations)  # type: ignore[arg-type]  # mypy cannot see into JSON


@pytest.mark.parametrize(
    ("content", "diagnostic"),
    [
        ("", "not_json"),
        ("text", "not_json"),
        ('{"type":NaN}', "not_json"),
        ('{"type":1e999}', "not_json"),
        ('{"type":' + "9" * 5000 + "}", "not_json"),
        ("5", "wrong_shape"),
        ('{"a":1}', "wrong_shape"),
        ('{"ops":null}', "wrong_shape"),
        ('{"ops":"abc","type":"a"}', "wrong_shape"),
        ('[{"type":"a"},"b"]', "wrong_shape"),
        ("[" * (MAX_DEPTH + 1), "too_deep"),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, "wrong_shape"),
    ],
)
def test_what_cannot_be_read_is_told(content: str, diagnostic: Diagnostic) -> None:
    """Design §5: malformed operations never hurt the user's stream."""
    assert read_operations("T", content) == Extraction(tag="T", diagnostic=diagnostic)


@given(
    value=st.recursive(st.text('[{"\\}]a'), lambda inner: st.lists(inner, max_size=9), max_leaves=8),
    around=st.integers(0, 70),
)
def test_brackets_in_strings_are_no_nesting(value: object, around: int) -> None:
    """Ours: depth is that of the value, whatever its strings hold."""

    def depth(part: object) -> int:
        return 1 + max(map(depth, part), default=0) if isinstance(part, list) else 0

    for _ in range(around):
        value = ["[{", value]
    assert too_deep(json.dumps(value)) is (depth(value) > MAX_DEPTH)


def test_a_string_without_an_end_is_looked_at_once() -> None:
    """Ours: escaped quotes in a string that never ends would cost the square of their number."""
    assert not too_deep('"' + "\\[" * 30_000)
    assert not too_deep("[" * 60 + '"' + '\\"[' * 100_000)


def test_json_begins_after_the_fence() -> None:
    """Ours: with the language's name, and without."""
    assert [json_start(text) for text in ("{", "```{", " ```json {", "x```")] == [0, 3, 8, 0]
