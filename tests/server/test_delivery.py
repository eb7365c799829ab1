"""One reader's response, over the whole application, in virtual time."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, LoopClock, StoreInHand, pass_time, until, virtually
from tests.server.calls import JSON, NDJSON, SSE, Call, ask, started, text_of
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.server import Server
from treadle.errors import RunLogError
from treadle.server.delivery import STREAM_HEADERS, Ending
from treadle.server.pulse import HEARTBEAT_S, Rhythm

LONG = "text: " + "|".join(f"{number} " for number in range(2000))
QUICK = Rhythm(heartbeat_s=1.0, frozen_s=5.0, recheck_s=2.0)


def endings(server: Server) -> dict[str, float]:
    """How streams have ended, by why."""
    return {
        ending.value: count
        for ending in Ending
        if (count := server.metrics.streams_ended.labels(ending.value)._value.get())  # noqa: SLF001 (read, not changed)
    }


@pytest.mark.requirement("SERVE-stream")
@virtually
async def test_a_start_may_be_answered_with_the_stream_itself() -> None:
    """Issue: with `Accept: text/event-stream` 200 and the stream."""
    async with Server([scripted("text: It |is 3.")]) as server:
        call = await ask(server.asgi, "POST", "/v1/runs", JSON, SSE, body={"agent": "a", "prompt": "hi"})
    assert (call.status, call.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert {name: call.headers[name] for name in STREAM_HEADERS} == dict(STREAM_HEADERS)
    assert call.ids == [f"1:{index}" for index in range(len(call.events))]
    for event in call.events:
        told = json.loads(event.data)
        assert (told["kind"], told["index"]) == (event.event, int(event.event_id.partition(":")[2]))
    assert (call.text, call.kinds[-1], call.is_complete) == ("It is 3.", "done", True)
    assert call.headers["location"] == f"/v1/runs/{json.loads(call.events[0].data)['run_id']}"
    assert b"\r" not in call.body


@virtually
async def test_the_first_byte_comes_before_the_run_has_said_anything() -> None:
    """Issue: early first byte."""
    async with Server([scripted("gate: go\ntext: ok")]) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(lambda call: call.bodies)
            assert call.bodies[0][1] == b": treadle\n\n"


@virtually
async def test_silence_is_broken_by_comments_and_they_are_no_events() -> None:
    """Source: BR-137, BR-140. Every three seconds of silence, and the run is not disturbed by it."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            quiet_s = call.bodies[-1][0]
            await pass_time(10.1)
            pings = [at_s - quiet_s for at_s, body in call.bodies if body == b": ping\n\n"]
            assert len(pings) == 3
            assert all(
                HEARTBEAT_S * number <= at_s <= (HEARTBEAT_S + 0.5) * number for number, at_s in enumerate(pings, 1)
            )
            model_of(agent).open_gate("go")
            await call.over()
    assert (call.text, call.kinds[-1]) == ("It is 3.", "done")
    assert call.ids == [f"1:{index}" for index in range(len(call.ids))]


