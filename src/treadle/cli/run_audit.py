"""What people decided about stored runs, for people and for scripts: a line a decision.

In: audits. Out: text. Nothing of what was decided about is cut off.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.cli.foreign_text import json_line, line
from treadle.cli.tables import moment
from treadle.codec.foreign import json_text, json_value
from treadle.ports.log import LogReads
from treadle.runtime.audit import Audited, audit_of
from treadle.runtime.thread_history import stored_run
from treadle.values.ids import RunId


async def audited(store: LogReads, scope: str, run_id: RunId) -> tuple[Audited, ...]:
    """Every settled pause of a run.

    Raises:
        RunNotFoundError: No such run in this scope.
    """
    _, stretches = await stored_run(store, scope, run_id)
    return audit_of(stretches, run_id)


def for_people(found: Sequence[Audited]) -> str:
    """A line a decision."""
    return "".join(f"{_told(one)}\n" for one in found)


def for_scripts(found: Sequence[Audited]) -> str:
    """One JSON object a decision. Times are UTC seconds."""
    return "".join(f"{json_line(_terms(one))}\n" for one in found)


def _told(one: Audited) -> str:
    who = "nobody" if one.by is None else line(one.by)
    what = one.settlement.value if one.decision is None else one.decision.value
    parts = [moment(one.said_s), who, what, line(one.interrupt_id), one.kind.value, f"asked {_whole(one.asked)}"]
    if one.changed:
        parts.append(f"changed {_whole({name: list(both) for name, both in one.changed.items()})}")
    elif one.said is not None:
        parts.append(f"said {_whole(one.said)}")
    if one.reason is not None:
        parts.append(f"because {_whole(one.reason)}")
    parts.append(f"result {'none yet' if one.result is None else one.result.value}")
    return "  ".join(parts)


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
    }


def _whole(value: object) -> str:
    text = value if isinstance(value, str) else json_text(json_value(value))
    return line(text, longest_chars=len(text))
