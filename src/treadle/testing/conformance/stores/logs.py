"""Stretches to try a store with, and what stretches say record by record.

However a store cuts, joins or compacts rows, it holds the same records: `records_of` makes two logs comparable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from treadle.values.events import Done, KernelEvent, RunStarted, Stage
from treadle.values.facts import FACT_TYPES, RoundOpened
from treadle.values.ids import CallId, RunId, ThreadId
from treadle.values.model import TEXT
from treadle.values.outcome import InvocationOutcome
from treadle.values.records import Entry
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

AT_S: Final = 1_000_000.0
FACTS: Final = frozenset(FACT_TYPES)


@dataclass(frozen=True, slots=True)
class Told:
    """One record: where it stands, who wrote it, and what it is. `index` is None for a fact."""

    seq: int
    index: int | None
    epoch: int
    content: object


def records_of(stretches: Iterable[Stretch]) -> list[Told]:
    """The records of stretches, in order."""
    told: list[Told] = []
    for stretch in stretches:
        if isinstance(stretch, SpeechStretch):
            speech = [(stretch.kind, stretch.key, text) for text in stretch.texts]
            told.extend(
                Told(stretch.seq + at, stretch.index + at, stretch.epoch, content) for at, content in enumerate(speech)
            )
            continue
        index = stretch.index
        for seq, entry in enumerate(stretch.entries, stretch.seq):
            is_fact = type(entry) in FACTS
            told.append(Told(seq, None if is_fact else index, stretch.epoch, entry))
            index += not is_fact
    return told


def events_in(stretches: Iterable[Stretch], *, after: int = -1) -> list[Told]:
    """The records that are events, above an index."""
    return [told for told in records_of(stretches) if told.index is not None and told.index > after]


class Script:
    """Makes the next stretches of one log, numbered as its writer would number them.

    Each method gives one stretch and moves on; `at` begins elsewhere.
    """

    def __init__(self, run_id: RunId, seq: int = 0, index: int = 0) -> None:
        self.run_id = run_id
        self.seq = seq
        self.index = index

    def at(self, seq: int, index: int) -> Script:
        """Another script of the same run that stands elsewhere."""
        return Script(self.run_id, seq, index)

    def speech(self, *texts: str, kind: str = TEXT, key: int | CallId = 1) -> SpeechStretch:
        """Texts of one passage or call."""
        made = SpeechStretch(seq=self.seq, index=self.index, kind=kind, key=key, texts=texts, at_s=AT_S)
        self._move(made)
        return made

    def entries(self, *entries: Entry) -> EntryStretch:
        """Events, whose index must be right, and facts."""
        made = EntryStretch(seq=self.seq, index=self.index, entries=entries, at_s=AT_S)
        self._move(made)
        return made

    def started(self) -> EntryStretch:
        """A run began."""
        return self.entries(
            RunStarted(
                index=self.index,
                run_id=self.run_id,
                agent="calc",
                thread_id=ThreadId("t1"),
                root_run_id=self.run_id,
                prompt="1+2?",
                tool_call_limit=64,
            )
        )

    def stage(self, *names: str) -> EntryStretch:
        """An event with structure for each name."""
        return self.entries(*self.stages(*names))

    def stages(self, *names: str) -> list[KernelEvent]:
        """Events for `entries`, the first at the index where this script stands."""
        return [
            Stage(index=index, run_id=self.run_id, stage_id=name, phase="recall")
            for index, name in enumerate(names, self.index)
        ]

    def mixed(self, first: str, second: str) -> EntryStretch:
        """A fact, an event, a fact, an event, a fact."""
        one, two = self.stages(first, second)
        facts = [RoundOpened(round=number, attempt=2) for number in (1, 2, 3)]
        return self.entries(facts[0], one, facts[1], two, facts[2])

    def facts(self, *rounds: int) -> EntryStretch:
        """A fact for each number, and no event."""
        return self.entries(*(RoundOpened(round=number, attempt=1) for number in rounds))

    def done(self, text: str = "") -> EntryStretch:
        """The run came to its end."""
        return self.entries(
            Done(index=self.index, run_id=self.run_id, outcome=InvocationOutcome(text=text, run_id=self.run_id))
        )

    def _move(self, made: Stretch) -> None:
        self.seq += made.records
        self.index += made.events


def with_epoch(stretches: Sequence[Stretch], epoch: int) -> list[Told]:
    """The records of stretches as they are told when the owner of this epoch has written them."""
    return [Told(told.seq, told.index, epoch, told.content) for told in records_of(stretches)]
