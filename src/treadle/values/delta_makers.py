"""The three delta events, made at a third of the price of their own constructors.

A mutable twin with the same slots is filled and its class is changed: what comes out is the frozen event itself,
equal to one made by the constructor. Nothing is checked here; the writer gives what is legal.
"""

from __future__ import annotations

from typing import Any, Final

from treadle.values.events import TextDelta, Thinking, ToolArguments
from treadle.values.ids import CallId, RunId


class _SpeechTwin:
    # The names and their order are those of `TextDelta` and `Thinking`: only then may the class be changed.
    __slots__ = ("index", "run_id", "passage", "text")  # noqa: RUF023 (the order is the layout)


class _ArgumentsTwin:
    __slots__ = ("index", "run_id", "call_id", "text")  # noqa: RUF023 (the order is the layout)


_new: Final = object.__new__


def text_delta(index: int, run_id: RunId, passage: int, text: str) -> TextDelta:
    """A `TextDelta`."""
    made: Any = _new(_SpeechTwin)
    made.index = index
    made.run_id = run_id
    made.passage = passage
    made.text = text
    made.__class__ = TextDelta
    return made  # type: ignore[no-any-return]


def thinking(index: int, run_id: RunId, passage: int, text: str) -> Thinking:
    """A `Thinking`."""
    made: Any = _new(_SpeechTwin)
    made.index = index
    made.run_id = run_id
    made.passage = passage
    made.text = text
    made.__class__ = Thinking
    return made  # type: ignore[no-any-return]


def tool_arguments(index: int, run_id: RunId, call_id: CallId, text: str) -> ToolArguments:
    """A `ToolArguments`."""
    made: Any = _new(_ArgumentsTwin)
    made.index = index
    made.run_id = run_id
    made.call_id = call_id
    made.text = text
    made.__class__ = ToolArguments
    return made  # type: ignore[no-any-return]
