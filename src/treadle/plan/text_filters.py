"""Which filters a plan's text passes, and in which order.

In: names and filter objects as a user wrote them. Out: names and factories, one new filter a segment. Knows names alone
and builds no filter.

The named ones stand in one fixed order, however they were written: think, block, citation, redact. A user's own filters
keep their order among themselves and stand before redact, so that nothing is added behind the last guard.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, Protocol

FILTER_NAMES: Final = ("think", "block", "citation", "redact")


class TextFilter(Protocol):
    """A user's own filter, as far as a plan looks at it."""

    def feed(self, text: str, /) -> object:
        """Take in a piece of text."""
        ...

    def flush(self) -> object:
        """Let go of what is held."""
        ...


FilterChoice = str | Callable[[], TextFilter]
"""A name of `FILTER_NAMES`, or what makes a new filter of a user's own."""


def chosen_filters(choices: object) -> tuple[tuple[FilterChoice, ...], list[str]]:
    """The filters of a plan in their order, and the problems with what was written.

    Shape:  a filter object is kept as a factory of copies of it as it is now: a filter has a state, and two runs
            share none.
    """
    if isinstance(choices, str) or not isinstance(choices, Sequence):
        return (), [f"text_filters must be a list of names and filters, not {choices!r}"]
    problems: list[str] = []
    named: set[str] = set()
    own: list[FilterChoice] = []
    for choice in choices:
        if not isinstance(choice, str):
            made = _factory(choice)
            if made is None:
                problems.append(f"text filter {type(choice).__name__!r} has no feed and flush, or cannot be copied")
            else:
                own.append(made)
        elif choice not in FILTER_NAMES:
            problems.append(f"no text filter is called {choice!r}; there are {', '.join(FILTER_NAMES)}")
        elif choice in named:
            problems.append(f"text filter {choice!r} stands twice")
        else:
            named.add(choice)
    ordered = [name for name in FILTER_NAMES if name in named]
    last = ordered.index("redact") if "redact" in ordered else len(ordered)
    return (*ordered[:last], *own, *ordered[last:]), problems


def filter_name(choice: FilterChoice) -> str:
    """What a filter is called among the facts that decide answers: its name, or its class and where that stands."""
    if isinstance(choice, str):
        return choice
    made = type(choice.args[0]) if isinstance(choice, partial) and choice.func is copy.deepcopy else choice
    owner = made if hasattr(made, "__qualname__") else type(made)
    return f"{owner.__module__}:{owner.__qualname__}"


def _factory(choice: object) -> Callable[[], TextFilter] | None:
    if not isinstance(choice, type) and _filters(choice):
        try:
            pristine: Any = copy.deepcopy(choice)
        except Exception:  # noqa: BLE001 (a foreign object fails to be copied in every way there is: one problem)
            return None
        return partial(copy.deepcopy, pristine)
    if isinstance(choice, type):
        return choice if _filters(choice) else None
    return choice if callable(choice) else None


def _filters(candidate: object) -> bool:
    return callable(getattr(candidate, "feed", None)) and callable(getattr(candidate, "flush", None))
