"""People in the loop: answered from anywhere, once, by the right person, after a restart."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.answers import PAY, Till, asked, outcomes, problems_of, said, told
from tests.runtime.agents import add, model_of, scripted
from tests.runtime.stores import World, everywhere, virtually, watched
from treadle.adapters.models.openai_chat.request import chat_messages
from treadle.app.runner import Runner
from treadle.errors import (
    AlreadyAnsweredError,
    BadAnswerError,
    PauseOpenError,
    TokenInvalidError,
)
from treadle.plan.front_end import front_end_tool
from treadle.plan.interrupts import interrupt
from treadle.plan.questions import ask_user
from treadle.plan.tools import tool
from treadle.testing.transcript_check import check_transcript
from treadle.values import events as ev
from treadle.values.facts import DecisionKept
from treadle.values.ids import RunId
from treadle.values.pauses import Decision, PauseKind
from treadle.values.requests import TurnMessage
from treadle.values.runs import RunStatus
from treadle.values.stretches import entries_of

QUESTION = {"text": "Which colour?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]}


@pytest.mark.requirement("PAUSE-answer", "BR-079", "BR-081")
@everywhere
async def test_a_run_that_waits_is_answered_after_a_restart(world: World) -> None:
    """Promise 7: in another process, by whoever may; the tool runs once, with what was asked about."""
    till = Till()
    agent = scripted(PAY, tools=[till.pay])
    async with world.runner(agent) as first:
        run_id, before = await asked(first)
        assert (await first.get(run_id)).state is RunStatus.WAITING
    async with world.runner(agent) as second:
        (pause,) = await second.pauses(run_id)
        assert pause.interrupt_id == before[0].interrupt_id
        assert (pause.kind, pause.request["arguments"]) == (PauseKind.APPROVAL, {"cents": 5})
        taken = await second.answer(run_id, [said(pause, "approve")], principal="ann")
        assert (taken.taken, taken.open) == ((pause.interrupt_id,), ())
        events = await watched(second, run_id)
        assert await second.pauses(run_id) == ()
    assert till.paid == [5]
    assert events[-1].kind == "done"
    assert problems_of(events) == []
    assert told(agent) == [["paid 5"]]


@pytest.mark.requirement("PAUSE-siblings", "BR-066", "BR-067", "BR-070", "BR-072")
@everywhere
async def test_three_calls_of_which_one_asks_and_one_needs_leave(world: World) -> None:
    """BR-067: the third's result is stored, both are listed, one answer does not resume, the second does."""
    till = Till()
    script = f"""text: So:
call: ask_user {{"questions": [{json.dumps(QUESTION)}]}}
call: add {{"a": 1, "b": 2}}
call: pay {{"cents": 5}}
---
text: ok"""
    agent = scripted(script, tools=[ask_user, add, till.pay])
    async with world.runner(agent) as runner:
        run_id, pauses = await asked(runner)
        question = next(pause for pause in pauses if pause.kind is PauseKind.ASK_USER)
        leave = next(pause for pause in pauses if pause.kind is PauseKind.APPROVAL)
        assert len(pauses) == 2
        assert (question.call_id, leave.call_id) == (f"{run_id}.c1", f"{run_id}.c3")
        before = await watched(runner, run_id, to_end_of="segment")
        assert outcomes(before) == {"c2": ("ok", 3)}
        taken = await runner.answer(run_id, [said(leave, "approve")], principal="ann")
        assert taken.open == (question.interrupt_id,)
        view = await runner.wait(run_id)
        assert (view.state, till.paid) == (RunStatus.WAITING, [])
        assert [pause.interrupt_id for pause in await runner.pauses(run_id)] == [question.interrupt_id]
        with pytest.raises(AlreadyAnsweredError):
            await runner.answer(run_id, [said(leave, "deny")], principal="bob")
        await runner.answer(run_id, [said(question, "answer", value={"q1": "red"})], principal="ann")
        events = await watched(runner, run_id)
    assert (events[-1].kind, till.paid) == ("done", [5])
    assert problems_of(events) == []
    answer = {"answers": ({"question_id": "q1", "question": "Which colour?", "chosen": ("red",)},)}
    assert told(agent) == [[answer, 3, "paid 5"]]


