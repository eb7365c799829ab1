"""Push notifications: what is told to whom, and when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED
from tests.server.outbound.receivers import OWN, Receiver, receiving, rules
from tests.server.wires.a2a.agents_asked import NEW, OLD, message, old_message, rpc
from tests.server.wires.a2a.test_messages import ASKING
from treadle.app.server import Server
from treadle.plan.questions import ask_user
from treadle.server.access import ApiKeys, Principal
from treadle.server.mounting import Mount
from treadle.server.pulse import Rhythm
from treadle.server.wires.a2a import A2aSettings
from treadle.server.wires.a2a.push import MOST_TARGETS

AT_ONCE = {"returnImmediately": True}
LONGEST_S = 5.0
KEY = "key-of-ann-0123456789"


def notifying(*agents: Any, **more: Any) -> Server:  # noqa: ANN401 (agents, and arguments of a server)
    """A server that notifies receivers on this machine."""
    settings = A2aSettings(push=rules(networks=OWN, attempts=1))
    at_once = Rhythm(drain_s=0.0)
    return Server([*agents], mounts=[Mount(wire="a2a", settings=settings)], rhythm=at_once, **more)


def at(receiver: Receiver, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of a config)
    """What is registered for a receiver."""
    return {"url": f"http://127.0.0.1:{receiver.port}/hook", **more}


def at_work(server: Server) -> int:
    """How many errands are under way."""
    return len(server._errands)  # noqa: SLF001 (tests look where users do not)


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds, for a few seconds at most."""
    async with asyncio.timeout(LONGEST_S):
        while not holds():  # noqa: ASYNC110 (it holds in many places, none of which sets an event)
            await asyncio.sleep(0)


@pytest.mark.requirement("A2A-push", "BR-142")
async def test_a_target_is_told_the_whole_task_when_it_waits_and_when_it_is_over() -> None:
    """A2A 1.0, push: one object of a stream each, with what proves who calls; between two rests nothing."""
    who = {"scheme": "Bearer", "credentials": "its-own"}
    async with receiving(200) as receiver, notifying(scripted(ASKING, tools=[ask_user])) as server:
        config = at(receiver, token="my-token", authentication=who)
        sent = message(configuration={**AT_ONCE, "taskPushNotificationConfig": config})
        task = (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]
        await until(lambda: receiver.received)
        await rpc(server.asgi, "SendMessage", message("Blue", taskId=task["id"]))
        await until(lambda: len(receiver.received) > 1)
        stored = (await rpc(server.asgi, "GetTask", {"id": task["id"]})).json["result"]
        await until(lambda: not at_work(server))
    told = [json.loads(came.body)["task"] for came in receiver.received]
    assert [one["status"]["state"] for one in told] == ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"]
    assert told[-1] == stored
    assert "metadata" not in told[0]["status"]["message"]
    headers = receiver.received[0].headers
    assert (headers["authorization"], headers["x-a2a-notification-token"]) == ("Bearer its-own", "my-token")
    assert headers["webhook-signature"].startswith("v1,")
    assert len({came.headers["webhook-id"] for came in receiver.received}) == 2


async def test_a_target_of_03_is_told_a_task_of_03() -> None:
    """A2A 0.3, push: the task alone, with its kind."""
    async with receiving(200) as receiver, notifying(scripted(GATED)) as server:
        sent = {**old_message(), "configuration": {"blocking": False}}
        task = (await rpc(server.asgi, "message/send", sent, version=OLD)).json["result"]
        config = {"taskId": task["id"], "pushNotificationConfig": at(receiver)}
        made = (await rpc(server.asgi, "tasks/pushNotificationConfig/set", config, version=OLD)).json["result"]
        assert made["pushNotificationConfig"]["id"] == "1"
        await rpc(server.asgi, "tasks/cancel", {"id": task["id"]}, version=OLD)
        await until(lambda: receiver.received)
    said = json.loads(receiver.received[0].body)
    assert (said["kind"], said["status"]["state"]) == ("task", "canceled")


