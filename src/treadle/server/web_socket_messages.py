"""What is said on a socket beside the events: a client's wishes, and what this side says of them.

In: text. Out: values, or a refusal that says where and why; and values to text. An event is an object whose first field
is `kind`; whatever else this side says is one whose first field is `type`.

Source: docs/protocols/socket.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from treadle.codec.foreign import json_text
from treadle.errors import BadRequestError
from treadle.projections.plain.wire import Integers
from treadle.runtime.watching import Unit
from treadle.server.access.failures import Refusal
from treadle.server.delivery import Ending
from treadle.server.negotiation import chosen
from treadle.server.start_request import read_body
from treadle.values.ids import RunId
from treadle.values.mappings import FrozenDict

MAX_MESSAGE_BYTES: Final = 16 * 1024
"""Of one message of a client."""

ALIVE: Final = '{"type":"alive"}'
"""Breaks the silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """Tell me a run, from behind a cursor."""

    run_id: RunId
    after: str | None
    follow: Unit
    integers: Integers
    ticket: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leave:
    """Tell me no more of a run."""

    run_id: RunId


Wish: TypeAlias = Read | Leave


class _Kind(StrEnum):
    READ = "read"
    LEAVE = "leave"


class _Message(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: str
    run_id: str
    after: str | None = None
    follow: str = Unit.SEGMENT.value
    integers: str = Integers.EXACT.value
    ticket: str | None = None


def wish_of(text: str) -> Wish:
    """What a client wants.

    Raises:
        BadRequestError: It is no such message. `pointer` says which part.
    """
    said = read_body(text.encode(errors="surrogatepass"), _Message, named="message")
    if chosen(said.type, _Kind, "/type") is _Kind.LEAVE:
        if said != _Message(type=said.type, run_id=said.run_id):
            raise BadRequestError("to leave, 'type' and 'run_id' are said and nothing else")
        return Leave(run_id=RunId(said.run_id))
    return Read(
        run_id=RunId(said.run_id),
        after=said.after,
        follow=chosen(said.follow, Unit, "/follow"),
        integers=chosen(said.integers, Integers, "/integers"),
        ticket=said.ticket,
    )


def reading(run_id: RunId) -> str:
    """A run is read from now on: its events follow."""
    return json_text({"type": "reading", "run_id": run_id})


REASONS: Final = FrozenDict(
    {
        Ending.READ: "read",
        Ending.LEFT: "left",
        Ending.REVOKED: "forbidden",
        Ending.FAILED: "internal",
    }
)
"""Why a run is not read any more, where the socket stays."""


def over(run_id: RunId, ending: Ending) -> str:
    """A run is not read any more."""
    return json_text({"type": "over", "run_id": run_id, "reason": REASONS[ending]})


def refused(said: Refusal, run_id: RunId | None) -> str:
    """A wish is not granted; None: it named no run."""
    told = {"code": said.code, "message": said.message, "reference": said.reference}
    return json_text({"type": "refused", "run_id": run_id, **said.details, **told})
