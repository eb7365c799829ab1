"""Spans of runs that another worker goes on with."""

from __future__ import annotations

import asyncio

import pytest

from tests.adapters.traces.exporting import Kept, attributes
from tests.adapters.traces.test_otel import AGENT, feed, stopped, waited
from tests.kernel.plays import RUN
from tests.runtime.stores import LoopClock, StoreInHand, seen
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.otel import OtelTraces
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.plan.tools import tool
from treadle.testing.virtual_time import run_virtually

CHAT, PAY = "chat scripted", "execute_tool pay"


@pytest.mark.requirement("TRACE-segments")
@pytest.mark.parametrize("has_call", [True, False])
def test_a_run_that_another_worker_goes_on_with_is_traced_without_holes(*, has_call: bool) -> None:
    """Ours: after a worker's death whose run it is, its model and its lost call are on the spans of the next one."""
    run_virtually(_taken_over(has_call=has_call))


async def _taken_over(*, has_call: bool) -> None:
    begun = asyncio.Event()

    @tool
    async def pay(euros: int) -> str:
        """Pay somebody."""
        begun.set()
        await asyncio.sleep(euros * 1000)
        return "paid"

    script = "text: Hm.\n" + ('call: pay {"euros": 3}\n---' if has_call else "gate: on") + "\ntext: Done."
    models = [ScriptedModel.from_text(script, yields=True) for _ in range(2)]
    agents = [Agent(name="a", model=model, tools=[pay]) for model in models]
    models[1].open_gate("on")
    store, kept = MemoryStore(LoopClock()), Kept()
    hand, traces = StoreInHand(store), OtelTraces(kept.provider)
    async with Runner([agents[0]], store=hand, observers=[OtelTraces(Kept().provider)], drain_s=0) as runner:
        run = await runner.start("a", "hi", thread_id="t1")
        await seen(runner, run.run_id, "text_delta")
        if has_call:
            await begun.wait()
        hand.dead.set()
    async with Runner([agents[1]], store=store, observers=[traces]) as runner:
        assert (await runner.wait(run.run_id)).text.endswith("Done.")
    # The model's own turn was over where its call was lost; where it was not, it was taken back and asked again.
    lost = [(PAY, "unknown", "ERROR")] if has_call else []
    assert [one for one in kept.ends() if one[0] == PAY] == lost
    assert kept.ends()[-2:] == [(CHAT, "done", "UNSET"), (AGENT, "done", "UNSET")]
    told = attributes(kept.spans[-1])
    assert told[conv.TAKEN_OVER]
    assert (told[conv.AGENT_NAME], told[conv.CONVERSATION_ID], told[conv.SEGMENT]) == ("a", "t1", 1)
    assert {span.context.trace_id for span in kept.spans} == {kept.spans[-1].context.trace_id}
    assert (traces.open_runs, traces.resting_runs) == (0, 0)


@pytest.mark.requirement("TRACE-segments")
def test_what_this_process_has_traced_is_not_learnt_again_and_what_it_missed_is() -> None:
    """Ours: a run that comes back keeps its link; one that moved on elsewhere is counted as it stands."""
    stretches, at = waited()
    here, moved = Kept(), Kept()
    traces = OtelTraces(here.provider)
    feed(traces, stretches[:at])
    traces.learn(RUN, stretches[:at])
    feed(traces, stretches[at:])
    assert [attributes(span)[conv.SEGMENT] for span in here.spans if span.name == AGENT] == [1, 2]
    assert here.spans[-1].links
    traces = OtelTraces(moved.provider)
    feed(traces, stretches[: at - 1])
    traces.learn(RUN, stretches[:at])
    feed(traces, stretches[at:])
    assert attributes(moved.spans[-1])[conv.SEGMENT] == 2
    assert traces.open_runs == 0


@pytest.mark.requirement("TRACE-harmless")
def test_a_claim_ends_what_an_earlier_claim_left_open() -> None:
    """Ours: a worker that lost a run and has it again before the loss was noticed; every span is ended once."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    stretches = stopped()
    traces.stored(RUN, stretches[:-2])
    traces.learn(RUN, stretches[:-1])
    assert traces.open_runs == 0
    feed(traces, stretches[-1:])
    assert kept.counts.begun == kept.counts.ended == len(kept.spans)
