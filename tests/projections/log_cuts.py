"""The same log in other stretches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from tests.projections.legal_speech import split
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch


def recut(stretches: Iterable[Stretch], seed: int) -> list[Stretch]:
    """The same log in other stretches: split anywhere, and joined where two of one kind and key meet."""
    dice = Random(seed)
    out: list[Stretch] = []
    for stretch in stretches:
        for part in _parts(stretch, dice):
            joined = _joined(out[-1], part) if out and dice.random() < 0.4 else None
            out[-1:] = [joined] if joined is not None else [*out[-1:], part]
    return out


def _parts(stretch: Stretch, dice: Random) -> Iterable[Stretch]:
    """A stretch split anywhere, also into nothing but its single records."""
    return _cut_into(stretch, split(_items(stretch), dice))


def _items(stretch: Stretch) -> tuple[Any, ...]:
    return stretch.texts if isinstance(stretch, SpeechStretch) else stretch.entries


def _cut_into(stretch: Stretch, parts: Iterable[tuple[Any, ...]]) -> Iterable[Stretch]:
    seq, index = stretch.seq, stretch.index
    for part in parts:
        if isinstance(stretch, SpeechStretch):
            made: Stretch = replace(stretch, texts=part, seq=seq, index=index)
        else:
            made = replace(stretch, entries=part, seq=seq, index=index)
        yield made
        seq, index = seq + made.records, index + made.events


def _joined(before: Stretch, after: Stretch) -> Stretch | None:
    if isinstance(before, EntryStretch) and isinstance(after, EntryStretch):
        return replace(before, entries=(*before.entries, *after.entries))
    if not (isinstance(before, SpeechStretch) and isinstance(after, SpeechStretch)):
        return None
    goes_on = (before.kind, before.key) == (after.kind, after.key)
    return replace(before, texts=(*before.texts, *after.texts)) if goes_on else None


def singles(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same log, each record a stretch."""
    return [one for stretch in stretches for one in _cut_into(stretch, [(item,) for item in _items(stretch)])]
