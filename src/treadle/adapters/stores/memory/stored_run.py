"""One run as the memory store keeps it."""

from __future__ import annotations

from treadle.adapters.stores.memory.hints import Hints
from treadle.adapters.stores.memory.rows import Rows
from treadle.values.runs import FINAL_STATUSES, Lease, Message, NewRun, RunState, RunStatus


class StoredRun:
    """A run, its log, its inbox and its readers.

    Shape: `number` is its place in the order of creation. `due_s` is the moment from which it may be claimed, None for
    never; `turn` is the entry of the claim queue that speaks for it.
    Units: times are UTC seconds by the store's clock.
    """

    __slots__ = (
        "changed_s",
        "created_s",
        "due_s",
        "epoch",
        "inbox",
        "keys",
        "kinds",
        "new",
        "number",
        "readers",
        "request",
        "rows",
        "status",
        "turn",
        "wake_at_s",
    )

    def __init__(self, new: NewRun, *, number: int, now_s: float) -> None:
        self.new = new
        self.number = number
        self.request = new.request
        self.status = RunStatus.READY
        self.epoch = 0
        self.created_s = self.changed_s = now_s
        self.wake_at_s: float | None = None
        self.due_s: float | None = None
        self.turn: int | None = None
        self.rows = Rows()
        self.inbox: dict[int, Message] = {}
        self.keys: set[str] = set()
        """Keys of all messages that were ever sent: as many as there were messages."""
        self.kinds: set[str] = set()
        """Kinds of all messages that were ever sent."""
        self.readers = Hints()

    @property
    def is_final(self) -> bool:
        """Whether nothing more will be written."""
        return self.status in FINAL_STATUSES

    @property
    def state(self) -> RunState:
        """Where it stands."""
        new = self.new
        return RunState(
            run_id=new.run_id,
            scope=new.scope,
            thread_id=new.thread_id,
            agent=new.agent,
            status=self.status,
            epoch=self.epoch,
            next_seq=self.rows.next_seq,
            next_index=self.rows.next_index,
            created_s=self.created_s,
            changed_s=self.changed_s,
            wake_at_s=self.wake_at_s,
            request=self.request,
            plan=new.plan,
            properties=new.properties,
        )

    @property
    def lease(self) -> Lease:
        """The lease of its owner of now."""
        return Lease(
            run_id=self.new.run_id,
            scope=self.new.scope,
            epoch=self.epoch,
            next_seq=self.rows.next_seq,
            next_index=self.rows.next_index,
        )

    def claimed(self, now_s: float) -> None:
        """A worker has it from now on. That is no news for readers: there is nothing more to read by it."""
        self.epoch += 1
        self.status = RunStatus.OWNED
        self.changed_s = now_s
        self.wake_at_s = None

    def change(self, status: RunStatus, now_s: float, *, wake_at_s: float | None = None) -> None:
        """Move to a status, and let its readers look."""
        self.status = status
        self.changed_s = now_s
        self.wake_at_s = wake_at_s
        self.readers.wake()

    def take_in(self, key: str, kind: str, body: bytes) -> bool:
        """Put a message into the inbox, once for each key."""
        if key in self.keys:
            return False
        number = len(self.keys)
        self.keys.add(key)
        self.kinds.add(kind)
        self.inbox[number] = Message(number=number, key=key, kind=kind, body=body)
        return True
