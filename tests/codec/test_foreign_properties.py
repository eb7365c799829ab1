"""Foreign values: what holds for every value that Python can make."""

from __future__ import annotations

import enum
import json
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, timedelta, timezone
from typing import Any, NoReturn

from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.foreign import MAX_DEPTH, MAX_INT_BITS, json_bytes, json_terms, json_text, json_value
from treadle.values.mappings import FrozenDict


class _Raising:
    """Fails at whatever is asked of it, but for its class, which the test runner asks for."""

    def __getattribute__(self, name: str) -> object:
        if name == "__class__":
            return _Raising
        raise RuntimeError(name)

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


class _Endless(Mapping[str, object]):
    def __getitem__(self, key: str) -> object:
        return self

    def __iter__(self) -> Iterator[str]:
        while True:
            yield "again"

    def __len__(self) -> int:
        return 1


class _Fractal:
    """A model that dumps to another one, for ever."""

    def model_dump(self, *, mode: str) -> object:
        return {mode: _Fractal(), "b": _Fractal()}


class _Twisted(list[Any]):
    def __iter__(self) -> NoReturn:
        raise StopIteration


class _Level(enum.IntEnum):
    LOW = 1


@dataclass
class _Box:
    inner: Any
    other: Any = None


class _Hollow:
    """A data class of which nothing is set."""

    __slots__ = ("inner",)
    __dataclass_fields__ = _Box.__dataclass_fields__


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _holding_itself(items: list[Any]) -> list[Any]:
    items.append(items)
    return items


TEXTS = st.text(st.characters(codec=None, categories=None)) | st.sampled_from(
    ["\ud83d", "\ude00", "\u2028", "unencodable"]
)
# Drawn by number: the test runner may print what it draws from, and some of these do not let themselves be printed.
HOSTILE = (_Level.LOW, _Raising(), _Endless(), _Fractal(), _Hollow(), _Twisted([1]), object, len, ...)
TAME_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**2100), 2**2100)
    | st.floats()
    | TEXTS
    | st.binary(max_size=20)
    | st.datetimes(timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-3, minutes=-30))]))
    | st.dates()
    | st.times()
    | st.timedeltas()
    | st.decimals()
    | st.uuids()
    | st.complex_numbers()
)
SCALARS = TAME_SCALARS | st.sampled_from(range(len(HOSTILE))).map(HOSTILE.__getitem__)
TAME_KEYS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.tuples(TEXTS)
KEYS = TAME_KEYS | st.just(1).map(HOSTILE.__getitem__)


def _values(scalars: st.SearchStrategy[Any], keys: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(keys, inner, max_size=4)
            | st.frozensets(scalars.filter(_hashable), max_size=4)
            | st.builds(_Box, inner, inner)
            | st.lists(inner, max_size=3).map(tuple)
            | st.lists(inner, max_size=3).map(_holding_itself)
        ),
        max_leaves=8,
    )


VALUES = _values(SCALARS, KEYS)
TAME = _values(TAME_SCALARS, TAME_KEYS)
"""Without those that take as long as they are allowed to."""
TERMS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**MAX_INT_BITS) + 1, 2**MAX_INT_BITS - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=8,
)


def _refuse(word: str) -> NoReturn:
    raise AssertionError(f"{word} is no JSON")


def _strictly(text: str | bytes) -> Any:  # noqa: ANN401 (any JSON)
    return json.loads(text, parse_constant=_refuse)


def _is_in_terms(value: object, depth: int = 0) -> bool:
    match value:
        case FrozenDict():
            return all(type(key) is str and _is_in_terms(item, depth + 1) for key, item in value.items())
        case tuple():
            return all(_is_in_terms(item, depth + 1) for item in value)
        case _:
            return type(value) in (str, int, float, bool, type(None)) and depth <= MAX_DEPTH + 1


@given(value=VALUES)
def test_every_value_becomes_strict_json(value: object) -> None:
    """Whatever a tool returns can be stored, told to the model and put on a wire (BR-182, BR-183, BR-186)."""
    made = json_value(value, max_bytes=20_000)
    assert _is_in_terms(made)
    _strictly(json_bytes(made))


@given(value=VALUES, max_bytes=st.integers(0, 200), max_depth=st.integers(0, 4))
def test_no_value_is_written_larger_than_its_bound(value: object, max_bytes: int, max_depth: int) -> None:
    """The cap holds for the whole, however it is filled (ours)."""
    made = json_value(value, max_bytes=max_bytes, max_depth=max_depth)
    size = len(json_bytes(made))
    assert size <= max_bytes or (isinstance(made, FrozenDict) and list(made) == ["unencodable"])


@given(value=TERMS)
def test_what_is_json_already_stays_as_it_is(value: object) -> None:
    """The form of JSON terms is themselves, and text and back gives them again (ours)."""
    made = json_value(value)
    assert made == value
    assert json_value(made) == made
    assert json_value(_strictly(json_text(made))) == made


@given(value=VALUES)
def test_a_value_made_once_is_not_changed_by_being_made_again(value: object) -> None:
    """Values become JSON once, and it would do no harm twice (ours)."""
    made = json_value(value, max_bytes=20_000)
    assert json_value(made) == made


@given(value=VALUES | TERMS, max_bytes=st.integers(0, 300), max_depth=st.integers(0, 5))
def test_the_short_road_gives_what_the_long_one_gives(value: object, max_bytes: int, max_depth: int) -> None:
    """What is JSON already is not made again, and nobody can tell but by its price (ours)."""
    short = json_terms(value, max_bytes=max_bytes, max_depth=max_depth)
    long = json_value(value, max_bytes=max_bytes, max_depth=max_depth)
    assert json_value(short) == long
    assert json_bytes(short) == json_bytes(long)


@given(value=TAME | st.dictionaries(TEXTS, st.integers(-(2**2100), 2**2100) | TEXTS, max_size=3))
def test_the_short_road_has_the_bounds_of_the_long_one(value: object) -> None:
    """A value that is too large for the one is too large for the other (ours)."""
    assert json_bytes(json_terms(value)) == json_bytes(json_value(value))


@given(value=TERMS)
def test_what_is_json_already_is_not_copied(value: object) -> None:
    """The short road is short (ours)."""
    assert json_terms(value) is value


@given(items=st.lists(st.integers() | TEXTS | st.binary(max_size=4), max_size=8, unique=True), seed=st.integers())
def test_the_order_of_a_set_does_not_show(items: list[object], seed: int) -> None:
    """The same members give the same bytes on every machine (ours)."""
    shuffled = list(items)
    random.Random(seed).shuffle(shuffled)
    assert json_bytes(json_value(set(items))) == json_bytes(json_value(set(shuffled)))


@given(number=st.integers(), other=st.floats(allow_nan=False))
def test_numbers_are_exact(number: int, other: float) -> None:
    """No float step on the way of an integer, no digit lost of a float (BR-188)."""
    assert _strictly(json_text(json_value(number))) == number
    expected = other if math.isfinite(other) else None
    assert _strictly(json_text(json_value(other))) == expected
