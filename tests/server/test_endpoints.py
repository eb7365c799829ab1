"""What each route does. How streams are delivered is in test_delivery.py, who may ask in test_routes.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, World, everywhere, pass_time, paying, virtually
from tests.server.calls import JSON, SSE, Call, ask, started
from treadle.app.server import Server
from treadle.server.access.admission import Caps
from treadle.server.pulse import Rhythm
from treadle.values.runs import RunStatus

HI = {"agent": "a", "prompt": "hi"}


async def post(
    server: Server, path: str = "/v1/runs", body: Mapping[str, Any] | bytes = HI, *headers: tuple[str, str]
) -> Call:
    """Post JSON."""
    return await ask(server.asgi, "POST", path, JSON, *headers, body=body)


async def get(server: Server, path: str, *headers: tuple[str, str]) -> Call:
    """Get."""
    return await ask(server.asgi, "GET", path, *headers)


@everywhere
async def test_a_run_is_started_looked_at_listed_and_deleted(world: World) -> None:
    """Issue: the routes, over both stores."""
    async with Server([scripted("text: It is 3.")], store=world.store) as server:
        made = await post(server, body={**HI, "thread_id": "t1"})
        run_id = made.json["run_id"]
        assert (made.status, made.json["thread_id"], made.json["state"]) == (201, "t1", "ready")
        assert made.headers["location"] == f"/v1/runs/{run_id}"
        await server.runner.wait(run_id)
        view = (await get(server, f"/v1/runs/{run_id}")).json
        assert (view["state"], view["text"], view["answer"]) == ("done", "It is 3.", "It is 3.")
        listed = (await get(server, "/v1/runs")).json
        assert ([run["run_id"] for run in listed["runs"]], listed["next_before"]) == ([run_id], None)
        thread = (await get(server, "/v1/threads/t1")).json
        assert [run["text"] for run in thread["runs"]] == ["It is 3."]
        gone = await ask(server.asgi, "DELETE", f"/v1/runs/{run_id}")
        assert (gone.status, gone.body) == (204, b"")
        assert (await get(server, f"/v1/runs/{run_id}")).status == 404
        assert (await ask(server.asgi, "DELETE", f"/v1/runs/{run_id}")).status == 404


@pytest.mark.requirement("SERVE-key")
@virtually
async def test_a_key_starts_one_run_however_often_it_is_sent() -> None:
    """Source: BR-027. The run is executed once; a repeated start joins it, also for its stream."""
    agent = scripted("text: ok")
    async with Server([agent]) as server:
        first = await post(server, "/v1/runs", {**HI, "key": "k"}, SSE)
        again = await post(server, "/v1/runs", {**HI, "key": "k"}, SSE)
        rest = await post(server, "/v1/runs", {**HI, "key": "k"}, SSE, ("last-event-id", first.ids[-2]))
        named = await post(server, "/v1/runs", {**HI, "key": "k"})
        other = await post(server, "/v1/runs", {**HI, "key": "k", "prompt": "other"})
    assert first.events == again.events
    assert rest.events == first.events[-1:]
    assert (named.status, named.json["state"]) == (200, "done")
    assert (other.status, other.json["code"]) == (422, "key_reused")
    assert len(model_of(agent).asks) == 1


@virtually
async def test_a_cursor_that_a_new_run_cannot_have_given_is_not_looked_at() -> None:
    """Ours: nobody can have seen anything of a run that has only now begun."""
    async with Server([scripted("text: ok")]) as server:
        call = await post(server, "/v1/runs", HI, SSE, ("last-event-id", "1:5"))
    assert (call.status, call.ids[0]) == (200, "1:0")


@pytest.mark.parametrize(
    ("cursor", "reset_to"),
    [("nonsense", None), ("1:999", "1:4"), ("7:1", None), ("0:1", None), ("1:-1", None), ("5\nevent: error", None)],
)
@pytest.mark.requirement("SERVE-cursor")
@virtually
async def test_a_cursor_that_is_none_of_this_run_is_refused_before_the_status_line(
    cursor: str, reset_to: str | None
) -> None:
    """Issue: malformed, from the future, from another history; BR-129. It says where to go on."""
    async with Server([scripted("text: ok")]) as server:
        run_id = await started(server.asgi)
        await server.runner.wait(run_id)
        for call in (
            await get(server, f"/v1/runs/{run_id}/events", ("last-event-id", cursor)),
            await get(server, f"/v1/runs/{run_id}/events?after={cursor.replace(chr(10), '%0A')}"),
        ):
            assert (call.status, call.json["code"], call.json.get("reset_to")) == (400, "bad_cursor", reset_to)
            assert set(call.json) >= {"code", "message", "reference"}


@virtually
async def test_a_stop_is_taken_once_carried_out_at_once_and_harmless_again() -> None:
    """Promise 6, BR-026: also on a stream that was left and taken up again."""
    async with Server([scripted(GATED)]) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as first:
            await first.until(first.said("text_delta"))
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events", ("last-event-id", first.ids[-1])) as second:
            stop = await post(server, f"/v1/runs/{run_id}/cancel", {"reason": "enough"})
            assert (stop.status, stop.json["accepted"]) == (202, True)
            await second.over()
        assert second.kinds[-1] == "cancelled"
        again = await post(server, f"/v1/runs/{run_id}/cancel", b"")
        assert (again.status, again.json) == (200, {"run_id": run_id, "state": "cancelled", "accepted": False})
        view = (await get(server, f"/v1/runs/{run_id}")).json
        assert (view["state"], view["text"]) == ("cancelled", "It ")


@virtually
async def test_a_pause_ends_a_stream_that_reads_a_segment_and_not_one_that_reads_the_run() -> None:
    """Issue: `?follow=segment|run`, the first by default."""
    async with Server([paying()], rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi)
        segment = await get(server, f"/v1/runs/{run_id}/events")
        assert segment.kinds[-1] == "interrupt"
        assert (await get(server, f"/v1/runs/{run_id}/events?after={segment.ids[-1]}")).status == 204
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events?follow=run") as call:
            await call.until(call.said("interrupt"))
            await post(server, f"/v1/runs/{run_id}/cancel", b"")
            await call.over()
        assert call.kinds[-3:] == ["resumed", "tool_result", "cancelled"]
        view = (await get(server, f"/v1/runs/{run_id}")).json
        assert view["state"] == "cancelled"


@virtually
async def test_runs_are_listed_a_page_at_a_time() -> None:
    """Ours: newest first, and where the next page begins."""
    async with Server([scripted("text: ok")]) as server:
        runs = [await started(server.asgi, thread_id=f"t{number % 2}") for number in range(5)]
        for run_id in runs:
            await server.runner.wait(run_id)
        first = (await get(server, "/v1/runs?limit=3")).json
        second = (await get(server, f"/v1/runs?limit=3&before={first['next_before']}")).json
        told = [run["run_id"] for page in (first, second) for run in page["runs"]]
        assert (told, second["next_before"]) == (runs[::-1], None)
        of_thread = (await get(server, "/v1/runs?thread_id=t1&state=done")).json["runs"]
        assert [run["run_id"] for run in of_thread] == [runs[3], runs[1]]
        assert (await get(server, "/v1/runs?state=owned")).json["runs"] == []
        assert (await get(server, "/v1/runs?before=nobody")).status == 404


@virtually
async def test_a_thread_is_deleted_whole_or_not_at_all() -> None:
    """Issue: `DELETE`. A live run is not deleted from under its readers."""
    agent = scripted(GATED)
    async with Server([agent], rhythm=Rhythm(drain_s=0)) as server:
        first = await started(server.asgi, thread_id="t")
        assert (await ask(server.asgi, "DELETE", f"/v1/runs/{first}")).json["code"] == "run_live"
        waiting = await started(server.asgi, thread_id="t", prompt="again", on_busy="queue")
        refused = await ask(server.asgi, "DELETE", "/v1/threads/t")
        assert (refused.status, refused.json["code"]) == (409, "run_live")
        assert (await get(server, f"/v1/runs/{first}")).status == 200
        model_of(agent).open_gate("go")
        await server.runner.wait(waiting)
        assert (await ask(server.asgi, "DELETE", "/v1/threads/t")).status == 204
        for path in (f"/v1/runs/{first}", f"/v1/runs/{waiting}", "/v1/threads/t"):
            assert (await get(server, path)).status == 404


@virtually
async def test_what_was_never_shown_can_be_deleted_by_itself() -> None:
    """Design §3: facts of a final run can be deleted on their own."""
    async with Server([scripted("text: ok")]) as server:
        run_id = await started(server.asgi)
        await server.runner.wait(run_id)
        assert (await ask(server.asgi, "DELETE", f"/v1/runs/{run_id}?facts_only=true")).status == 204
        assert (await get(server, f"/v1/runs/{run_id}")).json["text"] == "ok"


@virtually
async def test_a_busy_thread_refuses_or_queues_as_the_start_says() -> None:
    """Design §6: `reject | queue | cancel_previous`."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        await started(server.asgi, thread_id="t")
        refused = await post(server, body={**HI, "thread_id": "t"})
        assert (refused.status, refused.json["code"]) == (409, "thread_busy")
        queued = await post(server, body={**HI, "thread_id": "t", "on_busy": "queue"})
        assert queued.status == 201
        model_of(agent).open_gate("go")
        assert (await server.runner.wait(queued.json["run_id"])).state is RunStatus.DONE


