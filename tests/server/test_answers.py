"""Runs as the JSON that a client is answered with."""

from __future__ import annotations

import json
from typing import Any

from tests.runtime.logs import SCOPE, Hand
from tests.runtime.stores import virtually
from treadle.projections.plain.wire import Integers
from treadle.runtime.run_view import RunView, view_of
from treadle.runtime.scoped_runs import StartedRun
from treadle.runtime.thread_history import stored_run
from treadle.server.answers import answer, started_json, state_json, thread_json, view_json
from treadle.server.openapi import document
from treadle.values import events as ev
from treadle.values.ids import RunId, ThreadId
from treadle.values.outcome import InvocationOutcome
from treadle.values.runs import RunStatus

SCHEMAS = document(root_path="", agents=["a"])["components"]["schemas"]


async def view(*, is_done: bool, output: Any = None) -> RunView:  # noqa: ANN401 (a foreign value)
    """A run that said something."""
    hand = Hand()
    await hand.create()
    await hand.own()
    await hand.write(*hand.begun(), hand.said("It is 3."))
    if is_done:
        outcome = InvocationOutcome(text="It is 3.", output=output)
        await hand.write(hand.entries(hand.event(ev.Done, outcome=outcome)), status=RunStatus.DONE)
    return view_of(*await stored_run(hand.store, SCOPE, hand.lease.run_id))


def test_an_answer_is_json_that_nobody_keeps() -> None:
    """Source: BR-138. What a run says is for whoever asked."""
    made = answer({"a": "\u2028"}, status=201, headers={"location": "/x"})
    assert (made.status_code, made.headers["cache-control"], made.headers["location"]) == (201, "no-store", "/x")
    assert made.headers["content-type"] == "application/json"
    assert bytes(made.body) == b'{"a":"\\u2028"}'


def test_large_integers_are_text_where_the_reader_asks() -> None:
    """Issue: text by option."""
    assert bytes(answer({"a": 2**60}).body) == b'{"a":1152921504606846976}'
    assert bytes(answer({"a": 2**60}, integers=Integers.TEXT).body) == b'{"a":"1152921504606846976"}'


@virtually
async def test_a_run_at_a_glance_has_the_fields_that_are_published() -> None:
    """Issue: `state, text, answer, usage, …`."""
    live, done = view_json(await view(is_done=False)), view_json(await view(is_done=True, output={"sum": 3}))
    assert set(live) == set(done) == set(SCHEMAS["Run"]["properties"])
    assert (live["state"], live["text"], live["prompt"], live["cursor"]) == ("owned", "It is 3.", "1+2?", "1:2")
    assert (live["duration_ms"], live["output"]) == (None, None)
    assert (done["state"], done["output"], done["cursor"]) == ("done", {"sum": 3}, "1:3")
    json.dumps([live, done], allow_nan=False)


@virtually
async def test_a_thread_tells_its_runs_in_order_and_the_live_one() -> None:
    """Ours: a page that is opened again shows what was said, and follows what goes on."""
    live, done = await view(is_done=False), await view(is_done=True)
    told = thread_json("t", [done, live])
    assert set(told) == set(SCHEMAS["Thread"]["properties"])
    assert ([run["state"] for run in told["runs"]], told["live_run_id"]) == (["done", "owned"], live.run_id)
    assert thread_json("t", [done])["live_run_id"] is None


@virtually
async def test_a_start_and_a_state_have_the_fields_that_are_published() -> None:
    """Issue: 201 `{run_id, thread_id, state}`."""
    hand = Hand()
    await hand.create()
    state = await hand.store.state(SCOPE, hand.lease.run_id)
    assert set(state_json(state)) == set(SCHEMAS["State"]["properties"])
    run = StartedRun(run_id=RunId("r1"), thread_id=ThreadId("t"), state=RunStatus.READY, is_new=True)
    assert started_json(run) == {"run_id": "r1", "thread_id": "t", "state": "ready"}
    assert set(started_json(run)) == set(SCHEMAS["Started"]["properties"])
