"""One stored run at a glance: where it stands, what it was asked, what it has said.

In: a store and the name of a run. Out: text, for people or as one JSON object.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from treadle.cli import foreign_text
from treadle.cli.ink import DIM, PLAIN, Ink
from treadle.cli.rendering import asked
from treadle.cli.run_listing import asked_of
from treadle.cli.tables import STATE_STYLES, moment
from treadle.cli.usage_line import duration, usage_line
from treadle.codec.events import pending_json, usage_json
from treadle.ports.runs_seen import RunsSeen
from treadle.runtime.hearing import CANCEL
from treadle.runtime.run_view import RunView, view_of
from treadle.runtime.thread_history import stored_run
from treadle.values.ids import RunId


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """A run at a glance.

    Shape: `prompt` is "" for a run that has not begun; `cursor` stands on its last event, None where there is none;
    `cancel_asked`: the wish is there and no owner has taken it yet.
    """

    view: RunView
    prompt: str
    cursor: str | None
    cancel_asked: bool
    wake_at_s: float | None


async def glance(store: RunsSeen, scope: str, run_id: RunId) -> Glance:
    """Look at a run.

    Raises:
        RunNotFoundError: No such run in this scope.
        RecordFormatError: A row of it cannot be read.
    """
    state, stretches = await stored_run(store, scope, run_id)
    messages = await store.inbox(scope, run_id)
    view = view_of(state, stretches)
    return Glance(
        view=view,
        prompt=await asked_of(store, state),
        cursor=view.cursor,
        cancel_asked=any(message.kind == CANCEL for message in messages),
        wake_at_s=state.wake_at_s,
    )


def for_people(run: Glance, *, terminal: bool) -> str:
    """A line a fact, and then the whole shown text."""
    ink = Ink(terminal=terminal)
    for name, said in _facts(run):
        ink.put(f"{name:<9}", DIM)
        ink.put(said, STATE_STYLES.get(said, PLAIN) if name == "state" else PLAIN)
        ink.put("\n")
    if run.view.text:
        ink.put(f"\n{foreign_text.block(run.view.text).rstrip()}\n")
    return ink.taken()


def for_scripts(run: Glance) -> str:
    """One JSON object on one line. Times are UTC seconds; a count that nobody reported is null."""
    view = run.view
    terms = {
        "run_id": view.run_id,
        "thread_id": view.thread_id,
        "agent": view.agent,
        "state": view.state.value,
        "events": view.events,
        "cursor": run.cursor,
        "created_s": view.created_s,
        "changed_s": view.changed_s,
        "wake_at_s": run.wake_at_s,
        "prompt": run.prompt,
        "text": view.text,
        "answer": view.answer,
        "usage": usage_json(view.usage),
        "duration_ms": None if view.outcome is None else round(view.outcome.duration_ms, 1),
        "pending": pending_json(view.pending),
        "error_code": view.error_code,
        "cancel_asked": run.cancel_asked,
    }
    return f"{foreign_text.json_line(terms)}\n"


def _facts(run: Glance) -> Iterator[tuple[str, str]]:
    view = run.view
    yield "run", foreign_text.line(view.run_id)
    yield "thread", foreign_text.line(view.thread_id) or "-"
    yield "agent", foreign_text.line(view.agent)
    yield "state", view.state.value
    if view.error_code is not None:
        yield "error", foreign_text.line(view.error_code)
    if run.cancel_asked:
        yield "cancel", "asked for; no process has taken it up yet"
    yield "created", moment(view.created_s)
    yield "changed", moment(view.changed_s)
    if run.wake_at_s is not None:
        yield "until", moment(run.wake_at_s)
    yield "events", str(view.events) if run.cursor is None else f"{view.events}, the last at cursor {run.cursor}"
    took = "" if view.outcome is None else f"; {duration(view.outcome.duration_ms)}"
    yield "usage", f"{usage_line(view.usage)}{took}"
    if run.prompt:
        yield "asked", foreign_text.line(run.prompt)
    for pending in view.pending:
        yield "paused", asked(pending)
