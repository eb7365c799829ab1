"""What a turn leaves behind for the next request beside its text and its calls.

In: what stood in the stream. Out: the fields that go back with the assistant's message, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from treadle.errors import RecordFormatError
from treadle.values.mappings import Json, empty, frozen, thawed

REASONING_FIELDS: Final = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPayload:
    """The adapter's own part of a turn.

    Shape:  `call_seals` by slot of the call, as text.
    """

    reasoning_field: str = ""
    """The field in which the turn's thinking came and goes back; "" where it had none."""
    call_seals: Mapping[str, Any] = field(default_factory=empty)

    def __post_init__(self) -> None:
        object.__setattr__(self, "call_seals", frozen(self.call_seals))


def dump_payload(payload: ChatPayload | None) -> Json:
    """The stored form of a turn's payload."""
    if payload is None:
        return None
    return {"reasoning_field": payload.reasoning_field, "call_seals": thawed(payload.call_seals)}


def load_payload(value: Json) -> ChatPayload | None:
    """The payload from its stored form.

    Raises:
        RecordFormatError: It is no stored form of this adapter.
    """
    match value:
        case None:
            return None
        case {"reasoning_field": str(name), "call_seals": Mapping() as seals} if name in ("", *REASONING_FIELDS):
            return ChatPayload(reasoning_field=name, call_seals=seals)
        case _:
            raise RecordFormatError(f"a chat payload has a reasoning field and call seals, not {type(value).__name__}")
