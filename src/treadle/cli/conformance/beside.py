"""Two reports of one client, of our server and of a control, held against each other.

In: both reports, and what is known to differ. Out: what differs, field by field, and every problem with it in words.

Compared is all that a client was told, by what a front end would make of it:

| field | |
|---|---|
| `verdict`, `error` | how it ended for the client, and what it was told of a failure |
| `violations` | the rules of the official client and of the kit that were broken |
| `steps` | states with their messages and metadata, stretches of text, and other artifacts, in order |
| `tasks` | what was told as a whole task: its state, and how many artifacts and messages it had |
| `text` | the response as the client has put it together in the end |
| `pauses` | what was asked |
| `cancel` | what `CancelTask` was answered |
| `task`, `history` | what `GetTask` gave in the end, and the messages in it |
| `fold` | whether that is what the frames came to, by the folding of the official client |
| `seam` | what was said twice where the client came back |

Not compared is what says nothing of the run, or cannot be the same: ids (`ID_KEYS`) and times (`TIME_KEYS`), which are
each server's own; how a text is cut into pieces; what stands under the URI of an extension, which its own server alone
speaks; the card, which says who serves; HTTP itself. Text restated by a whole task counts once, and what is said twice
at a seam stands in `seam` alone. Where a run is stopped in mid-text, texts are compared as far as the shorter one goes.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from treadle.cli.conformance.cells import Act, Beside, Report, Row
from treadle.projections.a2a.wire import EXTENSION, RESPONSE

ID_KEYS: Final = frozenset({"taskId", "contextId", "messageId", "interrupt_id", "reference"})
TIME_KEYS: Final = frozenset({"timestamp", "expires_at"})
STOPS: Final = frozenset({Act.STOP, Act.OWN_STOP})
SHOWN_CHARS: Final = 160
"""Of a value that differs, so much is told."""
_NOTHING: Final = "nothing"
_NOT_FOLDED: Final = "kit: task"
"""The rule of the kit that the frames come to the task that is kept."""
_STEPS: Final = frozenset({"status", "artifact"})
_LEFT_OUT: Final = ID_KEYS | TIME_KEYS | {EXTENSION, "extensions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field in which two reports differ.

    Shape: `at` is the first place in it where they do; `here` and `there` are what stands there, of our server and of
    the control.
    """

    field: str
    at: str
    here: str
    there: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What came of a cell beside its control. `verdict` is what the client reports of the control."""

    verdict: str
    differences: tuple[Difference, ...] = ()
    problems: tuple[str, ...] = ()


def compared(row: Row, beside: Beside, *, here: Report, there: Report) -> Comparison:
    """What a client's report of the control shows, beside its report of our server."""
    differences = tuple(differing(row, here, there))
    verdict = str(there.get("verdict"))
    problems = tuple(_problems(beside, differences, verdict, str(here.get("verdict"))))
    return Comparison(verdict=verdict, differences=differences, problems=problems)


def not_compared(why: str) -> Comparison:
    """The client could not be run against the control, or printed no report."""
    return Comparison(verdict="none", problems=(why,))


def differing(row: Row, here: Report, there: Report) -> Iterator[Difference]:
    """Every field in which two reports differ."""
    ours, theirs = told(here), told(there)
    ours["seam"], theirs["seam"] = None, _without_seam(ours, theirs) if row.act is Act.COME_BACK else None
    if row.act in STOPS:
        chars = min(_said(ours), _said(theirs))
        ours, theirs = _cut(ours, chars), _cut(theirs, chars)
    for field in ours:
        if ours[field] != theirs[field]:
            at, one, other = _first(ours[field], theirs[field])
            from_char = _agreed(one, other)
            here_said, there_said = _shown(one, from_char), _shown(other, from_char)
            yield Difference(field=field, at=f"{field}{at}", here=here_said, there=there_said)


def told(report: Report) -> dict[str, Any]:
    """What a client was told, field by field, in JSON terms."""
    artifacts = {one["artifact_id"]: one.get("text", "") for one in report.get("aggregated") or ()}
    broken = {f"{one['by']}: {one['rule']}" for one in report.get("violations") or ()}
    pauses = [(report.get("first_run") or {}).get("pause"), report.get("pause")]
    task = _plain({key: one for key, one in (report.get("task") or {}).items() if key != "id"})
    return {
        "verdict": report.get("verdict"),
        "error": _plain(report.get("error")),
        "violations": sorted(broken - {_NOT_FOLDED}),
        "steps": _steps(report.get("events") or ()),
        "tasks": [_plain(one) for one in report.get("events") or () if one["e"] == "task"],
        "text": artifacts.get(RESPONSE),
        "pauses": [_plain({"kind": one["kind"], "items": one["items"]}) for one in pauses if one],
        "cancel": _plain(report.get("cancel")),
        "history": task.pop("history", []),
        "task": task,
        "fold": _NOT_FOLDED not in broken,
    }


