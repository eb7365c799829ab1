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
from treadle.runtime.run_view import RunView, view_of
from treadle.runtime.thread_history import stored_run
from treadle.runtime.unheard import Unheard, unheard_of
from treadle.values.facts import DecisionKept
from treadle.values.ids import InterruptId, RunId
from treadle.values.runs import FINAL_STATUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """A run at a glance.

    Shape: `prompt` is "" for a run that has not begun; `cursor` stands on its last event, None where there is none;
    `unheard` is what was sent to it and no owner has taken yet: answers, and the wish that it stops.
    """

    view: RunView
    prompt: str
    cursor: str | None
    unheard: Unheard
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
        unheard=unheard_of(messages),
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
        "cancel_asked": run.unheard.cancel is not None,
        "answers": [_answer_json(run.unheard.answers[one].decided) for one in _answered(run)],
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
    if run.unheard.cancel is not None:
        asked_by = run.unheard.cancel.asked
        by = "" if asked_by is None else f" by {foreign_text.line(asked_by.by)}, {moment(asked_by.at_s)}"
        yield "cancel", f"asked for{by}; {_untaken(view)}"
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
        sent = run.unheard.answers.get(pending.interrupt_id)
        if sent is None:
            yield "paused", asked(pending)
        else:
            who = f"{sent.decided.decision.value} by {foreign_text.line(sent.decided.by)}, {moment(sent.decided.at_s)}"
            yield "answered", f"{who}; {_untaken(view)}: {asked(pending)}"


def _answered(run: Glance) -> list[InterruptId]:
    """The pauses that were answered, and the run has not heard of it."""
    return [one.interrupt_id for one in run.view.pending if one.interrupt_id in run.unheard.answers]


def _untaken(view: RunView) -> str:
    return "the run ended before it heard of it" if view.state in FINAL_STATUSES else "no process has taken it up yet"


def _answer_json(decided: DecisionKept) -> dict[str, object]:
    return {
        "interrupt_id": decided.interrupt_id,
        "decision": decided.decision.value,
        "by": decided.by,
        "at_s": decided.at_s,
    }
