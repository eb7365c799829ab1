"""A run is started for a request: within what its principal may have, and once for each key.

In: a visit, and what is asked of whom. Out: the run. Whatever wire asks, starts go through here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from treadle.codec.foreign import json_text
from treadle.errors import RunNotFoundError
from treadle.runtime.scoped_runs import ScopedRuns, StartedRun
from treadle.server.start_request import StartRequest
from treadle.server.visit import Visit
from treadle.values.ids import RunId
from treadle.values.mappings import EMPTY
from treadle.values.requests import Attachment, HistoryMessage, UserMessage
from treadle.values.runs import LIVE_STATUSES


async def started(
    visit: Visit,
    asked: StartRequest,
    *,
    attachments: Sequence[Attachment] = (),
    history: Sequence[HistoryMessage] = (),
    properties: Mapping[str, Any] = EMPTY,
) -> StartedRun:
    """Start a run, or join the one that this key began. See `ScopedRuns.start`.

    Args:
        properties: What a wire wants to find with the run when somebody comes back for it.
    Raises:
        CapError: The principal has as many live runs as it may have.
        KeyReusedError: The key stands for another request.
        ThreadBusyError: The thread has a live run; `PauseOpenError` where that waits for a person.
    """
    parts, runs, principal = visit.parts, visit.runs, visit.entry.principal

    async def still_live(run_ids: Collection[RunId]) -> Collection[RunId]:
        return [run_id for run_id in run_ids if await _is_live(runs, run_id)]

    async with parts.admission.start(principal, still_live) as place:
        run = await runs.start(
            asked.agent,
            (*history, UserMessage(text=asked.prompt)) if history else asked.prompt,
            thread_id=asked.thread_id,
            # Two principals of one scope may use the same key.
            key=None if asked.key is None else json_text([principal.name, asked.key]),
            on_disconnect=asked.on_disconnect,
            on_busy=asked.on_busy,
            attachments=attachments,
            properties=properties,
        )
        if run.state in LIVE_STATUSES:
            place.keep(run.run_id)
    if run.is_new:
        parts.metrics.started(asked.agent)
    return run


async def _is_live(runs: ScopedRuns, run_id: RunId) -> bool:
    try:
        return not (await runs.state(run_id)).is_final
    except RunNotFoundError:
        return False
