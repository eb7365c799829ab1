"""What a dialect is: a provider's words for the steps of a reply, and its way to read a request.

Knows no socket. An encoder gives bytes with LF line ends; the server changes them where a reply says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from treadle.testing.faults.steps import Speech, Status


class BadAskError(ValueError):
    """A request the dialect's provider would refuse with status 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request, as far as a scenario cares."""

    scenario: str
    round_at: int
    """Turns of the model after the last user message: 0 in the first round."""
    streamed: bool
    wants_usage: bool


class Dialect(Protocol):
    """One provider's wire, seen from the provider's side."""

    name: str
    path: str
    """Where a completion is asked for."""

    def read(self, body: Mapping[str, Any]) -> Ask:
        """Read a request and hold it against the provider's own rules.

        Raises:
            BadAskError: The provider would refuse it.
        """
        ...

    def encode(self, step: Speech, ask: Ask) -> bytes:
        """One step as the bytes of its event; b"" if this request does not get it."""
        ...

    def whole(self, steps: Sequence[Speech], ask: Ask) -> bytes:
        """All steps as the body of an answer that is not streamed."""
        ...

    def refusal(self, status: Status) -> bytes:
        """The body of an HTTP error."""
        ...

    def models(self, names: Sequence[str]) -> bytes:
        """The body of the list of models."""
        ...
