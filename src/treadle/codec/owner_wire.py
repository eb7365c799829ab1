"""What a command asks the owner of a store, and what it is told: the ports of a store as JSON.

In: arguments and results. Out: bytes, and back. Spoken between two processes of one version on one machine, so that a
command can look at runs of a store that another process has open.

Source: ADR 0021 (a command goes through the owner).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

import msgspec

from treadle.codec.records import RecordCodec, Row
from treadle.errors import RecordFormatError, RunLogError, TreadleError
from treadle.values.runs import Message, RunState, RunStatus
from treadle.values.stretches import Stretch

PATH: Final = "/v1/owner"
LONGEST_WAIT_S: Final = 1.0
"""Seconds that one question may wait for news; whoever waits for longer asks again."""

T = TypeVar("T")


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question. Which fields it uses is its operation's affair; see the ports."""

    scope: str = "default"
    run_id: str = ""
    after: int = -1
    limit: int = 100
    timeout_s: float = 0.0
    thread_id: str | None = None
    statuses: tuple[RunStatus, ...] | None = None
    before: str | None = None
    key: str = ""
    kind: str = ""
    body: bytes = b""
    unless: str | None = None
    run_ids: tuple[str, ...] | None = None
    with_facts: bool = False


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """An exception of the store's, told whole: whoever asks may read the file itself."""

    code: str
    message: str


class ImportedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """How many runs were put in, and how many were there before."""

    new: int
    known: int


def dump(value: object) -> bytes:
    """A question or an answer as bytes."""
    return msgspec.json.encode(value)


def dump_stretches(stretches: Sequence[Stretch]) -> bytes:
    """A page of a log."""
    codec = RecordCodec()
    return msgspec.json.encode([codec.dump_stretch(stretch) for stretch in stretches])


def load_stretches(body: bytes) -> list[Stretch]:
    """A page of a log.

    Raises:
        RecordFormatError: The bytes are none.
    """
    codec = RecordCodec()
    return [codec.load_stretch(row) for row in load(body, list[Row])]


def load_states(body: bytes) -> list[RunState]:
    """Where runs stand."""
    return load(body, list[RunState])


def load_state(body: bytes) -> RunState:
    """Where a run stands."""
    return load(body, RunState)


def load_messages(body: bytes) -> list[Message]:
    """The messages of an inbox."""
    return load(body, list[Message])


def load(body: bytes, kind: type[T]) -> T:
    """What bytes say, as a value of this class.

    Raises:
        RecordFormatError: They say something else: the two processes are of different versions, as a rule.
    """
    try:
        return msgspec.json.decode(body, type=kind)
    except (ValueError, TypeError, RecursionError) as wrong:
        raise RecordFormatError("the owner of the store speaks another version") from wrong


def refused(error: TreadleError) -> bytes:
    """An exception as bytes."""
    return msgspec.json.encode(Refused(code=error.code, message=str(error)))


def error_of(body: bytes) -> TreadleError:
    """The exception that the owner has told of; one of the same class where it can be made."""
    told = load(body, Refused)
    kind = _KINDS.get(told.code, RunLogError)
    return kind(told.message)


def _kinds(kind: type[Any]) -> dict[str, type[TreadleError]]:
    found = {kind.code: kind}
    for below in kind.__subclasses__():
        found = _kinds(below) | found  # A class that has no code of its own, as somebody else's may, takes no place.
    return found


_KINDS: Final[dict[str, type[TreadleError]]] = _kinds(RunLogError)
