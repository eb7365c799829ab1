"""One change to every string of a JSON-like value.

In: a value of mappings, sequences and scalars. Out: a new value of dicts, lists and scalars. Depth costs no stack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def map_strings(value: object, change: Callable[[str], str]) -> Any:  # noqa: ANN401 (as JSON as what came in)
    """Change every string of a value, the keys of mappings too.

    Shape:  the value itself is left alone; tuples come out as lists. Where two keys become one, the last one stays.
    """
    if isinstance(value, str):
        return change(value)
    if not isinstance(value, Mapping | list | tuple):
        return value
    made, todo = _shell(value, change)
    while todo:
        place, key, inner = todo.pop()
        place[key], more = _shell(inner, change)
        todo += more
    return made


def _shell(value: Any, change: Callable[[str], str]) -> tuple[Any, list[tuple[Any, Any, Any]]]:  # noqa: ANN401 (as above)
    """Copy one level; tell which places hold containers that still want copying."""
    made: Any
    if isinstance(value, Mapping):
        made = {change(key) if isinstance(key, str) else key: item for key, item in value.items()}
        places = list(made.items())
    else:
        made = list(value)
        places = list(enumerate(made))
    todo = []
    for key, item in places:
        if isinstance(item, str):
            made[key] = change(item)
        elif isinstance(item, Mapping | list | tuple):
            todo.append((made, key, item))
    return made, todo
