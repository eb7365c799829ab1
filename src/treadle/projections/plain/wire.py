"""The shapes of the plain wire: one JSON object an event, `kind` and `index` first.

Speech repeats, so its object is a template: all but the index and the text is made once a stretch.

Source: docs/events.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, TypeAlias

from treadle.codec.foreign import json_text
from treadle.values import events as ev
from treadle.values.events import EVENT_TYPES
from treadle.values.ids import CallId, RunId
from treadle.values.making import quickly_made
from treadle.values.model import ARGUMENTS, TEXT, THINKING

KINDS: Final = tuple(event.kind for event in EVENT_TYPES)
"""Every `kind` that can stand on this wire."""


class Integers(StrEnum):
    """How an integer that a reader of 64-bit floats would round is said."""

    EXACT = "exact"
    """As the number that it is."""
    TEXT = "text"
    """As text: for browsers."""


Payload: TypeAlias = tuple[int, str, str]
"""What one event is on this wire: its index, its kind, and one JSON object without a line end."""


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechTemplate:
    """The object of a piece of speech: `before`, the index, `between`, the text as a JSON string, `}`."""

    kind: str
    before: str
    between: str


_SPEECH: Final[Mapping[str, tuple[str, str]]] = {
    TEXT: (ev.TextDelta.kind, "passage"),
    THINKING: (ev.Thinking.kind, "passage"),
    ARGUMENTS: (ev.ToolArguments.kind, "call_id"),
}


@lru_cache(maxsize=1024)
def speech_template(speech: str, run_id: RunId, key: int | CallId) -> SpeechTemplate:
    """The template of a stretch of speech of this kind, with its passage or its call."""
    kind, name = _SPEECH[speech]
    return SpeechTemplate(
        kind=kind,
        before=f'{{"kind":"{kind}","index":',
        between=f',"run_id":{json_text(run_id)},"{name}":{json_text(key)},"text":',
    )
