"""One append: checked against the run's lease and the end of its log, then written with the run's new status.

In: stretches, numbered by the run's writer. Out: rows, or a refusal before anything is written. A batch that stands
in the log already, word for word, changes nothing: its acknowledgement was lost.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from treadle.adapters.stores.sqlite import messages, rows, run_table
from treadle.adapters.stores.sqlite.rows import StoredRow
from treadle.adapters.stores.sqlite.run_table import Standing
from treadle.codec.records import ENTRIES, RecordCodec
from treadle.errors import FencedError, RecordFormatError, RunNotFoundError, SequenceConflictError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.runs import FINAL_STATUSES, Lease, RunStatus
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

_FACTS: Final = frozenset(FACT_TYPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one append is given, in its stored form."""

    lease: Lease
    rows: tuple[StoredRow, ...]
    status: RunStatus
    now_s: float
    wake_at_s: float | None
    take: tuple[int, ...]
    flaw: SequenceConflictError | None = None
    """Why the batch is none: its stretches do not follow each other, or an event says another index than its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What came of it. `is_new` is False where the batch stood there already.

    Shape:  `ended` is the place, index and seq, behind the last passage that is finished; None where none is.
    """

    status: RunStatus
    is_new: bool
    ended: tuple[int, int] | None = None


def sealed(codec: RecordCodec, lease: Lease, stretches: Sequence[Stretch]) -> tuple[StoredRow, ...]:
    """The stored form of stretches, as this lease writes them. One with nothing in it has none.

    Raises:
        MisuseError: An entry has no stored form.
    """
    return tuple(
        rows.stored(codec, stretch if stretch.epoch == lease.epoch else replace(stretch, epoch=lease.epoch))
        for stretch in stretches
        if stretch.records
    )


def flaw_of(lease: Lease, stretches: Sequence[Stretch]) -> SequenceConflictError | None:
    """Why stretches cannot be one batch: a gap between them, or an event that says another index than its place."""
    for before, stretch in pairwise(stretches):
        expected = (before.seq + before.records, before.index + before.events)
        if (stretch.seq, stretch.index) != expected:
            return SequenceConflictError(
                f"batch for {lease.run_id!r} goes on at seq {expected[0]}, index {expected[1]}; "
                f"came seq {stretch.seq}, index {stretch.index}"
            )
    for stretch in stretches:
        if isinstance(stretch, EntryStretch):
            events = [entry for entry in stretch.entries if type(entry) not in _FACTS]
            for index, event in enumerate(events, stretch.index):
                if event.index != index:  # type: ignore[union-attr]  # facts are left out
                    said = f"event at index {index} of {lease.run_id!r} says index {event.index}"  # type: ignore[union-attr]  # as above
                    return SequenceConflictError(said)
    return None


