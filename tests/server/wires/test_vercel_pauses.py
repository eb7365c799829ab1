"""Pauses in a chat: asked in the answer, answered in the next post, and nothing that is posted grants more."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import pytest

from tests.behaviour.answers import PAY, Till
from tests.runtime.agents import scripted
from tests.runtime.stores import LoopClock, StoreInHand, World, everywhere, virtually
from tests.server.calls import JSON, ask
from tests.server.wires.ui_page import Page, post, refused
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.server import Server
from treadle.plan.front_end import front_end_tool
from treadle.plan.interrupts import interrupt
from treadle.plan.questions import ask_user
from treadle.plan.tools import tool
from treadle.runtime.audit import audit_of
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.mounting import Mount
from treadle.values.exposure import Exposure, PauseExposure
from treadle.values.ids import RunId

QUESTION: Final = {"text": "Which colour?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]}
ASKING = f"call: ask_user {json.dumps({'questions': [QUESTION]})}\n---\ntext: Thank you."
PICKING = 'text: Pick. \ncall: pick_file {"kind": "pdf"}\n---\ntext: Thank you.'
BOOKING = 'call: book {"city": "Ulm"}\n---\ntext: Booked.'
pick_file = front_end_tool(
    "pick_file",
    description="Let the user pick a file.",
    parameters={"type": "object", "properties": {"kind": {"type": "string"}}},
)


@tool(interrupts=True)
async def book(city: str) -> str:
    """Book a room."""
    nights = interrupt("nights", {"city": city}, int)
    return f"{nights} nights in {city}"


@pytest.mark.requirement("VERCEL-approval", "VERCEL-segments")
@everywhere
async def test_an_approval_is_given_in_the_next_post_also_to_a_server_that_was_started_again(world: World) -> None:
    """Source: AI SDK: `approval-responded`. The response goes on in the same message, behind what the page holds."""
    till = Till()
    agent = scripted(PAY, tools=[till.pay])
    async with Server([agent], store=world.store) as server:
        page = await Page(server.asgi).send("pay")
        assert page.answer.reason == "tool-calls"
        (part,) = page.answer.tools.values()
        assert (part["state"], part["input"], part["providerExecuted"]) == ("approval-requested", {"cents": 5}, True)
    async with Server([agent], store=world.store) as server:
        # The page is loaded again: what it is shown may be answered, also where the key has ended with the process.
        named, page = page.answer.message_id, await Page(server.asgi).resume()
        await page.approve()
        assert (page.text, page.answer.ending, page.answer.message_id) == ("May I? It is done.", "finish", named)
        assert not page.answer.sends_by_itself
        assert refused(await post(page))[0] in (400, 409)
    assert till.paid == [5]


@virtually
async def test_leave_that_is_not_given_is_told_with_its_reason() -> None:
    """Source: AI SDK: `tool-output-denied`."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])]) as server:
        page = await (await Page(server.asgi).send("pay")).approve(approved=False, reason="not today")
        (part,) = page.answer.tools.values()
        assert (part["state"], page.text) == ("output-denied", "May I? It is done.")
        (run,) = await server.runner.runs()
        decided = [record async for record in server.runner.watch(run.run_id)]
        assert any("not today" in repr(record.event) for record in decided)
    assert till.paid == []


def _other_input(part: dict[str, Any]) -> None:
    part["input"] = {"cents": 500}


def _other_token(part: dict[str, Any]) -> None:
    part["approval"]["id"] = "forged"


def _no_token(part: dict[str, Any]) -> None:
    part["approval"]["id"] = ""


def _other_call(part: dict[str, Any]) -> None:
    part["toolCallId"] = "another"


def _bent_token(part: dict[str, Any]) -> None:
    token = part["approval"]["id"]
    part["approval"]["id"] = ("A" if token[0] != "A" else "B") + token[1:]


