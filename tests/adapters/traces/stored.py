"""Runs as their stores tell them to whoever observes: entries and speech in stretches, a second apart.

In: what a played machine wrote. Out: stretches. Nothing here knows of spans.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from tests.kernel.plays import Played
from treadle.values.events import RoundStarted
from treadle.values.facts import FACT_TYPES
from treadle.values.model import TEXT
from treadle.values.records import Entry
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

BEGAN_S = 1000.0


def stored(entries: Iterable[Entry]) -> list[Stretch]:
    """One stretch an entry, the first at `BEGAN_S` and each a second after the one before."""
    return [EntryStretch(seq=seq, index=0, entries=(entry,), at_s=BEGAN_S + seq) for seq, entry in enumerate(entries)]


def of(run: Played, *, facts: bool = True) -> list[Stretch]:
    """What a played run stored, with its facts or without."""
    return stored([entry for entry in run.entries if facts or not isinstance(entry, FACT_TYPES)])


def speech(*texts: str, at_s: float = BEGAN_S, kind: str = TEXT) -> SpeechStretch:
    """Pieces of one passage."""
    return SpeechStretch(seq=0, index=0, kind=kind, key=1, texts=texts, at_s=at_s)


def cut_up(entries: Sequence[Entry], seed: int) -> list[Stretch]:
    """The same entries in stretches of any size, with speech wherever a model may speak."""
    dice = Random(seed)
    made: list[Stretch] = []
    at_s, rest = BEGAN_S, list(entries)
    while rest:
        size = dice.randint(1, 4)
        taken, rest = rest[:size], rest[size:]
        at_s += dice.choice([0.0, 0.5, 3.0])
        made.append(EntryStretch(seq=0, index=0, entries=tuple(taken), at_s=at_s))
        if isinstance(taken[-1], RoundStarted):
            made.append(speech("a", "b", at_s=at_s))
    return made


def parts(stretches: Sequence[Stretch], seed: int) -> list[Sequence[Stretch]]:
    """The stretches in the portions of some appends; some of them are empty."""
    dice = Random(seed)
    portions: list[Sequence[Stretch]] = []
    at = 0
    while at < len(stretches):
        size = dice.randint(0, 3)
        portions.append(stretches[at : at + size])
        at += size
    return portions
