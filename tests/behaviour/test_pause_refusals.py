"""Answers that are refused, and answers at the same moment."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.answers import PAY, Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import World, everywhere, virtually, watched
from treadle.app.runner import Runner
from treadle.codec.pause_tokens import token_for
from treadle.errors import (
    AlreadyAnsweredError,
    BadAnswerError,
    PauseNotFoundError,
    PlanError,
    RunNotFoundError,
    TokenInvalidError,
)
from treadle.plan.questions import ask_user
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import PauseKind, PendingInterrupt

QUESTION = {"text": "Which colour?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]}
SOAK_S = 300.0
"""Seconds within which a thousand runs over a file have come to their ends, on a slow machine."""


def named_of(runner: Runner, interrupt_id: str) -> dict[str, str]:
    """A pause that the run never had, with a token of ours for it."""
    pending = PendingInterrupt(
        interrupt_id=InterruptId(interrupt_id), kind=PauseKind.APPROVAL, call_id=CallId("c"), arguments_digest="0"
    )
    token = token_for(pending, scope="default", keys=runner._opened().keys)  # noqa: SLF001 (nobody else makes one)
    return {"interrupt_id": interrupt_id, "token": token}


@pytest.mark.requirement("PAUSE-refusals", "BR-069")
@everywhere
async def test_one_unknown_pause_refuses_the_whole_body_and_a_bad_answer_burns_no_token(world: World) -> None:
    """BR-069; reference D16c: the question is named, nothing was taken, and the same token is good afterwards."""
    till = Till()
    script = f'call: ask_user {{"questions": [{json.dumps(QUESTION)}]}}\ncall: pay {{"cents": 5}}\n---\ntext: ok'
    async with world.runner(scripted(script, tools=[ask_user, till.pay])) as runner:
        run_id, pauses = await asked(runner)
        by_kind = {pause.kind: pause for pause in pauses}
        question, leave = by_kind[PauseKind.ASK_USER], by_kind[PauseKind.APPROVAL]
        unknown = said(leave, "approve", **named_of(runner, f"{run_id}.i9"))
        good = said(question, "answer", value={"q1": "red"})
        with pytest.raises(PauseNotFoundError):
            await runner.answer(run_id, [good, unknown], principal="ann")
        with pytest.raises(BadAnswerError) as bad:
            await runner.answer(
                run_id, [said(question, "answer", value={"q1": "pink"}), said(leave, "approve")], principal="ann"
            )
        (problem,) = bad.value.problems
        assert (problem.position, problem.interrupt_id) == (0, question.interrupt_id)
        assert "'q1'" in problem.problem
        for body, where in (([], (None, None)), ([good, said(leave, "approve"), good], (2, question.interrupt_id))):
            with pytest.raises(BadAnswerError) as malformed:
                await runner.answer(run_id, body, principal="ann")
            assert [(one.position, one.interrupt_id) for one in malformed.value.problems] == [where]
        assert {pause.interrupt_id for pause in await runner.pauses(run_id)} == {
            question.interrupt_id,
            leave.interrupt_id,
        }
        await runner.answer(run_id, [good, said(leave, "approve")], principal="ann")
        await watched(runner, run_id)
    assert till.paid == [5]


@pytest.mark.requirement("PAUSE-refusals", "D16")
@virtually
async def test_forged_swapped_foreign_and_doubled_answers_are_refused() -> None:
    """Promise 7: each by its own refusal, and none tells a stranger more than "not found"."""
    till = Till()
    world = World()
    agent = scripted('call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok', tools=[till.pay])
    async with world.runner(agent) as runner:
        run_id, (five, six) = await asked(runner)
        other_id, (foreign, _) = await asked(runner)
        bob = runner.within("bob")
        forged = said(five, "approve", token=five.token[:-2] + ("AA" if five.token[-2:] != "AA" else "BB"))
        for refused, scope, named, answer in [
            (TokenInvalidError, runner, run_id, forged),
            (TokenInvalidError, runner, run_id, said(five, "approve", token="")),
            (TokenInvalidError, runner, run_id, said(five, "approve", token=six.token)),
            (TokenInvalidError, runner, run_id, said(five, "approve", token=foreign.token)),
            (TokenInvalidError, runner, run_id, said(foreign, "approve")),
            (TokenInvalidError, runner, run_id, said(five, "approve", interrupt_id=f"{run_id}.i9")),
            (PauseNotFoundError, runner, run_id, said(five, "approve", **named_of(runner, f"{run_id}.i9"))),
            (RunNotFoundError, bob, run_id, said(five, "approve")),
            (TokenInvalidError, bob, run_id, forged),
            (RunNotFoundError, runner, "r_none", said(five, "approve")),
        ]:
            with pytest.raises(refused):
                await scope.answer(named, [answer], principal="mallory")
        assert till.paid == []
        await runner.answer(run_id, [said(five, "approve"), said(six, "deny")], principal="ann")
        with pytest.raises(AlreadyAnsweredError):
            await runner.answer(run_id, [said(five, "approve")], principal="ann")
        await watched(runner, run_id)
        with pytest.raises(AlreadyAnsweredError):
            await runner.answer(run_id, [said(six, "approve")], principal="ann")
        with pytest.raises(RunNotFoundError):
            await bob.pauses(other_id)
    assert till.paid == [5]


@pytest.mark.slow
@pytest.mark.requirement("PAUSE-once")
@everywhere
async def test_of_two_answers_at_the_same_moment_exactly_one_counts(world: World) -> None:
    """Promise 7: a hundred double clicks; the tool runs a hundred times."""
    await _double_clicks(world, 100)


@pytest.mark.soak
@pytest.mark.requirement("PAUSE-once")
@pytest.mark.parametrize("in_a_file", [False, True])
async def test_of_two_answers_at_the_same_moment_exactly_one_counts_a_thousand_times(
    tmp_path: Path,
    in_a_file: bool,  # noqa: FBT001 (a case)
) -> None:
    """Promise 7: the same, for longer."""
    async with asyncio.timeout(SOAK_S):
        await _double_clicks(World(tmp_path if in_a_file else None), 1000)


async def _double_clicks(world: World, count: int) -> None:
    till = Till()
    async with world.runner(scripted(PAY, tools=[till.pay])) as runner:
        waiting = [await asked(runner) for _ in range(count)]

        async def click(run_id: str, pause: Any, decision: str) -> str:  # noqa: ANN401 (a pause)
            try:
                await runner.answer(run_id, [said(pause, decision)], principal="ann")
            except AlreadyAnsweredError:
                return "refused"
            return "taken"

        clicks = [click(run_id, pause, "approve") for run_id, (pause,) in waiting for _ in range(2)]
        results = await asyncio.gather(*clicks)
        for run_id, _ in waiting:
            await watched(runner, run_id)
    pairs = zip(results[::2], results[1::2], strict=True)
    assert all(sorted(pair) == ["refused", "taken"] for pair in pairs)
    assert till.paid == [5] * count


@pytest.mark.requirement("PAUSE-once")
@virtually
async def test_two_bodies_that_name_the_same_pauses_in_any_order_do_not_share_them() -> None:
    """Ours: one wins all of them, whatever order each was written in."""
    till = Till()
    agent = scripted('call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok', tools=[till.pay])
    async with Runner([agent]) as runner:
        run_id, pauses = await asked(runner)
        bodies = [[said(one, "approve") for one in pauses], [said(one, "deny") for one in reversed(pauses)]]
        done = await asyncio.gather(
            *[runner.answer(run_id, body, principal="ann") for body in bodies], return_exceptions=True
        )
        await watched(runner, run_id)
    (refused,) = [one for one in done if isinstance(one, AlreadyAnsweredError)]
    assert refused.taken == ()
    assert sorted(till.paid) in ([], [5, 6])


@pytest.mark.requirement("PAUSE-secret", "D14")
async def test_a_runner_with_a_secret_that_is_none_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reference D14: a token signed with a built-in default was accepted; here nothing begins, and no run is lost."""
    monkeypatch.setenv("TREADLE_SECRET", "hunter2")
    with pytest.raises(PlanError, match="TREADLE_SECRET") as refused:
        async with Runner([scripted(PAY, tools=[Till().pay])]):
            pass
    assert "hunter2" not in str(refused.value)


