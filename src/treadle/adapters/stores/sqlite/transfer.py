"""Runs to lines of JSON and back: what one store gives and another takes.

In: a run with its rows. Out: lines, each an object whose `line` says what it is: `run` (a header, first), `row`,
`message`. The same run gives the same lines however its rows are cut. Lines without facts hold what was shown and no
more; a run that may still go on needs its facts.

Source: docs/sqlite.md (export and import).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from treadle.adapters.stores.sqlite import rows, run_table
from treadle.adapters.stores.sqlite.deleting import without_facts
from treadle.codec.compaction import compacted, continues
from treadle.codec.forms import JSON, read_json, stored_bytes
from treadle.codec.records import RecordCodec, Row
from treadle.errors import KeyReusedError, RecordFormatError, SequenceConflictError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.ids import NO_THREAD, RunId, ThreadId
from treadle.values.runs import FINAL_STATUSES, RunState, RunStatus
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

EXPORT_VERSION: Final = 1


class RunLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="line", tag="run"):
    """The header of a run. A run that somebody owned is `ready`: who takes the lines does not own it."""

    version: int
    has_facts: bool
    run_id: str
    scope: str
    thread_id: str
    agent: str
    plan: str
    status: RunStatus
    epoch: int
    next_seq: int
    next_index: int
    created_s: float
    changed_s: float
    wake_at_s: float | None
    key: str | None
    digest: str
    properties: msgspec.Raw
    request: bytes


class RowLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="line", tag="row"):
    """A row of the run whose header came last. `form` says in which form `body` is written."""

    seq: int
    index: int
    epoch: int
    at_s: float
    kind: str
    form: int
    body: msgspec.Raw


class MessageLine(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="line", tag="message"
):
    """A message to the run whose header came last."""

    key: str
    kind: str
    body: bytes
    is_taken: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """All lines of one run."""

    run: RunLine
    rows: tuple[RowLine, ...]
    messages: tuple[MessageLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How many runs an import put into the store, and how many it found there."""

    new: int = 0
    known: int = 0

    def plus(self, *, is_new: bool) -> Imported:
        """One more."""
        return replace(self, new=self.new + is_new, known=self.known + (not is_new))


def exported(
    connection: sqlite3.Connection, scope: str, run_id: RunId, *, codec: RecordCodec, with_facts: bool
) -> list[str]:
    """The lines of a run.

    Raises:
        RunNotFoundError: No such run in this scope.
        RecordFormatError: A row cannot be read.
    """
    parcel = _parcel(connection, codec, scope, run_id, with_facts=with_facts)
    return [_encode(line).decode() for line in (parcel.run, *parcel.rows, *parcel.messages)]


def parcels(lines: Iterable[str]) -> Iterator[Parcel]:
    """The runs of lines, one at a time.

    Raises:
        RecordFormatError: A line is none of an export, or out of its place.
    """
    run: RunLine | None = None
    own_rows: list[RowLine] = []
    own_messages: list[MessageLine] = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        line = _decoded(text, number)
        if isinstance(line, RunLine):
            if run is not None:
                yield Parcel(run=run, rows=tuple(own_rows), messages=tuple(own_messages))
            run, own_rows, own_messages = line, [], []
        elif run is None:
            raise RecordFormatError(f"line {number} of an export: expected the header of a run first")
        elif isinstance(line, RowLine):
            own_rows.append(line)
        else:
            own_messages.append(line)
    if run is not None:
        yield Parcel(run=run, rows=tuple(own_rows), messages=tuple(own_messages))


