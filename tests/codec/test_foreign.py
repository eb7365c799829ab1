"""Foreign values to JSON terms: the table of forms, row by row."""

from __future__ import annotations

import asyncio
import base64
import enum
import json
import math
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn
from uuid import UUID

import msgspec
import pydantic
import pytest

from treadle.codec.foreign import MAX_INT_BITS, json_bytes, json_text, json_value
from treadle.values.mappings import FrozenDict


class _Colour(enum.Enum):
    RED = "red"
    PAIR = (1, 2)


class _Word(enum.StrEnum):
    YES = "yes"


class _Loud(str):
    """Text that lies about itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


@dataclass
class _Point:
    x: int
    y: float


@dataclass
class _Holder:
    inner: Any


class _Pair(NamedTuple):
    left: int
    right: str


class _Packed(msgspec.Struct):
    a: int
    b: bytes


class _Order(pydantic.BaseModel):
    number: int
    at: datetime


class _Broken(dict[str, object]):
    def items(self) -> NoReturn:  # type: ignore[override]  # wrong on purpose
        raise ValueError("no")


class _Secretive:
    def __repr__(self) -> str:
        return "password=hunter2"

    __str__ = __repr__


ROWS: list[tuple[object, object]] = [
    (None, None),
    (True, True),
    (612345678901234567, 612345678901234567),
    (-(2**200), -(2**200)),
    (1.5, 1.5),
    (math.nan, None),
    (math.inf, None),
    (-math.inf, None),
    ("plain", "plain"),
    (_Loud("itself"), "itself"),
    ("ok \ud83d", "ok \ufffd"),
    ("\ud83d\ude00", "\U0001f600"),
    ("\ude00\ud83d", "\ufffd\ufffd"),
    (b"\x00\xff", base64.b64encode(b"\x00\xff").decode()),
    (bytearray(b"a"), "YQ=="),
    (memoryview(b"a"), "YQ=="),
    (datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), "2024-05-06T07:08:09+00:00"),
    (datetime(2024, 5, 6, 7, 8, 9, 10), "2024-05-06T07:08:09.000010"),  # noqa: DTZ001 (a form for times without a zone)
    (time(7, 8, tzinfo=timezone(timedelta(hours=2))), "07:08:00+02:00"),
    (date(2024, 5, 6), "2024-05-06"),
    (timedelta(minutes=90), "PT5400S"),
    (Decimal("0.10"), "0.10"),
    (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (PurePosixPath("/a/b\udcff"), "/a/b\ufffd"),
    (_Colour.RED, "red"),
    (_Colour.PAIR, (1, 2)),
    (_Word.YES, "yes"),
    (_Point(1, math.nan), {"x": 1, "y": None}),
    (_Pair(1, "b"), {"left": 1, "right": "b"}),
    (_Packed(1, b"a"), {"a": 1, "b": "YQ=="}),
    (_Order(number=1, at=datetime(2024, 1, 1, tzinfo=UTC)), {"number": 1, "at": "2024-01-01T00:00:00+00:00"}),
    ({3, 1, 2}, (1, 2, 3)),
    (frozenset({"b", "a"}), ("a", "b")),
    ([1, [2, (3,)]], (1, (2, (3,)))),
    (deque([1]), (1,)),
    (range(3), (0, 1, 2)),
    (OrderedDict(a=1), {"a": 1}),
    (MappingProxyType({"a": 1}), {"a": 1}),
    ({1: "a", None: "b", False: "c", 1.5: "d"}, {"1": "a", "null": "b", "false": "c", "1.5": "d"}),
    ({(1, 2): "a", b"a": "b", _Colour.RED: "c", math.nan: "d"}, {"[1,2]": "a", "YQ==": "b", "red": "c", "null": "d"}),
    ({"k\ud83d": 1}, {"k\ufffd": 1}),
    ({"1": "text", 1: "number", 1.0 + 1e-9: "other"}, {"1": "text", "1 (2)": "number", "1.000000001": "other"}),
    (_Secretive(), {"unencodable": "_Secretive"}),
    (_Secretive, {"unencodable": "type"}),
    ([1, _Secretive(), 2], (1, {"unencodable": "_Secretive"}, 2)),
    ({"good": 1, "bad": _Broken(a=1)}, {"good": 1, "bad": {"unencodable": "_Broken"}}),
    ({_Secretive(): 1}, {'{"unencodable":"_Secretive"}': 1}),
    (pydantic.SecretStr("hunter2"), {"unencodable": "SecretStr"}),
    ((n for n in "ab"), {"unencodable": "generator"}),
    (1 << MAX_INT_BITS, {"unencodable": "int"}),
    (ValueError("hunter2"), {"unencodable": "ValueError"}),
]


@pytest.mark.requirement("BR-182", "BR-183", "BR-186", "BR-188")
@pytest.mark.parametrize(("value", "expected"), ROWS, ids=lambda part: type(part).__name__)
def test_every_kind_of_value_has_the_form_that_the_table_states(value: object, expected: object) -> None:
    """One documented JSON form a kind (BR-182, BR-183, BR-186, BR-188)."""
    made = json_value(value)
    assert made == expected
    assert type(made) is type(expected) or isinstance(made, FrozenDict)


def test_three_keys_of_one_text_are_all_kept() -> None:
    """Two different keys of a foreign mapping are never folded into one (ours)."""
    assert json_value({"1": "a", 1: "b", "1 (2)": "c", _Loud("x"): "d"}) == {
        "1": "a",
        "1 (2)": "b",
        "1 (2) (2)": "c",
        "x": "d",
    }


def test_a_value_that_holds_itself_is_told_but_for_that_place() -> None:
    """A circle is cut where it closes and siblings stay; a value that is only shared is told twice (ours)."""
    circle: dict[str, Any] = {"a": 1}
    circle["self"] = circle
    shared = [1]
    assert json_value(circle) == {"a": 1, "self": {"unencodable": "dict"}}
    assert json_value([shared, shared]) == ((1,), (1,))
    holder = _Holder(inner=None)
    holder.inner = [holder, 2]
    assert json_value(holder) == {"inner": ({"unencodable": "_Holder"}, 2)}


def test_an_enum_whose_value_lies_is_not_followed_for_ever() -> None:
    """A member may claim to be its own value; it has no form then (ours)."""

    class Self(enum.Enum):
        A = 1

        @property
        def value(self) -> Self:
            return self

    assert json_value([Self.A, 1]) == ({"unencodable": "Self"}, 1)


def test_what_lies_too_deep_is_replaced_where_it_lies() -> None:
    """Depth counts containers; text and numbers in the deepest one stay (ours)."""
    assert json_value([1, [2, [3]]], max_depth=2) == (1, (2, {"unencodable": "list"}))


def test_what_is_too_large_is_replaced_and_its_siblings_stay() -> None:
    """One huge field does not cost the small ones beside it (ours)."""
    value = {"a": 1, "huge": "x" * 200, "list": list(range(200)), "bytes": b"x" * 200, "z": 2}
    assert json_value(value, max_bytes=150) == {
        "a": 1,
        "huge": {"unencodable": "str"},
        "list": {"unencodable": "list"},
        "bytes": {"unencodable": "bytes"},
        "z": 2,
    }
    assert json_value(value, max_bytes=10) == {"unencodable": "dict"}


def test_a_small_value_that_is_huge_when_written_out_costs_bounded_work() -> None:
    """Ten billion leaves behind thirty-three shared lists: refused after some reading, not after all of it (ours)."""
    value: list[Any] = [0]
    for _ in range(33):
        value = [value, value]
    made = json_value(value, max_bytes=10_000)
    assert len(json_bytes(made)) <= 10_000


def test_a_sequence_without_end_is_refused() -> None:
    """A foreign sequence may never end (ours)."""
    assert json_value({"a": 1, "r": range(10**12)}, max_bytes=1000) == {"a": 1, "r": {"unencodable": "range"}}


def test_an_object_that_fails_at_everything_has_a_form() -> None:
    """Even asking for its class may fail (ours)."""

    class Raising:
        def __getattribute__(self, name: str) -> NoReturn:
            raise RuntimeError(name)

    class Odd(date):
        def isoformat(self) -> str:
            return b"2024"  # type: ignore[return-value]  # wrong on purpose

    assert json_value([Raising(), Odd(2024, 1, 1), 1]) == ({"unencodable": "Raising"}, {"unencodable": "Odd"}, 1)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, asyncio.CancelledError])
def test_a_stop_while_reading_is_not_swallowed(stop: type[BaseException]) -> None:
    """Only what an object does wrong has a form; a stop is not that (ours)."""

    class Stops(dict[str, object]):
        def items(self) -> NoReturn:  # type: ignore[override]  # wrong on purpose
            raise stop

    with pytest.raises(stop):
        json_value(Stops(a=1))


def test_a_lying_class_has_its_true_name_told() -> None:
    """The name told is the type's own, whatever its metaclass says (ours)."""

    class Meta(type):
        @property
        def __name__(cls) -> str:  # type: ignore[override]  # wrong on purpose
            raise RuntimeError("no name for you")

    class Liar(metaclass=Meta):
        __class__ = property(lambda _: int)  # type: ignore[assignment]  # wrong on purpose

    assert json_value(Liar()) == {"unencodable": "Liar"}


@pytest.mark.requirement("BR-127")
def test_json_is_compact_and_has_no_character_that_readers_take_for_a_line_end() -> None:
    """U+0085, U+2028 and U+2029 are escaped inside the JSON and are the same after parsing (BR-127)."""
    value = json_value({"t": "a\u2028b\u0085c\u2029dé", "n": (1, {"x": None})})
    text = json_text(value)
    assert text == '{"t":"a\\u2028b\\u0085c\\u2029dé","n":[1,{"x":null}]}'
    assert json_bytes(value) == text.encode()
    assert json.loads(text) == {"t": "a\u2028b\u0085c\u2029dé", "n": [1, {"x": None}]}


def test_read_only_mappings_and_tuples_are_written_as_objects_and_arrays() -> None:
    """What frozen values hold goes to JSON without a copy (ours)."""
    assert json_text(FrozenDict({"a": (1, FrozenDict({"b": "c"}))})) == '{"a":[1,{"b":"c"}]}'
