"""A run as a store knows it: where it stands, who owns it, what waits for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from treadle.values.ids import RunId, ThreadId
from treadle.values.making import quickly_made
from treadle.values.mappings import empty, frozen


class RunStatus(StrEnum):
    """Where a run stands in its store: `ready → owned → (waiting → ready)* → done | error | cancelled`."""

    READY = "ready"
    OWNED = "owned"
    WAITING = "waiting"
    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"


FINAL_STATUSES = frozenset({RunStatus.DONE, RunStatus.ERROR, RunStatus.CANCELLED})
LIVE_STATUSES = frozenset(RunStatus) - FINAL_STATUSES


class OnBusyThread(StrEnum):
    """What becomes of a new message to a thread that has a live run."""

    REJECT = "reject"
    QUEUE = "queue"
    CANCEL_PREVIOUS = "cancel_previous"


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run to create.

    Shape: `request` is the stored form of what was asked; `digest` says whether two requests under one key are the
        same, and is empty where there is no key.
    """

    run_id: RunId
    scope: str
    thread_id: ThreadId
    agent: str
    digest: str
    request: bytes
    key: str | None = None
    """The caller's idempotency key, unique in the scope."""
    on_busy: OnBusyThread = OnBusyThread.REJECT
    plan: str = ""
    """Fingerprint of the plan: only a worker that has it may claim the run."""
    properties: Mapping[str, Any] = field(default_factory=empty)

    def __post_init__(self) -> None:
        object.__setattr__(self, "properties", frozen(self.properties))


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to write one run's log. `epoch` rises with every claim; `next_seq` is where the log ends."""

    run_id: RunId
    scope: str
    epoch: int
    next_seq: int
    next_index: int


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """Where a run stands.

    Units: times are UTC seconds by the store's clock.
    """

    run_id: RunId
    scope: str
    thread_id: ThreadId
    agent: str
    status: RunStatus
    epoch: int
    next_seq: int
    next_index: int
    created_s: float
    changed_s: float
    wake_at_s: float | None = None
    request: bytes = b""
    plan: str = ""
    properties: Mapping[str, Any] = field(default_factory=empty)

    @property
    def is_final(self) -> bool:
        """Whether nothing more will be written."""
        return self.status in FINAL_STATUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Something sent to a run: an answer, a cancel, a message. `number` orders the messages of a run."""

    number: int
    key: str
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A reader's place: it stands on the event with this index, as this epoch wrote it."""

    epoch: int
    index: int

    def __str__(self) -> str:
        return f"{self.epoch}:{self.index}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The cursor that this text says.

        Raises:
            ValueError: It says none.
        """
        epoch, colon, index = text.partition(":")
        if not (colon and epoch.isascii() and index.isascii() and epoch.isdecimal() and index.isdecimal()):
            raise ValueError(f"expected a cursor EPOCH:INDEX, came {text[:40]!r}")
        return cls(epoch=int(epoch), index=int(index))
