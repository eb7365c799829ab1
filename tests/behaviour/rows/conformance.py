"""What official clients of the wires are tried against, and the table that comes of it."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_TESTING = "docs/testing.md"

ROWS: dict[str, Requirement] = {
    "CONF-scenarios": Requirement(
        source=_TESTING,
        says="Each scripted agent ends as it says, with an answer that depends on the prompt, any number of times and "
        "at once.",
    ),
    "CONF-takeover": Requirement(
        source=_TESTING, says="A run of a scripted agent whose worker dies says the same in the end."
    ),
}
