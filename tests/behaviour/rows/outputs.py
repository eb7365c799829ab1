"""Answers that are values."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_AGENTS = "docs/agents.md"

ROWS: dict[str, Requirement] = {
    "OUTPUT-schema": Requirement(
        source=_AGENTS,
        says="An output is one JSON object that fits a schema; a schema that cannot be held is refused when it is "
        "declared.",
    ),
    "OUTPUT-outcome": Requirement(
        source=_AGENTS,
        says="The outcome of a run that is done holds the value of its answer, and of every other ending none.",
    ),
    "OUTPUT-misfit": Requirement(
        source=_AGENTS,
        says="An answer that does not fit is a turn that broke: taken back and asked for again where the plan says so, "
        "else the run ends `bad_output` with all that was shown kept.",
    ),
}
