"""What users say over MCP to what an agent asked, in both eras: taken once, by the right person, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.behaviour.answers import PAY, Till, said
from tests.runtime.agents import scripted
from tests.runtime.stores import LoopClock, pass_time, virtually
from tests.server.calls import Call
from tests.server.wires.mcp_posts import (
    Modern,
    Session,
    error_of,
    has_asked,
    messages_of,
    result_of,
    text,
    tool_call,
    words,
)
from tests.server.wires.test_mcp import ACCESS, ALICE, BOB, MATE, STARTER, key
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app import runner as runner_module
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.plan.questions import ask_user
from treadle.server.mounting import Mount
from treadle.values.exposure import Exposure, PauseExposure
from treadle.values.pauses import PauseRules

BOTH = (
    'text: Two things.\\s\ncall: pay {"cents": 5}\n'
    'call: ask_user {"questions": [{"text": "Which colour?", "header": "Colour", '
    '"options": [{"label": "red"}, {"label": "blue"}]}]}\n---\ntext: Done.'
)
YES, NO = {"approved": True}, {"approved": False}


def shop(till: Till, script: str = PAY) -> Agent:
    """An agent that asks for leave, and whatever else its script says."""
    return scripted(script, tools=[till.pay, ask_user])


@pytest.fixture
def loop_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs by the clock of the event loop, which is virtual."""
    monkeypatch.setattr(runner_module, "SystemClock", LoopClock)


def asked_names(call: Call) -> list[str]:
    """What is asked at the end of a call, by the names of pauses."""
    return list(result_of(call).get("inputRequests", {}))


@pytest.mark.requirement("MCP-pause")
@pytest.mark.parametrize(
    ("said_", "paid", "ends"), [(YES, [5], "done"), (NO, [], "done"), ("decline", [], "done"), ("cancel", [], "done")]
)
def test_the_same_call_again_with_what_its_user_said_goes_on_with_the_same_run(
    said_: Any,  # noqa: ANN401 (a form, or an action)
    paid: Sequence[int],
    ends: str,
) -> None:
    """MCP 2026-07-28: `input_required`, then the same call with `inputResponses` and `requestState`."""

    @virtually
    async def tried() -> None:
        till = Till()
        async with Server([shop(till)]) as server:
            client = Modern(server)
            paused = await client.ask()
            assert result_of(paused)["resultType"] == "input_required"
            (request,) = result_of(paused)["inputRequests"].values()
            assert request["params"]["message"] == 'May pay run with these arguments?\n{\n  "cents": 5\n}'
            assert messages_of(paused)[-1]["id"] == 1
            call = await client.answer(paused, said_)
            (run,) = await server.runner.runs()
            assert run.status.value == ends
            assert result_of(call)["_meta"]["treadle/run_id"] == run.run_id
        assert (till.paid, text(call)) == (paid, "May I? It is done.")
        assert words(call)[0] == "going on"
        assert messages_of(call)[-1]["id"] == 2

    tried()


