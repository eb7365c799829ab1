"""Runs told to clients: what the tests of this projection have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tests.projections.agui.client import Client
from tests.projections.agui.expected import said_in
from tests.projections.agui.rules import Event, read
from tests.projections.legal_logs import LegalRun
from tests.projections.log_cuts import recut, singles
from treadle.projections.agui.project import AguiRun
from treadle.projections.agui.telling import Telling
from treadle.values.ids import RunId
from treadle.values.stretches import Stretch

USER = {"id": "user-1", "role": "user", "content": "hi"}
TELLING = Telling(
    thread_id="t1",
    run_id="run-0",
    before=(("user-1", json.dumps(USER)),),
    user_message_id="user-1",
    token_of=lambda pending: f"token of {pending.interrupt_id}",
)


def told(stretches: Iterable[Stretch], telling: Telling = TELLING, *, run_id: str = "r1") -> list[str]:
    """All payloads of a run."""
    projection = AguiRun(RunId(run_id), telling)
    return [payload for stretch in stretches for payload in projection.payloads(stretch)]


def events_of_runs(run: LegalRun) -> list[list[Event]]:
    """The events of each of their runs: of each segment, told to the one who was told those before."""
    after, runs = -1, []
    for number, closing in enumerate(said_in(run.events).closings):
        telling = replace(TELLING, run_id=f"run-{number}", after=after)
        runs.append(read(told(run.stretches, telling)))
        after = closing
    return runs


def client_of(runs: Sequence[Sequence[Event]]) -> Client:
    """One client that was told all of them."""
    client = Client(messages=[dict(USER)])
    for events in runs:
        client.take(events)
    return client


def names(events: Iterable[Event]) -> list[Any]:
    """The types of events."""
    return [event["type"] for event in events]


@dataclass(frozen=True)
class Back:
    """A page that comes back: the messages that it held, and the events of each of their runs that it is told then."""

    held: list[dict[str, Any]]
    runs: list[list[Event]]


def come_back(run: LegalRun, lot: int, *, cut: int = 0) -> Back:
    """A page that was told a run up to some event, and comes back at a later one."""
    dice = Random(lot)
    seen, after = sorted(dice.randint(-1, run.events[-1].index) for _ in range(2))
    rests = after == run.events[-1].index
    client, projection = Client(messages=[dict(USER)]), AguiRun(run.run_id, TELLING)
    for stretch in singles(run.stretches):
        if stretch.index + stretch.events - 1 <= seen:
            client.take(read(projection.payloads(stretch)))
    begun, runs = after, []
    for closing in said_in(run.events).closings:
        if closing > begun or (rests and closing == after):
            telling = replace(TELLING, run_id=f"run-{len(runs)}", after=begun, rests=rests)
            telling = replace(telling, snapshots=begun == after >= 0)
            runs.append(read(told(recut(run.stretches, cut), telling)))
            begun = closing
    return Back(held=[dict(one) for one in client.messages], runs=runs)


def solid(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages without what is left of reasoning that was taken back: nothing."""
    return [one for one in messages if one["role"] != "reasoning" or one["content"]]