@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ([JSON], b"{", 400, "bad_request"),
        ([JSON], {**HI, "agent": "nobody"}, 400, "bad_request"),
        ([JSON, ("content-length", "99999999")], b"x", 413, "body_too_large"),
        ([JSON], {"agent": "a", "prompt": "x" * 2000}, 413, "body_too_large"),
    ],
)
@virtually
async def test_what_is_no_start_is_refused_and_starts_nothing(
    headers: list[tuple[str, str]], body: bytes | dict[str, Any], status: int, code: str
) -> None:
    """Source: D37, D42. Before the status line, also where a stream was asked for."""
    async with Server([scripted("text: ok")], caps=Caps(body_bytes=1000)) as server:
        for accept in ([], [SSE]):
            call = await ask(server.asgi, "POST", "/v1/runs", *headers, *accept, body=body)
            assert (call.status, call.json["code"]) == (status, code)
            assert call.headers["content-type"] == "application/json"
        assert await server.runner.runs() == []


@virtually
async def test_full_houses_refuse_before_anything_is_started() -> None:
    """Source: D37. 429 with Retry-After; a stream without room starts no run."""
    async with Server([scripted(GATED)], caps=Caps(live_runs=2, readers=1), rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi)
        async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
            await call.until(call.said("text_delta"))
            for refused in (
                await get(server, f"/v1/runs/{run_id}/events"),
                await post(server, "/v1/runs", HI, SSE),
            ):
                assert (refused.status, refused.json["code"]) == (429, "too_many_readers")
                assert int(refused.headers["retry-after"]) > 0
            assert len(await server.runner.runs()) == 1
        await started(server.asgi)
        full = await post(server)
        assert (full.status, full.json["code"]) == (429, "too_many_runs")
        await post(server, f"/v1/runs/{run_id}/cancel", b"")
        await server.runner.wait(run_id)
        await pass_time(2)
        assert (await post(server)).status == 201


