"""The three ways to look at a run: as a person, as a script that reads stream events, as one that reads kernel events.

Each view says which events of a run it wants, and what an event adds to the output.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from treadle.app.agent import Agent
from treadle.cli import output
from treadle.cli.exits import CommandMisuseError
from treadle.cli.foreign_text import json_line
from treadle.cli.output import Output
from treadle.cli.rendering import Rendering
from treadle.codec.events import kernel_event_json
from treadle.projections.typed.events import StreamEvent
from treadle.projections.typed.wire import stream_event_json
from treadle.runtime.attached import AttachedRun
from treadle.values.events import KernelEvent
from treadle.values.requests import HistoryMessage


class Form(Enum):
    """What the output is made for."""

    PEOPLE = "people"
    STREAM_EVENTS = "stream events"
    KERNEL_EVENTS = "kernel events"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Where the output goes, which events are asked for, and what each adds."""

    output: Output
    opened: Callable[[Agent, str, Sequence[HistoryMessage]], AttachedRun[StreamEvent] | AttachedRun[KernelEvent]]
    shows: Callable[[Any], str]
    ends: Callable[[], str] = str
    """What is added where nothing more is shown although the run goes on."""


def form(*, json: bool, events: bool) -> Form:
    """The form that the two options ask for.

    Raises:
        CommandMisuseError: They contradict each other.
    """
    if json and events:
        raise CommandMisuseError("--json and --events cannot be given together")
    if json:
        return Form.STREAM_EVENTS
    return Form.KERNEL_EVENTS if events else Form.PEOPLE


@contextmanager
def looking(wanted: Form) -> Iterator[View]:
    """A view of this form on standard output, which belongs to it within this block."""
    match wanted:
        case Form.PEOPLE:
            with output.for_people() as out:
                rendering = Rendering(terminal=output.is_terminal())
                yield View(output=out, opened=_kernel_events, shows=rendering.show, ends=rendering.end)
        case Form.STREAM_EVENTS:
            with output.for_scripts() as out:
                yield View(output=out, opened=_stream_events, shows=_stream_line)
        case Form.KERNEL_EVENTS:
            with output.for_scripts() as out:
                yield View(output=out, opened=_kernel_events, shows=_kernel_line)


def _kernel_events(agent: Agent, question: str, history: Sequence[HistoryMessage]) -> AttachedRun[KernelEvent]:
    return agent.events(question, history=history)


def _stream_events(agent: Agent, question: str, history: Sequence[HistoryMessage]) -> AttachedRun[StreamEvent]:
    return agent.stream(question, history=history)


def _stream_line(event: StreamEvent) -> str:
    return f"{json_line(stream_event_json(event))}\n"


def _kernel_line(event: KernelEvent) -> str:
    return f"{json_line(kernel_event_json(event))}\n"