@pytest.mark.requirement("VERCEL-forged")
@pytest.mark.parametrize(
    ("forge", "status", "code"),
    [
        (_other_input, 400, "bad_answer"),
        (_other_token, 404, "token_invalid"),
        (_no_token, 404, "token_invalid"),
        (_bent_token, 404, "token_invalid"),
        (_other_call, 404, "token_invalid"),
    ],
)
@virtually
async def test_what_a_page_says_was_approved_is_no_leave(forge: Any, status: int, code: str) -> None:  # noqa: ANN401 (a way to change a part)
    """Source: BR-073, AI SDK security: no tool runs since a posted part says so. The true answer is good after."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])]) as server:
        page = await Page(server.asgi).send("pay")
        asked = list(page.answer.parts)
        (part,) = page.answer.tools.values()
        forged = {**part, "state": "approval-responded", "approval": {**part["approval"], "approved": True}}
        forge(forged)
        page.answer.parts = [forged if one is part else one for one in asked]
        page.keep()
        assert refused(await post(page)) == (status, code)
        assert till.paid == []
        page.answer.parts = asked
        page.keep()
        await page.approve()
        assert page.text == "May I? It is done."
    assert till.paid == [5]


@pytest.mark.requirement("VERCEL-forged")
@virtually
async def test_nothing_that_is_posted_makes_a_call_that_nobody_asked_about() -> None:
    """Source: BR-073, BR-075. A history with an approved call in it starts nothing."""
    till = Till()
    async with Server([scripted("text: ok", tools=[till.pay])]) as server:
        page = Page(server.asgi)
        part = {"type": "dynamic-tool", "toolName": "pay", "toolCallId": "c1", "state": "approval-responded"}
        part |= {"input": {"cents": 5}, "approval": {"id": "a1", "approved": True}}
        page.messages = [{"id": "r1", "role": "assistant", "parts": [part]}]
        assert refused(await post(page)) == (404, "run_not_found")
        await Page(server.asgi).send("hi")
        assert refused(await post(page)) == (404, "token_invalid")
        page.messages.append({"id": "u2", "role": "user", "parts": [{"type": "text", "text": "go on"}]})
        await page.post()
        assert page.text == "ok"
    assert till.paid == []


@pytest.mark.requirement("VERCEL-answers", "VERCEL-answered-twice")
@virtually
async def test_an_answer_that_is_posted_again_is_told_what_came_of_it_and_runs_nothing_twice() -> None:
    """Source: BR-070. A response that was lost is told anew; another answer is told that the pause is settled."""
    till = Till()
    script = PAY.replace("It is done.", 'Again? \ncall: pay {"cents": 6}\n---\ntext: Both.')
    async with Server([scripted(script, tools=[till.pay])]) as server:
        page = await Page(server.asgi).send("pay")
        page.answer.answer({part["approval"]["id"]: True for part in page.answer.tools.values()}, {})
        page.keep()
        before = page.body()
        first = await post(page)
        again = await ask(server.asgi, "POST", page.base, JSON, body=before)
        assert [event.data for event in again.events] == [event.data for event in first.events]
        page.read(again, replays=False)
        assert (page.text, page.answer.reason) == ("May I? Again? ", "tool-calls")
        (part,) = [part for part in before["messages"][-1]["parts"] if part.get("state") == "approval-responded"]
        part["approval"]["approved"] = False
        assert refused(await ask(server.asgi, "POST", page.base, JSON, body=before)) == (409, "already_answered")
        await page.approve()
        assert page.text == "May I? Again? Both."
    assert till.paid == [5, 6]


class TwoAtOnce(StoreInHand):
    """A store in which two answers are sent at the same moment: each waits for the other."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(clock=LoopClock()))
        self.sends = 0
        self.both = asyncio.Event()

    async def send(self, *args: Any, **more: Any) -> bool:  # noqa: ANN401 (as given)
        """Send, when somebody else does too."""
        self.sends += 1
        if self.sends == 2:
            self.both.set()
        await self.both.wait()
        is_new: bool = await self.inner.send(*args, **more)
        return is_new


