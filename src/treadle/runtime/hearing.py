"""What people send to a run at work, from its inbox to inputs.

In: messages. Out: inputs for the machine, and which messages what is written by now records.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from treadle.kernel.inputs import CancelRequested, Input
from treadle.ports.inbox import Inbox
from treadle.values.runs import Lease, Message

_log = logging.getLogger("treadle.worker")

CANCEL: Final = "cancel"
"""The kind, and the key, of the message that asks a run to stop."""


class Hearing:
    """The inbox of one run at work.

    Shape: `has_heard` says that something was sent that no append had taken; `has_news` that some of it is for the
    machine and was not told yet.
    """

    def __init__(self, inbox: Inbox, lease: Lease) -> None:
        self._inbox = inbox
        self._lease = lease
        self._post: Callable[[Input], None] | None = None
        self._heard: set[int] = set()
        self._pending: dict[type[Input], list[int]] = {}
        self._taken: list[int] = []

    async def attach(self, post: Callable[[Input], None]) -> None:
        """From now on what is sent is posted here; what was sent by now, at once."""
        self._post = post
        await self.look()

    async def look(self) -> None:
        """Read the inbox and post what is new. It may run twice at once, and posts nothing twice.

        Raises:
            RunLogError: The inbox could not be read.
        """
        if self._post is None:
            return  # Whoever attaches it looks.
        for message in await self._inbox.inbox(self._lease.scope, self._lease.run_id):
            if message.number not in self._heard:
                self._heard.add(message.number)
                self._hear(message, self._post)

    @property
    def has_heard(self) -> bool:
        """Whether anything was sent."""
        return bool(self._heard)

    @property
    def has_news(self) -> bool:
        """Whether there is something that the machine has not taken."""
        return any(self._pending.values())

    def told(self, given: Input) -> None:
        """The machine has taken this input: its messages go with the next append."""
        self._taken += self._pending.pop(type(given), [])

    def taken(self) -> Sequence[int]:
        """The numbers of the messages that what is written by now records; each is told once."""
        taken, self._taken = self._taken, []
        return taken

    def _hear(self, message: Message, post: Callable[[Input], None]) -> None:
        if message.kind == CANCEL:
            self._pending.setdefault(CancelRequested, []).append(message.number)
            post(CancelRequested(reason=message.body.decode(errors="replace") or None))
        else:
            # Left where it is, it would keep the run from ever waiting again.
            _log.warning("run %s was sent a %r, which nobody here knows", self._lease.run_id, message.kind)
            self._taken.append(message.number)
