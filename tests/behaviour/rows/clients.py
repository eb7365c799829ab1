"""The client for JavaScript and TypeScript."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_OURS = "docs/javascript.md"

ROWS: dict[str, Requirement] = {
    "CLIENT-follow": Requirement(
        source=_OURS, says="A connection that is cut in mid-answer costs no event and doubles none."
    ),
    "CLIENT-start": Requirement(source=_OURS, says="A start whose answer is lost is sent again and starts one run."),
    "CLIENT-stop": Requirement(source=_OURS, says="A run is stopped, and its events say so."),
    "CLIENT-answer": Requirement(source=_OURS, says="Pauses are read and answered, and the run is read on."),
    "CLIENT-odd": Requirement(
        source=_OURS, says="Bytes cut anywhere, silence, refusals and foreign words are each taken as what they are."
    ),
    "CLIENT-browser": Requirement(source=_OURS, says="The same file works in a browser."),
    "CLIENT-types": Requirement(source=_OURS, says="The types are made of the client, and name every kind of event."),
}
