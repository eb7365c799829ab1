"""The log of one run in memory: rows of texts and rows of entries, found by seq and by index.

A row of texts grows while its passage goes on under one owner, so a delta costs a place in a list; events are made by
whoever reads. When something follows it, it becomes its whole text and where each piece ends: some bytes a delta. A row
of entries is one stretch as it came. Nothing is awaited here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Final

from treadle.errors import SequenceConflictError
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import CallId, RunId
from treadle.values.records import Entry
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

_FACTS: Final = frozenset(FACT_TYPES)
_SEQ: Final = attrgetter("seq")
_INDEX: Final = attrgetter("index")


class SpeechRow:
    """Texts of one passage or call that one owner wrote one after the other.

    Shape: `newest` is the place of the first text of the last append, as long as the row grows.
    """

    __slots__ = ("_ends", "_newest_s", "_whole", "at_s", "epoch", "index", "key", "kind", "newest", "seq", "texts")

    def __init__(self, stretch: SpeechStretch, epoch: int) -> None:
        self.seq = stretch.seq
        self.index = stretch.index
        self.kind = stretch.kind
        self.key: int | CallId = stretch.key
        self.at_s = stretch.at_s
        self.epoch = epoch
        self.texts = list(stretch.texts)
        self.newest = 0
        self._newest_s = stretch.at_s
        self._whole = ""
        self._ends: array[int] | None = None

    def __len__(self) -> int:
        return len(self.texts) if self._ends is None else len(self._ends) - 1

    def seal(self) -> None:
        """The passage is finished: its texts become one."""
        self._whole = "".join(self.texts)
        self._ends = array("I", accumulate(map(len, self.texts), initial=0))
        self.texts = []
        self.newest = 0
        self._newest_s = self.at_s

    def grow(self, stretch: SpeechStretch) -> None:
        """Go on with what continues this row."""
        self.newest = len(self.texts)
        self._newest_s = stretch.at_s
        self.texts.extend(stretch.texts)

    def continues(self, stretch: SpeechStretch, epoch: int) -> bool:
        """Whether a stretch that comes next goes on with this row."""
        return (self.kind, self.key, self.epoch) == (stretch.kind, stretch.key, epoch)

    def cut(self, begin: int, end: int) -> SpeechStretch:
        """Some of its texts, all of one time."""
        end = min(end, self.newest) if begin < self.newest else end
        return SpeechStretch(
            seq=self.seq + begin,
            index=self.index + begin,
            kind=self.kind,
            key=self.key,
            texts=self._texts(begin, end),
            at_s=self._newest_s if begin >= self.newest else self.at_s,
            epoch=self.epoch,
        )

    def _texts(self, begin: int, end: int) -> tuple[str, ...]:
        if self._ends is None:
            return tuple(self.texts[begin:end])
        whole = self._whole
        return tuple([whole[start:stop] for start, stop in pairwise(self._ends[begin : end + 1])])


Row = SpeechRow | EntryStretch
_Told = tuple[int, object]


class Rows:
    """What is stored of one run.

    Shape: `next_seq` and `next_index` are those of the next record and of the next event.
    """

    __slots__ = ("_rows", "next_index", "next_seq")

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self.next_seq = 0
        self.next_index = 0

    def repeats(self, stretches: Sequence[Stretch]) -> bool:
        """Whether exactly these stretches stand in the log already. Nothing is no repetition."""
        if not stretches or not 0 <= stretches[0].seq < self.next_seq:
            return False
        count = sum(stretch.records for stretch in stretches)
        came = [told for stretch in stretches for told in _told(stretch)]
        return list(self._told_from(stretches[0].seq, count)) == came

    def refuse(self, run_id: RunId, stretches: Sequence[Stretch]) -> None:
        """Refuse what does not begin where the log ends and go on without a gap.

        Raises:
            SequenceConflictError: It says where.
        """
        seq, index = self.next_seq, self.next_index
        for stretch in stretches:
            if (stretch.seq, stretch.index) != (seq, index):
                place, came = f"{seq!r} (index {index!r})", f"{stretch.seq!r} (index {stretch.index!r})"
                raise SequenceConflictError(f"log of {run_id!r} goes on at {place}, came {came}")
            seq += stretch.records
            index += stretch.events

    def add(self, stretches: Sequence[Stretch], epoch: int) -> None:
        """Add stretches that `refuse` let pass."""
        for stretch in stretches:
            last = self._rows[-1] if self._rows else None
            if isinstance(stretch, EntryStretch):
                if stretch.entries:
                    self._append(stretch if stretch.epoch == epoch else replace(stretch, epoch=epoch))
            elif isinstance(last, SpeechRow) and last.continues(stretch, epoch):
                last.grow(stretch)
            elif stretch.texts:
                self._append(SpeechRow(stretch, epoch))
            self.next_seq += stretch.records
            self.next_index += stretch.events

    def _append(self, row: Row) -> None:
        if self._rows and isinstance(last := self._rows[-1], SpeechRow):
            last.seal()
        self._rows.append(row)

    def read(self, after: int, limit: int) -> list[Stretch]:
        """What lies after an event: about `limit` records, and an event among them where one is left."""
        if after >= self.next_index:
            return []
        found: list[Stretch] = []
        left, lacks_event = limit, after + 1 < self.next_index
        for stretch in self._after(after, limit):
            if left <= 0 and not lacks_event:
                break
            found.append(stretch)
            left -= stretch.records
            lacks_event = lacks_event and not stretch.events
        return found

    def forget_facts(self) -> None:
        """Drop every fact. Events keep their seqs and indexes."""
        rows: list[Row] = []
        for row in self._rows:
            rows.extend([row] if isinstance(row, SpeechRow) else _without_facts(row))
        self._rows = rows

    def _after(self, after: int, limit: int) -> Iterator[Stretch]:
        """Rows from the one that holds the event, what lies before it cut away. Long rows of speech come in pieces."""
        first = max(0, bisect_right(self._rows, after, key=_INDEX) - 1)
        for place in range(first, len(self._rows)):
            row = self._rows[place]
            if isinstance(row, EntryStretch):
                rest = _after_event(row, after) if place == first else row
                if rest is not None:
                    yield rest
                continue
            begin = max(0, after + 1 - row.index)
            while begin < len(row):
                part = row.cut(begin, begin + limit)
                yield part
                begin += len(part.texts)

    def _told_from(self, seq: int, count: int) -> Iterator[_Told]:
        """The records of so many seqs, in comparable form. Facts that were deleted leave seqs without a record."""
        end = seq + count
        for place in range(max(0, bisect_right(self._rows, seq, key=_SEQ) - 1), len(self._rows)):
            row = self._rows[place]
            if row.seq >= end:
                return
            begin = max(0, seq - row.seq)
            if isinstance(row, EntryStretch):
                yield from list(_told(row))[begin : end - row.seq]
                continue
            stop = min(len(row), end - row.seq)
            while begin < stop:
                part = row.cut(begin, stop)
                yield from _told(part)
                begin += len(part.texts)


def _told(stretch: Stretch) -> Iterator[_Told]:
    """Seq and content of each record of a stretch, whatever it was cut from. An event's index is part of it."""
    if isinstance(stretch, SpeechStretch):
        ahead = stretch.index - stretch.seq
        for seq, text in enumerate(stretch.texts, stretch.seq):
            yield seq, (stretch.kind, stretch.key, seq + ahead, text)
    else:
        yield from enumerate(stretch.entries, stretch.seq)


def _after_event(row: EntryStretch, after: int) -> EntryStretch | None:
    """What of a row comes after an event."""
    skip = after + 1 - row.index
    if skip <= 0:
        return row
    ends = [place for place, entry in enumerate(row.entries, 1) if type(entry) not in _FACTS]
    place = ends[skip - 1]
    rest = row.entries[place:]
    return replace(row, seq=row.seq + place, index=after + 1, entries=rest) if rest else None


def _without_facts(row: EntryStretch) -> Iterator[EntryStretch]:
    """Rows of the events that stood together."""
    events: list[Entry] = []
    index = row.index
    for seq, entry in enumerate((*row.entries, None), row.seq):
        if entry is not None and type(entry) not in _FACTS:
            events.append(entry)
        elif events:
            yield replace(row, seq=seq - len(events), index=index, entries=tuple(events))
            index += len(events)
            events = []
