"""Mappings and sequences that cannot change: what a frozen value may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn, TypeAlias

Json: TypeAlias = Any
"""A value in JSON terms: text, numbers, booleans, None, mappings with text keys, sequences."""

DEEPEST: Final = 200
"""Levels that a frozen value may nest. What comes from outside is bounded far below where it becomes JSON."""


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed after it is made. Encoders and validators take it for the dict that it is."""

    __slots__ = ()

    def __new__(cls, items: Mapping[str, Any] | None = None, /) -> FrozenDict:
        made = super().__new__(cls)
        if items:
            dict.update(made, items)
        return made

    def __init__(self, items: Mapping[str, Any] | None = None, /) -> None:
        """Do nothing: it is filled when it is made, and to call this again must not fill it anew."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping is part of a frozen value and cannot be changed; copy it with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


EMPTY = FrozenDict()


def empty() -> Mapping[str, Any]:
    """The mapping with nothing in it: the default of a field."""
    return EMPTY


def frozen(value: Json) -> Json:
    """A copy of `value` in which no mapping, list or set can be changed.

    Shape:  mappings become frozen dicts, lists and tuples become tuples, sets become frozensets; everything else
            is the same object. What is in a set can be hashed, so it is left as it is.
    Raises:
        ValueError: The value holds itself, or nests deeper than `DEEPEST` levels.
    """
    kind = type(value)
    if kind in _AS_IS:
        return value
    try:
        return _frozen_mapping(value, DEEPEST) if kind is dict and value else _frozen(value, DEEPEST)
    except RecursionError:
        came = type(value).__name__
        raise ValueError(f"a value may nest {DEEPEST} levels, came a {came!r} that is deeper or holds itself") from None


def thawed(value: Json) -> Json:
    """The reverse of `frozen`, in plain dicts, lists and sets: what a tool may be given to change."""
    match value:
        case Mapping():
            return {key: thawed(item) for key, item in value.items()}
        case tuple() | list():
            return [thawed(item) for item in value]
        case set() | frozenset():
            return set(value)
        case _:
            return value


_AS_IS: Final = frozenset({str, int, float, bool, type(None), FrozenDict, frozenset})


def _frozen(value: Json, levels: int) -> Json:
    if not levels:
        raise RecursionError
    # Plain classes first: to ask whether something is a mapping of another kind is slow.
    match value:
        case list() | tuple():
            return tuple([item if type(item) in _AS_IS else _frozen(item, levels - 1) for item in value])
        case dict() | Mapping():
            return _frozen_mapping(value, levels) if value else EMPTY
        case set():
            return frozenset(value)
        case _:
            return value


def _frozen_mapping(value: Mapping[str, Json], levels: int) -> FrozenDict:
    # Filled as its own constructor fills it, without the two calls of that.
    made = dict.__new__(FrozenDict)
    dict.update(made, {key: item if type(item) in _AS_IS else _frozen(item, levels - 1) for key, item in value.items()})
    return made
