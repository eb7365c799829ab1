"""What becomes of runs, told to an address."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_OURS = "docs/webhooks.md"

ROWS: dict[str, Requirement] = {
    "HOOK-body": Requirement(
        source=_OURS, says="A run that ends is told with its state and, if nothing else is said, nothing that was said."
    ),
    "HOOK-paused": Requirement(
        source=_OURS, says="A pause is told, and later the end, each by an id of its run and segment."
    ),
    "HOOK-sent": Requirement(
        source="Standard Webhooks 1.0", says="What is not taken is sent again, signed, by the same id."
    ),
    "HOOK-guard": Requirement(
        source=_OURS, says="No redirect is followed, and no inner address called that was not allowed by name."
    ),
    "HOOK-harmless": Requirement(
        source=_OURS, says="A receiver that is slow, gone or full holds up no run, and a runner only for seconds."
    ),
    "HOOK-again": Requirement(
        source=_OURS, says="What a process before did not come to can be sent again, by the same ids and bodies."
    ),
    "HOOK-kept": Requirement(
        source=_OURS,
        says="What is on its way outlives its process without being asked for.",
        deferral="the ports of a store have no place for it; whoever starts the next process calls `catch_up`",
    ),
}
