"""What a run waits for, as the message of a task that waits.

In: open pauses as a mount may know them, and the tokens of whoever reads. Out: the state that the task is in, and its
message: words for people, and the same as data for programs. A token stands in the message's metadata and nowhere else,
and only for a reader who may answer.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from treadle.codec.foreign import json_terms
from treadle.codec.safe_integers import with_safe_integers
from treadle.projections.a2a.wire import EXTENSION, Data, Message, Part, Role, State, Text, timestamp
from treadle.values.exposure import is_hidden
from treadle.values.mappings import Json
from treadle.values.pauses import PauseKind, PendingInterrupt

TokenOf: TypeAlias = Callable[[PendingInterrupt], str | None]
"""The token of a pause, for whoever reads; None where they may not answer it."""

DUE: Final = "A decision is due, which is taken elsewhere. The task goes on when it is there."


def no_token(_: PendingInterrupt) -> None:
    """Of a reader who may answer nothing."""


def waiting_state(pending: Sequence[PendingInterrupt]) -> State:
    """The state of a task that waits for these: for its client, or for somebody else."""
    return State.AUTH_REQUIRED if all(is_hidden(one) for one in pending) else State.INPUT_REQUIRED


def waiting_message(message_id: str, pending: Sequence[PendingInterrupt], token_of: TokenOf) -> Message:
    """What is asked."""
    shown = [one for one in pending if not is_hidden(one)]
    if not shown:
        return Message(message_id=message_id, role=Role.AGENT, parts=(Text(DUE),))
    words = "\n\n".join(_WORDS[one.kind](one.request) for one in shown)
    parts: tuple[Part, ...] = (Text(words), Data({"pauses": [_asked(one) for one in shown]}))
    tokens = {one.interrupt_id: token for one in shown if (token := token_of(one)) is not None}
    metadata: Mapping[str, Json] = {EXTENSION: {"tokens": tokens}} if tokens else {}
    return Message(message_id=message_id, role=Role.AGENT, parts=parts, metadata=metadata)


def _asked(pending: PendingInterrupt) -> dict[str, Json]:
    asked = {
        "interrupt_id": pending.interrupt_id,
        "kind": pending.kind.value,
        "request": with_safe_integers(json_terms(pending.request)),
        "response_schema": with_safe_integers(json_terms(pending.response_schema)),
        "on_expiry": pending.on_expiry.value,
    }
    return asked if pending.expires_at is None else {**asked, "expires_at": timestamp(pending.expires_at)}


def _questions(request: Mapping[str, Any]) -> str:
    return "\n\n".join(
        "\n".join([asked["text"], *(f"- {option['label']}" for option in asked.get("options", ()))])
        for asked in request["questions"]
    )


def _leave(request: Mapping[str, Any]) -> str:
    return f"May {request['name']} be called? approve, deny, edit or cancel."


def _result(request: Mapping[str, Any]) -> str:
    return f"The result of {request['name']} is wanted, which runs on your side."


def _interrupt(request: Mapping[str, Any]) -> str:
    return f"An answer is wanted: {request['name']}."


_WORDS: Final[Mapping[PauseKind, Callable[[Mapping[str, Any]], str]]] = {
    PauseKind.ASK_USER: _questions,
    PauseKind.APPROVAL: _leave,
    PauseKind.FRONT_END: _result,
    PauseKind.INTERRUPT: _interrupt,
}