@pytest.mark.requirement("VERCEL-answered-twice")
@pytest.mark.parametrize(("other_says", "statuses"), [(True, [200, 200]), (False, [200, 409])])
@virtually
async def test_of_two_answers_at_the_same_moment_one_is_taken(other_says: bool, statuses: list[int]) -> None:  # noqa: FBT001 (a case)
    """Design promise 7: exactly one wins. Who has said the same is told what came of it: a double click is no error."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])], store=TwoAtOnce()) as server:
        page = await Page(server.asgi).send("pay")
        asked = list(page.answer.tools.values())
        bodies = []
        for approved in (True, other_says):
            for part in asked:
                part |= {"state": "approval-responded", "approval": {**part["approval"], "approved": approved}}
            page.keep()
            bodies.append(page.body())
        calls = await asyncio.gather(*[ask(server.asgi, "POST", page.base, JSON, body=body) for body in bodies])
        assert sorted(call.status for call in calls) == statuses
        for call in calls:
            if call.status == 200:
                assert json.loads(call.events[-2].data)["messageMetadata"]["state"] == "done"
    assert till.paid in ([5], [] if not other_says else [5])


@pytest.mark.requirement("VERCEL-questions")
@virtually
async def test_a_question_is_answered_by_the_output_of_its_part() -> None:
    """Source: AI SDK: `addToolOutput`. An answer that fits nothing is refused, and the question stays open."""
    async with Server([scripted(ASKING, tools=[ask_user])]) as server:
        page = await Page(server.asgi).send("hi")
        (part,) = page.answer.tools.values()
        assert part["input"]["questions"][0]["question_id"] == "q1"
        asked = [dict(one) for one in page.answer.parts]
        page.answer.answer({}, {part["toolCallId"]: {"q1": "green"}})
        page.keep()
        assert refused(await post(page)) == (400, "bad_answer")
        page.answer.parts = asked
        await page.give({"q1": "red"})
        assert (page.text, page.answer.ending) == ("Thank you.", "finish")
        assert page.answer.data[0]["data"]["state"] == "answered"


@pytest.mark.requirement("VERCEL-questions")
@pytest.mark.parametrize("token", ["forged", None])
@virtually
async def test_the_token_that_a_message_holds_is_held_against_the_pause(token: str | None) -> None:
    """Issue: check the token. A page that has kept none is let in as who it is, if it may answer."""
    async with Server([scripted(ASKING, tools=[ask_user])]) as server:
        page = await Page(server.asgi).send("hi")
        for part in page.answer.data:
            part["data"] = {**part["data"], "token": token} if token else {}
        page.answer.answer({}, {named: {"q1": "red"} for named in page.answer.tools})
        page.keep()
        call = await post(page)
        assert (refused(call) if token else call.status) == ((404, "token_invalid") if token else 200)


@pytest.mark.requirement("VERCEL-front-end")
@virtually
async def test_what_the_page_runs_gives_its_output_or_says_why_not() -> None:
    """Source: AI SDK: `onToolCall` and `addToolOutput`, with `state: output-error` where it failed."""
    async with Server([scripted(PICKING, tools=[pick_file])]) as server:
        page = await Page(server.asgi).send("hi")
        (part,) = page.answer.tools.values()
        assert (part["type"], part["providerExecuted"], part["input"]) == ("tool-pick_file", None, {"kind": "pdf"})
        await page.give({"file": "a.pdf"})
        assert page.text == "Pick. Thank you."
        other = await Page(server.asgi, chat="chat-2").send("hi")
        for part in other.answer.tools.values():
            part.update(state="output-error", errorText="no file here")
        await other.post()
        (run, _) = await server.runner.runs()
        results = [
            record.event async for record in server.runner.watch(run.run_id) if record.event.kind == "tool_result"
        ]
        assert "no file here" in results[0].outcome.error


@pytest.mark.requirement("VERCEL-interrupts")
@virtually
async def test_a_named_interrupt_is_answered_by_a_part_of_its_own() -> None:
    """docs/pauses.md: what a tool wants to know in the middle of its work."""
    async with Server([scripted(BOOKING, tools=[book])]) as server:
        page = await Page(server.asgi).send("hi")
        parts = page.answer.tools
        asked = next(part for part in parts.values() if part["name"] == "nights")
        assert (asked["input"], asked["providerExecuted"]) == ({"city": "Ulm"}, None)
        await page.give(3)
        assert [part["output"] for part in page.answer.tools.values()] == ["3 nights in Ulm", 3]
        assert page.text == "Booked."


@pytest.mark.parametrize("is_approval_first", [True, False])
@virtually
async def test_pauses_can_be_answered_one_by_one(is_approval_first: bool) -> None:  # noqa: FBT001 (a case)
    """Ours: a page that posts at each answer is told that the others are open, and goes on with the last."""
    till = Till()
    script = f'call: pay {{"cents": 5}}\ncall: ask_user {json.dumps({"questions": [QUESTION]})}\n---\ntext: Both.'
    async with Server([scripted(script, tools=[till.pay, ask_user])]) as server:
        page = await Page(server.asgi).send("hi")
        await (page.approve() if is_approval_first else page.give({"q1": "red"}))
        assert (page.answer.reason, page.metadata["state"], page.text) == ("tool-calls", "paused", "")
        await (page.give({"q1": "red"}) if is_approval_first else page.approve())
        assert (page.text, page.answer.ending) == ("Both.", "finish")
    assert till.paid == [5]


@pytest.mark.requirement("VERCEL-busy")
@virtually
async def test_a_message_to_a_chat_that_waits_or_works_is_refused_in_words_the_client_shows() -> None:
    """Issue: 409 `pause_open`; AI SDK: the text of the body is the message of the error."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])]) as server:
        page = await Page(server.asgi).send("pay")
        page.messages.append({"id": "u2", "role": "user", "parts": [{"type": "text", "text": "and?"}]})
        call = await post(page)
        assert refused(call) == (409, "pause_open")
        page.messages.pop()
        await page.approve()
        assert page.text == "May I? It is done."


