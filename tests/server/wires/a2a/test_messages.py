"""Messages that begin tasks and answer them, in both versions and over both bindings."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.behaviour.answers import PAY, Till
from tests.projections.a2a.task_folds import folded, joined, read, task_of_10
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, World, everywhere, pass_time, virtually
from tests.server.wires.a2a.agents_asked import Client, calling, clients, message, rpc
from treadle.app.server import Server
from treadle.plan.interrupts import interrupt
from treadle.plan.questions import ask_user
from treadle.plan.tools import tool
from treadle.projections.a2a.wire import EXTENSION, Shape
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.access.admission import Caps
from treadle.server.mounting import Mount
from treadle.values.exposure import UI

COLOURS = {
    "text": "Which colour?",
    "header": "Colour",
    "options": [{"label": "Red"}, {"label": "Blue"}],
    "allow_other": True,
}
ASKING = f"""text: One thing: \\s
call: ask_user {json.dumps({"questions": [COLOURS]})}
---
text: Fine."""
KEY, WATCHER = "key-of-ann-0123456789", "key-of-watcher-0123456789"
ACCESS = ApiKeys(
    {
        KEY: Principal(name="ann", scope="acme"),
        WATCHER: Principal(name="watcher", scope="acme", may=[Action.READ, Action.START]),
    }
)


def as_key(key: str) -> tuple[str, str]:
    """The header of somebody."""
    return ("x-api-key", key)


@tool(interrupts=True)
def book(city: str) -> str:
    """Book a room."""
    return f"{interrupt('nights', {'city': city}, int)} nights"


@tool(requires_approval=True)
def pay(euros: int) -> str:
    """Pay somebody."""
    return f"paid {euros}"


@pytest.mark.requirement("A2A-bindings", "A02")
@everywhere
async def test_a_stream_and_a_send_come_to_the_same_task_in_every_form(world: World) -> None:
    """A2A 1.0 and 0.3 over both bindings: one log, and what a client folds is what the store holds."""
    agent = scripted('text: Let me \ncall: add {"a": 1, "b": 2}\n---\ntext: It |is 3.')
    async with Server([agent], store=world.store) as server:
        for client in clients(server.asgi):
            frames = read(await client.stream(), client.frames_shape)
            task = folded(frames)
            assert task["status"]["state"] == "TASK_STATE_COMPLETED"
            assert task["artifacts"] == [{"artifactId": "response", "parts": [{"text": "Let me It is 3."}]}]
            assert joined(task_of_10(await client.get(task["id"]))) == task
            sent = joined(task_of_10(await client.send()))
            assert (sent["status"]["state"], sent["artifacts"]) == ("TASK_STATE_COMPLETED", task["artifacts"])
            assert sent["id"] != task["id"]


@pytest.mark.requirement("A2A-context")
@virtually
async def test_a_context_is_a_thread_and_a_name_of_the_client() -> None:
    """Design §8: ids that a client sends are names in its scope."""
    async with Server([scripted("text: ok")]) as server:
        said = (await rpc(server.asgi, "SendMessage", message(contextId="my context"))).json["result"]["task"]
        assert said["contextId"] == "my context"
        assert (await server.runner.state(said["id"])).thread_id == "my context"
        again = (await rpc(server.asgi, "SendMessage", message(contextId="my context"))).json["result"]["task"]
        assert again["contextId"] == "my context"
        assert again["id"] != said["id"]


@pytest.mark.requirement("A2A-at-once")
@virtually
async def test_a_send_that_does_not_wait_is_answered_with_the_submitted_task() -> None:
    """A2A 1.0, `returnImmediately`: before the model has said a word."""
    async with Server([scripted(GATED)]) as server:
        sent = message("hi", configuration={"returnImmediately": True})
        task = (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]
        assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
        assert task["history"][0]["parts"] == [{"text": "hi"}]
        await pass_time(1.0)
        now = (await rpc(server.asgi, "GetTask", {"id": task["id"]})).json["result"]
        assert now["status"]["state"] == "TASK_STATE_WORKING"
        again = (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]
        assert (again["id"], again["status"]["state"]) == (task["id"], "TASK_STATE_WORKING")


@pytest.mark.requirement("A2A-again", "BR-027")
@virtually
async def test_a_message_that_comes_again_joins_the_task_that_it_began() -> None:
    """A2A 1.0, idempotency: a client that lost its stream before it knew the task sends the message again."""
    agent = scripted("text: ok")
    async with Server([agent]) as server:
        client = Client(server.asgi, Shape.V1_0, "rpc")
        sent = message("hi", contextId="c")
        first = await rpc(server.asgi, "SendStreamingMessage", sent)
        again = await rpc(server.asgi, "SendStreamingMessage", sent)
        waited = (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]
        (whole,) = read(client.frames(again), Shape.V1_0)
        assert joined(whole["task"]) == folded(read(client.frames(first), Shape.V1_0)) == joined(waited)
        other = {"message": {**sent["message"], "parts": [{"text": "something else"}]}}
        assert (await rpc(server.asgi, "SendMessage", other)).json["result"]["task"]["id"] != waited["id"]
    assert len(model_of(agent).asks) == 2


@pytest.mark.requirement("BR-154", "A2A-reply")
@virtually
async def test_a_question_is_answered_by_a_message_on_its_task_in_every_form() -> None:
    """BR-154: a send returns with the pause; its answer goes on with the same task, and needs no token of its own."""
    async with Server([scripted(ASKING, tools=[ask_user])]) as server:
        for client in clients(server.asgi):
            paused = task_of_10(await client.send())
            assert paused["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
            where = {"taskId": paused["id"], "contextId": paused["contextId"]}
            frames = read(await client.stream("Blue", **where), client.frames_shape)
            assert frames[0]["task"]["status"]["state"] == "TASK_STATE_WORKING"
            task = folded(frames)
            assert task["status"]["state"] == "TASK_STATE_COMPLETED"
            assert task["id"] == paused["id"]
            assert joined(task_of_10(await client.get(task["id"]))) == task


@virtually
async def test_an_answer_can_be_waited_for() -> None:
    """A2A 1.0: a send on a task is answered when the task rests again."""
    async with Server([scripted(ASKING, tools=[ask_user])]) as server:
        paused = (await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]
        done = (await rpc(server.asgi, "SendMessage", message("teal", taskId=paused["id"]))).json["result"]["task"]
        assert done["status"]["state"] == "TASK_STATE_COMPLETED"
        late = await rpc(server.asgi, "SendMessage", message("red", taskId=paused["id"]))
        assert late.json["error"]["code"] == -32004


@pytest.mark.requirement("A2A-tokens")
@virtually
async def test_a_token_is_given_to_whoever_may_answer_and_a_wrong_one_is_refused() -> None:
    """ADR 0032: bound to its reader's right; one that comes back is verified, one that does not is made for them."""
    async with Server([scripted(ASKING, tools=[ask_user])], access=ACCESS) as server:
        paused = (await rpc(server.asgi, "SendMessage", message(), as_key(KEY))).json["result"]["task"]
        asked = paused["status"]["message"]
        (name,) = asked["metadata"][EXTENSION]["tokens"]
        other = (await rpc(server.asgi, "GetTask", {"id": paused["id"]}, as_key(WATCHER))).json["result"]
        assert "metadata" not in other["status"]["message"]
        forbidden = await rpc(server.asgi, "SendMessage", message("Blue", taskId=paused["id"]), as_key(WATCHER))
        assert forbidden.status == 403
        forged = message("Blue", taskId=paused["id"], metadata={EXTENSION: {"tokens": {name: "forged"}}})
        assert (await rpc(server.asgi, "SendMessage", forged, as_key(KEY))).json["error"]["code"] == -32602
        true = message("Blue", taskId=paused["id"], metadata=asked["metadata"])
        done = (await rpc(server.asgi, "SendMessage", true, as_key(KEY))).json["result"]["task"]
        assert done["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("A2A-hidden")
@virtually
async def test_an_approval_is_answered_only_where_the_mount_shows_it() -> None:
    """Design §8: hidden, it is `auth-required` and answered elsewhere; shown, it is answered by data or one word."""
    agent = scripted('call: pay {"euros": 3}\n---\ntext: Done.', tools=[pay])
    shown = Mount(wire="a2a", path="/open", exposure=UI)
    async with Server([agent], mounts=["a2a", shown]) as server:
        paused = (await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]
        assert paused["status"]["state"] == "TASK_STATE_AUTH_REQUIRED"
        hidden = await rpc(server.asgi, "SendMessage", message("approve", taskId=paused["id"]))
        assert hidden.json["error"]["code"] == -32004
        # The same run, by the mount that may show it.
        unclear = await rpc(server.asgi, "SendMessage", message("no way", taskId=paused["id"]), mount="/open")
        assert unclear.json["error"]["code"] == -32602
        edited = message(parts=[{"data": {"decision": "edit", "arguments": {"euros": 2}}}], taskId=paused["id"])
        done = (await rpc(server.asgi, "SendMessage", edited, mount="/open")).json["result"]["task"]
        assert done["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("A2A-misplaced", "A2A-hidden", "BR-073", "BR-091")
@virtually
async def test_an_approval_that_stands_beside_its_task_grants_nothing() -> None:
    """BR-073, BR-091: nor in its context, by a reference, under the agent's name, or with a token that was made up."""
    till = Till()
    shown = Mount(wire="a2a", exposure=UI)
    leave = [{"data": {"decision": "approve"}}]
    async with Server([scripted(PAY, tools=[till.pay])], mounts=[shown]) as server:
        task = (await rpc(server.asgi, "SendMessage", message(contextId="c"))).json["result"]["task"]
        made_up = {EXTENSION: {"tokens": {f"{task['id']}.i1": "made-up"}}}
        for beside in (
            message("approve", contextId="c"),
            message(parts=leave, contextId="c"),
            message("approve", referenceTaskIds=[task["id"]]),
            message(parts=leave, contextId="another", taskId=task["id"]),
            message("approve", role="ROLE_AGENT", taskId=task["id"]),
            message("approve", taskId=task["id"], metadata=made_up),
        ):
            await rpc(server.asgi, "SendMessage", beside)
            (run,) = [one for one in await server.runner.runs() if one.run_id == task["id"]]
            assert (till.paid, run.status.value) == ([], "waiting")
        await rpc(server.asgi, "SendMessage", message(parts=leave, taskId=task["id"]))
        assert till.paid == [5]


@virtually
async def test_an_answer_to_one_of_two_leaves_the_other_asked() -> None:
    """Ours: the task waits on, and asks for what is open alone."""
    script = 'call: book {"city": "Rome"}\ncall: book {"city": "Oslo"}\n---\ntext: Done.'
    async with Server([scripted(script, tools=[book])]) as server:
        paused = (await rpc(server.asgi, "SendMessage", message())).json["result"]["task"]
        one, two = [pause["interrupt_id"] for pause in paused["status"]["message"]["parts"][1]["data"]["pauses"]]
        vague = await rpc(server.asgi, "SendMessage", message("3", taskId=paused["id"]))
        assert vague.json["error"]["code"] == -32602
        data = [{"data": {"interrupt_id": one, "value": 3}}]
        part = (await rpc(server.asgi, "SendMessage", message(parts=data, taskId=paused["id"]))).json["result"]["task"]
        assert part["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        assert [pause["interrupt_id"] for pause in part["status"]["message"]["parts"][1]["data"]["pauses"]] == [two]
        bad = await rpc(server.asgi, "SendMessage", message("soon", taskId=paused["id"]))
        assert bad.json["error"]["code"] == -32602
        done = (await rpc(server.asgi, "SendMessage", message("4", taskId=paused["id"]))).json["result"]["task"]
        assert done["status"]["state"] == "TASK_STATE_COMPLETED"


@pytest.mark.requirement("A2A-misplaced")
@virtually
async def test_a_message_that_no_task_can_take_is_refused_before_anything_happens() -> None:
    """A2A 1.0: another context, a task at work, one that is over, one that is not there."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        sent = message(configuration={"returnImmediately": True}, contextId="c")
        task = (await rpc(server.asgi, "SendMessage", sent)).json["result"]["task"]
        await pass_time(1.0)
        for params, code in (
            (message(taskId=task["id"]), -32004),
            (message(taskId=task["id"], contextId="other"), -32602),
            (message(taskId="r_nothing"), -32001),
            (message(contextId="c"), -32004),
        ):
            refused = await rpc(server.asgi, "SendMessage", params)
            assert (refused.status, refused.json["error"]["code"]) == (200, code)
        model_of(agent).open_gate("go")
        await server.runner.wait(task["id"])
        over = await rpc(server.asgi, "SendMessage", message(taskId=task["id"]))
        assert over.json["error"]["code"] == -32004
    assert len(model_of(agent).asks) == 1


@pytest.mark.requirement("D37")
@virtually
async def test_a_stream_that_has_no_room_is_refused_before_a_task_was_begun() -> None:
    """D37: no task is announced and then failed; the status says that it is worth another try."""
    agent = scripted(GATED)
    async with (
        Server([agent], caps=Caps(readers=1)) as server,
        calling(server.asgi, "SendStreamingMessage", message()) as first,
    ):
        await first.until(lambda call: len(call.events) > 1)
        refused = await rpc(server.asgi, "SendStreamingMessage", message())
        assert refused.status == 429
        assert refused.json["error"]["code"] == -32000
        assert "retry-after" in refused.headers
    assert len(model_of(agent).asks) == 1


@virtually
async def test_the_task_is_there_before_the_model_has_said_a_word() -> None:
    """Ours: a client that is cut off early knows what to subscribe to."""
    async with (
        Server([scripted(GATED)]) as server,
        calling(server.asgi, "SendStreamingMessage", message(), ("a2a-extensions", EXTENSION)) as call,
    ):
        await call.until(lambda call: call.events)
        task = json.loads(call.events[0].text)["result"]["task"]
        assert task["status"]["state"] == "TASK_STATE_SUBMITTED"
        assert call.headers["a2a-extensions"] == EXTENSION
        await asyncio.sleep(0)


@virtually
async def test_a_client_that_does_not_wait_for_its_answer_is_answered_with_nothing() -> None:
    """Ours: the run goes on; what nobody reads is not made."""
    async with Server([scripted(GATED)]) as server:
        async with calling(server.asgi, "SendMessage", message()) as call:
            await pass_time(1.0)
            call.leave()
            await call.over()
        assert call.status == 499
        (run,) = await server.runner.runs()
        assert not run.is_final
