"""Rows of older forms to the newest form, a step a version.

In: a row's kind and its JSON terms, in the form of a version. Out: the same in the newest form. There is one step for
each version that ever was; a step knows its own two versions alone.

Source: docs/records.md (how a form is changed).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from treadle.errors import RecordFormatError
from treadle.values.mappings import Json

Step = Callable[[str, Json], tuple[str, Json]]
"""From (kind, terms) of one version to those of the next. The terms are its own to change.

Fails with whatever it fails with on terms that its version never wrote.
"""

FORM_VERSION: Final = 1
"""The form in which rows are written."""

STEPS: Final[Mapping[int, Step]] = {}
"""By the version that a step takes."""


def upcast(kind: str, terms: Json, *, version: object, steps: Mapping[int, Step] = STEPS) -> tuple[str, Json]:
    """The kind and the terms in the newest form.

    Raises:
        RecordFormatError: The version is newer than this library, or none that ever was, or a step could not read
            the terms.
    """
    if type(version) is not int:
        raise RecordFormatError(f"expected a form version, not {type(version).__name__!r}")
    if version != FORM_VERSION and version not in steps:
        raise RecordFormatError(f"expected a form version of {[*steps, FORM_VERSION]!r}, not {version!r}")
    for number in range(version, FORM_VERSION):
        try:
            kind, terms = steps[number](kind, terms)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise RecordFormatError(f"the step from form version {number} cannot read it") from error
    return kind, terms
