"""What people send to a run at work, from its inbox to inputs.

In: messages. Out: inputs for the machine, and which messages what is written by now records.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Final

from treadle.codec.sent_answers import load_answer
from treadle.codec.sent_cancels import load_cancel
from treadle.errors import RecordFormatError
from treadle.kernel.inputs import Answered, CancelRequested, Input, PauseExpired
from treadle.ports.inbox import Inbox
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.ids import InterruptId
from treadle.values.runs import Lease, Message

_log = logging.getLogger("treadle.worker")

CANCEL: Final = "cancel"
"""The kind, and the key, of the message that asks a run to stop."""
ANSWER: Final = "answer"
"""The kind of the message that holds a person's answer. Its key is the id of the pause, so there is one."""
EXPIRY: Final = "expiry"
"""The kind of the message that says that nobody answered in time. It has an answer's key, so there is one of both."""


class Hearing:
    """The inbox of one run at work.

    Shape: `has_heard` says that something was sent that no append had taken; `has_news` that some of it is for the
    machine and was not told yet.
    """

    def __init__(self, inbox: Inbox, lease: Lease) -> None:
        self._inbox = inbox
        self._lease = lease
        self._post: Callable[[Input], None] | None = None
        self._next_expires_at: Callable[[], float | None] = _never
        self._heard: set[int] = set()
        self._pending: list[tuple[Input, int]] = []
        self._taken: list[int] = []

    async def attach(
        self, post: Callable[[Input], None], *, next_expires_at: Callable[[], float | None] | None = None
    ) -> None:
        """From now on what is sent is posted here; what was sent by now, at once.

        `next_expires_at`: when a pause is over that is asked again now; without it, never.
        """
        self._post = post
        self._next_expires_at = next_expires_at or _never
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
        return bool(self._pending)

    def told(self, given: Input) -> None:
        """The machine has taken this input: its messages go with the next append.

        One stop is as good as another, and the one that is told has more in it than was posted; all else is itself.
        """
        if not self._pending:
            return
        taken = [number for one, number in self._pending if _is(one, given)]
        if taken:
            self._taken += taken
            self._pending = [(one, number) for one, number in self._pending if not _is(one, given)]

    def taken(self) -> Sequence[int]:
        """The numbers of the messages that what is written by now records; each is told once."""
        taken, self._taken = self._taken, []
        return taken

    def _hear(self, message: Message, post: Callable[[Input], None]) -> None:
        given = self._input_of(message)
        if given is None:
            # Left where it is, it would keep the run from ever waiting again.
            _log.warning("run %s was sent a %r, which nobody here knows", self._lease.run_id, message.kind)
            self._taken.append(message.number)
        else:
            self._pending.append((given, message.number))
            post(given)

    def _input_of(self, message: Message) -> Input | None:
        """What the machine is told of a message; None where it cannot be read."""
        if message.kind == CANCEL:
            sent = load_cancel(message.body)
            return CancelRequested(reason=sent.reason, kept=sent.asked)
        if message.kind == ANSWER:
            reach(Failpoint.ANSWER_HEARD)
            return _answered(message.body)
        if message.kind == EXPIRY:
            return PauseExpired(interrupt_id=InterruptId(message.key), next_expires_at=self._next_expires_at())
        return None


def _never() -> None:
    """A pause that is asked again is open for ever."""


def _is(one: Input, given: Input) -> bool:
    return one is given or (type(one) is CancelRequested and type(given) is CancelRequested)


def _answered(body: bytes) -> Answered | None:
    try:
        sent = load_answer(body)
    except RecordFormatError:
        return None
    return Answered(resolutions=(sent.resolution,), decided=(sent.decided,))
