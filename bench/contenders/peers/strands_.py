"""strands-agents: Agent.stream_async with a custom Model."""

from __future__ import annotations

import asyncio
import logging

from strands import Agent, tool
from strands.models.model import Model

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script, arg_chunks

logging.getLogger("strands").setLevel(logging.ERROR)
# Closing the stream early makes the SDK log a traceback ("Failed to detach context") per open span.
logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)


class ScriptedModel(Model):
    def __init__(self, script: Script, gate=None):
        self.script = script
        self.gate = gate

    def update_config(self, **kw):
        pass

    def get_config(self):
        return {"model_id": "scripted"}

    def structured_output(self, *a, **k):
        raise NotImplementedError

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kw):
        script = self.script
        r = script.rounds[sum(m["role"] == "assistant" for m in messages)]
        y = script.yields
        first = True
        yield {"messageStart": {"role": "assistant"}}
        if r.think:
            yield {"contentBlockStart": {"start": {}}}
            for s in r.think:
                if y:
                    await asyncio.sleep(0)
                yield {"contentBlockDelta": {"delta": {"reasoningContent": {"text": s}}}}
            yield {"contentBlockStop": {}}
        yield {"contentBlockStart": {"start": {}}}
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            yield {"contentBlockDelta": {"delta": {"text": s}}}
            if first and self.gate is not None:
                await self.gate.wait()
            first = False
        yield {"contentBlockStop": {}}
        if r.call_id:
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": r.call_id, "name": TOOL}}}}
            for a in arg_chunks(r.call_id):
                yield {"contentBlockDelta": {"delta": {"toolUse": {"input": a}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if r.call_id else "end_turn"}}
        yield {
            "metadata": {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}
        }


@tool(name=TOOL)
async def lookup(query: str) -> str:
    """Look something up."""
    return TOOL_RESULT


class Strands(Contender):
    name = "strands-agents"
    api = "Agent.stream_async"
    dists = ("strands-agents", "pydantic", "opentelemetry-sdk")

    async def run(self, script, gate=None):
        agent = Agent(model=ScriptedModel(script, gate), tools=[lookup], callback_handler=None)
        async for e in agent.stream_async("hi"):
            yield e

    def text_of(self, e):
        return e["data"] if "data" in e else None

    def thought_of(self, e):
        return e["reasoningText"] if "reasoningText" in e else None

    def encoders(self):
        import json

        def dump(events):  # strands' own guide: json.dumps the 'data' key; its event dict holds live objects
            for e in events:
                if "data" in e:
                    yield f"data: {json.dumps({'type': 'text', 'text': e['data']})}\n\n"

        return {"strands hand-made dict json.dumps": dump}

    def asgi(self):
        import json

        from contenders.peers._http import sse_app

        async def frames(script, gate):
            async for e in self.run(script, gate):
                if "data" in e:
                    yield f"data: {json.dumps({'type': 'text', 'text': e['data']})}\n\n"

        return sse_app(frames)


CONTENDERS = [Strands()]
