"""Members of what clients send."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.reading import Members

GIVEN = Members(
    {
        "taskId": "r1",
        "context_id": "t1",
        "flag": True,
        "said": "false",
        "count": "10",
        "float": 2.0,
        "null": None,
        "texts": ["a"],
        "one": {"two": {"three": 3}},
        "many": [{"a": 1}],
    }
)


def test_members_are_read_as_what_they_should_be() -> None:
    """Protocol buffers' JSON: two spellings of a name, numbers as text, null for absent."""
    assert (GIVEN.name("taskId"), GIVEN.name("contextId"), GIVEN.text("absent")) == ("r1", "t1", "")
    assert (GIVEN.flag("flag"), GIVEN.flag("said"), GIVEN.flag("null")) == (True, False, None)
    assert (GIVEN.count("count"), GIVEN.count("float"), GIVEN.count("absent")) == (10, 2, None)
    assert (GIVEN.texts("texts"), GIVEN.texts("absent")) == (("a",), ())
    one = GIVEN.members("one")
    assert one is not None
    assert one.at("two") == "/one/two"
    assert GIVEN.members("null") is None
    assert [many.get("a") for many in GIVEN.objects("many")] == [1]
    assert GIVEN.sequence("absent") == ()


@pytest.mark.requirement("A2A-bad-input")
@pytest.mark.parametrize(
    ("method", "value", "came"),
    [
        ("text", 5, "the number 5"),
        ("name", "a\nb", "on one line"),
        ("name", "x" * 257, "came 257 characters"),
        ("flag", "yes", "the text 'yes'"),
        ("flag", 1.5, "the number 1.5"),
        ("count", -1, "the number -1"),
        ("count", 1.5, "the number 1.5"),
        ("count", True, "true"),
        ("count", "9" * 11, "the text"),
        ("count", 2**40, "the number"),
        ("members", [], "an array"),
        ("members", False, "false"),
        ("sequence", {}, "an object"),
        ("texts", [1], "the number 1"),
        ("objects", [None], "null"),
    ],
)
def test_what_is_something_else_is_refused_with_its_place(method: str, value: Any, came: str) -> None:  # noqa: ANN401 (any JSON)
    """Ours: what was expected, what came, and where."""
    with pytest.raises(FaultError) as refused:
        getattr(Members({"m": value}, "/at"), method)("m")
    assert refused.value.fault is Fault.INVALID_PARAMS
    assert came in str(refused.value)
    assert refused.value.pointer.startswith("/at/m")


def test_what_should_be_an_object_is_one() -> None:
    """Ours: params that are an array have no members."""
    with pytest.raises(FaultError, match="expected an object, came an array"):
        Members([])