@virtually
async def test_lines_of_json_carry_their_cursor_and_an_empty_line_breaks_the_silence() -> None:
    """Issue: NDJSON by Accept."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=QUICK) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events", NDJSON) as call:
            await pass_time(1.3)
            model_of(agent).open_gate("go")
            await call.over()
    assert call.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    lines = call.body.decode().split("\n")
    told = [json.loads(line) for line in lines if line]
    assert lines.count("") == 2  # one heartbeat, and the end of the last line
    assert [event["cursor"] for event in told] == [f"1:{index}" for index in range(len(told))]
    assert told[-1]["kind"] == "done"


@pytest.mark.requirement("SERVE-resume")
@virtually
async def test_whoever_comes_back_gets_the_rest_wherever_it_left() -> None:
    """Source: BR-020, BR-023, BR-024. For every cursor: what lies behind it, once, in order, to the final event."""
    async with Server([scripted("text: It |is |3.")]) as server:
        run_id = await started(server.asgi)
        whole = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events")
        for index, cursor in enumerate(whole.ids[:-1]):
            by_header = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events", ("last-event-id", cursor))
            by_query = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events?after={cursor}")
            assert by_header.events == by_query.events == whole.events[index + 1 :]
        stale = f"/v1/runs/{run_id}/events?after={whole.ids[0]}"
        newer = await ask(server.asgi, "GET", stale, ("last-event-id", whole.ids[-2]))
        assert newer.events == whole.events[-1:]
        over = await ask(server.asgi, "GET", stale, ("last-event-id", whole.ids[-1]))
        assert (over.status, over.body) == (204, b"")


@virtually
async def test_leaving_is_not_stopping_and_coming_back_finds_all_of_it() -> None:
    """Promise 6, BR-020: the run goes on without its reader."""
    agent = scripted("text: It \ngate: go\ntext: is \ngate: on\ntext: 3.")
    async with Server([agent]) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as first:
            await first.until(first.said("text_delta"))
        assert not first.is_complete
        model_of(agent).open_gate("go")
        await pass_time(1)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events", ("last-event-id", first.ids[-1])) as second:
            await second.until(second.said("text_delta"))
            model_of(agent).open_gate("on")
            await second.over()
        assert text_of(first.events + second.events) == "It is 3."
        assert first.ids + second.ids == [f"1:{index}" for index in range(len(first.ids + second.ids))]
        assert endings(server) == {"left": 1, "read": 1}


@pytest.mark.parametrize(
    ("rule", "state"), [("cancel", "cancelled"), ("continue 10 s", "cancelled"), ("continue", "owned")]
)
@virtually
async def test_what_leaving_does_is_the_run_s_own_rule(rule: str, state: str) -> None:
    """Design §8: `on_disconnect`."""
    async with Server([scripted(GATED)], rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi, on_disconnect=rule)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
        await pass_time(11)
        told = (await ask(server.asgi, "GET", f"/v1/runs/{run_id}")).json
    assert (told["state"], told["text"]) == (state, "It ")


@virtually
async def test_a_stream_that_was_read_to_its_end_was_not_left() -> None:
    """Ours: the end of a stream is no leaving, so a rule to cancel finds nothing to do at a pause."""
    async with Server([scripted("text: ok")]) as server:
        call = await ask(
            server.asgi, "POST", "/v1/runs", JSON, SSE, body={"agent": "a", "prompt": "hi", "on_disconnect": "cancel"}
        )
        await pass_time(1)
        assert call.kinds[-1] == "done"


@pytest.mark.requirement("SERVE-frozen")
@virtually
async def test_a_client_that_reads_nothing_is_ended_and_can_come_back() -> None:
    """Promise 12, BR-133: bounded, ended without an end marker, nothing is lost."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=QUICK) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            call.freeze()
            model_of(agent).open_gate("go")
            await pass_time(6)
            assert call.task is not None
            assert call.task.done()
            assert not call.is_complete
            assert endings(server) == {"frozen": 1}
        rest = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events", ("last-event-id", call.ids[-1]))
    assert text_of(call.events + rest.events) == "It is 3."


@virtually
async def test_a_frozen_client_is_found_also_where_only_a_heartbeat_is_under_way() -> None:
    """Ours: whichever send it is that does not end."""
    async with Server([scripted(GATED)], rhythm=replace(QUICK, drain_s=0)) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            call.freeze()
            await pass_time(10)
            assert endings(server) == {"frozen": 1}