def put(connection: sqlite3.Connection, codec: RecordCodec, parcel: Parcel, *, now_s: float) -> bool:
    """Put a run into the store. False where it is there already, word for word.

    Raises:
        RecordFormatError: Its lines cannot be read, or do not make a whole log.
        SequenceConflictError: A run of this id is there with other content.
        KeyReusedError: Its key stands for another run.
    """
    run = parcel.run
    stretches = _stretches(codec, parcel)
    if not run.has_facts and run.status not in FINAL_STATUSES:
        raise RecordFormatError(f"run {run.run_id!r} is {run.status.value!r} and came without facts: it cannot go on")
    if _is_known(connection, "run_id", run.scope, run.run_id):
        there = _parcel(connection, codec, run.scope, RunId(run.run_id), with_facts=run.has_facts)
        if there != _canonical(codec, parcel, stretches):
            raise SequenceConflictError(f"run {run.run_id!r} is in the store with other content")
        return False
    if run.key is not None and _is_known(connection, "key", run.scope, run.key):
        raise KeyReusedError(f"key {run.key!r} of run {run.run_id!r} stands for another run")
    _put_run(connection, run, now_s)
    reach(Failpoint.IMPORT_MID)
    own = [rows.stored(codec, stretch) for stretch in stretches]
    rows.insert(connection, run.scope, RunId(run.run_id), new=own)
    connection.executemany(
        "insert into messages (scope, run_id, key, kind, body, taken) values (?, ?, ?, ?, ?, ?)",
        [(run.scope, run.run_id, one.key, one.kind, one.body, one.is_taken) for one in parcel.messages],
    )
    return True


def runs_of(lines: Iterable[str]) -> Iterator[tuple[RunState, list[Stretch]]]:
    """The runs of lines as they were stored, to be looked at. Without facts one that may go on can be read too.

    Raises:
        RecordFormatError: A line is none of an export, or does not make a whole log with the others.
    """
    codec = RecordCodec()
    for parcel in parcels(lines):
        yield _state(parcel.run), _stretches(codec, parcel)


def _state(run: RunLine) -> RunState:
    return RunState(
        run_id=RunId(run.run_id),
        scope=run.scope,
        thread_id=ThreadId(run.thread_id),
        agent=run.agent,
        status=run.status,
        epoch=run.epoch,
        next_seq=run.next_seq,
        next_index=run.next_index,
        created_s=run.created_s,
        changed_s=run.changed_s,
        wake_at_s=run.wake_at_s,
        request=run.request,
        plan=run.plan,
        properties=read_json(bytes(run.properties)),
    )


def _parcel(
    connection: sqlite3.Connection, codec: RecordCodec, scope: str, run_id: RunId, *, with_facts: bool
) -> Parcel:
    state = run_table.state(connection, scope, run_id)
    key, digest = connection.execute(
        "select key, digest from runs where scope = ? and run_id = ?", (scope, run_id)
    ).fetchone()
    stretches = [
        rows.load(codec, run_id, row, events=events) for row, events in rows.all_rows(connection, scope, run_id)
    ]
    header = RunLine(
        version=EXPORT_VERSION,
        has_facts=with_facts,
        run_id=run_id,
        scope=scope,
        thread_id=state.thread_id,
        agent=state.agent,
        plan=state.plan,
        status=RunStatus.READY if state.status is RunStatus.OWNED else state.status,
        epoch=state.epoch,
        next_seq=state.next_seq,
        next_index=state.next_index,
        created_s=state.created_s,
        changed_s=state.changed_s,
        wake_at_s=state.wake_at_s,
        key=key,
        digest=digest,
        properties=msgspec.Raw(stored_bytes(JSON.dump(state.properties))),
        request=state.request if with_facts else b"",
    )
    sent = connection.execute(
        "select key, kind, body, taken from messages where scope = ? and run_id = ? order by number", (scope, run_id)
    )
    own = [MessageLine(key=name, kind=kind, body=body, is_taken=bool(taken)) for name, kind, body, taken in sent]
    shown = stretches if with_facts else list(_shown(stretches))
    return Parcel(run=header, rows=_row_lines(codec, shown), messages=tuple(own if with_facts else ()))


def _canonical(codec: RecordCodec, parcel: Parcel, stretches: Sequence[Stretch]) -> Parcel:
    properties = msgspec.Raw(stored_bytes(read_json(bytes(parcel.run.properties))))
    run = msgspec.structs.replace(parcel.run, properties=properties)
    return replace(parcel, run=run, rows=_row_lines(codec, stretches))


