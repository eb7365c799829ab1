"""The three delta events, made at a third of the price of their own constructors, a stretch at a time.

A mutable twin is filled and its class is changed: what comes out is the frozen event itself, equal to one made by the
constructor. Nothing is checked here; the writer gives what is legal.

Shape: texts of one stretch, in order, and the index of the first; one event a text.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.values.events import KernelEvent, TextDelta, Thinking, ToolArguments
from treadle.values.ids import CallId, RunId
from treadle.values.making import twin_of

TextTwin, ThinkingTwin = twin_of(TextDelta), twin_of(Thinking)
_ArgumentsTwin = twin_of(ToolArguments)


def text_deltas(first: int, run_id: RunId, passage: int, texts: Sequence[str]) -> list[KernelEvent]:
    """One `TextDelta` a text."""
    made: list[KernelEvent] = []
    for index, text in enumerate(texts, first):
        event = TextTwin()
        event.index = index
        event.run_id = run_id
        event.passage = passage
        event.text = text
        event.__class__ = TextDelta
        made.append(event)
    return made


def thinkings(first: int, run_id: RunId, passage: int, texts: Sequence[str]) -> list[KernelEvent]:
    """One `Thinking` a text."""
    made: list[KernelEvent] = []
    for index, text in enumerate(texts, first):
        event = ThinkingTwin()
        event.index = index
        event.run_id = run_id
        event.passage = passage
        event.text = text
        event.__class__ = Thinking
        made.append(event)
    return made


def tool_arguments(first: int, run_id: RunId, call_id: CallId, texts: Sequence[str]) -> list[KernelEvent]:
    """One `ToolArguments` a text."""
    made: list[KernelEvent] = []
    for index, text in enumerate(texts, first):
        event = _ArgumentsTwin()
        event.index = index
        event.run_id = run_id
        event.call_id = call_id
        event.text = text
        event.__class__ = ToolArguments
        made.append(event)
    return made
