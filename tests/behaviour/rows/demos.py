"""The demos: each shows a promise over real processes and sockets, and fails where it is broken."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

PAGE = "docs/demos.md"

ROWS: dict[str, Requirement] = {
    "DEMO-kill9": Requirement(
        source=PAGE,
        says="A server that is killed with -9 in mid-answer is taken over, and its reader misses and repeats nothing.",
    ),
    "DEMO-tab": Requirement(
        source=PAGE, says="A tab that is closed in mid-answer and opened again sees every character once."
    ),
    "DEMO-truncate": Requirement(
        source=PAGE,
        says="An answer that its provider cut ends `error`, is kept as far as it was shown, and told to the next turn.",
    ),
    "DEMO-slow": Requirement(
        source=PAGE,
        says="Frozen readers do not slow a fast one, cost a bounded share of memory, are ended, and can come back.",
    ),
    "DEMO-verdict": Requirement(
        source=PAGE,
        says="A demo exits 1 where its promise is broken or cannot be looked at, and 2 where an extra is missing.",
    ),
}
