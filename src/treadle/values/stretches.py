"""Stretches of a log: what an append writes and a read gives.

A stretch of speech is texts of one kind and one key, with the index of the first; a stretch of entries is events and
facts. Concatenated in order they are the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from treadle.values.delta_makers import text_deltas, thinkings, tool_arguments
from treadle.values.events import KernelEvent
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import CallId, RunId
from treadle.values.making import quickly_made
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.records import Entry

SPEECH_KINDS = (TEXT, THINKING, ARGUMENTS)
_FACTS = frozenset(FACT_TYPES)


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStretch:
    """Texts of one passage of text or thinking, or of one call's arguments; one event a text.

    Shape: `key` is the passage, or for arguments the call's id. `seq` and `index` are those of the first text.
    Units: `at_s` is UTC seconds by the writer's clock.
    """

    seq: int
    index: int
    kind: str
    key: int | CallId
    texts: tuple[str, ...]
    at_s: float
    epoch: int = 0

    def __post_init__(self) -> None:
        if self.kind not in SPEECH_KINDS or not self.texts or not all(self.texts):
            raise ValueError(f"speech is text, thinking or arguments, never empty; came {self.kind!r}, {self.texts!r}")

    @property
    def records(self) -> int:
        """How many records it holds."""
        return len(self.texts)

    @property
    def events(self) -> int:
        """How many events it holds."""
        return len(self.texts)


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class EntryStretch:
    """Events and facts, in order. `index` is that of its first event, or of the next one where it has none."""

    seq: int
    index: int
    entries: tuple[Entry, ...]
    at_s: float
    epoch: int = 0

    @property
    def records(self) -> int:
        """How many records it holds."""
        return len(self.entries)

    @property
    def events(self) -> int:
        """How many events it holds: facts do not count."""
        # Asked several times of every append, so nothing is called for each entry.
        return len(self.entries) - sum(map(_FACTS.__contains__, map(type, self.entries)))


Stretch = SpeechStretch | EntryStretch


def events_of(stretch: Stretch, run_id: RunId, *, after: int = -1) -> list[KernelEvent]:
    """The events of a stretch whose index is above `after`, in order."""
    if isinstance(stretch, EntryStretch):
        return [entry for entry in stretch.entries if type(entry) not in _FACTS and entry.index > after]  # type: ignore[misc,union-attr]  # facts are left out
    skip = max(0, after + 1 - stretch.index)
    texts = stretch.texts[skip:]
    first = stretch.index + skip
    if stretch.kind == TEXT:
        return text_deltas(first, run_id, int(stretch.key), texts)
    if stretch.kind == THINKING:
        return thinkings(first, run_id, int(stretch.key), texts)
    return tool_arguments(first, run_id, CallId(str(stretch.key)), texts)


def entries_of(stretches: Iterable[Stretch], run_id: RunId) -> Iterator[Entry]:
    """All events and facts of stretches, in order: what a machine is rebuilt from."""
    for stretch in stretches:
        if isinstance(stretch, EntryStretch):
            yield from stretch.entries
        else:
            yield from events_of(stretch, run_id)
