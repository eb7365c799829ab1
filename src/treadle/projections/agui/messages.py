"""The messages of a run as its client holds them: what a snapshot says.

In: what was told of a run, in order. Out: messages, with the ids, the split and the order that the client's own reading
of the events leads to, so that a snapshot changes nothing for a client that saw all of them.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from treadle.projections.agui.wire import object_of, quoted

Told = tuple[str, str]
"""A message: its id, and its JSON."""


class Role(StrEnum):
    """Who says a message. A client may hold more than these; they are its own."""

    USER = "user"
    ASSISTANT = "assistant"
    REASONING = "reasoning"
    TOOL = "tool"


@dataclass(slots=True)
class Call:
    """A tool call, and how far it was told.

    Shape: `parts` are the pieces of its argument text; `is_ended`: no more of them come. `has_waited`: somebody was
        asked about it.
    """

    call_id: str
    name: str
    parts: list[str] = field(default_factory=list)
    is_ended: bool = False
    has_waited: bool = False

    @property
    def arguments(self) -> str:
        """Its argument text, as far as it was told."""
        return "".join(self.parts)


@dataclass(slots=True)
class Message:
    """One message. `has_text` is false for an assistant's that holds calls alone."""

    id: str
    role: Role
    parts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    has_text: bool = True
    call_id: str = ""
    metadata: str | None = None

    def close(self) -> None:
        """Nothing is added to its text: one text takes less room than its pieces."""
        self.parts[:] = ["".join(self.parts)]

    @property
    def told(self) -> Told:
        """Its id and its JSON."""
        calls = [_call_json(call) for call in self.calls]
        return self.id, object_of(
            id=quoted(self.id),
            role=quoted(self.role),
            content=quoted("".join(self.parts)) if self.has_text else None,
            toolCalls=f"[{','.join(calls)}]" if calls else None,
            toolCallId=quoted(self.call_id) if self.role is Role.TOOL else None,
            metadata=self.metadata,
        )


class Messages:
    """The messages of one run, its user's first."""

    __slots__ = ("_all", "_round_at", "_voided")

    def __init__(self) -> None:
        self._all: list[Message] = []
        self._round_at = 0
        self._voided: dict[str, Role] = {}

    def begin_attempt(self) -> None:
        """What comes now is void where this attempt is taken back."""
        self._round_at = len(self._all)

    def retract(self) -> None:
        """Take back what the attempt at hand has said."""
        self._voided.update((message.id, message.role) for message in self._all[self._round_at :])
        del self._all[self._round_at :]

    def add(self, message: Message) -> Message:
        """A message comes after all others."""
        self._all.append(message)
        return message

    def call(self, call: Call) -> str | None:
        """A call stands with the last text or call of its attempt, or in a message of its own; gives what that is.

        Shape:  the id of the message that holds it; None for a message of its own, which has the call's id.
        """
        for message in reversed(self._all[self._round_at :]):
            if message.role is Role.ASSISTANT:
                message.calls.append(call)
                return message.id
        self.add(Message(call.call_id, Role.ASSISTANT, calls=[call], has_text=False))
        return None

    def result(self, message: Message) -> None:
        """A call's result stands behind the message of the call, and behind the results that are there."""
        owner = next((at for at, one in enumerate(self._all) if _holds(one, message.call_id)), len(self._all))
        at = min(owner + 1, len(self._all))
        while at < len(self._all) and self._all[at].role is Role.TOOL:
            at += 1
        self._all.insert(at, message)

    def snapshot(self, before: Sequence[Told]) -> str:
        """All messages of the thread as JSON: those that the client has where it has them, then the others of the run.

        Shape:  a client keeps reasoning that a snapshot has none of. So where all reasoning is void, it is said empty.
            What the user said stays as the client has it: there may be more to it than text.
        """
        had = {named for named, _ in before}
        told = dict(message.told for message in self._all if message.role is not Role.USER or message.id not in had)
        if not any(message.role is Role.REASONING for message in self._all):
            void = [named for named, role in self._voided.items() if role is Role.REASONING]
            told.update(Message(named, Role.REASONING).told for named in void)
        parts = [told.get(named, text) for named, text in before if named in told or named not in self._voided]
        parts += [text for named, text in told.items() if named not in had]
        return f"[{','.join(parts)}]"

    def told(self) -> list[Told]:
        """All of them."""
        return [message.told for message in self._all]


def _holds(message: Message, call_id: str) -> bool:
    return any(call.call_id == call_id for call in message.calls)


def _call_json(call: Call) -> str:
    function = object_of(name=quoted(call.name), arguments=quoted(call.arguments))
    return object_of(id=quoted(call.call_id), type='"function"', function=function)


NO_MESSAGES: Final[tuple[Told, ...]] = ()
