"""Stretches of speech that follow each other, joined to one: what a finished passage is at rest.

In: stretches as they were appended. Out: one stretch with the same events at the same indexes. Knows nothing of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

from treadle.errors import MisuseError
from treadle.values.stretches import SpeechStretch


def continues(before: SpeechStretch, after: SpeechStretch) -> bool:
    """Whether `after` goes on with the passage or call of `before`, in the same epoch and with no record between."""
    return (
        after.seq == before.seq + before.records
        and after.index == before.index + before.events
        and (after.kind, after.key, after.epoch) == (before.kind, before.key, before.epoch)
    )


def compacted(stretches: Sequence[SpeechStretch]) -> SpeechStretch:
    """One stretch of all of these, at the place and the time of the first.

    Raises:
        MisuseError: There is none, or one does not continue the one before it.
    """
    if not stretches:
        raise MisuseError("expected at least one stretch to join, came none")
    for before, after in pairwise(stretches):
        if not continues(before, after):
            raise MisuseError(f"{_place(after)} does not continue {_place(before)}")
    return replace(stretches[0], texts=tuple(chain.from_iterable(stretch.texts for stretch in stretches)))


def _place(stretch: SpeechStretch) -> str:
    return (
        f"{stretch.kind} {stretch.key!r} of epoch {stretch.epoch} at seq {stretch.seq}, index {stretch.index} "
        f"with {stretch.records} texts"
    )