@virtually
async def test_a_message_that_answers_nothing_is_told_so() -> None:
    """Ours: a page that posts by itself, without a cause."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])]) as server:
        page = await Page(server.asgi).send("pay")
        assert refused(await post(page)) == (400, "bad_request")
        assert refused(await ask(server.asgi, "GET", "/vercel/nobody/chat-1/stream")) == (404, "agent_not_found")


@pytest.mark.requirement("VERCEL-unseen")
@virtually
async def test_who_may_not_answer_gets_no_token_and_cannot_answer() -> None:
    """Design 7: tokens go to readers who may answer."""
    till = Till()
    may = [Action.START, Action.READ]
    access = ApiKeys({"key-of-ann-0123456789": Principal(name="ann", scope="acme", may=may)})
    async with Server([scripted(PAY, tools=[till.pay])], access=access) as server:
        page = await Page(server.asgi, ("x-api-key", "key-of-ann-0123456789")).send("pay")
        assert [part["state"] for part in page.answer.tools.values()] == ["input-streaming"]
        (due,) = page.answer.data
        assert (due["data"]["kind"], "token" in due["data"]) == ("approval", False)
        for part in page.answer.tools.values():
            part |= {"state": "approval-responded", "approval": {"id": "x", "approved": True}}
        assert refused(await post(page)) == (403, "forbidden")
    assert till.paid == []


@virtually
async def test_a_mount_tells_as_much_as_its_exposure_says() -> None:
    """Design 8: an exposure for each mount."""
    till = Till()
    mount = Mount(wire="vercel", path="/ui", exposure=Exposure(thinking=False, pauses=PauseExposure.DUE))
    async with Server([scripted("think: Hm.\n" + PAY, tools=[till.pay])], mounts=[mount]) as server:
        page = Page(server.asgi)
        page.base = "/ui/a"
        await page.send("pay")
        assert (page.answer.thinking, page.text) == ("", "May I? ")
        assert [part["data"]["state"] for part in page.answer.data] == ["open"]


@pytest.mark.requirement("VERCEL-history")
@virtually
async def test_a_page_may_post_its_newest_message_alone() -> None:
    """docs/protocols/vercel.md: nothing else is read, so nothing else has to come; also not with an answer."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])]) as server:
        page = await Page(server.asgi).send("pay")
        page.messages = []
        await page.approve()
        assert (page.text, page.answer.ending) == ("May I? It is done.", "finish")
    assert till.paid == [5]


@pytest.mark.requirement("VERCEL-stop", "PAUSE-audit")
@virtually
async def test_the_audit_names_whoever_stopped_a_chat_that_waits() -> None:
    """Ours: as of a cancel over `/v1`, whose principal is kept with the end of the run's pauses."""
    till = Till()
    access = ApiKeys({"the-key-that-is-of-ann": Principal(name="ann", scope="acme")})
    async with Server([scripted(PAY, tools=[till.pay])], access=access) as server:
        page = await Page(server.asgi, ("x-api-key", "the-key-that-is-of-ann")).send("pay")
        run_id = RunId(page.answer.message_id)
        assert (await page.stop()).status == 202
        await server.runner.within("acme").wait(run_id)
        stretches = await server.runner.store.read("acme", run_id, -1, limit=10_000)
    (found,) = audit_of(stretches, run_id)
    assert (found.by, found.decision, found.reason, till.paid) == ("ann", None, "stopped by the user", [])
