"""Rows of tables that say how a value is written as JSON: its fields by name, each with its form.

Knows nothing of which values there are. A table of rows is held total by its test: every class, every field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from treadle.framing.surrogates import whole_text

Form = Callable[[Any], Any]
Shape = Mapping[str, Form]


def shape(*own: str, **forms: Form) -> Shape:
    """A row: fields that are words, numbers or None of our own, then fields with a form of their own."""
    return {**dict.fromkeys(own, own_form), **forms}


def in_shape(value: object, row: Shape) -> dict[str, Any]:
    """The fields that `row` names, each in its form, in the order of the row."""
    made: dict[str, Any] = {}
    for name, form in row.items():
        item = getattr(value, name)
        # What nearly every field holds is its own form: it is not called for.
        made[name] = item if form is own_form and (item is None or type(item) is int) else form(item)
    return made


def own_form(value: str | float | None) -> str | float | None:
    """A word of ours (a choice by its value), a finite number or None as JSON has it."""
    if type(value) is str and value.isascii():
        return value
    return whole_text(str(value)) if isinstance(value, str) else value
