"""The port to the inboxes of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from treadle.values.ids import RunId
from treadle.values.runs import Message


class Inbox(Protocol):
    """What anyone may say to a run that somebody else owns: answers, cancels, messages."""

    async def send(
        self, scope: str, run_id: RunId, /, *, key: str, kind: str, body: bytes = b"", unless: str | None = None
    ) -> bool:
        """Send a message, once for each key. A run that waits becomes ready.

        Shape:   True where it was taken in now; False where the key was used before, or a message of the kind `unless`
            was sent before.
        Args:
            unless: The kind of message after which this one comes too late. Which came first is decided here, in one
                step, though an append has taken the other by now.
        Raises:
            RunNotFoundError: No such run in this scope.
            RunFinalError: The run is final and hears nothing more.
        """
        ...

    async def inbox(self, scope: str, run_id: RunId, /) -> Sequence[Message]:
        """The messages that no append has taken, in order."""
        ...
