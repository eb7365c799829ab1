"""What a model provider may send, and what becomes of it."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_FIELD = "ours, after what users of other frameworks reported"

ROWS: dict[str, Requirement] = {
    "BR-018": Requirement(
        source=_FIELD,
        says="A connection goes back to its pool when an answer was read, and is closed when it was left.",
    ),
    "BR-053": Requirement(
        source=_FIELD, says="Reasoning and seals that a provider wants back go back with the calls they belong to."
    ),
    "BR-055": Requirement(
        source=_FIELD, says="A first, provisional count is replaced by a later one, not added to it."
    ),
    "BR-056": Requirement(source=_FIELD, says="Of several cumulative counts the last one holds."),
    "BR-058": Requirement(source=_FIELD, says="Usage on each chunk is cumulative and never summed."),
    "BR-059": Requirement(source=_FIELD, says="A chunk without usage takes nothing from an earlier one."),
    "BR-061": Requirement(source=_FIELD, says="Usage is read beside choices too, with what of it came from the cache."),
    "BR-062": Requirement(source=_FIELD, says="Usage is the same before, with and after the finish reason."),
    "BR-064": Requirement(source=_FIELD, says="Usage that never came is not reported, and is no zero."),
    "BR-193": Requirement(
        source=_FIELD, says="An error inside a good status ends the turn, and has the kind that it tells."
    ),
    "BR-194": Requirement(
        source=_FIELD, says="Bytes that end without a finish reason or an end marker are a cut stream."
    ),
    "BR-196": Requirement(
        source=_FIELD, says="A turn ends with its end marker, and lets go of a connection kept open."
    ),
    "BR-197": Requirement(source=_FIELD, says="Chunks without choices, without a delta or without text say nothing."),
    "BR-199": Requirement(
        source=_FIELD, says="A finish label is told beside the calls it denies, and takes none away."
    ),
    "BR-200": Requirement(source=_FIELD, says="A finish label that promises calls is told beside their absence."),
    "BR-202": Requirement(source=_FIELD, says="A call written into the text stays text."),
}