@pytest.mark.requirement("PAUSE-decisions")
@everywhere
async def test_a_no_is_told_to_the_model_with_its_reason_and_an_edit_runs_what_was_edited(world: World) -> None:
    """Ours: deny, edit and cancel are decisions of their own, and each is remembered with who and when."""
    till = Till()
    script = """text: So:
call: pay {"cents": 5}
call: pay {"cents": 6}
call: pay {"cents": 7}
---
text: ok"""
    agent = scripted(script, tools=[till.pay])
    async with world.runner(agent) as runner:
        run_id, (five, six, seven) = await asked(runner)
        body = [
            said(five, "deny", reason="too dear"),
            said(six, "edit", arguments={"cents": 4}),
            said(seven, "cancel"),
        ]
        await runner.answer(run_id, body, principal="ann")
        events = await watched(runner, run_id)
        facts = await _facts(runner, run_id)
    assert till.paid == [4]
    assert told(agent) == [["denied by a person: too dear", "paid 4", "cancelled while it waited for a person"]]
    assert outcomes(events)["c1"][0] == "denied"
    (call,) = [event for event in events if isinstance(event, ev.ToolCall)]
    assert call.request.arguments == {"cents": 4}
    decided = [(fact.interrupt_id, fact.decision, fact.by) for fact in facts if isinstance(fact, DecisionKept)]
    assert decided == [
        (five.interrupt_id, Decision.DENY, "ann"),
        (six.interrupt_id, Decision.EDIT, "ann"),
        (seven.interrupt_id, Decision.CANCEL, "ann"),
    ]


async def _facts(runner: Runner, run_id: str) -> list[Any]:
    stretches = await runner.store.read("default", RunId(run_id), -1, limit=10_000)
    return list(entries_of(stretches, RunId(run_id)))


@pytest.mark.requirement("PAUSE-order", "BR-076")
@everywhere
async def test_decision_and_result_are_stored_before_the_model_is_asked_again(world: World) -> None:
    """BR-076: the model fails after the approved tool has run; neither is lost, and nothing runs twice."""
    till = Till()
    agent = scripted('text: May I? \ncall: pay {"cents": 5}\n---\nerror: refused', tools=[till.pay])
    async with world.runner(agent) as runner:
        run_id, (pause,) = await asked(runner, thread_id="t")
        await runner.answer(run_id, [said(pause, "approve")], principal="ann")
        events = await watched(runner, run_id)
        facts = await _facts(runner, run_id)
        with pytest.raises(AlreadyAnsweredError):
            await runner.answer(run_id, [said(pause, "approve")], principal="ann")
    assert (events[-1].kind, till.paid) == ("error", [5])
    kinds = [getattr(fact, "kind", "") for fact in facts]
    order = [kinds.index(name) for name in ("decision_kept", "answer_kept", "resumed", "tool_call", "outcome_kept")]
    assert order == sorted(order)
    assert kinds.index("outcome_kept") < len(kinds) - 1 - kinds[::-1].index("round_opened")


@pytest.mark.requirement("PAUSE-interrupt", "BR-086")
@everywhere
async def test_a_tool_that_asks_twice_goes_on_in_another_process_each_time(world: World) -> None:
    """Ours: the value is given back where it was asked; nothing is held meanwhile."""
    steps: list[str] = []

    @tool(interrupts=True)
    def book(city: str) -> str:
        """Book a room, after two questions."""
        steps.append("begin")
        nights = interrupt("nights", {"city": city}, int)
        sure = interrupt("sure", {"city": city, "nights": nights}, bool)
        steps.append(f"booked {nights} {sure}")
        return f"{nights} nights in {city}"

    agent = scripted('call: book {"city": "Oslo"}\n---\ntext: ok', tools=[book])
    async with world.runner(agent) as runner:
        run_id, (nights,) = await asked(runner)
    async with world.runner(agent) as runner:
        (nights,) = await runner.pauses(run_id)
        assert (nights.request, nights.response_schema) == (
            {"name": "nights", "payload": {"city": "Oslo"}},
            {"type": "integer"},
        )
        with pytest.raises(BadAnswerError):
            await runner.answer(run_id, [said(nights, "answer", value="three")], principal="ann")
        await runner.answer(run_id, [said(nights, "answer", value=3)], principal="ann")
        await runner.wait(run_id)
    async with world.runner(agent) as runner:
        (sure,) = await runner.pauses(run_id)
        assert sure.request["payload"] == {"city": "Oslo", "nights": 3}
        await runner.answer(run_id, [said(sure, "answer", value=True)], principal="ann")
        events = await watched(runner, run_id)
    assert steps == ["begin", "begin", "begin", "booked 3 True"]
    assert outcomes(events) == {"c1": ("ok", "3 nights in Oslo")}
    assert [event.kind for event in events].count("tool_call") == 1
    assert problems_of(events) == []


@pytest.mark.requirement("PAUSE-front-end")
@virtually
async def test_what_the_front_end_gives_back_is_the_result_of_its_call() -> None:
    """Ours: a tool declared without a function; nothing runs here."""
    pick = front_end_tool(
        "pick",
        description="Pick a file.",
        parameters={"properties": {"kind": {"type": "string"}}},
        result={"type": "string"},
    )
    agent = scripted('call: pick {"kind": "png"}\n---\ntext: ok', tools=[pick])
    async with Runner([agent]) as runner:
        run_id, (pause,) = await asked(runner)
        assert (pause.kind, pause.request) == (PauseKind.FRONT_END, {"name": "pick", "arguments": {"kind": "png"}})
        await runner.answer(run_id, [said(pause, "answer", value="a.png")], principal="page")
        events = await watched(runner, run_id)
    assert outcomes(events) == {"c1": ("ok", "a.png")}
    assert "tool_call" not in [event.kind for event in events]


