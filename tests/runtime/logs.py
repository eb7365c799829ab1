"""Logs written by hand: shared by the tests of what is read from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.adapters.stores.memory import MemoryStore
from treadle.ports.clock import Clock
from treadle.testing.fake_clock import FakeClock
from treadle.values import events as ev
from treadle.values.facts import RequestKept, RoundOpened
from treadle.values.ids import RunId, ThreadId
from treadle.values.limits import RunRules
from treadle.values.model import TEXT
from treadle.values.outcome import InvocationOutcome
from treadle.values.records import Entry
from treadle.values.requests import TurnRequest
from treadle.values.runs import Lease, NewRun, OnBusyThread, RunStatus
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

RUN = RunId("r1")
SCOPE = "s"
REQUEST = TurnRequest(prompt="1+2?", run_id=RUN, root_run_id=RUN, thread_id=ThreadId("t"))
RULES = RunRules(agent="a", model="m")


class Hand:
    """Writes a log entry by entry, for any number of owners one after the other."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.store = MemoryStore(clock or FakeClock())
        self.lease = Lease(run_id=RUN, scope=SCOPE, epoch=0, next_seq=0, next_index=0)
        self.seq = 0
        self.index = 0

    async def create(self, run_id: RunId = RUN) -> None:
        """A run that was started."""
        new = NewRun(
            run_id=run_id,
            scope=SCOPE,
            thread_id=ThreadId("t"),
            agent="a",
            digest="d",
            request=b"",
            plan="p",
            on_busy=OnBusyThread.QUEUE,
        )
        await self.store.create(new)

    async def own(self) -> None:
        """Claim it; where it is owned already, as another owner."""
        lease = await self.store.claim("w", plans={"p"}, ttl_s=0.0)
        assert lease is not None
        self.lease = lease
        self.seq, self.index = lease.next_seq, lease.next_index

    async def write(self, *stretches: Stretch, status: RunStatus = RunStatus.OWNED) -> None:
        """Append."""
        await self.store.append(self.lease, stretches, status=status)

    def said(self, *texts: str, passage: int = 1, kind: str = TEXT) -> SpeechStretch:
        """Text, piece by piece."""
        made = SpeechStretch(seq=self.seq, index=self.index, kind=kind, key=passage, texts=texts, at_s=0.0)
        self.seq += made.records
        self.index += made.events
        return made

    def entries(self, *entries: Entry) -> EntryStretch:
        """Events and facts."""
        made = EntryStretch(seq=self.seq, index=self.index, entries=entries, at_s=0.0)
        self.seq += made.records
        self.index += made.events
        return made

    def event(self, kind: Any, **fields: Any) -> Any:  # noqa: ANN401 (any class of event and its fields)
        """An event at the next index."""
        return kind(index=self.index, run_id=self.lease.run_id, **fields)

    def begun(self) -> Sequence[Stretch]:
        """The beginning of a run."""
        kept = self.entries(RequestKept(request=REQUEST, rules=RULES))
        started = self.entries(started_event(self.index))
        opened = self.entries(RoundOpened(round=1, attempt=1))
        round_started = self.event(ev.RoundStarted, round=1, attempt=1, model="m")
        return kept, started, opened, self.entries(round_started)

    def done(self, text: str = "") -> EntryStretch:
        """The end of a run."""
        return self.entries(self.event(ev.Done, outcome=InvocationOutcome(text=text), termination="completed"))


def started_event(index: int) -> ev.RunStarted:
    """`run_started` at an index."""
    return ev.RunStarted(
        index=index,
        run_id=RUN,
        agent="a",
        thread_id=ThreadId("t"),
        root_run_id=RUN,
        parent_run_id=None,
        prompt="1+2?",
        tool_call_limit=64,
    )
