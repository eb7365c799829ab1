"""What a stored run waits for."""

from __future__ import annotations

from tests.behaviour.answers import Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import SCOPE, World, virtually, watched
from treadle.app.runner import Runner
from treadle.codec.pause_tokens import TokenKeys, claims_of
from treadle.plan.tools import tool
from treadle.runtime.hearing import ANSWER
from treadle.runtime.open_pauses import pauses_of
from treadle.values.ids import RunId
from treadle.values.pauses import Settlement

KEYS = TokenKeys(b"k" * 32)
TWO = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'


@virtually
async def test_what_is_open_is_shown_with_a_token_of_its_own() -> None:
    """Design §7: the server makes it when it sends the pause to a reader who may answer."""
    async with Runner([scripted(TWO, tools=[Till().pay])]) as runner:
        run_id, pauses = await asked(runner)
        found = await pauses_of(runner.store, SCOPE, RunId(run_id))
        shown = found.as_shown(keys=KEYS)
    assert [one.interrupt_id for one in shown] == [one.interrupt_id for one in pauses] == list(found.open)
    for one in shown:
        assert claims_of(one.token, scope=SCOPE, keys=KEYS).interrupt_id == one.interrupt_id
        assert one.token not in repr(one)
    assert found.settled == {}


@virtually
async def test_a_pause_whose_answer_lies_in_the_inbox_is_open_no_more() -> None:
    """Ours: its run may not know yet, and nobody is asked for what was said."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, (five, six) = await asked(runner)
    async with world.runner(scripted("text: another agent")) as other:
        await other.store.send(SCOPE, RunId(run_id), key=five.interrupt_id, kind=ANSWER, body=b"")
        found = await pauses_of(other.store, SCOPE, RunId(run_id))
    assert list(found.open) == [six.interrupt_id]
    assert found.settled == {five.interrupt_id: None}


@virtually
async def test_what_was_shown_is_redacted_and_what_is_asked_is_whole() -> None:
    """Law 5: redaction cuts events; the facts that an answer is held against are true."""
    script = 'call: mail {"to": "ann@example.com"}'

    @tool(requires_approval=True)
    async def mail(to: str) -> str:
        """Send it."""
        return to

    async with Runner([scripted(script, tools=[mail], text_filters=["redact"])]) as runner:
        run_id, (pause,) = await asked(runner)
        found = await pauses_of(runner.store, SCOPE, RunId(run_id))
    assert "ann@" not in str(pause.request)
    assert "ann@example.com" in str(found.open[pause.interrupt_id].request)


@virtually
async def test_how_each_pause_of_a_run_that_is_over_was_settled_is_known() -> None:
    """Ours: a late answer is told why it is too late."""
    async with Runner([scripted(TWO, tools=[Till().pay])]) as runner:
        run_id, (five, six) = await asked(runner)
        await runner.answer(run_id, [said(five, "approve"), said(six, "deny")], principal="ann")
        await watched(runner, run_id)
        found = await pauses_of(runner.store, SCOPE, RunId(run_id))
    assert found.open == {}
    assert found.settled == {five.interrupt_id: Settlement.ANSWERED, six.interrupt_id: Settlement.DECLINED}


@virtually
async def test_what_was_said_is_known_again_word_for_word_and_from_the_same_person_alone() -> None:
    """Ours: whoever repeats a request is led to what it did, and nobody else is."""
    async with Runner([scripted(TWO, tools=[Till().pay])]) as runner:
        run_id, (five, six) = await asked(runner)
        yes, edit = said(five, "approve"), said(six, "edit", arguments={"cents": 1})
        before = await pauses_of(runner.store, SCOPE, RunId(run_id))
        await runner.answer(run_id, [yes], principal="ann")
        half = await pauses_of(runner.store, SCOPE, RunId(run_id))
        await runner.answer(run_id, [edit], principal="ann")
        await runner.wait(run_id)
        after = await pauses_of(runner.store, SCOPE, RunId(run_id))
    assert not before.has_heard([yes], principal="ann")
    assert not before.has_heard([], principal="ann")
    for found in (half, after):
        assert found.has_heard([yes], principal="ann")
        assert not found.has_heard([yes], principal="bob")
        for other_words in (said(five, "deny"), said(five, "approve", reason="why not"), said(five, "answer")):
            assert not found.has_heard([other_words], principal="ann")
    assert not half.has_heard([yes, edit], principal="ann")
    assert after.has_heard([edit, yes], principal="ann")
    assert not after.has_heard([said(six, "edit", arguments={"cents": 2})], principal="ann")
    assert not after.has_heard([said(six, "edit")], principal="ann")


@virtually
async def test_an_answer_that_lies_in_the_inbox_is_known_again() -> None:
    """Ours: its run may not know yet, and whoever repeats it is led to what will come of it."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, _ = await asked(runner)
    # Nobody here can run it, so what is sent stays where it is.
    async with world.runner(scripted("text: another agent")) as other:
        pauses = await other.pauses(run_id)
        answers = [said(pause, "approve") for pause in pauses]
        await other.answer(run_id, answers, principal="ann")
        found = await pauses_of(other.store, SCOPE, RunId(run_id))
        await other.store.send(SCOPE, RunId(run_id), key=f"{run_id}.i9", kind=ANSWER, body=b"no answer")
        again = await pauses_of(other.store, SCOPE, RunId(run_id))
    assert found.open == {}
    assert found.has_heard(answers, principal="ann")
    assert again.has_heard(answers, principal="ann")


@virtually
async def test_each_pause_is_of_the_segment_that_ended_with_it() -> None:
    """Ours: what a wire whose unit is a segment goes on from, long after the pause was answered."""
    script = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ncall: pay {"cents": 7}\n---\ntext: ok'
    async with Runner([scripted(script, tools=[Till().pay])]) as runner:
        run_id, both = await asked(runner)
        await runner.answer(run_id, [said(one, "approve") for one in both], principal="ann")
        await runner.wait(run_id)
        (third,) = await runner.pauses(run_id)
        assert (await runner.all_pauses(run_id)).segments == {
            **{one.interrupt_id: 1 for one in both},
            third.interrupt_id: 2,
        }