@pytest.mark.requirement("PAUSE-questions")
@virtually
async def test_a_malformed_question_goes_back_to_the_model_and_to_nobody_else() -> None:
    """Design: as a damaged call."""
    script = 'call: ask_user {"questions": []}\n---\ntext: sorry'
    agent = scripted(script, tools=[ask_user])
    async with Runner([agent]) as runner:
        run = await runner.start("a", "hi")
        events = await watched(runner, run.run_id)
    assert events[-1].kind == "done"
    assert outcomes(events)["c1"][0] == "failed"


@pytest.mark.requirement("PAUSE-cancel")
@everywhere
async def test_a_run_that_waits_is_cancelled_and_every_call_is_settled(world: World) -> None:
    """Ours: a segment that tells how each pause was settled; no answer counts after it."""
    till = Till()
    async with world.runner(scripted(PAY, tools=[till.pay])) as runner:
        run_id, (pause,) = await asked(runner)
        assert await runner.cancel(run_id)
        events = await watched(runner, run_id)
        assert [event.kind for event in events][-3:] == ["resumed", "tool_result", "cancelled"]
        assert await runner.pauses(run_id) == ()
        with pytest.raises(AlreadyAnsweredError):
            await runner.answer(run_id, [said(pause, "approve")], principal="ann")
    assert till.paid == []
    assert problems_of(events) == []


@pytest.mark.requirement("PAUSE-cancel")
@virtually
async def test_an_answer_and_a_stop_at_the_same_moment_end_in_one_stated_way() -> None:
    """Ours: whichever is first is first; the tool runs once or not at all."""
    for first in ("answer", "cancel"):
        till = Till()
        async with Runner([scripted(PAY, tools=[till.pay])]) as runner:
            run_id, (pause,) = await asked(runner)
            acts = {
                "answer": runner.answer(run_id, [said(pause, "approve")], principal="ann"),
                "cancel": runner.cancel(run_id),
            }
            await asyncio.gather(acts.pop(first), *acts.values(), return_exceptions=True)
            events = await watched(runner, run_id)
        assert events[-1].kind in ("done", "cancelled")
        assert till.paid in ([], [5])
        assert problems_of(events) == []


@pytest.mark.requirement("PAUSE-message", "BR-073", "BR-075", "BR-084", "BR-091")
@everywhere
async def test_a_message_to_a_thread_that_waits_follows_its_rule_and_grants_nothing(world: World) -> None:
    """BR-084: refused as `pause_open`, queued, or in place of the run; BR-075: the gated tool runs on no later turn."""
    till = Till()
    agent = scripted(PAY, tools=[till.pay])
    async with world.runner(agent) as runner:
        run_id, (pause,) = await asked(runner, thread_id="t")
        with pytest.raises(PauseOpenError) as refused:
            await runner.start("a", "yes, do it: approved", thread_id="t")
        assert refused.value.code == "pause_open"
        queued = await runner.start("a", "and then?", thread_id="t", on_busy="queue")
        assert [one.interrupt_id for one in await runner.pauses(run_id)] == [pause.interrupt_id]
        await runner.answer(run_id, [said(pause, "deny")], principal="ann")
        await watched(runner, run_id)
        second = (await runner.wait(queued.run_id)).state
        assert second is RunStatus.WAITING
        last = await runner.start("a", "never mind", thread_id="t", on_busy="cancel_previous")
        assert (await watched(runner, queued.run_id))[-1].kind == "cancelled"
        assert (await runner.wait(last.run_id)).state is RunStatus.WAITING
    assert till.paid == []


@pytest.mark.requirement("PAUSE-filters", "D15")
@everywhere
async def test_what_comes_after_an_answer_passes_the_same_filters(world: World) -> None:
    """D15: after a resume a block and a tag went out verbatim, and nothing was stored."""
    till = Till()
    script = (
        'text: Well.\\s\ncall: pay {"cents": 5}\nusage: 3 4\n---\n'
        "text: You <MEMORY_EXTRACT>{}</MEMORY|_EXTRACT>paid [seman|tic].\nusage: 10 6"
    )
    agent = scripted(script, tools=[till.pay], text_filters=["think", "block", "citation"])
    async with world.runner(agent) as runner:
        run_id, (pause,) = await asked(runner)
        await runner.answer(run_id, [said(pause, "approve")], principal="ann")
        events = await watched(runner, run_id)
        view = await runner.get(run_id)
    assert view.text == "Well. You paid."
    assert (view.answer, view.usage.input_tokens) == ("You paid.", 13)
    assert "extracted" in [event.kind for event in events]


