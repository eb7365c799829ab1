"""Scripts for the scripted model: read from text, or built step by step.

In: a script's text, or steps. Out: a model that says it. The notation is that of `parse_script`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.adapters.models.scripted.model import ScriptedModel
from treadle.adapters.models.scripted.notation import escaped, parse_script
from treadle.adapters.models.scripted.steps import (
    Called,
    Fault,
    FaultKind,
    Finished,
    Gate,
    Quiet,
    Said,
    ScriptedTurn,
    Step,
    Used,
    turn,
)
from treadle.codec.foreign import json_text, json_value
from treadle.values.model import TEXT, THINKING, StopReason
from treadle.values.usage import UsageDelta

__all__ = [
    "ScriptedModel",
    "ScriptedTurn",
    "Step",
    "call",
    "escaped",
    "fault",
    "finish",
    "gate",
    "parse_script",
    "quiet",
    "scripted",
    "text",
    "think",
    "turn",
    "usage",
]


def scripted(script: str | ScriptedTurn, *turns: ScriptedTurn, items_per_read: int = 1) -> ScriptedModel:
    """The model of a script in text, or of turns that were built.

    Raises:
        PlanError: The script cannot be read; each problem names its line.
    """
    first = parse_script(script) if isinstance(script, str) else (script,)
    return ScriptedModel((*first, *turns), items_per_read=items_per_read)


def text(*pieces: str) -> Step:
    """Text in these pieces, none of them empty."""
    return Said(kind=TEXT, pieces=pieces)


def think(*pieces: str) -> Step:
    """Thinking in these pieces, none of them empty."""
    return Said(kind=THINKING, pieces=pieces)


def call(name: str, arguments: Mapping[str, Any] | str = "", /, *, provider_id: str = "", cut: int = 1) -> Step:
    """A call with these arguments, or with this argument text as it is, in `cut` pieces."""
    said = arguments if isinstance(arguments, str) else json_text(json_value(arguments))
    return Called(name=name, arguments=said, provider_id=provider_id, cut=cut)


def usage(input_tokens: int, output_tokens: int, **counts: int) -> Step:
    """The count so far, all of it reported. Further counts by their names in `UsageDelta`."""
    told: dict[str, Any] = {"input_tokens": input_tokens, "output_tokens": output_tokens, **counts}
    return Used(usage=UsageDelta(**told, reported=frozenset(told)))


def finish(reason: StopReason | str) -> Step:
    """The provider's label for the end of the turn."""
    return Finished(reason=StopReason(reason))


def gate(name: str) -> Step:
    """Wait until `ScriptedModel.open_gate(name)`."""
    return Gate(name=name)


def quiet() -> Step:
    """Bytes that mean nothing."""
    return Quiet()


def fault(
    kind: FaultKind | str, words: str = "", *, status: int | None = None, retry_after_s: float | None = None
) -> Step:
    """The turn breaks here: `eof`, `busy`, `refused`, `garbled`, `timeout`, `unavailable`, `raise`, `hang`."""
    return Fault(kind=FaultKind(kind), words=words, status=status, retry_after_s=retry_after_s)
