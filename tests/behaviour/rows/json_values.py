"""Foreign values as JSON."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

ROWS: dict[str, Requirement] = {
    "VALUE-entry": Requirement(
        source="docs/values.md", says="Whatever a toolbox or an adapter gives becomes JSON where it enters, once."
    ),
    "VALUE-browser": Requirement(
        source="docs/values.md",
        says="A wire for browsers may say integers beyond 2^53 as text, and nothing else.",
    ),
    "VALUE-agree": Requirement(
        source="design: projections", says="Log, store, model and wire have one and the same form of a foreign value."
    ),
}