def _steps(events: Sequence[Mapping[str, Any]]) -> list[Any]:
    steps: list[Any] = []
    so_far, restated = "", None
    for event in events:
        kind = event["e"]
        if kind == "task":
            restated = ""
        elif kind == "text" and restated is not None:
            restated += event["d"]
        elif kind == "text":
            so_far = _spoken(steps, so_far, event["d"])
        elif kind in _STEPS:
            step = _plain(event)
            if restated is not None:
                # The status of a whole task comes last of it, and is a step where it was not told before.
                so_far, restated = _spoken(steps, so_far, restated.removeprefix(so_far)), None
                stands = next((one for one in reversed(steps) if one.get("e") == "status"), None)
                steps += [step] if step != stands else []
            else:
                steps.append(step)
    return steps


def _spoken(steps: list[Any], so_far: str, text: str) -> str:
    """One more piece of text, joined to the last step where that is one."""
    if text and steps and "text" in steps[-1]:
        steps[-1]["text"] += text
    elif text:
        steps.append({"text": text})
    return so_far + text


def _plain(value: Any) -> Any:  # noqa: ANN401 (JSON terms)
    """A value without what is not compared, and without what is then empty."""
    if isinstance(value, Mapping):
        kept = {key: _plain(one) for key, one in value.items() if key not in _LEFT_OUT}
        return {key: one for key, one in kept.items() if one not in (None, {}, [])}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _without_seam(here: Mapping[str, Any], there: dict[str, Any]) -> str | None:
    """What a control said twice where its client came back, which is taken out."""
    found = None
    for ours, theirs in zip(here["steps"], there["steps"], strict=False):
        if "text" in ours and "text" in theirs and (twice := _twice(ours["text"], theirs["text"])):
            found, theirs["text"] = twice, ours["text"]
    if found and here["text"] and there["text"] and _twice(here["text"], there["text"]):
        there["text"] = here["text"]
    return found


def _twice(once: str, other: str) -> str:
    """The stretch that `other` says twice in a row and `once` says once, where that is all in which they differ."""
    chars, at = len(other) - len(once), _agreed(once, other)
    return once[at - chars : at] if 0 < chars <= at and other == once[:at] + once[at - chars :] else ""


def _said(one: Mapping[str, Any]) -> int:
    """How many characters of text there are."""
    return sum(len(step["text"]) for step in one["steps"] if "text" in step)


def _cut(one: Mapping[str, Any], chars: int) -> dict[str, Any]:
    """As it would be had no more text been said."""
    steps: list[Any] = []
    left = chars
    for step in one["steps"]:
        text = step.get("text", "")[:left]
        left -= len(text)
        if "text" not in step or text:
            steps.append({**step, "text": text} if text else step)
    kept = [
        {**artifact, "parts": [_part(part, chars) for part in artifact["parts"]]}
        for artifact in one["task"].get("artifacts", ())
    ]
    return {
        **one,
        "steps": steps,
        "text": one["text"] and one["text"][:chars],
        "task": {**one["task"], "artifacts": kept},
    }


def _part(part: Mapping[str, Any], chars: int) -> Mapping[str, Any]:
    return {**part, "text": part["text"][:chars]} if "text" in part else part


def _problems(beside: Beside, differences: Sequence[Difference], verdict: str, usual: str) -> Iterator[str]:
    name = beside.control.name
    for one in differences:
        if one.field not in beside.fields:
            yield f"{name} differs in {one.at}: {one.there} there, {one.here} here"
    found = {one.field for one in differences}
    for stated in beside.stated:
        if (alike := sorted(stated.fields - found)) and not stated.is_chance:
            yield f"{name} no longer differs in {', '.join(alike)}: {stated.reason}"
    if verdict != (wanted := beside.verdict(usual)) and "verdict" in beside.fields:
        yield f"{name} gives the verdict {verdict}, expected {wanted}"


def _first(here: Any, there: Any) -> tuple[str, Any, Any]:  # noqa: ANN401 (JSON terms)
    """The first place where two values differ, and what stands there; None where nothing does."""
    if isinstance(here, dict) and isinstance(there, dict):
        key = next(key for key in {**here, **there} if here.get(key) != there.get(key))
        at, one, other = _first(here.get(key), there.get(key))
        return f".{key}{at}", one, other
    if isinstance(here, list) and isinstance(there, list):
        pairs = list(zip_longest(here, there))
        index = next(index for index, (one, other) in enumerate(pairs) if one != other)
        at, one, other = _first(*pairs[index])
        return f"[{index}]{at}", one, other
    return "", here, there


def _agreed(here: Any, there: Any) -> int:  # noqa: ANN401 (JSON terms)
    """Where two texts begin to differ; of other values 0."""
    if not (isinstance(here, str) and isinstance(there, str)):
        return 0
    pairs = enumerate(zip(here, there, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(here), len(there)))


def _shown(value: Any, at: int) -> str:  # noqa: ANN401 (JSON terms)
    """A value as it is told; of what is long, the surroundings of the place that counts."""
    if value is None:
        return _NOTHING
    first = max(0, at - SHOWN_CHARS // 2) if isinstance(value, str) else 0
    said = json.dumps(value[first:] if isinstance(value, str) else value, ensure_ascii=False)
    behind = "" if len(said) <= SHOWN_CHARS else " …"
    return f"{'… ' if first else ''}{said[:SHOWN_CHARS]}{behind}"
