"""The filters that have a name, in the order they stand in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from treadle.text.automaton import Automaton, StreamFilter
from treadle.text.filters.block import BlockFilter
from treadle.text.filters.citation import CitationFilter
from treadle.text.filters.redact import RedactFilter
from treadle.text.filters.think import ThinkTagFilter

_MAKERS: Final[Mapping[str, Callable[[], Automaton]]] = MappingProxyType(
    {"think": ThinkTagFilter, "block": BlockFilter, "citation": CitationFilter, "redact": RedactFilter}
)
NAMES: Final = tuple(_MAKERS)

FilterSource: TypeAlias = str | StreamFilter
"""A filter as a plan names it: by its name, or as an object to copy."""


def by_name(name: str) -> Automaton:
    """Make the filter of a name, with its defaults.

    Raises:
        LookupError: No filter has this name.
    """
    if name not in _MAKERS:
        raise LookupError(f"no filter {name!r}, there are {', '.join(NAMES)}")
    return _MAKERS[name]()


def make_filters(sources: Iterable[FilterSource]) -> tuple[StreamFilter, ...]:
    """Make the filters of a plan, in its order.

    Raises:
        LookupError: No filter has one of the names.
    """
    return tuple(by_name(source) if isinstance(source, str) else source for source in sources)
