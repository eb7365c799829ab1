"""The card of an agent: what others may know of it before they ask it anything.

In: the few facts that may be told. Out: JSON terms that clients of 1.0 and of 0.3 read alike: each takes the members it
knows. Instructions, models, tools and whatever else makes the agent have no way in.

Source: the A2A specification, "Agent Discovery", 1.0 and 0.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from treadle.projections.a2a.parse import MODES
from treadle.projections.a2a.wire import EXTENSION
from treadle.values.mappings import Json

BINDINGS: Final = ("JSONRPC", "HTTP+JSON")
VERSION_OF_03: Final = "0.3.0"
_DETAILS: Final = "Tells, as metadata of updates, what the states of a task cannot say."


class Scheme(StrEnum):
    """How a client says who it is. Without one that is known here, the card says nothing of it."""

    API_KEY = "apiKey"
    BEARER = "bearer"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """What a card says of one agent beside its name. Without a description it is described by its name."""

    description: str = ""
    version: str = "1"
    tags: tuple[str, ...] = ("agent",)


def card(
    name: str, *, url: str, facts: CardFacts, notifies: bool = False, scheme: Scheme | None = None
) -> dict[str, Json]:
    """The card of an agent that is reached at this address."""
    described = facts.description or f"The agent {name}."
    skill = {"id": name, "name": name, "description": described, "tags": list(facts.tags)}
    return {
        "name": name,
        "description": described,
        "version": facts.version,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": version}
            for version in ("1.0", "0.3")
            for binding in BINDINGS
        ],
        "capabilities": {
            "streaming": True,
            "pushNotifications": notifies,
            "extendedAgentCard": False,
            "extensions": [{"uri": EXTENSION, "description": _DETAILS, "required": False}],
        },
        "defaultInputModes": list(MODES),
        "defaultOutputModes": list(MODES),
        "skills": [skill],
        "protocolVersion": VERSION_OF_03,
        "url": url,
        "preferredTransport": BINDINGS[0],
        "additionalInterfaces": [{"url": url, "transport": binding} for binding in BINDINGS],
        **(_security(scheme) if scheme is not None else {}),
    }


def _security(scheme: Scheme) -> dict[str, Json]:
    """How to say who one is. Each version reads its own members of the same object."""
    if scheme is Scheme.API_KEY:
        where = {"name": "X-API-Key"}
        said: dict[str, Json] = {
            "apiKeySecurityScheme": {**where, "location": "header"},
            "type": "apiKey",
            "in": "header",
            **where,
        }
    else:
        how = {"scheme": "bearer", "bearerFormat": "JWT"}
        said = {"httpAuthSecurityScheme": how, "type": "http", **how}
    return {
        "securitySchemes": {scheme.value: said},
        "securityRequirements": [{"schemes": {scheme.value: {"list": []}}}],
        "security": [{scheme.value: []}],
    }
