"""Frozen data classes made at a lower price.

The constructor that `dataclasses` writes for a frozen class looks every field's slot up by name. `quickly_made` gives
the class one that has the slots' own setters at hand, at two thirds of the price: for values that others make.

The makers take a quarter of it: they fill a mutable twin and change its class, as the delta events are made. What a
class call costs beside (a dict of the keywords, a second call to fill the value) falls away too. They are for values
that every round makes.

Whatever the way, it takes the same arguments, gives the same defaults and calls `__post_init__` as the constructor
does; what comes out is the same frozen value.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, ParamSpec, TypeVar

C = TypeVar("C", bound=type)
P = ParamSpec("P")
T = TypeVar("T")


def quickly_made(cls: C) -> C:
    """Give a data class (frozen, slots, keyword only) the cheaper constructor.

    Raises:
        TypeError: A field has no slot of its own, takes a position, or is left out of the constructor.
    """
    names: dict[str, Any] = {}
    wanted = _keywords(cls, names)
    for one in fields(cls):
        names[f"set_{one.name}"] = cls.__dict__[one.name].__set__
    body = [f"set_{one.name}(self, {_value(one)})" for one in fields(cls)]
    init, before = _written(cls, f"self, *, {wanted}", [*body, *_after(cls)], names), cls.__dict__["__init__"]
    init.__name__, init.__qualname__, init.__annotations__ = "__init__", before.__qualname__, before.__annotations__
    type.__setattr__(cls, "__init__", init)
    return cls


def maker(cls: Callable[P, T]) -> Callable[P, T]:
    """A function that makes what calling a data class (frozen, slots, keyword only) makes.

    Raises:
        TypeError: As in `quickly_made`.
    """
    assert isinstance(cls, type)
    names: dict[str, Any] = {}
    wanted = _keywords(cls, names)
    body = [f"_made.{one.name} = {_value(one)}" for one in fields(cls)]
    made: Callable[P, T] = _written(cls, f"*, {wanted}", _twin_filled(cls, body, names), names)
    return made


def maker_from(cls: type[T], *first: str) -> Callable[..., T]:
    """A function that takes the fields called `first` by position, and a mapping with the others.

    It is at its price where the mapping holds all others; one with less or more is for the constructor to judge.

    Raises:
        TypeError: As in `quickly_made`.
    """
    names: dict[str, Any] = {"_cls": cls}
    _keywords(cls, names)
    others = [name for name in _slots(cls) if name not in first]
    construct = f"return _cls({', '.join(f'{name}={name}' for name in first)}, **_given)"
    body = [f"_made.{name} = {name}" for name in first]
    body += ["try:", *[f"  _made.{name} = _given[{name!r}]" for name in others], "except KeyError:", f"  {construct}"]
    unfit = [f"if len(_given) != {len(others)}:", f"  {construct}"]
    made: Callable[..., T] = _written(
        cls, f"{', '.join(first)}, _given", [*unfit, *_twin_filled(cls, body, names)], names
    )
    return made


def twin_of(cls: type) -> type[Any]:
    """A class whose instances are empty and mutable, until they are filled and made instances of this data class."""
    # One that adds no slot: to see that the class may be changed then takes no look at the names of slots.
    # And one that neither sets nor deletes an attribute by a function of its own, be it an inherited one.
    plain = {name: getattr(object, name) for name in ("__init__", "__setattr__", "__delattr__")}
    plain["__slots__"] = ()
    return type(cls.__name__, (cls,), plain)


def _keywords(cls: type, names: dict[str, Any]) -> str:
    """The parameters of a constructor; what their defaults are goes into `names`."""
    for one in fields(cls):
        has_slot = hasattr(cls.__dict__.get(one.name), "__set__")
        if not has_slot or not one.init or not one.kw_only:
            raise TypeError(f"{cls.__name__}.{one.name} must be a keyword of the constructor and have a slot")
    return ", ".join(_parameter(one, names) for one in fields(cls))


def _twin_filled(cls: type, filled: Iterable[str], names: dict[str, Any]) -> list[str]:
    """Fill a twin and make it one of the class."""
    names["_cls"], names["_twin"] = cls, twin_of(cls)
    return ["_made = _twin()", *filled, "_made.__class__ = _cls", *_after(cls, "_made"), "return _made"]


def _slots(cls: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(cls))


def _after(cls: type, made: str = "self") -> list[str]:
    return [f"{made}.__post_init__()"] if hasattr(cls, "__post_init__") else []


def _written(cls: type, parameters: str, body: Iterable[str], names: Mapping[str, Any]) -> Any:  # noqa: ANN401 (a function of whatever parameters)
    """A function of these lines, in which these names stand for what they are.

    It is made in the module of the class, where whoever evaluates its annotations looks for their names.
    """
    # It has the name of the class: that is what profiles show, and what those are told who give too little.
    name = cls.__name__
    lines = [f"def within({', '.join(names)}):", f"  def {name}({parameters}):", *[f"    {line}" for line in body]]
    made: dict[str, Any] = {}
    exec("\n".join([*lines, f"  return {name}"]), vars(sys.modules[cls.__module__]), made)
    function = made["within"](**names)
    function.__qualname__ = name
    return function


def _parameter(one: Field[Any], names: dict[str, Any]) -> str:
    if one.default_factory is not MISSING:
        names["MISSING"], names[f"make_{one.name}"] = MISSING, one.default_factory
        return f"{one.name}=MISSING"
    if one.default is not MISSING:
        names[f"default_{one.name}"] = one.default
        return f"{one.name}=default_{one.name}"
    return one.name


def _value(one: Field[Any]) -> str:
    if one.default_factory is not MISSING:
        return f"make_{one.name}() if {one.name} is MISSING else {one.name}"
    return one.name
