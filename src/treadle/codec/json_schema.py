"""A value in JSON terms against a JSON schema: where it does not fit, and why.

In: a value and a schema. Out: faults, each with the place and what was expected, never the value itself. Checked are
the words of `CHECKED`; `unchecked` names what else a schema demands, so that whoever writes one is told in time.

Source: JSON Schema 2020-12, validation vocabulary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from treadle.codec.foreign import json_text, json_value
from treadle.values.mappings import Json

MOST_FAULTS: Final = 8
DEEPEST: Final = 64
"""Schemas within schemas that are followed."""
LONGEST_EXPECTED: Final = 120

_SILENT: Final = frozenset(
    {"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "deprecated", "readOnly"}
    | {"writeOnly", "discriminator"}
)
"""Words that demand nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaFault:
    """One place where a value does not fit. `pointer` is a JSON pointer into the value, "" for the whole."""

    pointer: str
    expected: str

    def __str__(self) -> str:
        return f"{self.pointer or 'the value'}: expected {self.expected}"


def faults(value: Json, schema: Mapping[str, Any]) -> tuple[SchemaFault, ...]:
    """Where a value does not fit, so many at most; nothing where it fits."""
    found: list[SchemaFault] = []
    for fault in _Check(schema).faults(value, schema, ("", DEEPEST)):
        found.append(fault)
        if len(found) == MOST_FAULTS:
            break
    return tuple(found)


def unchecked(schema: Any) -> tuple[str, ...]:  # noqa: ANN401 (what somebody took for a schema)
    """The words of a schema that nothing here checks, sorted; the type of what is no schema."""
    return tuple(sorted(set(_unchecked(schema, DEEPEST))))


def _unchecked(schema: Any, levels: int) -> Iterator[str]:  # noqa: ANN401 (as above)
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping) or not levels:
        yield f"a {type(schema).__name__} in place of a schema" if levels else "schemas nested too deeply"
        return
    yield from (word for word in schema if word not in CHECKED and word not in _SILENT)
    for word in ("items", "additionalProperties"):
        if word in schema:
            yield from _unchecked(schema[word], levels - 1)
    for word in ("properties", "$defs"):
        for inner in schema.get(word, {}).values():
            yield from _unchecked(inner, levels - 1)
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(word, ()):
            yield from _unchecked(inner, levels - 1)


_Where = tuple[str, int]
"""A pointer, and how many schemas within each other are still followed."""


class _Check:
    """The checks of one schema, whose references point into it."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def faults(self, value: Json, schema: Any, where: _Where) -> Iterator[SchemaFault]:  # noqa: ANN401 (a schema)
        at, levels = where
        if schema is True:
            return
        if not isinstance(schema, Mapping) or not levels:
            yield SchemaFault(pointer=at, expected="nothing" if schema is False else "a schema that can be followed")
            return
        for word, demanded in schema.items():
            if (check := CHECKED.get(word)) is not None:
                yield from check(self, value, _Place(at, levels - 1, schema, demanded))

    def fits(self, value: Json, schema: Any, levels: int) -> bool:  # noqa: ANN401 (a schema)
        return next(self.faults(value, schema, ("", levels)), None) is None

    def named(self, reference: Any) -> Any:  # noqa: ANN401 (a schema)
        """What a reference into the schema points at; False, which nothing fits, where that is nothing."""
        place: Any = self._root
        for step in str(reference).removeprefix("#").split("/")[1:]:
            place = (
                place.get(step.replace("~1", "/").replace("~0", "~"), False) if isinstance(place, Mapping) else False
            )
        return place if str(reference).startswith("#") else False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a check stands: its pointer, how deep it may go on, the schema, and what the word of the check demands."""

    at: str
    levels: int
    schema: Mapping[str, Any]
    demanded: Any

    def step(self, name: str) -> _Where:
        return f"{self.at}/{name.replace('~', '~0').replace('/', '~1')}", self.levels

    def fault(self, expected: str) -> Iterator[SchemaFault]:
        yield SchemaFault(pointer=self.at, expected=expected)


_Checking = Callable[[_Check, Any, _Place], Iterator[SchemaFault]]


def _is_number(value: Any) -> bool:  # noqa: ANN401 (any JSON terms)
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
}


