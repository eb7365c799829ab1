"""Whole runs over a provider that fails as it is told to."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_FIELD = "ours, after what users of other frameworks reported"
_OURS = "ours: docs/testing.md"

ROWS: dict[str, Requirement] = {
    "FAULT-end": Requirement(
        source=_OURS,
        says="Whatever a provider does, a run ends in one completion, last, with the right outcome.",
    ),
    "FAULT-text": Requirement(
        source=_OURS, says="What the completion holds is what was shown, and what was shown is what the model said."
    ),
    "FAULT-tools": Requirement(
        source=_OURS,
        says="Each tool runs exactly as often as it was soundly called; other calls are refused.",
    ),
    "FAULT-usage": Requirement(source=_OURS, says="Usage is what the provider told, and absent where it told nothing."),
    "FAULT-leak": Requirement(
        source=_OURS, says="No error text of a provider or a tool is in an event or is told to the model."
    ),
    "FAULT-requests": Requirement(
        source=_OURS, says="Every request is valid for a strict provider, and none is made without need."
    ),
    "FAULT-connections": Requirement(
        source=_OURS,
        says="When a run is over nothing is open but what the pool keeps, and nothing once that is closed.",
    ),
    "FAULT-left": Requirement(
        source=_OURS,
        says="A reader who leaves in the middle leaves a log with one closing event, and no open answer.",
    ),
    "FAULT-whole": Requirement(source=_OURS, says="A run that nobody reads comes to the same as one that is streamed."),
    "BR-094": Requirement(
        source=_FIELD, says="Opening words, a call and the answer after it are two texts in two messages, each closed."
    ),
    "BR-097": Requirement(source=_FIELD, says="An error in the stream is the run's end, however well the body ends."),
    "BR-100": Requirement(source=_FIELD, says="After a tool that failed the model's next answer is read to its end."),
    "BR-102": Requirement(source=_FIELD, says="Pieces of two calls by turns lose nothing: each call has its own text."),
    "BR-103": Requirement(source=_FIELD, says="Text after a call in the same turn is shown, and joined to what was."),
    "BR-190": Requirement(source=_FIELD, says="What was shown is not said again: the run fails with the partial kept."),
    "BR-191": Requirement(source=_FIELD, says="A retry before anything was shown leaves one start and no other trace."),
}
