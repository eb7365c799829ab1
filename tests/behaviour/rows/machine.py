"""The machine: what is decided, and the rules EV of the kernel's events."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_RULES = "design: rules with names"
_MACHINE = "design: the machine"
_PAUSES = "design: pauses"

ROWS: dict[str, Requirement] = {
    "EV-1": Requirement(source=_RULES, says="The index is dense from 0 over the run, through all its segments."),
    "EV-2": Requirement(source=_RULES, says="Only the run's writer gives an event its index."),
    "EV-3": Requirement(
        source=_RULES,
        says="A segment has one closing event, last; what settles a waiting run without an answer opens a segment.",
    ),
    "EV-4": Requirement(source=_RULES, says="Nothing comes after a final event."),
    "EV-5": Requirement(
        source=_RULES,
        says=(
            "Every announced call has one result before the next round and before any closing event but a pause on "
            "that very call, unless its turn is retracted."
        ),
    ),
    "EV-6": Requirement(
        source=_RULES, says="What occurs of a call occurs in order: announcement, arguments, execution, result."
    ),
    "EV-7": Requirement(source=_RULES, says="No delta is empty."),
    "EV-8": Requirement(source=_RULES, says="A retraction names what it voids, and never voids a tool that ran."),
    "EV-9": Requirement(source=_RULES, says="Every loss is announced."),
    "EV-10": Requirement(
        source=_RULES,
        says=(
            "The outcome's text is all un-retracted text of the run with nothing added; the answer is its tail from "
            "`answer_at`."
        ),
    ),
    "MACHINE-refuses": Requirement(
        source=_MACHINE,
        says="An input that is illegal, or names what the run never had, is refused and changes nothing.",
    ),
    "MACHINE-late": Requirement(
        source=_MACHINE,
        says="A result after the cancel, an expiry after the answer and a second cancel are legal and do nothing.",
    ),
    "MACHINE-rebuilds": Requirement(
        source="design: the way of the data, law 5",
        says="A machine that is rebuilt from the records goes on as if it had never stopped.",
    ),
    "MACHINE-content": Requirement(
        source=_MACHINE, says="What a turn leads to is decided from its content: complete calls run under any label."
    ),
    "MACHINE-empty": Requirement(
        source=_MACHINE, says="A turn without text and calls ends the run `done`, with the termination `empty_answer`."
    ),
    "MACHINE-cut": Requirement(
        source=_MACHINE,
        says="The calls of a turn that was cut or filtered never run; the run ends `error`, what was shown is kept.",
    ),
    "MACHINE-damaged": Requirement(
        source="design: promise 8",
        says="A damaged call, and every call of a damaged turn, never runs; the model is told why and asked again.",
    ),
    "MACHINE-retry": Requirement(
        source=_MACHINE,
        says="A model is asked again only before anything was shown, unless the plan says otherwise.",
    ),
    "MACHINE-limits": Requirement(
        source=_MACHINE,
        says="Rounds, calls, tokens, wall clock, stall and output bytes each end a run by a termination of its own.",
    ),
    "MACHINE-usage": Requirement(
        source="design: promise 10", says="Every attempt's usage counts, on every closing event; silence is counted."
    ),
    "MACHINE-siblings": Requirement(
        source=_PAUSES, says="All pauses of a round close one segment, when its other calls have settled."
    ),
    "MACHINE-cancel-paused": Requirement(
        source=_PAUSES,
        says="A cancel of a waiting run opens a segment that tells how each pause was settled, and ends.",
    ),
    "MACHINE-expiry": Requirement(
        source=_PAUSES,
        says="A pause that expires is declined, fails the run, or is asked again under a new id, as it declares.",
    ),
}
