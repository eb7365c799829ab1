"""What a mount of A2A is told beside its path and its exposure: `Mount(wire="a2a", settings=A2aSettings(...))`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.projections.a2a.card import CardFacts
from treadle.server.outbound.rules import OutboundRules
from treadle.values.mappings import empty


@dataclass(frozen=True, slots=True, kw_only=True)
class A2aSettings:
    """What the agents of a mount say of themselves, and whether it notifies.

    Shape: `cards` has facts by the agent's name. `push` turns push notifications on: None, and none is ever sent.
    """

    cards: Mapping[str, CardFacts] = field(default_factory=empty)
    push: OutboundRules | None = None