@pytest.mark.requirement("PAUSE-rule", "BR-087")
@everywhere
async def test_the_rule_that_asks_is_asked_once(world: World) -> None:
    """BR-087: a rule that counts its calls, or changes its mind, decides nothing twice."""
    counted: list[int] = []

    def rule(arguments: Any) -> bool:  # noqa: ANN401 (JSON terms)
        counted.append(arguments["cents"])
        return len(counted) == 1

    @tool(requires_approval=rule)
    async def pay(cents: int) -> str:
        """Pay."""
        raise AssertionError(f"paid {cents}")

    agent = scripted(PAY, tools=[pay])
    async with world.runner(agent) as runner:
        run_id, _ = await asked(runner)
    async with world.runner(agent) as runner:
        (pause,) = await runner.pauses(run_id)
        await runner.answer(run_id, [said(pause, "deny")], principal="ann")
        events = await watched(runner, run_id)
    assert counted == [5]
    assert outcomes(events)["c1"][0] == "denied"


@pytest.mark.requirement("PAUSE-history", "BR-052", "BR-090")
@virtually
async def test_what_was_answered_is_a_whole_pair_in_the_next_turn_of_its_thread() -> None:
    """BR-090: call and result of the approved tool are told to the next run; the transcript is sound."""
    till = Till()
    agent = scripted(PAY, tools=[till.pay])
    async with Runner([agent]) as runner:
        run_id, (pause,) = await asked(runner, thread_id="t")
        await runner.answer(run_id, [said(pause, "approve")], principal="ann")
        await watched(runner, run_id)
        await runner.start("a", "next", thread_id="t")
        await _until_asked(agent, 3)
        request = model_of(agent).asks[2]
        await runner.cancel((await runner.runs(thread_id="t"))[0].run_id)
    messages = request.prompt.history
    assert any(isinstance(one, TurnMessage) and [o.content for o in one.outcomes] == ["paid 5"] for one in messages)
    assert check_transcript(chat_messages(request), "openai") == []


async def _until_asked(agent: Any, count: int) -> None:  # noqa: ANN401 (an agent)
    for _ in range(10_000):
        if len(model_of(agent).asks) >= count:
            return
        await asyncio.sleep(0)
    raise AssertionError("the model was not asked")


@pytest.mark.requirement("PAUSE-token")
def test_a_token_is_in_no_file_and_in_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Design: derived, never stored; tokens never enter history, log or logs."""

    async def main() -> str:
        till = Till()
        agent = scripted(PAY, tools=[till.pay])
        async with Runner([agent], store=f"sqlite:///{tmp_path / 'runs.db'}") as runner:
            run_id, (pause,) = await asked(runner)
            forged = said(pause, "approve", token=pause.token[::-1])
            with pytest.raises(TokenInvalidError):
                await runner.answer(run_id, [forged], principal="ann")
            await runner.answer(run_id, [said(pause, "approve")], principal="ann")
            await watched(runner, run_id)
            assert pause.token not in repr(pause) + repr(forged)
        return pause.token

    with caplog.at_level(logging.DEBUG):
        token = asyncio.run(main())
    assert not any(token.encode() in path.read_bytes() for path in tmp_path.iterdir())
    assert token not in caplog.text
    assert token[::-1] not in caplog.text


@pytest.mark.requirement("PAUSE-redacted", "PAUSE-questions")
@virtually
async def test_a_choice_between_secrets_is_made_by_what_was_shown_and_told_in_truth() -> None:
    """Law 5: nobody who reads or answers sees the labels, and the model is told which of its own was chosen."""
    options = [{"label": "ann@example.com"}, {"label": "bob@example.com"}]
    question = {"text": "To whom?", "header": "Mail", "options": options}
    script = f'call: ask_user {{"questions": [{json.dumps(question)}]}}\n---\ntext: ok'
    agent = scripted(script, tools=[ask_user], text_filters=["redact"])
    async with World().runner(agent) as runner:
        run_id, (pause,) = await asked(runner)
        (shown,) = pause.request["questions"]
        assert "example.com" not in repr(pause)
        with pytest.raises(BadAnswerError) as refused:
            await runner.answer(run_id, [said(pause, "answer", value={"q1": "bob@example.com"})], principal="ann")
        assert "example.com" not in str(refused.value)
        chosen = said(pause, "answer", value={"q1": shown["options"][1]["label"]})
        await runner.answer(run_id, [chosen], principal="ann")
        events = await watched(runner, run_id)
    assert not any("example.com" in repr(event) for event in events if not isinstance(event, ev.RunStarted))
    assert "bob@example.com" in repr(told(agent))
    assert "ann@example.com" not in repr(told(agent))
