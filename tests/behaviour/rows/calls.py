"""Tools and their calls, from announcement to result."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_FIELD = "ours, after what users of other frameworks reported"

ROWS: dict[str, Requirement] = {
    "BR-031": Requirement(
        source=_FIELD, says="Two calls under one index are two calls: a new head joins no older call."
    ),
    "BR-032": Requirement(source=_FIELD, says="A known id wins over the index; a call's tail may have another index."),
    "BR-034": Requirement(
        source=_FIELD, says="Without an index a new id opens a call and a bare piece goes on with it."
    ),
    "BR-035": Requirement(
        source=_FIELD,
        says="A bare piece under a fresh index belongs to the only open call; with two open the turn is damaged.",
    ),
    "BR-037": Requirement(source=_FIELD, says="An id and a name that come in every delta are one id and one name."),
    "BR-038": Requirement(source=_FIELD, says="An empty trailing delta announces no call; a call ends with its turn."),
    "BR-040": Requirement(
        source=_FIELD,
        says="Ids that a provider uses again are renamed towards it, the same in a call and in its result.",
    ),
    "BR-041": Requirement(source=_FIELD, says="Calls without ids are told apart, and each has one id to its provider."),
    "BR-043": Requirement(source=_FIELD, says="No argument text is empty arguments, and goes back as an empty object."),
    "BR-044": Requirement(
        source=_FIELD, says="Arguments that cannot be read are damage with their raw text, never an empty object."
    ),
    "BR-046": Requirement(source=_FIELD, says="Argument text that repeats its tail is damage and is not repaired."),
    "BR-047": Requirement(source=_FIELD, says="One call streamed right after the other is one call and another."),
    "BR-050": Requirement(
        source=_FIELD,
        says="A call of an ill-formed tool name goes back with its result, under a name a provider takes.",
    ),
    "BR-052": Requirement(source=_FIELD, says="All results of a turn come directly after it, in call order."),
}
