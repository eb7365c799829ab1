"""What people decided about stored runs, for people and for scripts: a line a decision.

In: a store, and which runs. Out: text. Nothing of what was decided about is cut off.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle.cli.foreign_text import json_line, line
from treadle.cli.tables import moment
from treadle.codec.foreign import json_text, json_value
from treadle.ports.runs_seen import RunsSeen
from treadle.runtime.audit import Audited, Heard, audit_of
from treadle.runtime.thread_history import stored_run
from treadle.runtime.unheard import unheard_of
from treadle.values.ids import RunId
from treadle.values.pauses import Settlement

PAGE: Final = 100
"""Runs that are looked for at a time."""
_WITHOUT_DECISION: Final = {
    Settlement.ANSWERED: "answered",
    Settlement.DECLINED: "declined",
    Settlement.EXPIRED: "expired",
    Settlement.CANCELLED: "cancelled with its run",
}
"""What is told of a pause about which nobody decided."""


async def audited(store: RunsSeen, scope: str, run_ids: Sequence[RunId] | None) -> tuple[Audited, ...]:
    """Every settled pause of these runs, in their order; of all runs of the scope, the newest first, without any.

    Raises:
        RunNotFoundError: No such run in this scope.
    """
    found: list[Audited] = []
    for run_id in await _every(store, scope) if run_ids is None else run_ids:
        # The inbox first: what is taken from it meanwhile stands in the log, and the log's word counts.
        messages = await store.inbox(scope, run_id)
        _, stretches = await stored_run(store, scope, run_id)
        found += audit_of(stretches, run_id, unheard=unheard_of(messages))
    return tuple(found)


async def _every(store: RunsSeen, scope: str) -> list[RunId]:
    named: list[RunId] = []
    while page := await store.find(scope, before=named[-1] if named else None, limit=PAGE):
        named += [state.run_id for state in page]
    return named


def for_people(found: Sequence[Audited]) -> str:
    """A line a decision."""
    return "".join(f"{_told(one)}\n" for one in found)


def for_scripts(found: Sequence[Audited]) -> str:
    """One JSON object a decision. Times are UTC seconds."""
    return "".join(f"{json_line(_terms(one))}\n" for one in found)


def _told(one: Audited) -> str:
    who = "nobody" if one.by is None else line(one.by)
    what = _WITHOUT_DECISION[one.settlement] if one.decision is None else one.decision.value
    parts = [moment(one.said_s), who, what, line(one.interrupt_id), one.kind.value, f"asked {_whole(one.asked)}"]
    if one.changed:
        parts.append(f"changed {_whole({name: list(both) for name, both in one.changed.items()})}")
    elif one.said is not None:
        parts.append(f"said {_whole(one.said)}")
    if one.reason is not None:
        parts.append(f"because {_whole(one.reason)}")
    parts.append(_came_of(one))
    return "  ".join(parts)


def _came_of(one: Audited) -> str:
    if one.heard is Heard.NEVER:
        return "came to nothing: the run ended before it heard of it"
    if one.heard is Heard.NOT_YET:
        return "result none yet: no process has taken it up"
    return f"result {'none yet' if one.result is None else one.result.value}"


def _terms(one: Audited) -> dict[str, object]:
    return {
        "run_id": one.run_id,
        "interrupt_id": one.interrupt_id,
        "kind": one.kind.value,
        "call_id": one.call_id,
        "asked_s": one.asked_s,
        "asked": json_value(one.asked),
        "said_s": one.said_s,
        "by": one.by,
        "decision": None if one.decision is None else one.decision.value,
        "settlement": one.settlement.value,
        "said": json_value(one.said),
        "reason": one.reason,
        "changed": {name: [json_value(before), json_value(after)] for name, (before, after) in one.changed.items()},
        "result": None if one.result is None else one.result.value,
        "heard": one.heard.value,
    }


def _whole(value: object) -> str:
    text = value if isinstance(value, str) else json_text(json_value(value))
    return line(text, longest_chars=len(text))