def _type(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    names = [place.demanded] if isinstance(place.demanded, str) else list(place.demanded)
    if not any(name in _TYPES and _TYPES[name](value) for name in names):
        yield from place.fault(" or ".join(names))


def _same(one: Json, other: Json) -> bool:
    """Whether two values are equal as JSON: true is no 1, and a list is as good as a tuple."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _enum(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if not any(_same(value, choice) for choice in place.demanded):
        yield from place.fault(f"one of {_told(list(place.demanded))}")


def _const(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if not _same(value, place.demanded):
        yield from place.fault(_told(place.demanded))


def _properties(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if isinstance(value, Mapping):
        for name, schema in place.demanded.items():
            if name in value:
                yield from check.faults(value[name], schema, place.step(name))


def _required(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if isinstance(value, Mapping):
        for name in place.demanded:
            if name not in value:
                yield SchemaFault(pointer=place.step(name)[0], expected="a value, and none came")


def _additional(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if isinstance(value, Mapping):
        known = place.schema.get("properties", {})
        for name in value:
            if name not in known:
                yield from check.faults(value[name], place.demanded, place.step(str(name)))


def _items(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if isinstance(value, list | tuple):
        first = len(place.schema.get("prefixItems", ()))
        for number, item in enumerate(value[first:], first):
            yield from check.faults(item, place.demanded, place.step(str(number)))


def _prefix_items(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if isinstance(value, list | tuple):
        for number, (item, schema) in enumerate(zip(value, place.demanded, strict=False)):
            yield from check.faults(item, schema, place.step(str(number)))


def _unique(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if place.demanded and isinstance(value, list | tuple):
        twice = any(_same(item, other) for at, item in enumerate(value) for other in value[:at])
        yield from place.fault("no item twice") if twice else ()


def _any_of(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if not any(check.fits(value, schema, place.levels) for schema in place.demanded):
        yield from place.fault("one of the forms that are allowed")


def _one_of(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    if sum(check.fits(value, schema, place.levels) for schema in place.demanded) != 1:
        yield from place.fault("exactly one of the forms that are allowed")


def _all_of(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    for schema in place.demanded:
        yield from check.faults(value, schema, (place.at, place.levels))


def _reference(check: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
    yield from check.faults(value, check.named(place.demanded), (place.at, place.levels))


def _sized(kinds: type | tuple[type, ...], fits: Callable[[int, Any], bool], words: str) -> _Checking:
    def check(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
        if isinstance(value, kinds) and not fits(len(value), place.demanded):  # type: ignore[arg-type]  # sized kinds
            yield from place.fault(words.format(place.demanded))

    return check


def _bounded(fits: Callable[[Any, Any], bool], words: str) -> _Checking:
    def check(_: _Check, value: Json, place: _Place) -> Iterator[SchemaFault]:
        if _is_number(value) and not (math.isfinite(value) and fits(value, place.demanded)):
            yield from place.fault(words.format(place.demanded))

    return check


_LISTS: Final = (list, tuple)
CHECKED: Final[Mapping[str, _Checking]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "prefixItems": _prefix_items,
    "uniqueItems": _unique,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "allOf": _all_of,
    "$ref": _reference,
    "minItems": _sized(_LISTS, lambda size, least: size >= least, "at least {} items"),
    "maxItems": _sized(_LISTS, lambda size, most: size <= most, "at most {} items"),
    "minLength": _sized(str, lambda size, least: size >= least, "at least {} characters"),
    "maxLength": _sized(str, lambda size, most: size <= most, "at most {} characters"),
    "minimum": _bounded(lambda value, least: value >= least, "{} or more"),
    "maximum": _bounded(lambda value, most: value <= most, "{} or less"),
    "exclusiveMinimum": _bounded(lambda value, least: value > least, "more than {}"),
    "exclusiveMaximum": _bounded(lambda value, most: value < most, "less than {}"),
}
"""What is checked, by the word that demands it."""


def _told(value: Sequence[Any] | Json) -> str:
    text = json_text(json_value(value))
    return text if len(text) <= LONGEST_EXPECTED else f"{text[: LONGEST_EXPECTED - 1]}…"
