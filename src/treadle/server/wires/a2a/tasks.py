"""Tasks that are there: given, listed, stopped, subscribed to.

In: a request as it is spoken, and what it asks for. Out: responses. Whoever asks is asked about for every task: one of
another scope, or of another agent, is not found.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from starlette.responses import Response

from treadle.codec.foreign import json_text
from treadle.errors import RunNotFoundError
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import ListQuery, TaskQuery
from treadle.projections.a2a.project import NOWHERE, TaskRun
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.wire import TERMINAL, State
from treadle.server.access.admission import ReaderPlace
from treadle.server.access.principal import Action
from treadle.server.feeds import PAGE
from treadle.server.folded_feed import Fold
from treadle.server.wires.a2a.speaking import Spoken
from treadle.server.wires.a2a.telling import Told, from_here
from treadle.server.wires.streaming import streamed
from treadle.values.mappings import EMPTY
from treadle.values.runs import RunState, RunStatus

CANCEL_S: Final = 10.0
"""Seconds that a cancel waits for its task to be over. Then the task is given as it stands."""
LOOKED_AT: Final = 50
"""Runs that are looked at together for a list."""
MOST_LISTED: Final = 10_000
"""Tasks that are counted. A list of more says so many."""
_STATUSES: Final[Mapping[State, Collection[RunStatus]]] = {
    State.SUBMITTED: (RunStatus.READY, RunStatus.OWNED),
    State.WORKING: (RunStatus.READY, RunStatus.OWNED),
    State.INPUT_REQUIRED: (RunStatus.WAITING, RunStatus.READY, RunStatus.OWNED),
    State.AUTH_REQUIRED: (RunStatus.WAITING, RunStatus.READY, RunStatus.OWNED),
    State.COMPLETED: (RunStatus.DONE,),
    State.FAILED: (RunStatus.ERROR,),
    State.CANCELED: (RunStatus.CANCELLED,),
}
"""Where the run of a task in a state may stand. A run that was answered is ready before its log says so."""


async def found(spoken: Spoken, task_id: str, action: Action) -> RunState:
    """The run of a task, for whoever may do this to it.

    Raises:
        ForbiddenError: They may do it to none.
        RunNotFoundError: There is no such task of this agent in their scope.
    """
    try:
        run = await spoken.visit.runs.state(task_id)
    except RunNotFoundError:
        run = None
    spoken.visit.check(action, run)
    if run is None or run.agent != spoken.agent:
        raise RunNotFoundError("no such run")
    return run


async def as_it_stands(spoken: Spoken, run: RunState, telling: TaskTelling) -> TaskRun:
    """A run as a task, folded to the end of what is stored."""
    reading = await spoken.visit.runs.reading(run.run_id)
    task = TaskRun(run.run_id, telling)
    fold = Fold(task, spoken.mounted.exposure)
    while True:
        before = fold.at
        for stretch in await reading.after(fold.at, limit=PAGE):
            while fold.at < stretch.index + stretch.events - 1:
                fold.payloads(stretch)
        if fold.at == before:
            return task


async def give(spoken: Spoken, query: TaskQuery) -> Response:
    """A task as it stands."""
    run = await found(spoken, query.task_id, Action.READ)
    return spoken.result(await whole(spoken, run, history_length=query.history_length))


async def whole(spoken: Spoken, run: RunState, *, history_length: int | None = None) -> str:
    """The JSON of a task as it stands."""
    telling = spoken.telling(run, after=NOWHERE, history_length=history_length)
    return (await as_it_stands(spoken, run, telling)).task()


async def cancel(spoken: Spoken, query: TaskQuery) -> Response:
    """A task that was asked to stop, when it has. To ask again changes nothing."""
    run = await found(spoken, query.task_id, Action.CANCEL)
    if not run.is_final:
        await spoken.visit.runs.cancel(run.run_id, principal=spoken.visit.entry.principal.name)
        run = await _final(spoken, run)
    if run.is_final and run.status is not RunStatus.CANCELLED:
        raise FaultError(Fault.TASK_NOT_CANCELABLE, "the task is over, and was not cancelled")
    return spoken.result(await whole(spoken, run, history_length=query.history_length))


async def subscribe(spoken: Spoken, query: TaskQuery) -> Response:
    """A stream of a task: first all of it, then what comes."""
    run = await found(spoken, query.task_id, Action.READ)
    if run.is_final:
        raise FaultError(Fault.UNSUPPORTED_OPERATION, "the task is over; get it instead of subscribing to it")
    how = spoken.telling(run, details=spoken.asks_for_details(), history_length=query.history_length)
    told = from_here(run, how)
    with spoken.visit.parts.admission.reader(spoken.visit.entry.principal) as place:
        return await streamed_task(spoken, run, told, place=place)


async def streamed_task(spoken: Spoken, run: RunState, told: Told, *, place: ReaderPlace) -> Response:
    """A stream of a task."""
    return await streamed(
        spoken.visit,
        run.run_id,
        telling=spoken.folded(told.telling),
        form=spoken.form(told.first),
        place=place,
        headers=spoken.headers(details=told.telling.details),
    )


async def tasks(spoken: Spoken, query: ListQuery) -> Response:
    """A page of the tasks of an agent, newest first."""
    spoken.visit.check(Action.LIST, None)
    runs = await _matching(spoken, query)
    behind = _behind(runs, query.page_token)
    page = behind[: query.page_size]
    said = []
    for run in page:
        telling = spoken.telling(run, after=NOWHERE, history_length=query.history_length)
        said.append((await as_it_stands(spoken, run, telling)).task(with_artifacts=query.with_artifacts))
    token = _page_token(page[-1]) if len(behind) > len(page) else ""
    end = f'"nextPageToken":{json_text(token)},"pageSize":{query.page_size},"totalSize":{len(runs)}'
    return spoken.result(f'{{"tasks":[{",".join(said)}],{end}}}')


async def _matching(spoken: Spoken, query: ListQuery) -> list[RunState]:
    """All that is asked for, newest first."""
    changed_after_s = _moment(query.changed_after)
    statuses = None if query.state is None else _STATUSES[query.state]
    runs: list[RunState] = []
    before: str | None = None
    while len(runs) < MOST_LISTED:
        some = await spoken.visit.runs.runs(thread_id=query.context_id or None, before=before, limit=LOOKED_AT)
        for run in some:
            is_asked = run.agent == spoken.agent and (statuses is None or run.status in statuses)
            if is_asked and run.changed_s > changed_after_s:
                # What was asked of it is not told from here, and may be large: ten thousand of them are not held.
                runs.append(replace(run, request=b"", properties=EMPTY))
        if len(some) < LOOKED_AT:
            break
        before = some[-1].run_id
    if query.state is None or query.state in TERMINAL:
        return runs
    # Of live runs the log alone says in which of the states they are. There are no more of them than a client may have.
    return [run for run in runs if await _state(spoken, run) is query.state]


async def _state(spoken: Spoken, run: RunState) -> State:
    task = await as_it_stands(spoken, run, spoken.telling(run, after=NOWHERE))
    return task.whole.status.state


async def _final(spoken: Spoken, run: RunState) -> RunState:
    """The run when it is final, or when that takes too long."""
    runs = spoken.visit.runs
    reading = await runs.reading(run.run_id)
    try:
        async with asyncio.timeout(CANCEL_S):
            while not (run := await runs.state(run.run_id)).is_final:
                await reading.more(run.next_index - 1)
    except TimeoutError:
        run = await runs.state(run.run_id)
    return run


def _behind(runs: list[RunState], token: str) -> list[RunState]:
    """Those that a page before did not hold. What was listed may have changed, or be gone: its time of asking stays."""
    if not token:
        return runs
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
        created, _, run_id = raw.partition(" ")
        last = (float(created), run_id)
    except (binascii.Error, ValueError) as wrong:
        raise FaultError(Fault.INVALID_PARAMS, "the page token is none of ours", pointer="/pageToken") from wrong
    for at, run in enumerate(runs):
        if run.run_id == last[1]:
            return runs[at + 1 :]
    return [run for run in runs if run.created_s < last[0]]


def _page_token(run: RunState) -> str:
    return base64.urlsafe_b64encode(f"{run.created_s!r} {run.run_id}".encode()).rstrip(b"=").decode()


def _moment(text: str) -> float:
    """A time as the protocol writes it, in UTC seconds; before all times where there is none."""
    if not text:
        return -math.inf
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError) as wrong:
        said = f"expected a time as 2026-01-31T12:00:00Z, came {text[:40]!r}"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer="/statusTimestampAfter") from wrong
