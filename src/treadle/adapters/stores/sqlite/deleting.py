"""Runs and facts that go, for good: what is deleted is overwritten in the file.

In: a final run. Out: nothing of it, or its events alone, under their seqs and indexes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from treadle.adapters.stores.sqlite import rows, run_table
from treadle.codec.records import ENTRIES, RecordCodec
from treadle.errors import RunLiveError, RunNotFoundError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.records import Entry
from treadle.values.runs import FINAL_STATUSES
from treadle.values.stretches import EntryStretch, SpeechStretch

_FACTS = frozenset(FACT_TYPES)


def delete(connection: sqlite3.Connection, scope: str, run_id: RunId) -> bool:
    """Delete a final run: its rows, its inbox, its request, its key. False where there is none.

    Raises:
        RunLiveError: It is not final.
    """
    if not _is_there(connection, scope, run_id):
        return False
    for table in ("rows", "messages", "requests"):
        connection.execute(f"delete from {table} where scope = ? and run_id = ?", (scope, run_id))
        if table == "rows":
            reach(Failpoint.DELETE_MID)
    connection.execute("delete from runs where scope = ? and run_id = ?", (scope, run_id))
    return True


def delete_facts(connection: sqlite3.Connection, scope: str, run_id: RunId, *, codec: RecordCodec) -> bool:
    """Delete the facts of a final run, and what they were made of: its request, and the messages that it took.

    Raises:
        RunLiveError: It is not final.
        RecordFormatError: A row cannot be read, so nothing is known of the facts in it. Nothing changed.
    """
    if not _is_there(connection, scope, run_id):
        return False
    found = [(row, events) for row, events in rows.all_rows(connection, scope, run_id) if row.kind == ENTRIES]
    for stretch in [rows.load(codec, run_id, row, events=events) for row, events in found]:
        if isinstance(stretch, SpeechStretch) or stretch.events == stretch.records:
            continue
        rows.remove(connection, scope, run_id, places=[(stretch.index, stretch.seq)])
        parts = [rows.stored(codec, part) for part in without_facts(stretch)]
        rows.insert(connection, scope, run_id, new=parts)
    connection.execute("update requests set request = x'' where scope = ? and run_id = ?", (scope, run_id))
    connection.execute("update messages set body = x'' where scope = ? and run_id = ? and taken", (scope, run_id))
    return True


def without_facts(stretch: EntryStretch) -> Iterator[EntryStretch]:
    """The events of a stretch, those that stood together in one."""
    index = stretch.index
    numbered = enumerate(stretch.entries, stretch.seq)
    for is_fact, group in groupby(numbered, key=lambda pair: type(pair[1]) in _FACTS):
        if not is_fact:
            part: list[tuple[int, Entry]] = list(group)
            entries = tuple(entry for _, entry in part)
            yield replace(stretch, seq=part[0][0], index=index, entries=entries)
            index += len(entries)


def _is_there(connection: sqlite3.Connection, scope: str, run_id: RunId) -> bool:
    try:
        run = run_table.standing(connection, scope, run_id)
    except RunNotFoundError:
        return False
    if run.status not in FINAL_STATUSES:
        raise RunLiveError(f"run {run_id!r} is {run.status.value!r}, not final")
    return True
