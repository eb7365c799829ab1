"""What a run is told of the thread it belongs to: the runs before it, from their logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from treadle.ports.store import Store
from treadle.runtime.transcript import told_of
from treadle.values.facts import TurnKept
from treadle.values.ids import RunId
from treadle.values.mappings import Json
from treadle.values.records import Entry
from treadle.values.requests import HistoryMessage
from treadle.values.runs import FINAL_STATUSES, RunState
from treadle.values.stretches import Stretch, entries_of

RUNS: Final = 50
"""How many earlier runs of a thread are told to the next one."""
SLICE: Final = 4096
"""Records that are read at a time."""


async def history_of(store: Store, state: RunState, *, load: Callable[[Json], Any]) -> tuple[HistoryMessage, ...]:
    """The messages of the thread's earlier runs, oldest first, `RUNS` of them at most.

    `load` gives a turn's payload back from its stored form.
    """
    if not state.thread_id:
        return ()
    earlier = await store.find(state.scope, thread_id=state.thread_id, statuses=FINAL_STATUSES, limit=RUNS)
    told: list[HistoryMessage] = []
    for run in reversed(earlier):
        if run.run_id != state.run_id:
            told += told_of(await entries_stored(store, run.scope, run.run_id, load=load))
    return tuple(told)


async def entries_stored(store: Store, scope: str, run_id: RunId, *, load: Callable[[Json], Any]) -> list[Entry]:
    """All events and facts of a run, payloads given back to their adapter's own form."""
    stretches = await stretches_stored(store, scope, run_id)
    return [_loaded(entry, load) for entry in entries_of(stretches, run_id)]


async def stretches_stored(store: Store, scope: str, run_id: RunId) -> list[Stretch]:
    """All that is stored of a run, in order."""
    stretches: list[Stretch] = []
    seen, state = 0, await store.state(scope, run_id)
    after = -1
    while seen < state.next_seq:
        more = [stretch for stretch in await store.read(scope, run_id, after, limit=SLICE) if stretch.seq >= seen]
        if not more:
            break
        stretches += more
        seen = more[-1].seq + more[-1].records
        after = more[-1].index + more[-1].events - 1
    return stretches


def _loaded(entry: Entry, load: Callable[[Json], Any]) -> Entry:
    if isinstance(entry, TurnKept) and entry.turn.payload is not None:
        return replace(entry, turn=replace(entry.turn, payload=load(entry.turn.payload)))
    return entry
