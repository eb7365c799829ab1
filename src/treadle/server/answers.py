"""Runs to the JSON that a client is answered with.

In: states and views of runs. Out: JSON terms, and responses. A time is UTC seconds; a count that nobody reported is
null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from treadle.codec.events import pending_json, usage_json
from treadle.codec.foreign import json_bytes, json_value
from treadle.codec.safe_integers import with_safe_integers
from treadle.projections.plain.wire import Integers
from treadle.runtime.run_view import RunView
from treadle.runtime.scoped_runs import StartedRun
from treadle.values.runs import LIVE_STATUSES, RunState


def answer(
    terms: Mapping[str, Any],
    *,
    status: int = 200,
    integers: Integers = Integers.EXACT,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response of JSON, kept by nobody on the way."""
    said = with_safe_integers(dict(terms)) if integers is Integers.TEXT else dict(terms)
    kept = {"cache-control": "no-store", **(headers or {})}
    return Response(json_bytes(said), status_code=status, media_type="application/json", headers=kept)


def started_json(run: StartedRun) -> dict[str, Any]:
    """A run that was started: `run_id`, `thread_id`, `state`."""
    return {"run_id": run.run_id, "thread_id": run.thread_id, "state": run.state.value}


def state_json(state: RunState) -> dict[str, Any]:
    """Where a run stands, without what it said."""
    return {
        "run_id": state.run_id,
        "thread_id": state.thread_id,
        "agent": state.agent,
        "state": state.status.value,
        "events": state.next_index,
        "created_s": state.created_s,
        "changed_s": state.changed_s,
    }


def view_json(view: RunView) -> dict[str, Any]:
    """A run at a glance. `cursor` stands on the last event that is in it."""
    outcome = view.outcome
    return {
        "run_id": view.run_id,
        "thread_id": view.thread_id,
        "agent": view.agent,
        "state": view.state.value,
        "prompt": view.prompt,
        "text": view.text,
        "answer": view.answer,
        "output": None if outcome is None else json_value(outcome.output),
        "usage": usage_json(view.usage),
        "duration_ms": None if outcome is None else outcome.duration_ms,
        "pending": pending_json(view.pending),
        "error_code": view.error_code,
        "events": view.events,
        "cursor": view.cursor,
        "created_s": view.created_s,
        "changed_s": view.changed_s,
    }


def thread_json(thread_id: str, views: Sequence[RunView]) -> dict[str, Any]:
    """A thread: its runs in the order in which they were asked for, and the one that is live."""
    live = next((view.run_id for view in views if view.state in LIVE_STATUSES), None)
    return {"thread_id": thread_id, "live_run_id": live, "runs": [view_json(view) for view in views]}
