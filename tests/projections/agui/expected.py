"""What a log says, read without the projection: what a client of its runs has to hold.

In: a whole log. Out: text, thinking, calls and endings.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from treadle.values import events as ev
from treadle.values.mappings import thawed
from treadle.values.pauses import PauseKind


@dataclass
class Said:
    """What was shown of a run and not taken back.

    Shape: `arguments` are what the model said of each call in pieces, `given` those it was asked about with, or run;
        `results` how each call ended.
    """

    text: str = ""
    thinking: str = ""
    names: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    endings: list[str] = field(default_factory=list)
    closings: list[int] = field(default_factory=list)


def said_in(events: Sequence[ev.KernelEvent]) -> Said:  # noqa: C901, PLR0912 (flat: a case an event)
    """All of it."""
    said, mark = Said(), ("", "", set[str]())
    for event in events:
        match event:
            case ev.RoundStarted():
                mark = (said.text, said.thinking, set(said.names))
            case ev.Retracted():
                said.text, said.thinking = mark[:2]
                for void in said.names.keys() - mark[2]:
                    for held in (said.names, said.arguments, said.given, said.results):
                        held.pop(void, None)
            case ev.TextDelta(text=text):
                said.text += text
            case ev.Thinking(text=text):
                said.thinking += text
            case ev.ToolAnnounced(call_id=call_id, name=name):
                said.names[call_id] = name
            case ev.ToolArguments(call_id=call_id, text=text):
                said.arguments[call_id] = said.arguments.get(call_id, "") + text
            case ev.ToolCall(request=request):
                said.given.setdefault(request.call_id, thawed(request.arguments))
            case ev.ToolResult(outcome=outcome):
                said.results[outcome.call_id] = outcome.status.value
            case ev.AskUser() | ev.Interrupt() | ev.Done() | ev.Error() | ev.Cancelled():
                for one in event.pending if isinstance(event, ev.AskUser | ev.Interrupt) else ():
                    if "arguments" in one.request:
                        said.given.setdefault(one.call_id, thawed(one.request["arguments"]))
                said.endings.append(_ending(event))
                said.closings.append(event.index)
            case _:
                pass
    return said


def arguments_of(text: str) -> Any:  # noqa: ANN401 (any JSON)
    """What a client reads in argument text; None in what is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _ending(event: ev.ClosingEvent) -> str:
    match event:
        case ev.Done():
            return "done"
        case ev.Error():
            return "error"
        case ev.Cancelled():
            return "cancelled"
        case ev.AskUser() | ev.Interrupt():
            # Where only the front end is waited for, their run is done.
            kinds = {one.kind for one in event.pending}
            return "done" if kinds == {PauseKind.FRONT_END} else "paused"
