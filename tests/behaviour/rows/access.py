"""Who may do what over HTTP, how much of it, and what they are told where they may not."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_SERVER = "design: server"
_SHOWN = "ours, after what two frameworks were shown to do"

ROWS: dict[str, Requirement] = {
    "ACCESS-choke": Requirement(
        source=_SERVER, says="One function says whether a principal may do something to a run."
    ),
    "ACCESS-foreign": Requirement(
        source=_SERVER, says="A run of another scope is refused in the same words as one that is not there."
    ),
    "ACCESS-exposed": Requirement(
        source=_SERVER,
        says="Without authentication, this machine alone is served, and a server elsewhere does not start.",
    ),
    "ACCESS-keys": Requirement(
        source=_SERVER, says="An API key says who asks; it is kept as a hash and stands in no message or printed form."
    ),
    "ACCESS-jwt": Requirement(
        source=_SERVER, says="A token is taken if a named algorithm and the right key signed it, and it has an end."
    ),
    "ACCESS-jwks": Requirement(
        source="ours", says="Keys from an address are fetched seldom, whatever strangers send, and an outage is no 401."
    ),
    "ACCESS-hook": Requirement(
        source=_SERVER, says="A user's own function says who asks; what is no principal is nobody."
    ),
    "ACCESS-headers": Requirement(
        source="ours", says="Any headers and any signed content give a principal or a typed refusal."
    ),
    "ACCESS-caps": Requirement(
        source=_SERVER, says="Bodies, logs, live runs and readers are capped, by typed errors before the status line."
    ),
    "ACCESS-leak": Requirement(source="ours", says="No sequence of admissions, however they end, leaks a place."),
    "ACCESS-ticket": Requirement(
        source=_SERVER, says="A ticket opens one run once, soon after it was issued, also where many show it at once."
    ),
    "ACCESS-recheck": Requirement(
        source=_SERVER, says="A long stream ends when whoever reads it may not any more, and not in an outage."
    ),
    "ACCESS-host": Requirement(
        source=_SERVER, says="In development a server answers for the names of its machine alone."
    ),
    "ACCESS-origin": Requirement(source="ours", says="A page of another origin changes nothing and opens no socket."),
    "ACCESS-cors": Requirement(source=_SERVER, says="CORS is off until origins are named, and never carries cookies."),
    "ACCESS-matrix": Requirement(
        source=_SERVER, says="Every route is listed with what it answers to whom, and each is answered so."
    ),
    "ACCESS-secrets": Requirement(
        source=_SERVER, says="A secret appears exactly where it may, over wires, store, command, metrics and log."
    ),
    "ACCESS-forge": Requirement(source=_SERVER, says="No text of an event forges a line or a field of a stream."),
    "ACCESS-document": Requirement(
        source=_SERVER,
        says="What does not fit the OpenAPI document is refused as it says, and a credential comes before everything.",
    ),
    "ACCESS-refusal": Requirement(
        source=_SERVER, says="Every exception is told as a status, a stable code, a sentence and a reference."
    ),
    "D38": Requirement(source=_SHOWN, says="The text of an exception stands in the operator's log, and on no wire."),
    "D40": Requirement(source=_SHOWN, says="No wire carries prompts of the plan, dependencies or other internals."),
    "D42": Requirement(
        source=_SHOWN, says="A body is capped while it is read, and not read where it says it is too large."
    ),
}