def _row_lines(codec: RecordCodec, stretches: Sequence[Stretch]) -> tuple[RowLine, ...]:
    """Rows in their newest form, speech joined as far as it goes."""
    return tuple(
        RowLine(
            seq=row.seq,
            index=row.index,
            epoch=row.epoch,
            at_s=row.at_s,
            kind=row.kind,
            form=row.version,
            body=msgspec.Raw(row.body),
        )
        for row in map(codec.dump_stretch, _joined(stretches))
    )


def _joined(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    speech: list[SpeechStretch] = []
    for stretch in stretches:
        if speech and not (isinstance(stretch, SpeechStretch) and continues(speech[-1], stretch)):
            yield compacted(speech)
            speech = []
        if isinstance(stretch, SpeechStretch):
            speech.append(stretch)
        else:
            yield stretch
    if speech:
        yield compacted(speech)


def _shown(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    for stretch in stretches:
        if isinstance(stretch, EntryStretch):
            yield from without_facts(stretch)
        else:
            yield stretch


def _stretches(codec: RecordCodec, parcel: Parcel) -> list[Stretch]:
    """The log of a parcel, checked to be whole."""
    run = parcel.run
    if run.version != EXPORT_VERSION:
        said = f"export of run {run.run_id!r} is of version {run.version}, this library reads {EXPORT_VERSION}"
        raise RecordFormatError(said, version=run.version)
    made: list[Stretch] = []
    seq = index = 0
    for line in parcel.rows:
        row = Row(
            seq=line.seq,
            index=line.index,
            epoch=line.epoch,
            at_s=line.at_s,
            kind=line.kind,
            version=line.form,
            body=bytes(line.body),
        )
        stretch = codec.load_stretch(row)
        if line.index != index or line.seq < seq or (run.has_facts and line.seq != seq):
            raise RecordFormatError(
                f"export of run {run.run_id!r} goes on at seq {seq}, index {index}; came {line.seq}, {line.index}"
            )
        made.append(stretch)
        seq, index = line.seq + stretch.records, index + stretch.events
    if index != run.next_index or seq > run.next_seq or (run.has_facts and seq != run.next_seq):
        raise RecordFormatError(f"export of run {run.run_id!r} ends at index {index}, not at {run.next_index}")
    return made


def _put_run(connection: sqlite3.Connection, run: RunLine, now_s: float) -> None:
    status = RunStatus.READY if run.status is RunStatus.OWNED else run.status
    live = (
        [] if run.thread_id == NO_THREAD else run_table.live_in_thread(connection, run.scope, ThreadId(run.thread_id))
    )
    due_s = {RunStatus.READY: None if live else now_s, RunStatus.WAITING: run.wake_at_s}.get(status)
    connection.execute(
        "insert into runs (scope, run_id, thread_id, agent, plan, status, epoch, next_seq, next_index, created_s,"
        " changed_s, due_s, wake_at_s, key, digest) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(run.scope, run.run_id, run.thread_id, run.agent, run.plan, status.value, run.epoch),
            *(run.next_seq, run.next_index, run.created_s, run.changed_s, due_s, run.wake_at_s, run.key, run.digest),
        ),
    )
    connection.execute(
        "insert into requests (scope, run_id, request, properties) values (?, ?, ?, ?)",
        (run.scope, run.run_id, run.request, stored_bytes(read_json(bytes(run.properties)))),
    )


def _is_known(connection: sqlite3.Connection, column: str, scope: str, word: str) -> bool:
    found = connection.execute(f"select 1 from runs where scope = ? and {column} = ?", (scope, word))
    return found.fetchone() is not None


def _decoded(text: str, number: int) -> RunLine | RowLine | MessageLine:
    try:
        line: RunLine | RowLine | MessageLine = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise RecordFormatError(f"line {number} of an export cannot be read: it is none, or damaged") from error
    return line


_DECODER: Final = msgspec.json.Decoder(RunLine | RowLine | MessageLine)
_encode: Final = msgspec.json.Encoder().encode
