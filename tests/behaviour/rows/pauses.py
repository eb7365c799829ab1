"""People in the loop: what is asked, by whom it may be answered, and what an answer does."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_PROMISES = "design: promises"
_PAUSES = "design: pauses"
_FIELD = "a fault reported in the field"

ROWS: dict[str, Requirement] = {
    "PAUSE-questions": Requirement(
        source=_PAUSES, says="A model may ask 1 to 4 sound questions; a malformed call goes back to it."
    ),
    "PAUSE-interrupt": Requirement(
        source="docs/pauses.md",
        says="A tool that asks goes no further; it is called again with the answer, which it gets where it asked.",
    ),
    "PAUSE-front-end": Requirement(
        source="docs/pauses.md",
        says="A tool without a function is a pause, and what the front end gives is its result.",
    ),
    "PAUSE-audit": Requirement(
        source="ours", says="Who decided, when, and what it changed is remembered with the decision."
    ),
}
