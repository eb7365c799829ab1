"""What is stored of a run, and what a run is told of the thread it belongs to: the runs before it, from their logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from treadle.codec.records import RecordCodec
from treadle.errors import RecordFormatError
from treadle.ports.log import LogReads
from treadle.ports.store import Store
from treadle.runtime.served import ServedAgent
from treadle.runtime.transcript import told_of
from treadle.values.facts import FACT_TYPES, RequestKept, TurnKept
from treadle.values.ids import RunId, ThreadId
from treadle.values.mappings import Json
from treadle.values.records import Entry
from treadle.values.requests import HistoryMessage
from treadle.values.runs import FINAL_STATUSES, RunState
from treadle.values.stretches import SpeechStretch, Stretch, entries_of

RUNS: Final = 50
"""How many earlier runs of a thread are told to the next one: the latest."""
SLICE: Final = 4096
"""Records that are read at a time."""

_CODEC: Final = RecordCodec()
_FACTS: Final = frozenset(FACT_TYPES)
_Load = Callable[[Json], Any]


def own_thread(run_id: RunId) -> ThreadId:
    """The thread of a run that was started without one. It is made for this run, so no run was in it before."""
    return ThreadId(f"t_{run_id.removeprefix('r_')}")


async def history_of(store: Store, state: RunState, served: ServedAgent) -> tuple[HistoryMessage, ...]:
    """The messages of the thread's runs before this one, oldest first, of `RUNS` of them at most.

    Shape:  a turn of another model, or one whose payload this model cannot read, is told without its payload. What a
            run's caller had brought comes before what the run said.
    """
    if not state.thread_id or state.thread_id == own_thread(state.run_id):
        return ()
    earlier = await store.find(
        state.scope, thread_id=state.thread_id, statuses=FINAL_STATUSES, before=state.run_id, limit=RUNS
    )
    told: list[HistoryMessage] = []
    for run in reversed(earlier):
        _, stretches = await stored_run(store, run.scope, run.run_id)
        entries = list(entries_of(stretches, run.run_id))
        told += _brought(run)
        told += told_of(loaded(entries, _lenient(served.load_payload) if _is_of(entries, served) else _nothing))
    return tuple(told)


def _brought(run: RunState) -> tuple[HistoryMessage, ...]:
    """The history that came with a run's request; none where that was deleted with the run's facts."""
    return _CODEC.load_request(run.request)[0].history if run.request else ()


async def stored_run(store: LogReads, scope: str, run_id: RunId) -> tuple[RunState, list[Stretch]]:
    """Where a run stands, and all that was stored of it by then, in order.

    Raises:
        RunNotFoundError: No such run in this scope.
        RecordFormatError: A row cannot be read.
    """
    state = await store.state(scope, run_id)
    stretches: list[Stretch] = []
    seen, after = 0, -1
    while seen < state.next_seq:
        page = await store.read(scope, run_id, after, limit=SLICE)
        more = [part for stretch in page if (part := _between(stretch, seen, state.next_seq)) is not None]
        if not more:
            # The rest is facts that were deleted.
            break
        stretches += more
        seen = more[-1].seq + more[-1].records
        after = more[-1].index + more[-1].events - 1
    return state, stretches


def _between(stretch: Stretch, first: int, end: int) -> Stretch | None:
    """The records of a stretch from one seq to before another. Rows may have been joined since they were written."""
    skip, stop = max(0, first - stretch.seq), min(stretch.records, end - stretch.seq)
    if skip >= stop:
        return None
    if skip == 0 and stop == stretch.records:
        return stretch
    if isinstance(stretch, SpeechStretch):
        return replace(stretch, seq=stretch.seq + skip, index=stretch.index + skip, texts=stretch.texts[skip:stop])
    events = sum(type(entry) not in _FACTS for entry in stretch.entries[:skip])
    return replace(stretch, seq=stretch.seq + skip, index=stretch.index + events, entries=stretch.entries[skip:stop])


def loaded(entries: Iterable[Entry], load: _Load) -> Iterable[Entry]:
    """Entries as they are at work: payloads given back to their adapter's own form."""
    for entry in entries:
        if isinstance(entry, TurnKept) and entry.turn.payload is not None:
            yield replace(entry, turn=replace(entry.turn, payload=load(entry.turn.payload)))
        else:
            yield entry


def _is_of(entries: Iterable[Entry], served: ServedAgent) -> bool:
    """Whether a run was one of this agent's model."""
    return any(isinstance(entry, RequestKept) and entry.rules.model == served.model.name for entry in entries)


def _lenient(load: _Load) -> _Load:
    def loaded(stored: Json) -> Any:  # noqa: ANN401 (an adapter's own object)
        try:
            return load(stored)
        except RecordFormatError:
            return None

    return loaded


def _nothing(_: Json) -> None:
    return None