@pytest.mark.requirement("PAUSE-secret")
@pytest.mark.skipif(os.name != "posix", reason="platform: modes of files are of POSIX systems")
async def test_a_runner_whose_key_file_others_can_read_does_not_start(tmp_path: Path) -> None:
    """Ours: not at the first token, when somebody waits for an answer."""
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    async with Runner([scripted(PAY, tools=[Till().pay])], store=store) as runner:
        await asked(runner)
    (tmp_path / "runs.db.key").chmod(0o604)
    with pytest.raises(PlanError, match="read by others"):
        async with Runner([scripted(PAY, tools=[Till().pay])], store=store):
            pass


@pytest.mark.requirement("PAUSE-secret")
@virtually
async def test_processes_with_one_secret_know_each_others_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design §7: derived, so any process can verify; after a rotation the old ones hold until they are over."""
    till, world = Till(), World()
    agent = scripted(PAY, tools=[till.pay])
    monkeypatch.setenv("TREADLE_SECRET", "0123456789abcdef" * 2)
    async with world.runner(agent) as first:
        run_id, (pause,) = await asked(first)
        other_id, (other,) = await asked(first)
    monkeypatch.setenv("TREADLE_SECRET", "fedcba9876543210" * 2)
    monkeypatch.setenv("TREADLE_SECRET_BEFORE", "0123456789abcdef" * 2)
    async with world.runner(agent) as second:
        await second.answer(run_id, [said(pause, "approve")], principal="ann")
        await watched(second, run_id)
    monkeypatch.delenv("TREADLE_SECRET_BEFORE")
    async with world.runner(agent) as third:
        with pytest.raises(TokenInvalidError):
            await third.answer(other_id, [said(other, "approve")], principal="ann")
    assert till.paid == [5]
