"""Mappings and sequences that cannot change."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import sys
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given

from tests.values.event_samples import json_values
from treadle.values.mappings import DEEPEST, EMPTY, FrozenDict, empty, frozen, thawed


@given(json_values)
def test_what_is_thawed_after_it_was_frozen_is_what_it_was(value: object) -> None:
    """Ours: freezing loses nothing that JSON can say."""
    assert thawed(frozen(value)) == value


@given(json_values)
def test_freezing_twice_is_freezing_once(value: object) -> None:
    """Ours: a value may pass through several frozen values."""
    once = frozen(value)
    assert frozen(once) == once


@given(json_values)
def test_a_frozen_value_encodes_as_what_it_was(value: object) -> None:
    """Ours: an encoder takes a frozen mapping for the dict that it is."""
    assert json.dumps(frozen(value)) == json.dumps(value)


@given(json_values)
def test_nothing_in_a_frozen_value_can_be_changed(value: object) -> None:
    """Ours: a value that is shared by readers is changed by none of them."""

    def check(part: object) -> None:
        assert not isinstance(part, list | set)
        assert isinstance(part, FrozenDict) or not isinstance(part, dict)
        for inner in part.values() if isinstance(part, FrozenDict) else part if isinstance(part, tuple) else ():
            check(inner)

    check(frozen(value))


@pytest.mark.parametrize(
    "change",
    [
        lambda mapping: mapping.__setitem__("a", 2),
        lambda mapping: mapping.__delitem__("a"),
        lambda mapping: mapping.__ior__({"b": 2}),
        lambda mapping: mapping.clear(),
        lambda mapping: mapping.pop("a"),
        lambda mapping: mapping.popitem(),
        lambda mapping: mapping.setdefault("b", 2),
        lambda mapping: mapping.update({"b": 2}),
        lambda mapping: type(mapping).fromkeys(["b"]),
    ],
)
def test_every_way_to_change_a_frozen_mapping_is_refused(change: Callable[[Any], object]) -> None:
    """Ours: frozen is frozen, by whatever method."""
    mapping = frozen({"a": 1})
    with pytest.raises(TypeError, match="cannot be changed"):
        change(mapping)
    assert mapping == {"a": 1}


def test_a_frozen_mapping_is_a_copy_of_what_it_was_made_from() -> None:
    """Ours: who gave a value may go on changing his own."""
    mine: dict[str, Any] = {"a": [1], "b": {"c": 2}}
    kept = frozen(mine)
    mine["a"].append(2)
    mine["b"]["c"] = 3
    assert kept == {"a": (1,), "b": {"c": 2}}


@pytest.mark.parametrize("made", [OrderedDict(a=[1]), MappingProxyType({"a": [1]})], ids=["ordered", "proxy"])
def test_every_kind_of_mapping_is_frozen(made: object) -> None:
    """Ours: what is given need not be a dict."""
    assert type(frozen(made)) is FrozenDict
    assert frozen(made) == {"a": (1,)}


def test_sets_become_frozen_sets() -> None:
    """Ours: a set is not in JSON terms, and still must not be changed."""
    assert frozen({1, 2}) == frozenset({1, 2})
    assert type(frozen({1})) is frozenset
    assert frozen([frozenset({1})]) == (frozenset({1}),)


def test_a_frozen_set_is_thawed_to_a_set_with_the_same_in_it() -> None:
    """Ours: the reverse is whole. What is in a set can be hashed and stays as it is: a list could not be in it."""
    again = thawed(frozen({"tags": {("a", 1), "b"}}))
    assert again == {"tags": {("a", 1), "b"}}
    again["tags"].add("c")
    assert thawed({1}) == {1}


@pytest.mark.parametrize("mapping", [frozen({"a": 1}), EMPTY], ids=["full", "empty"])
def test_a_frozen_mapping_cannot_be_filled_anew(mapping: Any) -> None:  # noqa: ANN401 (the fault under test)
    """Ours: the empty one is shared by every field with a default, so nobody may fill it."""
    before = dict(mapping)
    mapping.__init__({"b": 2})
    assert mapping == before
    assert (FrozenDict({"a": 1}), FrozenDict()) == ({"a": 1}, {})


def within_itself() -> list[Any]:
    """A list, a mapping and a chain of both that hold themselves."""
    ring: list[Any] = []
    ring.append(ring)
    loop: dict[str, Any] = {}
    loop["me"] = loop
    chain: dict[str, Any] = {"list": [{}]}
    chain["list"][0]["back"] = chain
    return [ring, loop, chain]


def nested(levels: int) -> list[Any]:
    """Lists in lists, so many levels of them."""
    made: list[Any] = []
    for _ in range(levels - 1):
        made = [made]
    return made


@pytest.mark.parametrize("value", [*within_itself(), nested(100_000)], ids=["list", "mapping", "chain", "deep"])
def test_what_holds_itself_or_lies_too_deep_is_refused_in_words(value: Any) -> None:  # noqa: ANN401 (any value)
    """Ours: a caller's mistake is told as one, and not as the interpreter's limit."""
    with pytest.raises(ValueError, match=f"may nest {DEEPEST} levels, came a '(list|dict)'"):
        frozen(value)


def test_what_nests_as_deep_as_is_stated_is_frozen_and_thawed() -> None:
    """Ours: the bound is where it says it is."""
    assert thawed(frozen(nested(DEEPEST))) == nested(DEEPEST)
    with pytest.raises(ValueError, match="may nest"):
        frozen(nested(DEEPEST + 1))


def test_a_value_is_refused_in_words_wherever_the_stack_ends() -> None:
    """Ours: a caller who is deep in a recursion of his own is told the same."""

    def down(levels: int) -> None:
        if levels:
            down(levels - 1)
        else:
            frozen(nested(DEEPEST))

    with pytest.raises(ValueError, match="may nest"):
        down(sys.getrecursionlimit() - len(inspect.stack()) - 40)


def test_what_is_no_container_is_the_same_object() -> None:
    """Ours: a value that has no form in JSON is carried, not guessed at."""
    theirs = object()
    assert frozen(theirs) is theirs
    assert frozen({"a": theirs})["a"] is theirs
    assert thawed(theirs) is theirs


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))], ids=["copy", "deep", "pickle"]
)
def test_a_copy_of_a_frozen_mapping_is_frozen_too(again: Callable[[Any], Any]) -> None:
    """Ours: values cross processes and are copied by others' code."""
    made = again(frozen({"a": {"b": 1}}))
    assert (type(made), made) == (FrozenDict, {"a": {"b": 1}})


def test_what_is_thawed_can_be_changed_and_leaves_the_frozen_one_alone() -> None:
    """Ours: a tool may be given arguments to change."""
    kept = frozen({"a": [{"b": 1}]})
    given_out = thawed(kept)
    given_out["a"][0]["b"] = 2
    assert kept == {"a": ({"b": 1},)}


def test_the_empty_mapping_is_one() -> None:
    """Ours: a default costs nothing."""
    assert empty() is EMPTY
    assert frozen({}) is EMPTY
    assert EMPTY == {}


def test_a_frozen_mapping_is_no_key() -> None:
    """Ours: a frozen value that holds a mapping is not hashable, and nothing keys on it."""
    with pytest.raises(TypeError, match="unhashable"):
        hash(frozen({"a": 1}))
