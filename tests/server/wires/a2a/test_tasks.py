"""Tasks that are there: given, listed, stopped, subscribed to."""

from __future__ import annotations

import json

import pytest

from tests.projections.a2a.task_folds import folded, joined, read, task_of_10
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, World, everywhere, pass_time, virtually
from tests.server.wires.a2a.agents_asked import Client, calling, clients, message, rpc
from tests.server.wires.a2a.test_messages import ASKING
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.plan.questions import ask_user
from treadle.projections.a2a.wire import Shape
from treadle.runtime.audit import audit_of
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.server.access import ApiKeys, Principal
from treadle.values.ids import RunId
from treadle.values.runs import RunState

ANN, BOB = "key-of-ann-0123456789", "key-of-bob-0123456789"
TWO_SCOPES = ApiKeys({ANN: Principal(name="ann", scope="acme"), BOB: Principal(name="bob", scope="globex")})
AT_ONCE = {"returnImmediately": True}


async def begun(server: Server, **more: object) -> str:
    """A task that was begun and not waited for."""
    sent = message(configuration=AT_ONCE, **more)
    task_id: str = (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]["id"]
    return task_id


@pytest.mark.requirement("A2A-foreign", "D39")
@virtually
async def test_a_foreign_task_is_as_one_that_is_not_there() -> None:
    """A2A 1.0, security: task ids are no rights; every operation answers alike for foreign and absent."""
    other = Agent(name="b", model=scripted("text: b").model)
    async with Server([scripted("text: ok"), other], access=TWO_SCOPES) as server:
        mine = (await rpc(server.asgi, "SendMessage", message(), ("x-api-key", ANN))).json["result"]["task"]["id"]
        for method, params in (
            ("GetTask", {"id": mine}),
            ("CancelTask", {"id": mine}),
            ("SubscribeToTask", {"id": mine}),
            ("SendMessage", message(taskId=mine)),
            ("ListTaskPushNotificationConfigs", {"taskId": mine}),
        ):
            text = json.dumps(params).replace(mine, "r_nothing")
            foreign = (await rpc(server.asgi, method, params, ("x-api-key", BOB))).json["error"]
            absent = (await rpc(server.asgi, method, json.loads(text), ("x-api-key", BOB))).json["error"]
            elsewhere = (await rpc(server.asgi, method, params, ("x-api-key", ANN), agent="b")).json["error"]
            assert foreign["code"] == absent["code"] == elsewhere["code"] == -32001
            assert foreign["message"] == absent["message"] == elsewhere["message"]
        nobody = await rpc(server.asgi, "GetTask", {"id": mine})
        assert (nobody.status, nobody.json["id"]) == (401, None)


@pytest.mark.requirement("BR-145", "BR-142", "A2A-cancel")
@everywhere
async def test_a_cancel_is_told_to_every_reader_and_is_harmless_again(world: World) -> None:
    """BR-142, BR-145: who follows is told; the repeat returns the task; one that is over is not cancelable."""
    agent = scripted(GATED)
    async with Server([agent], store=world.store) as server:
        async with calling(server.asgi, "SendStreamingMessage", message()) as follower:
            await follower.until(lambda call: "artifactUpdate" in call.body.decode())
            task_id = json.loads(follower.events[0].text)["result"]["task"]["id"]
            stopped = (await rpc(server.asgi, "CancelTask", {"id": task_id})).json["result"]
            assert stopped["status"]["state"] == "TASK_STATE_CANCELED"
            await follower.over()
        last = json.loads(follower.events[-1].text)["result"]["statusUpdate"]
        assert last["status"] == stopped["status"]
        for client in clients(server.asgi):
            again = await client.cancel(task_id)
            said = again.json["result"] if client.binding == "rpc" else again.json
            assert task_of_10(said)["status"] == stopped["status"]
        model_of(agent).open_gate("go")
        done = (await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]["id"]
        for client in clients(server.asgi):
            assert client.fault(await client.cancel(done)) == (-32002 if client.binding == "rpc" else 400)


@virtually
async def test_a_task_that_waits_is_cancelled_with_its_pause() -> None:
    """Ours: the log tells how the pause was settled and by whom, and the task is over."""
    ann = ("x-api-key", ANN)
    async with Server([scripted(ASKING, tools=[ask_user])], access=TWO_SCOPES) as server:
        paused = (await rpc(server.asgi, "SendMessage", message(), ann)).json["result"]["task"]
        stopped = (await rpc(server.asgi, "CancelTask", {"id": paused["id"]}, ann)).json["result"]
        assert stopped["status"]["state"] == "TASK_STATE_CANCELED"
        stretches = await server.runner.store.read("acme", RunId(paused["id"]), -1, limit=10_000)
    (found,) = audit_of(stretches, RunId(paused["id"]))
    assert (found.by, found.decision) == ("ann", None)