@virtually
async def test_what_comes_during_a_heartbeat_waits_for_it() -> None:
    """Ours: two sends of one response never cross."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=QUICK) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            call.freeze()
            await pass_time(1.6)
            model_of(agent).open_gate("go")
            await pass_time(1)
            call.thaw()
            await call.over()
    assert call.text == "It is 3."
    assert b": ping\n\n" in [body for _, body in call.bodies]


@virtually
async def test_a_reader_gets_all_that_is_there_in_few_sends() -> None:
    """Promise 12: several events a send, each send bounded."""
    async with Server([scripted(LONG)]) as server:
        run_id = await started(server.asgi)
        await server.runner.wait(run_id)
        call = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events")
    sizes = [len(body) for _, body in call.bodies]
    assert call.text == "".join(f"{number} " for number in range(2000))
    assert len(sizes) < 12
    assert max(sizes) < 256 * 1024


@virtually
async def test_a_log_that_fails_breaks_the_stream_off_and_the_operator_is_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Source: BR-203 turned round. No end marker that says all is well, and no text of the failure on the wire."""
    secret = "disk /dev/secret is gone"

    class Failing(StoreInHand):
        async def read(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401 (never comes)
            raise RunLogError(secret)

    agent = scripted(GATED)
    async with Server([agent], store=Failing(MemoryStore(LoopClock())), rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi)
        with caplog.at_level(logging.ERROR, "treadle.server"):
            call = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events")
        assert (call.status, call.is_complete) == (200, False)
        assert secret.encode() not in call.body
        assert "broke off" in caplog.text
        assert endings(server) == {"failed": 1}


@virtually
async def test_a_server_that_drains_ends_its_streams_so_that_they_come_back() -> None:
    """Design §9: drain on shutdown. The run is given back; the stream ends without a closing event."""
    agent, store = scripted(GATED), MemoryStore(LoopClock())
    async with Server([agent], store=store, rhythm=Rhythm(drain_s=1)) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            draining = asyncio.create_task(server.drain())
            await pass_time(0.5)
            refused = await ask(server.asgi, "POST", "/v1/runs", JSON, body={"agent": "a", "prompt": "hi"})
            assert (refused.status, refused.json["code"]) == (503, "stopping")
            assert (await ask(server.asgi, "GET", "/readyz")).status == 503
            await draining
            await call.over()
            assert (call.is_complete, call.kinds[-1]) == (True, "text_delta")
            assert endings(server) == {"drained": 1}
    async with Server([agent], store=store) as server:
        model_of(agent).open_gate("go")
        rest = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events", ("last-event-id", call.ids[-1]))
    assert rest.kinds[-1] == "done"


@virtually
async def test_a_client_that_comes_back_to_a_server_that_has_drained_holds_nothing_up() -> None:
    """Ours: it is told what is there, and then ended as the others were; else a server would wait for it for ever."""
    async with Server([scripted(GATED)], rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            await server.drain()
            await call.over()
        again = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events")
        assert (again.ids, again.kinds[-1], again.is_complete) == (call.ids, "text_delta", True)
        assert endings(server) == {"drained": 2}


@virtually
async def test_a_run_that_ends_while_the_server_drains_is_read_to_its_end() -> None:
    """Design §9: live runs have their time."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=Rhythm(drain_s=10)) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            draining = asyncio.create_task(server.drain())
            await pass_time(1)
            model_of(agent).open_gate("go")
            await draining
            await call.over()
    assert (call.text, call.kinds[-1]) == ("It is 3.", "done")


@virtually
async def test_a_head_request_is_told_the_headers_and_reads_nothing() -> None:
    """HTTP: HEAD has no body."""
    async with Server([scripted(GATED)], rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi, on_disconnect="cancel")
        call = await ask(server.asgi, "HEAD", f"/v1/runs/{run_id}/events")
        assert (call.status, call.body) == (200, b"")
        assert endings(server) == {}


@virtually
async def test_nothing_is_left_of_streams_that_are_over() -> None:
    """Ours: no task, no place, no reader."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=replace(QUICK, drain_s=0)) as server:
        before = asyncio.all_tasks()
        run_id = await started(server.asgi)
        for _ in range(5):
            async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
                await call.until(call.said("text_delta"))
                await pass_time(3)
        model_of(agent).open_gate("go")
        await server.runner.wait(run_id)
        await until(lambda: asyncio.all_tasks() <= before | {asyncio.current_task()})
        assert server.readers == 0


@virtually
async def test_a_server_that_cancels_a_response_is_not_held_up() -> None:
    """Ours: a stream ends itself by a cancel of its own, and anybody else's passes through it and leaves nothing."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        run_id = await started(server.asgi)
        call = Call(server.asgi, "GET", f"/v1/runs/{run_id}/events")
        await call.__aenter__()
        await call.until(call.said("text_delta"))
        assert call.task is not None
        call.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call.task
        assert (endings(server), server.readers) == ({"left": 1.0}, 0)
        model_of(agent).open_gate("go")
