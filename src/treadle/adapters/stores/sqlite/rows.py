"""The table of rows: stretches of logs at rest, by their place.

In: stretches in their stored form. Out: pages of them. Knows nothing of who may write them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple

from treadle.codec.records import RecordCodec, Row
from treadle.errors import RecordFormatError
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.stretches import SpeechStretch, Stretch

PAGE_BYTES: Final = 4 * 1024 * 1024
"""Bytes of rows after which a page ends, whatever its limit."""

_INSERT: Final = (
    "insert into rows (scope, run_id, idx, seq, events, records, trailing, epoch, at_s, kind, version, body) values "
)
_VALUES: Final = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
# A thread lets go of the interpreter at each step of SQLite, and may wait long to have it again: many rows are written
# in few steps. The sizes are few, so that each statement is compiled once.
_INSERTS: Final = {size: _INSERT + ", ".join([_VALUES] * size) for size in (64, 16, 4, 1)}
_DELETE: Final = "delete from rows where scope = ? and run_id = ? and idx = ? and seq = ?"
_END: Final = (
    "select seq + records, idx + events, kind from rows where scope = ? and run_id = ?"
    " order by idx desc, seq desc limit 1"
)
# The row that holds an event is the last one, among those with events, that begins at or before it.
_HOLDS: Final = (
    "select idx, seq, idx + events, trailing from rows where scope = ? and run_id = ? and idx <= ? and events > 0"
    " order by idx desc, seq desc limit 1"
)
_COVERS: Final = (
    "select idx, seq from rows where scope = ? and run_id = ? and seq <= ? order by idx desc, seq desc limit 1"
)
_FROM: Final = (
    "select seq, idx, epoch, at_s, kind, version, body, events, records from rows"
    " where scope = ? and run_id = ? and (idx, seq) >= (?, ?) order by idx, seq"
)
_FACTS: Final = frozenset(FACT_TYPES)


class StoredRow(NamedTuple):
    """A stretch in its stored form, with the counts that its place needs. `stretch` is what a reader is given."""

    row: Row
    events: int
    records: int
    trailing: int
    stretch: Stretch


class LogEnd(NamedTuple):
    """Where the rows of a run end: the next seq, the next index, and the kind of the last row."""

    next_seq: int
    next_index: int
    kind: str


def stored(codec: RecordCodec, stretch: Stretch) -> StoredRow:
    """The stored form of a stretch, and the stretch as it will be read."""
    row = codec.dump_stretch(stretch)
    read = stretch if isinstance(stretch, SpeechStretch) and _is_whole(stretch) else codec.load_stretch(row)
    return StoredRow(row, stretch.events, stretch.records, trailing_facts(stretch), read)


def trailing_facts(stretch: Stretch) -> int:
    """How many facts stand behind the last event of a stretch."""
    if isinstance(stretch, SpeechStretch):
        return 0
    return sum(1 for _ in takewhile(lambda entry: type(entry) in _FACTS, reversed(stretch.entries)))


def insert(connection: sqlite3.Connection, scope: str, run_id: RunId, *, new: Iterable[StoredRow]) -> None:
    """Write rows of one run. That their places are free is for the caller to know."""
    insert_all(connection, [(scope, run_id, row) for row in new])


def insert_all(connection: sqlite3.Connection, rows: Sequence[tuple[str, RunId, StoredRow]]) -> None:
    """Write rows of any runs."""
    at = 0
    for size, statement in _INSERTS.items():
        while len(rows) - at >= size:
            words: list[object] = []
            for scope, run_id, (row, events, records, trailing, _) in rows[at : at + size]:
                words += (scope, run_id, row.index, row.seq, events, records, trailing)
                words += (row.epoch, row.at_s, row.kind, row.version, row.body)
            connection.execute(statement, words)
            at += size


def remove(connection: sqlite3.Connection, scope: str, run_id: RunId, *, places: Iterable[tuple[int, int]]) -> None:
    """Delete single rows, by index and seq."""
    connection.executemany(_DELETE, [(scope, run_id, *place) for place in places])


def end(connection: sqlite3.Connection, scope: str, run_id: RunId) -> LogEnd | None:
    """Where the rows of a run end; None where it has none."""
    found = connection.execute(_END, (scope, run_id)).fetchone()
    return None if found is None else LogEnd(*found)


def page(connection: sqlite3.Connection, scope: str, run_id: RunId, *, after: int, limit: int) -> list[tuple[Row, int]]:
    """Rows from the one that holds what comes after an event, each with how many events it holds.

    Shape:  a page that is not the last one holds an event after `after`.
    """
    place = (0, 0)
    if after >= 0:
        index, seq, end, trailing = connection.execute(_HOLDS, (scope, run_id, after)).fetchone() or (0, 0, 0, 0)
        place = (index, seq) if end > after + 1 or (trailing and end == after + 1) else (after + 1, 0)
    rows: list[tuple[Row, int]] = []
    count = size = index = 0
    for columns in connection.execute(_FROM, (scope, run_id, *place)):
        if index > after + 1 and (count >= limit or size >= PAGE_BYTES):
            break
        row, events, records = row_of(columns), columns[7], columns[8]
        rows.append((row, events))
        count += records
        size += len(row.body)
        index = row.index + events
    return rows


def covering(connection: sqlite3.Connection, scope: str, run_id: RunId, *, start: int, end: int) -> list[Row]:
    """The rows that hold the records from seq `start` to before `end`."""
    place = connection.execute(_COVERS, (scope, run_id, start)).fetchone() or (0, 0)
    found = map(row_of, connection.execute(_FROM, (scope, run_id, *place)))
    return list(takewhile(lambda row: row.seq < end, found))


def all_rows(connection: sqlite3.Connection, scope: str, run_id: RunId) -> list[tuple[Row, int]]:
    """Every row of a run, in order, with how many events it holds."""
    return [(row_of(columns), columns[7]) for columns in connection.execute(_FROM, (scope, run_id, 0, 0))]


def loaded(codec: RecordCodec, run_id: RunId, rows: Sequence[tuple[Row, int]], *, after: int = -1) -> list[Stretch]:
    """The stretches of a page, up to a row that cannot be read.

    Raises:
        RecordFormatError: That row holds the next event after `after`. It says which events it holds: behind them
            the log can be read.
    """
    made: list[Stretch] = []
    index = 0
    for row, events in rows:
        try:
            made.append(load(codec, run_id, row, events=events))
        except RecordFormatError:
            if index > after + 1:
                break
            raise
        index = row.index + events
    return made


def load(codec: RecordCodec, run_id: RunId, row: Row, *, events: int) -> Stretch:
    """The stretch of a row.

    Raises:
        RecordFormatError: It cannot be read. The run, the seq and the events are named.
    """
    try:
        return codec.load_stretch(row)
    except RecordFormatError as error:
        place = f"log of {run_id!r}, events {row.index} to {row.index + events - 1}"
        raise RecordFormatError(f"{place}: {error}", version=error.version) from error


def row_of(columns: Sequence[Any]) -> Row:
    """A row as it stands in the file: seq, index, epoch, time, kind, version, body. The codec checks what it says."""
    seq, index, epoch, at_s, kind, version, body = columns[:7]
    whole = body if isinstance(body, bytes) else b""
    return Row(seq=seq, index=index, epoch=epoch, at_s=at_s, kind=kind, version=version, body=whole)


def _is_whole(stretch: SpeechStretch) -> bool:
    """Whether the text is read as it is written: half a surrogate pair is not."""
    try:
        "".join(stretch.texts).encode()
    except UnicodeEncodeError:
        return False
    return True