@virtually
async def test_a_run_whose_log_is_too_large_is_stopped() -> None:
    """Issue: caps on the events and the log of a run."""
    async with Server([scripted("text: " + "|".join("x" * 40) + "\ngate: go")], caps=Caps(run_events=20)) as server:
        run_id = await started(server.asgi)
        view = await server.runner.wait(run_id)
        events = [record.event async for record in server.runner.watch(run_id)]
    assert view.state is RunStatus.CANCELLED
    assert events[-1].reason == "log_too_large"  # type: ignore[union-attr]  # it is cancelled


@virtually
async def test_a_ticket_opens_one_run_once_for_a_reader_without_headers() -> None:
    """Issue: a single-use ticket for native `EventSource`."""
    async with Server([scripted("text: ok")]) as server:
        run_id, other = await started(server.asgi), await started(server.asgi)
        ticket = (await post(server, f"/v1/runs/{run_id}/ticket", b"")).json["ticket"]
        assert (await get(server, f"/v1/runs/{run_id}/events?ticket={ticket}")).kinds[-1] == "done"
        spent = await get(server, f"/v1/runs/{run_id}/events?ticket={ticket}")
        assert (spent.status, spent.json["code"]) == (401, "ticket_refused")
        ticket = (await post(server, f"/v1/runs/{run_id}/ticket", b"")).json["ticket"]
        assert (await get(server, f"/v1/runs/{other}/events?ticket={ticket}")).status == 401


@virtually
async def test_agents_are_listed_by_name_alone() -> None:
    """Source: D40 turned round. No instructions, no tools, no model."""
    async with Server([scripted("text: ok", instructions="be secret")]) as server:
        assert (await get(server, "/v1/agents")).json == {"agents": [{"name": "a"}]}
