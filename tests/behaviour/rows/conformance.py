"""What official clients of the wires are tried against, and the table that comes of it."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_TESTING = "docs/testing.md"
_COMMAND = "docs/cli.md"

ROWS: dict[str, Requirement] = {
    "CONF-scenarios": Requirement(
        source=_TESTING,
        says="Each scripted agent ends as it says, with an answer that depends on the prompt, any number of times and "
        "at once.",
    ),
    "CONF-takeover": Requirement(
        source=_TESTING, says="A run of a scripted agent whose worker dies says the same in the end."
    ),
    "CONF-expected": Requirement(
        source="docs/matrix.md",
        says="What the official clients are expected to report is what the runs of the scripted agents come to.",
    ),
    "CONF-judged": Requirement(
        source=_COMMAND,
        says="A cell holds only where its verdict and its text are as expected, nobody complains and nothing leaks.",
    ),
    "CONF-command": Requirement(
        source=_COMMAND,
        says="`treadle conformance` exits 0 where every cell holds, 1 where one does not, and 2, with what to install, "
        "where a client cannot be run here.",
    ),
    "CONF-beside": Requirement(
        source="docs/matrix.md",
        says="What an official client is told by a server of others that plays the same agents is what ours tells it, "
        "but for differences that are stated with their reasons: one that is not stated fails, and so does one that is "
        "gone.",
    ),
    "CONF-page": Requirement(
        source="docs/matrix.md",
        says="The page of the matrix says what is expected of every cell, or why there is none.",
    ),
}