@pytest.mark.requirement("A2A-push-off", "OUT-guard")
async def test_a_target_that_may_not_be_told_is_refused_before_a_task_is_begun() -> None:
    """Ours: off unless asked for; an inner address is refused where it is given, and nothing was started."""
    agent = scripted("text: ok")
    inner = message(configuration={"taskPushNotificationConfig": {"url": "http://10.0.0.1/"}})
    async with notifying(agent) as server:
        refused = await rpc(server.asgi, "SendMessage", inner)
        assert refused.json["error"]["code"] == -32602
        card = await rpc(server.asgi, "GetExtendedAgentCard")
        assert card.json["error"]["code"] == -32007
        assert list(await server.runner.runs()) == []
    async with Server([agent]) as server:
        assert (await rpc(server.asgi, "SendMessage", inner)).json["error"]["code"] == -32003
    assert model_of(agent).asks == []


async def test_a_target_that_was_removed_is_told_no_more() -> None:
    """A2A 1.0, push: delete; and another one of the same id takes its place."""
    agent = scripted(GATED)
    async with receiving(200) as gone, receiving(200) as stays, notifying(agent) as server:
        task = (await rpc(server.asgi, "SendMessage", message(configuration=AT_ONCE))).json["result"]["task"]["id"]
        for receiver, name in ((gone, "a"), (gone, "b"), (stays, "b")):
            config = {"taskId": task, "id": name, **at(receiver)}
            await rpc(server.asgi, "CreateTaskPushNotificationConfig", config)
        await rpc(server.asgi, "DeleteTaskPushNotificationConfig", {"taskId": task, "id": "a"})
        await rpc(server.asgi, "DeleteTaskPushNotificationConfig", {"taskId": task, "id": "never was"})
        model_of(agent).open_gate("go")
        await until(lambda: not at_work(server))
        over = await rpc(server.asgi, "CreateTaskPushNotificationConfig", {"taskId": task, **at(stays)})
        assert over.json["error"]["code"] == -32004
    assert (len(gone.received), len(stays.received)) == (0, 1)


async def test_a_task_has_no_more_targets_than_it_may_have() -> None:
    """Ours: every list has a bound; one that is there already may be changed."""
    async with receiving(200) as receiver, notifying(scripted(GATED)) as server:
        task = (await rpc(server.asgi, "SendMessage", message(configuration=AT_ONCE))).json["result"]["task"]["id"]
        config = {"taskId": task, **at(receiver)}
        for _ in range(MOST_TARGETS):
            await rpc(server.asgi, "CreateTaskPushNotificationConfig", config)
        more = await rpc(server.asgi, "CreateTaskPushNotificationConfig", config)
        same = await rpc(server.asgi, "CreateTaskPushNotificationConfig", {**config, "id": "1"})
        assert (more.json["error"]["code"], same.json["result"]["id"]) == (-32004, "1")


async def test_whoever_may_not_read_the_task_any_more_is_not_told() -> None:
    """Ours: a key that was revoked registers nothing that lasts."""
    agent = scripted(GATED)
    access = ApiKeys({KEY: Principal(name="ann", scope="acme")})
    async with receiving(200) as receiver, notifying(agent, access=access) as server:
        sent = message(configuration={**AT_ONCE, "taskPushNotificationConfig": at(receiver)})
        await rpc(server.asgi, "SendMessage", sent, ("x-api-key", KEY))
        access.revoke(KEY)
        model_of(agent).open_gate("go")
        await until(lambda: not at_work(server))
    assert receiver.received == []


async def test_a_task_that_was_deleted_is_watched_no_more() -> None:
    """Ours: its log is gone, and so is whoever read it."""
    agent = scripted(GATED)
    async with receiving(200) as receiver, notifying(agent) as server:
        sent = message(configuration={**AT_ONCE, "taskPushNotificationConfig": at(receiver)})
        task = (await rpc(server.asgi, "SendMessage", sent, NEW)).json["result"]["task"]["id"]
        await rpc(server.asgi, "DeleteTaskPushNotificationConfig", {"taskId": task, "id": "1"})
        model_of(agent).open_gate("go")
        await server.runner.wait(task)
        await server.runner.delete(task)
        await until(lambda: not at_work(server))
    assert receiver.received == []