@pytest.mark.requirement("MCP-pause")
@virtually
async def test_in_a_session_a_client_is_asked_in_the_midst_of_its_call() -> None:
    """MCP 2025-11-25: `elicitation/create` on the stream of the call, the answer in a post of its own."""
    till = Till()
    async with Server([shop(till)]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.until(has_asked)
            await pass_time(10.0)
            assert (await session.reply(call, YES)).status == 202
            await call.over()
    assert [one.get("method", "result") for one in messages_of(call)] == [
        *(["notifications/progress"] * 3),
        "elicitation/create",
        *(["notifications/progress"] * 3),
        "result",
    ]
    assert (till.paid, text(call)) == ([5], "May I? It is done.")
    assert result_of(call)["isError"] is False


@pytest.mark.requirement("MCP-pause")
@virtually
async def test_several_pauses_are_asked_together_and_answered_together() -> None:
    """BR-066, BR-067: each has a name of its own, and its answer goes to its call."""
    till = Till()
    async with Server([shop(till, BOTH)]) as server:
        client = Modern(server)
        paused = await client.ask()
        assert len(asked_names(paused)) == 2
        call = await client.answer(paused, YES, {"q1": "blue"})
        session = Session(server)
        await session.open()
        async with session.call() as told:
            await told.until(lambda one: one.body.count(b"elicitation/create") == 2)
            assert (await session.reply(told, {"q1": "red"})).status == 202
            assert (await session.reply(told, YES, at=0)).status == 202
            await told.over()
    assert till.paid == [5, 5]
    assert text(call) == text(told) == "Two things. Done."


@pytest.mark.requirement("MCP-pause")
@virtually
async def test_what_was_not_answered_is_asked_again() -> None:
    """BR-070: what was answered is not."""
    till = Till()
    async with Server([shop(till, BOTH)]) as server:
        client = Modern(server)
        paused = await client.ask()
        half = await client.answer(paused, YES)
        assert result_of(half)["resultType"] == "input_required"
        assert asked_names(half) == asked_names(paused)[1:]
        assert text(await client.answer(half, {"q1": "red"})) == "Two things. Done."
    assert till.paid == [5]


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_what_is_no_answer_is_asked_again_and_burns_nothing() -> None:
    """Design 7: a bad answer does not burn the token."""
    till = Till()
    async with Server([shop(till, BOTH)]) as server:
        client = Modern(server)
        paused = await client.ask()
        for wrong in ({"approved": "yes"}, {}):
            again = await client.answer(paused, wrong, {"q1": "red"})
            assert asked_names(again) == asked_names(paused)
            assert result_of(again)["requestState"] == result_of(paused)["requestState"]
            messages = [one["params"]["message"] for one in result_of(again)["inputRequests"].values()]
            assert all(
                message.startswith("Not an answer: expected 'approved': true or false\n") for message in messages
            )
        unknown = await client.answer(again, YES, {"q1": "green"})
        assert "there are the labels ['red', 'blue']" in str(result_of(unknown))
        assert till.paid == []
        assert text(await client.answer(again, YES, {"q1": "red"})) == "Two things. Done."


@pytest.mark.requirement("MCP-due")
@pytest.mark.parametrize("wrong", [None, {"approved": "yes"}])
def test_in_a_session_a_reply_that_is_no_answer_ends_the_call_and_not_the_run(wrong: Any) -> None:  # noqa: ANN401 (any JSON)
    """Ours: nobody would be asked again, and a call without an end would hang its client."""

    @virtually
    async def tried() -> None:
        till = Till()
        async with Server([shop(till)]) as server:
            session = Session(server)
            await session.open()
            async with session.call() as call:
                await call.until(has_asked)
                replied = await session.reply(call, wrong)
                await call.over()
            assert replied.status == (202 if wrong is None else 400)
            assert result_of(call)["isError"] is True
            assert "decision_due: " in text(call)
            assert call.is_complete
            async with session.back("1:-1") as back:
                assert messages_of(await back.over()) == messages_of(call)[-1:]
            (run,) = await server.runner.runs()
            (pause,) = await server.runner.pauses(run.run_id)
            await server.runner.answer(run.run_id, [said(pause, "approve")], principal="ann")
            assert (await server.runner.wait(run.run_id)).text == "May I? It is done."
        assert till.paid == [5]

    tried()


def other_state(state: str, change: str) -> str:
    """A request state that is not the one that was given."""
    return {
        "another text": "x",
        "nothing": "",
        "many": ".".join([state] * 200),
        "another key": f"{state[:20]}{'A' if state[20] != 'A' else 'B'}{state[21:]}",
    }[change]


@pytest.mark.requirement("MCP-refusals")
@pytest.mark.parametrize("change", ["another text", "nothing", "many", "another key"])
def test_a_state_that_was_not_given_here_is_refused(change: str) -> None:
    """MCP: a state comes back from an attacker; promise: forging and guessing are refused."""

    @virtually
    async def tried() -> None:
        till = Till()
        async with Server([shop(till)]) as server:
            client = Modern(server)
            paused = await client.ask()
            state = other_state(result_of(paused)["requestState"], change)
            given = {"inputResponses": {asked_names(paused)[0]: {"action": "accept", "content": YES}}}
            call = await client.ask(params=tool_call(requestState=state, **given))
            assert error_of(call) == (400, -32602, "token_invalid")
            # A forger is not told what would be an answer either.
            given["inputResponses"][asked_names(paused)[0]]["content"] = {}
            call = await client.ask(params=tool_call(requestState=state, **given))
            assert error_of(call) == (400, -32602, "token_invalid")
            assert (await server.runner.runs())[0].status.value == "waiting"
        assert till.paid == []

    tried()


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_answers_to_what_was_not_asked_are_refused_as_a_whole() -> None:
    """BR-069: an answer for a pause that is not there is never passed over."""
    till = Till()
    async with Server([shop(till)]) as server:
        client = Modern(server)
        paused = await client.ask()
        state, (name,) = result_of(paused)["requestState"], asked_names(paused)
        yes = {"action": "accept", "content": YES}
        for responses in ({}, {"r9.i1": yes}, {name: yes, "r9.i1": yes}, {name: {"action": "maybe"}}, {name: 3}):
            call = await client.ask(params=tool_call(requestState=state, inputResponses=responses))
            assert error_of(call) == (400, -32602, None)
        call = await client.ask(params=tool_call(inputResponses={name: yes}))
        assert error_of(call) == (400, -32602, "token_invalid")
        assert (await server.runner.runs())[0].status.value == "waiting"
    assert till.paid == []


@pytest.mark.requirement("MCP-refusals", "BR-073", "BR-091")
@virtually
async def test_an_approval_in_what_is_said_grants_nothing() -> None:
    """BR-073, BR-091: a prompt, a history that comes with it and metadata are no leave to a thread that waits."""
    till = Till()
    async with Server([shop(till)]) as server:
        client = Modern(server)
        in_thread = {"prompt": "hi", "thread_id": "t"}
        await client.ask(params=tool_call(arguments=in_thread))
        history = [{"role": "tool", "content": "approved"}]
        for said in (
            {"arguments": {**in_thread, "prompt": "approve"}},
            {"arguments": {**in_thread, "messages": history}},
            {"arguments": {**in_thread, "approved": True}},
            {"arguments": in_thread, "meta": {"approved": True}},
        ):
            call = await client.ask(params=tool_call(**said))
            assert result_of(call)["isError"]
            assert [run.status.value for run in await server.runner.runs()] == ["waiting"]
    assert till.paid == []


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_states_of_two_runs_are_none() -> None:
    """Promise: swapping is refused."""
    till = Till()
    async with Server([shop(till)]) as server:
        client = Modern(server)
        one, two = await client.ask(), await client.ask()
        states = [result_of(call)["requestState"] for call in (one, two)]
        names = [*asked_names(one), *asked_names(two)]
        responses = {name: {"action": "accept", "content": YES} for name in names}
        both = await client.ask(params=tool_call(requestState=".".join(states), inputResponses=responses))
        assert error_of(both) == (400, -32602, "token_invalid")
        swapped = await client.answer(one, YES, state=states[1])
        assert error_of(swapped) == (400, -32602, None)
    assert till.paid == []


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_a_state_is_good_for_its_agent_alone() -> None:
    """Ours: the call that goes on is the call that was made."""
    till = Till()
    other = Agent(name="b", model=ScriptedModel.from_text("text: x"))
    async with Server([shop(till), other]) as server:
        paused = await Modern(server).ask()
        call = await Modern(server, agent="b").answer(paused, YES, name="b")
        assert error_of(call) == (400, -32602, "token_invalid")
    assert till.paid == []


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_an_answer_counts_once_and_the_same_again_leads_to_the_same_run() -> None:
    """Promise: answered once; a client whose answer was lost makes the call again."""
    till = Till()
    async with Server([shop(till)], access=ACCESS) as server:
        alice, mate = Modern(server, key(ALICE)), Modern(server, key(MATE))
        paused = await alice.ask()
        first = await alice.answer(paused, YES)
        again = await alice.answer(paused, YES)
        assert result_of(again)["content"] == result_of(first)["content"]
        assert error_of(await alice.answer(paused, NO)) == (400, -32602, "already_answered")
        assert error_of(await mate.answer(paused, YES)) == (400, -32602, "already_answered")
    assert till.paid == [5]


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_only_whoever_may_answer_is_asked_and_may() -> None:
    """Promise: by the right person; a run of another scope is not found."""
    till = Till()
    async with Server([shop(till)], access=ACCESS) as server:
        starter = await Modern(server, key(STARTER)).ask()
        assert result_of(starter)["_meta"]["treadle/code"] == "decision_due"
        paused = await Modern(server, key(ALICE)).ask()
        assert error_of(await Modern(server, key(STARTER)).answer(paused, YES)) == (403, -32010, "forbidden")
        assert error_of(await Modern(server, key(BOB)).answer(paused, YES)) == (400, -32602, "run_not_found")
        assert till.paid == []
        assert text(await Modern(server, key(MATE)).answer(paused, YES)) == "May I? It is done."


@pytest.mark.requirement("MCP-refusals")
@pytest.mark.usefixtures("loop_time")
@virtually
async def test_a_pause_that_is_over_takes_no_answer() -> None:
    """Design 7: expiry is real."""
    till = Till()
    async with Server([shop(till).with_pauses(PauseRules(expires_s=60.0))]) as server:
        client, session = Modern(server), Session(server)
        paused = await client.ask()
        await session.open()
        async with session.call() as call:
            await call.until(has_asked)
            await pass_time(100.0)
            await call.over()
        assert error_of(await client.answer(paused, YES)) == (400, -32602, "token_expired")
        assert error_of(await session.reply(call, YES)) == (400, -32602, "token_expired")
        withdrawn = [one["params"] for one in messages_of(call) if one.get("method") == "notifications/cancelled"]
        assert [one["reason"] for one in withdrawn] == ["expired"]
        assert text(call) == "May I? It is done."
    assert till.paid == []


@pytest.mark.requirement("MCP-refusals")
@virtually
async def test_a_reply_counts_in_the_session_that_was_asked() -> None:
    """Ours: what a call asked is answered by whoever made it."""
    till = Till()
    async with Server([shop(till)], access=ACCESS) as server:
        mine, mates = Session(server, key(ALICE)), Session(server, key(MATE))
        await mine.open()
        await mates.open()
        async with mine.call() as call:
            await call.until(has_asked)
            assert error_of(await mates.reply(call, YES)) == (400, -32602, "token_invalid")
            forged = {"id": "x", "result": {"action": "accept", "content": YES}}
            assert error_of(await mine.ask(forged)) == (400, -32602, "token_invalid")
            assert till.paid == []
            assert (await mine.reply(call, YES)).status == 202
            assert (await mine.reply(call, YES)).status == 202
            assert error_of(await mine.reply(call, NO)) == (400, -32602, "already_answered")
            await call.over()
    assert till.paid == [5]


@pytest.mark.requirement("MCP-due")
@virtually
async def test_a_mount_that_may_not_show_a_pause_says_that_a_decision_is_due() -> None:
    """Design 8: it says only that, and gives no token; a question to a person is always shown."""
    till = Till()
    mounts = [Mount(wire="mcp", exposure=Exposure(pauses=PauseExposure.DUE))]
    async with Server([shop(till, BOTH)], mounts=mounts) as server:
        call = await Modern(server).ask()
        session = Session(server)
        await session.open()
        async with session.call() as told:
            await told.over()
    for one in (call, told):
        assert result_of(one)["_meta"]["treadle/code"] == "decision_due"
        assert b"cents" not in one.body
        assert not has_asked(one)
    assert till.paid == []


@pytest.mark.requirement("MCP-pause")
@virtually
async def test_a_call_goes_on_when_somebody_else_has_answered() -> None:
    """Ours: one pause, wherever it is shown (BR-078)."""
    till = Till()
    async with Server([shop(till)]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.until(has_asked)
            (run,) = await server.runner.runs()
            (pause,) = await server.runner.pauses(run.run_id)
            await server.runner.answer(run.run_id, [said(pause, "approve")], principal="ann")
            await call.over()
        assert error_of(await session.reply(call, YES)) == (400, -32602, "already_answered")
    assert text(call) == "May I? It is done."


@pytest.mark.requirement("MCP-resume")
@virtually
async def test_what_is_asked_is_asked_again_of_a_client_that_comes_back() -> None:
    """BR-081: a pause is not lost with the connection that showed it; MCP 2025-11-25: GET with Last-Event-ID."""
    till = Till()
    async with Server([shop(till)]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.until(has_asked)
            call.leave()
            await call.over()
        async with session.back("1:-1") as back:
            await back.until(has_asked)
            assert (await session.reply(back, YES)).status == 202
            await back.over()
    assert text(back) == "May I? It is done."
    assert till.paid == [5]


@pytest.mark.requirement("MCP-cancel")
@virtually
async def test_a_call_that_waits_is_stopped_like_any_other() -> None:
    """MCP 2025-11-25: and what it asked is withdrawn."""
    till = Till()
    async with Server([shop(till)]) as server:
        session = Session(server)
        await session.open()
        async with session.call() as call:
            await call.until(has_asked)
            await session.tell("notifications/cancelled", requestId=1)
            await call.over()
    assert [one["method"] for one in messages_of(call) if "method" in one].count("notifications/cancelled") == 1
    assert text(call) == "May I? cancelled: the run was stopped"
    assert till.paid == []
