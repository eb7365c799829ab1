"""openai-agents: Runner.run_streamed(...).stream_events() with a custom Model (tracing off)."""

from __future__ import annotations

import asyncio

from agents import Agent, RawResponsesStreamEvent, RunConfig, Runner, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningTextDeltaEvent,
    ResponseTextDeltaEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script, arg_chunks

set_tracing_disabled(True)


def usage():
    return ResponseUsage(
        input_tokens=1,
        output_tokens=1,
        total_tokens=2,
        input_tokens_details=InputTokensDetails.model_construct(cached_tokens=0, cache_write_tokens=0),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    )


class ScriptedModel(Model):
    def __init__(self, script: Script, gate=None):
        self.script = script
        self.gate = gate
        self.k = 0

    async def get_response(self, *a, **k):
        raise NotImplementedError

    async def stream_response(self, system_instructions, input, *a, **kw):
        script = self.script
        r, y = script.rounds[self.k], script.yields
        mid = f"msg_{self.k}"
        self.k += 1
        seq = 0
        for s in r.think:
            if y:
                await asyncio.sleep(0)
            seq += 1
            yield ResponseReasoningTextDeltaEvent(
                content_index=0,
                delta=s,
                item_id="rs_" + mid,
                output_index=0,
                sequence_number=seq,
                type="response.reasoning_text.delta",
            )
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            seq += 1
            yield ResponseTextDeltaEvent(
                content_index=0,
                delta=s,
                item_id=mid,
                logprobs=[],
                output_index=1,
                sequence_number=seq,
                type="response.output_text.delta",
            )
            if seq == 1 and self.gate is not None:
                await self.gate.wait()
        msg = ResponseOutputMessage(
            id=mid,
            role="assistant",
            status="completed",
            type="message",
            content=[ResponseOutputText(annotations=[], text="".join(r.text), type="output_text", logprobs=[])],
        )
        out = [msg]
        if r.call_id:
            call = ResponseFunctionToolCall(
                arguments="", call_id=r.call_id, name=TOOL, type="function_call", id="fc_" + r.call_id
            )
            yield ResponseOutputItemAddedEvent(
                item=call, output_index=2, sequence_number=seq, type="response.output_item.added"
            )
            for a in arg_chunks(r.call_id):
                yield ResponseFunctionCallArgumentsDeltaEvent(
                    delta=a,
                    item_id="fc_" + r.call_id,
                    output_index=2,
                    sequence_number=seq,
                    type="response.function_call_arguments.delta",
                )
            call = call.model_copy(update={"arguments": "".join(arg_chunks(r.call_id)), "status": "completed"})
            yield ResponseOutputItemDoneEvent(
                item=call, output_index=2, sequence_number=seq, type="response.output_item.done"
            )
            out.append(call)
        yield ResponseCompletedEvent(
            response=Response(
                id="resp_" + mid,
                created_at=0.0,
                model="scripted",
                object="response",
                output=out,
                parallel_tool_calls=False,
                tool_choice="auto",
                tools=[],
                usage=usage(),
            ),
            sequence_number=seq + 1,
            type="response.completed",
        )


@function_tool(name_override=TOOL)
async def lookup(query: str) -> str:
    """Look something up."""
    return TOOL_RESULT


AGENT = Agent(name="bench", tools=[lookup])
CFG = RunConfig(tracing_disabled=True)


class OpenAIAgents(Contender):
    name = "openai-agents"
    api = "Runner.run_streamed().stream_events()"
    dists = ("openai-agents", "openai", "pydantic")

    async def run(self, script, gate=None):
        agent = AGENT.clone(model=ScriptedModel(script, gate))
        res = Runner.run_streamed(agent, "hi", max_turns=400, run_config=CFG)
        async for e in res.stream_events():
            yield e

    def text_of(self, e):
        if isinstance(e, RawResponsesStreamEvent) and isinstance(e.data, ResponseTextDeltaEvent):
            return e.data.delta
        return None

    def thought_of(self, e):
        if isinstance(e, RawResponsesStreamEvent) and isinstance(e.data, ResponseReasoningTextDeltaEvent):
            return e.data.delta
        return None

    def encoders(self):
        def dump(events):
            for e in events:
                if isinstance(e, RawResponsesStreamEvent):
                    yield f"data: {e.data.model_dump_json()}\n\n"

        return {"openai-agents raw event model_dump_json": dump}

    def asgi(self):
        from contenders.peers._http import sse_app

        async def frames(script, gate):
            async for e in self.run(script, gate):
                if isinstance(e, RawResponsesStreamEvent):
                    yield f"data: {e.data.model_dump_json()}\n\n"

        return sse_app(frames)


CONTENDERS = [OpenAIAgents()]
