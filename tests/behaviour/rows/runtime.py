"""The loop, the writer and the log of a run; what becomes of a run whose worker is lost."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_RECOVERY = "design: recovery"

ROWS: dict[str, Requirement] = {
    "TAKEOVER-turn": Requirement(
        source=_RECOVERY, says="A model turn that had not finished is retracted, if it was shown, and asked again."
    ),
    "TAKEOVER-call": Requirement(
        source=_RECOVERY,
        says="Done calls are kept; one that was started is unknown, and not run again unless it is idempotent.",
    ),
    "TAKEOVER-bound": Requirement(
        source="ours", says="A round is begun again a stated number of times after lost workers; then the run ends."
    ),
    "TAKEOVER-retries": Requirement(
        source="ours", says="A lost worker is no failure of the model and uses up none of its attempts."
    ),
    "KILL-runner": Requirement(
        source="design: promise 5",
        says="A runner killed with -9 at any point on the way to the disk loses and doubles nothing that was shown.",
    ),
}