class Appending:
    """The appends of one store, in the writer's thread.

    Where a live run stands is known after its first append, and rows are written together at the end of a transaction:
    `write` must come before anything reads rows. What is known here is of transactions that are committed and of the
    one at hand; `taken_back` forgets all of it.
    """

    def __init__(self, codec: RecordCodec) -> None:
        self._codec = codec
        self._known: dict[tuple[str, RunId], Standing] = {}
        self._rows: list[tuple[str, RunId, StoredRow]] = []

    def append(self, connection: sqlite3.Connection, batch: Batch) -> Appended:
        """Take a batch and the run's new status.

        Raises:
            FencedError: A newer owner holds the run, this one has let go of it, or it is there no more.
            SequenceConflictError: Other content stands at that place, or the batch is none.
        """
        lease, new = batch.lease, batch.rows
        run = self._held(connection, lease)
        if new and new[0].row.seq < run.seq:
            self.write(connection)
            if _stands(connection, self._codec, batch):
                return Appended(status=run.status, is_new=False)
        _check_owned(run, lease)
        if batch.flaw is not None:
            raise batch.flaw
        if new and new[0].row.seq < run.seq:
            raise SequenceConflictError(f"log of {lease.run_id!r} holds other content at seq {new[0].row.seq}")
        if new and (new[0].row.seq, new[0].row.index) != (run.seq, run.index):
            raise SequenceConflictError(
                f"log of {lease.run_id!r} ends at seq {run.seq}, index {run.index}; "
                f"came seq {new[0].row.seq}, index {new[0].row.index}"
            )
        ended = _ended(run.last_kind, new)
        for row in new:
            self._rows.append((lease.scope, lease.run_id, row))
            run = run.after(row)
        messages.take(connection, lease.scope, lease.run_id, numbers=batch.take)
        status = RunStatus.OWNED
        if batch.status is RunStatus.OWNED:
            self._known[lease.scope, lease.run_id] = run
        else:
            status = self._rest(connection, batch, run)
        return Appended(status=status, is_new=True, ended=ended)

    def renew(self, connection: sqlite3.Connection, lease: Lease, *, until_s: float) -> None:
        """Put off the end of a lease.

        Raises:
            FencedError: A newer owner holds the run, or this one has let go of it.
        """
        run = self._held(connection, lease)
        _check_owned(run, lease)
        run_table.renew(connection, run.number, until_s=until_s)

    def give_back(self, connection: sqlite3.Connection, lease: Lease, now_s: float) -> None:
        """Make a run ready that was claimed for nobody. It stays as it is where somebody else has it by now."""
        run = run_table.standing(connection, lease.scope, lease.run_id)
        if run.epoch == lease.epoch and run.status is RunStatus.OWNED:
            run_table.rest(connection, run, RunStatus.READY, now_s=now_s, wake_at_s=None)

    def claimed(self, scope: str, run_id: RunId) -> None:
        """A run has another owner."""
        self._known.pop((scope, run_id), None)

    def write(self, connection: sqlite3.Connection) -> None:
        """Write the rows that were taken."""
        if self._rows:
            rows.insert_all(connection, self._rows)
            self._rows.clear()
            reach(Failpoint.AFTER_INSERT_ROWS)

    def taken_back(self) -> None:
        """The transaction is undone."""
        self._rows.clear()
        self._known.clear()

    def _held(self, connection: sqlite3.Connection, lease: Lease) -> Standing:
        run = self._known.get((lease.scope, lease.run_id))
        if run is None:
            try:
                run = run_table.standing(connection, lease.scope, lease.run_id)
            except RunNotFoundError as gone:
                raise FencedError(f"run {lease.run_id!r} is there no more") from gone
        if run.epoch != lease.epoch:
            raise FencedError(f"run {lease.run_id!r} is held by epoch {run.epoch}, not {lease.epoch}")
        return run

    def _rest(self, connection: sqlite3.Connection, batch: Batch, run: Standing) -> RunStatus:
        """Give a run its status at the end of this append."""
        status, lease = batch.status, batch.lease
        if status is RunStatus.WAITING and messages.are_open(connection, lease.scope, lease.run_id):
            status = RunStatus.READY
        wake_at_s = batch.wake_at_s if status is RunStatus.WAITING else None
        run_table.rest(connection, run, status, now_s=batch.now_s, wake_at_s=wake_at_s)
        if status in FINAL_STATUSES:
            run_table.free_next(connection, lease.scope, run.thread_id, now_s=batch.now_s)
        self._known.pop((lease.scope, lease.run_id), None)
        return status


def _check_owned(run: Standing, lease: Lease) -> None:
    if run.status is not RunStatus.OWNED:
        raise FencedError(f"run {lease.run_id!r} is {run.status.value!r}: its lease ended when it was let go")


def _stands(connection: sqlite3.Connection, codec: RecordCodec, batch: Batch) -> bool:
    """Whether the log holds exactly these records at their places. Rows of speech may have been joined since."""
    if batch.flaw is not None:
        return False
    first, last = batch.rows[0].row, batch.rows[-1]
    end = last.row.seq + last.records
    found = rows.covering(connection, batch.lease.scope, batch.lease.run_id, start=first.seq, end=end)
    try:
        there = [codec.load_stretch(row) for row in found]
    except RecordFormatError:
        return False
    return _records(there, first.seq, end) == _records([row.stretch for row in batch.rows], first.seq, end)


def _records(stretches: Sequence[Stretch], start: int, end: int) -> list[object]:
    """What each record is and where it stands, from `start` to before `end`, whatever row it is in."""
    made: list[tuple[int, object]] = []
    for stretch in stretches:
        if isinstance(stretch, SpeechStretch):
            made.extend(
                (stretch.seq + at, (stretch.index + at, stretch.kind, stretch.key, text))
                for at, text in enumerate(stretch.texts)
            )
        else:
            made.extend(enumerate(stretch.entries, stretch.seq))
    return [record for record in made if start <= record[0] < end]


def _ended(last_kind: str | None, new: Sequence[StoredRow]) -> tuple[int, int] | None:
    """Where speech, of the log or of the batch, is followed by something else for the last time."""
    place = None
    before = last_kind
    for row, *_ in new:
        if before not in {None, ENTRIES, row.kind}:
            place = (row.index, row.seq)
        before = row.kind
    return place
