"""One required behaviour, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Requirement:
    """What must hold, and who demands it."""

    source: str
    """Where the demand comes from: the page of the docs, the protocol's own text, or `ours`."""
    says: str
    """The behaviour, in one sentence."""
    divergence: str | None = None
    """In what we differ from the source on purpose, and why. The test holds what we do."""
    deferral: str | None = None
    """Why no test holds it yet. A deferred requirement has no test."""
