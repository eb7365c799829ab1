"""Values that others made to JSON terms, once, where they enter; and JSON terms to text.

In: what a tool returned, a model said, a foreign agent sent. Out: text, numbers, booleans, None, read-only mappings
with text keys and tuples, all of which a strict JSON reader takes. Knows nothing of calls, events or wires.

One form for each kind of value:

    NaN, infinities          None                       (JSON has no such number)
    integers                 exact, up to `MAX_INT_BITS`
    text                     itself; two halves of a surrogate pair are joined, a lone half becomes U+FFFD
    bytes                    base64 text
    date, time, date-time    ISO 8601 text; a timedelta is an ISO 8601 duration
    Decimal, UUID, Path      their text
    Enum                     the form of its value
    data class, msgspec struct, named tuple, pydantic model     a mapping by field names
    set                      a sequence, sorted by the JSON text of its members
    a key that is not text   its JSON text (`1`, `null`, `[1,2]`); where a key is taken, the later one gets ` (2)`
    anything else            `{"unencodable": "<type name>"}`, in its place alone

The last form also stands for a value that holds itself, lies too deep, is too large or fails while it is read.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

import msgspec

from treadle.framing.sse import escape_separators
from treadle.framing.surrogates import whole_text
from treadle.values.mappings import FrozenDict, Json

MAX_VALUE_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_INT_BITS: Final = 2048
"""617 digits: under the smallest limit that Python lets anyone set for reading a number."""
UNENCODABLE: Final = "unencodable"

# How much may be read for each byte that may be written: a value that shares its parts can be far larger
# written out than it is in memory, and what is too large is read before that is known.
_READ_PER_WRITTEN: Final = 4
_LONGEST_NAME: Final = 80
_CONTAINERS: Final = frozenset({dict, FrozenDict, list, tuple})
# A walk counts each bracket and comma once too often, and each key twice among what it reads: never twice the size.
_DEAREST: Final = 2
_BETWEEN: Final = 9
"""Bytes of an item beside its key and its text, at most: two quotation marks, a colon, a comma and `false`."""
_WIDEST: Final = 6
"""Bytes that an ASCII character takes at most: an escape."""
_type_name: Final = type.__dict__["__name__"].__get__


def json_value(value: object, *, max_bytes: int = MAX_VALUE_BYTES, max_depth: int = MAX_DEPTH) -> Json:
    """The value in JSON terms, by the table of this module. Never raises for what the value is or does.

    Shape:  the JSON text of the result is at most `max_bytes` long, or the result is the form for what cannot be
            told; containers nest at most `max_depth` deep. Work is bounded by both, not by the value.
    """
    if type(value) is str and _WIDEST * len(value) + 2 <= max_bytes and value.isascii():
        return value  # What most tools return is its own form.
    walk = _Walk(max_bytes=max_bytes, max_depth=max_depth)
    try:
        return walk.value(value, 1)
    except _UnfitError:
        return _unencodable(value)


def json_terms(value: object, *, max_bytes: int = MAX_VALUE_BYTES, max_depth: int = MAX_DEPTH) -> Json:
    """`json_value` for what is JSON already, nearly always: then it is the value itself, and costs a tenth.

    Shape:  equal to `json_value` of the value but for the classes of its containers. Not a copy: whoever keeps it
            freezes it.
    """
    if type(value) is str and _WIDEST * len(value) + 2 <= max_bytes and value.isascii():
        return value
    room = max_bytes // _DEAREST
    try:
        if max_depth and _flat_bytes(value) <= room:
            return value
        if in_json_terms(value, max_depth) and len(json_bytes(value)) <= room:
            return value
    except UnicodeEncodeError:
        pass  # half a surrogate pair somewhere in it
    return json_value(value, max_bytes=max_bytes, max_depth=max_depth)


def _flat_bytes(value: object) -> float:
    """As many bytes as the JSON text of a mapping has at most, of ASCII texts, booleans and None; of others, no end."""
    kind = type(value)
    if kind is not FrozenDict and kind is not dict:
        return math.inf
    most = 2
    for key, item in value.items():  # type: ignore[attr-defined]  # a dict
        if type(key) is not str or not key.isascii():
            return math.inf
        most += _WIDEST * len(key) + _BETWEEN
        if type(item) is str and item.isascii():
            most += _WIDEST * len(item)
        elif item is not None and item is not True and item is not False:
            return math.inf
    return most


def in_json_terms(value: object, levels: int | None = None) -> bool:
    """Whether a value is what a JSON reader gives back, but for halves of surrogate pairs.

    Args:
        levels: How deep containers may nest. None: as deep as they do.
    Raises:
        RecursionError: The value holds itself, or is too deep to look at, and `levels` does not bound it.
    """
    kind = type(value)
    if kind in _CONTAINERS:
        if levels is not None:
            if levels <= 0:
                return False
            levels -= 1
        if isinstance(value, dict):
            return all(type(key) is str and in_json_terms(item, levels) for key, item in value.items())
        return all(in_json_terms(item, levels) for item in value)  # type: ignore[attr-defined]  # a list or a tuple
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]  # a float
    if kind is int:
        return value.bit_length() <= MAX_INT_BITS  # type: ignore[attr-defined,no-any-return]  # an int
    return kind is str or kind is bool or value is None


def json_bytes(value: Json) -> bytes:
    """Compact JSON of JSON terms, in UTF-8, without a raw U+0085, U+2028 or U+2029.

    Shape:  what `json_value` gives; a NaN is written as null.
    Raises:
        UnicodeEncodeError: A text holds half a surrogate pair, so `value` is not in JSON terms.
    """
    made: bytes = msgspec.json.encode(value)
    return made if made.isascii() else escape_separators(made.decode()).encode()


def json_text(value: Json) -> str:
    """Compact JSON of JSON terms as text: `json_bytes`, decoded."""
    return json_bytes(value).decode()


class _UnfitError(Exception):
    """What is being read has no form, or no room."""


class _Walk:
    """One reading of one value. `room` is what may still be written, `work` what may still be read."""

    __slots__ = ("_depth", "_path", "_room", "_work")

    def __init__(self, *, max_bytes: int, max_depth: int) -> None:
        self._room = max_bytes
        self._work = max_bytes * _READ_PER_WRITTEN
        self._depth = max_depth
        self._path: set[int] = set()

    def value(self, value: object, depth: int) -> Json:
        room = self._room
        try:
            return self._form(value, depth)
        except Exception:  # noqa: BLE001 (foreign objects fail in every way there is; each has this form)
            self._room = room
            made = _unencodable(value)
            self._spend(len(json_bytes(made)))
            return made

    def _form(self, value: object, depth: int) -> Json:
        if isinstance(value, Enum):
            value = value.value
        if isinstance(value, _SIZED) and len(value) > self._room:
            raise _UnfitError
        for kinds, form in _LEAVES:
            if isinstance(value, kinds):
                return self._leaf(form(value))
        if depth > self._depth or id(value) in self._path:
            raise _UnfitError
        self._path.add(id(value))
        try:
            return self._container(value, depth + 1)
        finally:
            self._path.discard(id(value))

    def _leaf(self, plain: object) -> Json:
        if isinstance(plain, str):
            plain = whole_text(str.__str__(plain))
        elif type(plain) not in _PLAIN_TYPES:
            raise _UnfitError
        self._spend(len(json_bytes(plain)))
        return plain

    def _container(self, value: object, depth: int) -> Json:
        pairs = _pairs(value)
        if pairs is not None:
            return self._mapping(pairs, depth)
        if isinstance(value, Set):
            return tuple(sorted(self._items(value, depth), key=json_bytes))
        if isinstance(value, Sequence):
            return tuple(self._items(value, depth))
        dump = getattr(type(value), "model_dump", None)
        if dump is None:
            raise _UnfitError
        return self.value(dump(value, mode="python"), depth)

    def _items(self, items: Iterable[object], depth: int) -> list[Json]:
        self._spend(2)
        made = []
        for item in items:
            self._spend(1)
            made.append(self.value(item, depth))
        return made

    def _mapping(self, pairs: Iterable[tuple[object, object]], depth: int) -> FrozenDict:
        self._spend(2)
        made: dict[str, Json] = {}
        taken: dict[str, int] = {}
        for key, item in pairs:
            name = self._key(key, depth)
            if name in made:
                name = _next_free(name, made, taken)
            self._spend(len(json_bytes(name)) + 2)
            made[name] = self.value(item, depth)
        return FrozenDict(made)

    def _key(self, key: object, depth: int) -> str:
        room = self._room
        made = self.value(key, depth)
        self._room = room
        return made if isinstance(made, str) else json_text(made)

    def _spend(self, size_bytes: int) -> None:
        self._room -= size_bytes
        self._work -= size_bytes
        if self._room < 0 or self._work < 0:
            raise _UnfitError


def _pairs(value: object) -> Iterable[tuple[object, object]] | None:
    """The named parts of a value that has such, in their order; None for one that has not."""
    names: Iterable[str]
    if isinstance(value, Mapping):
        return value.items()
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        names = value._fields
    elif is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
    else:
        return None
    return ((name, getattr(value, name)) for name in names)


def _next_free(name: str, made: Mapping[str, Json], taken: dict[str, int]) -> str:
    number = taken.get(name, 1)
    free = name
    while free in made:
        number += 1
        free = f"{name} ({number})"
    taken[name] = number
    return free


def _unencodable(value: object) -> FrozenDict:
    name: str = _type_name(type(value))
    return FrozenDict({UNENCODABLE: whole_text(name)[:_LONGEST_NAME]})


def _exact_int(value: int) -> int:
    plain = int.__int__(value)
    if plain.bit_length() > MAX_INT_BITS:
        raise _UnfitError
    return plain


def _finite(value: float) -> float | None:
    plain = float.__float__(value)
    return plain if math.isfinite(plain) else None


_LEAVES: Final[tuple[tuple[type | tuple[type, ...], Callable[[Any], object]], ...]] = (
    ((bool, type(None)), lambda value: value),
    (str, lambda value: value),
    (int, _exact_int),
    (float, _finite),
    ((bytes, bytearray, memoryview), lambda value: base64.b64encode(value).decode()),
    ((date, time), lambda value: value.isoformat()),
    (timedelta, msgspec.to_builtins),
    ((Decimal, UUID, PurePath), str),
)
_SIZED: Final = (str, bytes, bytearray, memoryview)
_PLAIN_TYPES: Final = (bool, int, float, type(None))
