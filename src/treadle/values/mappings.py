"""Mappings and sequences that cannot change: what a frozen value may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias

Json: TypeAlias = Any
"""A value in JSON terms: text, numbers, booleans, None, mappings with text keys, sequences."""


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed after it is made. Encoders and validators take it for the dict that it is."""

    __slots__ = ()

    def __init__(self, items: Mapping[str, Any] | None = None, /) -> None:
        if self:
            self._refuse()
        super().__init__(items or {})

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

    Shape: mappings become frozen dicts, lists and tuples become tuples, sets become frozensets; everything else
    is the same object.
    """
    match value:
        case FrozenDict():
            return value
        case Mapping():
            return FrozenDict({key: frozen(item) for key, item in value.items()}) if value else EMPTY
        case list() | tuple():
            return tuple(frozen(item) for item in value)
        case set() | frozenset():
            return frozenset(frozen(item) for item in value)
        case _:
            return value


def thawed(value: Json) -> Json:
    """The reverse of `frozen`, in plain dicts and lists: what a tool may be given to change."""
    match value:
        case Mapping():
            return {key: thawed(item) for key, item in value.items()}
        case tuple() | list():
            return [thawed(item) for item in value]
        case _:
            return value