@virtually
async def test_a_cancel_that_takes_too_long_gives_the_task_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a request has its bound; the task is cancelled when its log says so."""
    async with Server([scripted("text: It \nhang")]) as server:
        task_id = await begun(server)
        await pass_time(1.0)

        async def unheard(_: ScopedRuns, __: str, *, principal: str) -> bool:
            return not principal

        monkeypatch.setattr(ScopedRuns, "cancel", unheard)
        said = (await rpc(server.asgi, "CancelTask", {"id": task_id})).json["result"]
        assert said["status"]["state"] == "TASK_STATE_WORKING"


@pytest.mark.requirement("BR-141", "BR-020", "A2A-subscribe")
@everywhere
async def test_a_dropped_stream_is_taken_up_by_a_subscription_in_every_form(world: World) -> None:
    """BR-141: first the task as it is, then what comes, by either verb; nothing is lost and nothing comes twice."""
    agent = scripted(GATED)
    async with Server([agent], store=world.store) as server:
        async with calling(server.asgi, "SendStreamingMessage", message()) as first:
            await first.until(lambda call: "artifactUpdate" in call.body.decode())
        task_id = json.loads(first.events[0].text)["result"]["task"]["id"]
        async with calling(server.asgi, "SubscribeToTask", {"id": task_id}) as again:
            await again.until(lambda call: call.events)
            assert json.loads(again.events[0].text)["result"]["task"]["artifacts"][0]["parts"] == [{"text": "It "}]
            model_of(agent).open_gate("go")
            await again.over()
        client = Client(server.asgi, Shape.V1_0, "rpc")
        task = folded(read(client.frames(again), Shape.V1_0))
        assert task["artifacts"][0]["parts"] == [{"text": "It is 3."}]
        assert joined((await rpc(server.asgi, "GetTask", {"id": task_id})).json["result"]) == task
        for one in clients(server.asgi):
            assert one.fault(await one.subscribe(task_id)) == (-32004 if one.binding == "rpc" else 400)


@virtually
async def test_a_subscription_is_taken_by_either_verb() -> None:
    """A2A 1.0: the protocol buffers say GET, the prose and both SDKs POST."""
    async with Server([scripted(ASKING, tools=[ask_user])]) as server:
        paused = (await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]["id"]
        for verb in ("GET", "POST"):
            for client in clients(server.asgi):
                (frame,) = read(client.frames(await client.subscribe(paused, verb=verb)), client.frames_shape)
                assert frame["task"]["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"


@virtually
async def test_a_task_that_has_not_begun_can_be_given_and_subscribed_to() -> None:
    """Ours: it is submitted, and its first frame does not wait for it to begin."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        await begun(server, contextId="c")
        queued = await server.runner.start("a", "later", thread_id="c", on_busy="queue")
        given = (await rpc(server.asgi, "GetTask", {"id": queued.run_id})).json["result"]
        assert given["status"]["state"] == "TASK_STATE_SUBMITTED"
        async with calling(server.asgi, "SubscribeToTask", {"id": queued.run_id}) as reader:
            await reader.until(lambda call: call.events)
            assert json.loads(reader.events[0].text)["result"]["task"]["status"] == given["status"]
            model_of(agent).open_gate("go")
            await reader.over()
        frames = [json.loads(event.text)["result"] for event in reader.events]
        assert [next(iter(frame)) for frame in frames[:2]] == ["task", "statusUpdate"]
        assert frames[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("A2A-list")
@everywhere
async def test_tasks_are_listed_by_pages_newest_first(world: World) -> None:
    """A2A 1.0, list: filters, pages, totals; artifacts on demand; the tasks of this agent alone."""
    other = Agent(name="b", model=scripted("text: b").model)
    async with Server([scripted("text: ok"), other], store=world.store) as server:
        await rpc(server.asgi, "SendMessage", message(), agent="b")
        ids = [
            (await rpc(server.asgi, "SendMessage", message(contextId=f"c{at % 2}"))).json["result"]["task"]["id"]
            for at in range(5)
        ]
        first = (await rpc(server.asgi, "ListTasks", {"pageSize": 2})).json["result"]
        assert [task["id"] for task in first["tasks"]] == ids[:2:-1]
        assert (first["totalSize"], first["pageSize"]) == (5, 2)
        assert "artifacts" not in first["tasks"][0]
        rest = (await rpc(server.asgi, "ListTasks", {"pageToken": first["nextPageToken"]})).json["result"]
        assert ([task["id"] for task in rest["tasks"]], rest["nextPageToken"]) == (ids[2::-1], "")
        whole = (await rpc(server.asgi, "ListTasks", {"includeArtifacts": True, "historyLength": 0})).json["result"]
        assert all("artifacts" in task and "history" not in task for task in whole["tasks"])
        of_context = (await rpc(server.asgi, "ListTasks", {"contextId": "c1"})).json["result"]
        assert [task["id"] for task in of_context["tasks"]] == [ids[3], ids[1]]
        for wrong in ({"pageToken": "?"}, {"pageToken": "AAAA"}, {"statusTimestampAfter": "soon"}):
            assert (await rpc(server.asgi, "ListTasks", wrong)).json["error"]["code"] == -32602
        later = (await rpc(server.asgi, "ListTasks", {"statusTimestampAfter": "2999-01-01T00:00:00Z"})).json["result"]
        assert (later["tasks"], later["totalSize"]) == ([], 0)


@virtually
async def test_tasks_are_listed_by_the_state_that_their_log_says() -> None:
    """A2A 1.0, list: what waits, what works, what is over."""
    agent = scripted(GATED)
    asking = Agent(name="b", model=scripted(ASKING).model, tools=[ask_user])
    async with Server([agent, asking]) as server:
        working = await begun(server)
        await rpc(server.asgi, "SendMessage", message(), agent="b")
        await pass_time(1.0)
        for name, state, count in (
            ("a", "TASK_STATE_WORKING", 1),
            ("a", "TASK_STATE_SUBMITTED", 0),
            ("a", "TASK_STATE_COMPLETED", 0),
            ("b", "TASK_STATE_INPUT_REQUIRED", 1),
            ("b", "TASK_STATE_AUTH_REQUIRED", 0),
        ):
            said = (await rpc(server.asgi, "ListTasks", {"status": state}, agent=name)).json["result"]
            assert said["totalSize"] == count, state
        model_of(agent).open_gate("go")
        await server.runner.wait(working)
        said = (await rpc(server.asgi, "ListTasks", {"status": "TASK_STATE_COMPLETED"})).json["result"]
        assert [task["id"] for task in said["tasks"]] == [working]


@virtually
async def test_a_page_goes_on_where_the_last_task_of_the_page_before_was_deleted() -> None:
    """Ours: a token holds a time as well, so a list that changes loses nobody."""
    async with Server([scripted("text: ok")]) as server:
        ids = []
        for _ in range(3):
            ids.append((await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]["id"])
            await pass_time(1.0)
        first = (await rpc(server.asgi, "ListTasks", {"pageSize": 1})).json["result"]
        await server.runner.delete(ids[-1])
        rest = (await rpc(server.asgi, "ListTasks", {"pageToken": first["nextPageToken"]})).json["result"]
        assert [task["id"] for task in rest["tasks"]] == ids[1::-1]


@virtually
async def test_a_list_holds_nothing_of_what_was_asked_of_its_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a request may be as large as a body may be, and there may be ten thousand of them."""
    held: list[RunState] = []

    def seen(runs: list[RunState], _: str) -> list[RunState]:
        held.extend(runs)
        return runs

    monkeypatch.setattr("treadle.server.wires.a2a.tasks._behind", seen)
    async with Server([scripted("text: ok")]) as server:
        await rpc(server.asgi, "SendMessage", message("a long question"))
        (task,) = (await rpc(server.asgi, "ListTasks", {})).json["result"]["tasks"]
    assert task["history"][0]["parts"] == [{"text": "a long question"}]
    assert [(run.request, run.properties) for run in held] == [(b"", {})]


@virtually
async def test_a_list_goes_through_more_runs_than_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: pages of the store are not pages of the protocol."""
    monkeypatch.setattr("treadle.server.wires.a2a.tasks.LOOKED_AT", 2)
    async with Server([scripted("text: ok")]) as server:
        for _ in range(5):
            await rpc(server.asgi, "SendMessage", message())
        assert (await rpc(server.asgi, "ListTasks", {})).json["result"]["totalSize"] == 5
        monkeypatch.setattr("treadle.server.wires.a2a.tasks.MOST_LISTED", 3)
        assert (await rpc(server.asgi, "ListTasks", {})).json["result"]["totalSize"] == 4


@pytest.mark.requirement("A2A-history")
@virtually
async def test_a_task_is_given_with_so_much_history_as_was_asked_for() -> None:
    """A2A 1.0, history length."""
    async with Server([scripted('call: add {"a": 1, "b": 2}\n---\ntext: ok')]) as server:
        task_id = (await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]["id"]
        lengths = [
            len((await rpc(server.asgi, "GetTask", {"id": task_id, **how})).json["result"].get("history", []))
            for how in ({}, {"historyLength": 1}, {"historyLength": 0})
        ]
        assert lengths == [2, 1, 0]


@pytest.mark.requirement("BR-007", "BR-153")
@virtually
async def test_a_task_goes_on_when_its_reader_has_gone() -> None:
    """BR-007: storing does not depend on any subscriber."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        async with calling(server.asgi, "SendStreamingMessage", message()) as call:
            await call.until(lambda call: "artifactUpdate" in call.body.decode())
        task_id = json.loads(call.events[0].text)["result"]["task"]["id"]
        model_of(agent).open_gate("go")
        await server.runner.wait(task_id)
        task = (await rpc(server.asgi, "GetTask", {"id": task_id})).json["result"]
        assert task["status"]["state"] == "TASK_STATE_COMPLETED"
        assert joined(task)["artifacts"][0]["parts"] == [{"text": "It is 3."}]
