"""pydantic-ai: Agent.run_stream_events with its FunctionModel, and with a bare Model class."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import Model, StreamedResponse
from pydantic_ai.models.function import DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.usage import UsageLimits

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script, arg_chunks

LIMITS = UsageLimits(request_limit=None)


def round_of(messages) -> int:
    return sum(isinstance(m, ModelResponse) for m in messages)


@dataclass
class ScriptedResponse(StreamedResponse):
    """The least a real provider model does: parts manager, no token estimation."""

    script: Script
    k: int

    async def _get_event_iterator(self):
        pm = self._parts_manager
        r, y = self.script.rounds[self.k], self.script.yields
        for s in r.think:
            if y:
                await asyncio.sleep(0)
            for e in pm.handle_thinking_delta(vendor_part_id="think", content=s):
                yield e
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            for e in pm.handle_text_delta(vendor_part_id="text", content=s):
                yield e
        if r.call_id:
            for i, a in enumerate(arg_chunks(r.call_id)):
                e = pm.handle_tool_call_delta(
                    vendor_part_id=r.call_id,
                    tool_name=TOOL if i == 0 else None,
                    args=a,
                    tool_call_id=r.call_id if i == 0 else None,
                )
                if e is not None:
                    yield e

    async def close_stream(self):
        pass

    @property
    def model_name(self):
        return "scripted"

    @property
    def provider_name(self):
        return "scripted"

    @property
    def provider_url(self):
        return None

    @property
    def timestamp(self):
        return datetime.now(timezone.utc)


class ScriptedModel(Model):
    def __init__(self, script: Script):
        super().__init__()
        self.script = script

    @property
    def model_name(self):
        return "scripted"

    @property
    def system(self):
        return "scripted"

    async def request(self, *a, **k):
        raise NotImplementedError

    @asynccontextmanager
    async def request_stream(self, messages, model_settings, model_request_parameters, run_context=None):
        model_settings, model_request_parameters = self.prepare_request(model_settings, model_request_parameters)
        yield ScriptedResponse(model_request_parameters, self.script, round_of(messages))


def function_model(script: Script) -> FunctionModel:
    async def stream(messages, info):
        r, y = script.rounds[round_of(messages)], script.yields
        for s in r.think:
            if y:
                await asyncio.sleep(0)
            yield {0: DeltaThinkingPart(content=s)}
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            yield s
        if r.call_id:
            for i, a in enumerate(arg_chunks(r.call_id)):
                yield {
                    1: DeltaToolCall(name=TOOL, json_args=a, tool_call_id=r.call_id)
                    if i == 0
                    else DeltaToolCall(json_args=a)
                }

    return FunctionModel(stream_function=stream)


class PydanticAI(Contender):
    api = "Agent.run_stream_events"
    dists = ("pydantic-ai-slim", "pydantic", "ag-ui-protocol")

    def __init__(self, kind: str):
        self.name = f"pydantic-ai[{kind}]"
        self.make = ScriptedModel if kind == "Model" else function_model
        self.agent = Agent(output_type=str)

        @self.agent.tool_plain(name=TOOL)
        async def lookup(query: str) -> str:
            return TOOL_RESULT

    async def run(self, script):
        async with self.agent.run_stream_events("hi", model=self.make(script), usage_limits=LIMITS) as events:
            async for e in events:
                yield e

    def text_of(self, e):
        if isinstance(e, PartDeltaEvent) and isinstance(e.delta, TextPartDelta):
            return e.delta.content_delta
        if isinstance(e, PartStartEvent) and isinstance(e.part, TextPart):
            return e.part.content
        return None

    def thought_of(self, e):
        if isinstance(e, PartDeltaEvent) and isinstance(e.delta, ThinkingPartDelta):
            return e.delta.content_delta
        if isinstance(e, PartStartEvent) and isinstance(e.part, ThinkingPart):
            return e.part.content
        return None

    def encoders(self):
        from pydantic_ai.ui.ag_ui import AGUIEventStream
        from pydantic_ai.ui.vercel_ai import VercelAIEventStream

        async def replay(events):
            for e in events:
                yield e

        def agui(events):
            s = AGUIEventStream()
            return s.encode_stream(s.transform_stream(replay(events)))

        def vercel(events):
            s = VercelAIEventStream()
            return s.encode_stream(s.transform_stream(replay(events)))

        return {"pydantic-ai AG-UI adapter": agui, "pydantic-ai Vercel adapter": vercel}

    def asgi(self):
        """The documented surface: AGUIAdapter.dispatch_request on a Starlette route."""
        from pydantic_ai.ui.ag_ui import AGUIAdapter
        from pydantic_ai.ui.vercel_ai import VercelAIAdapter

        from contenders.peers._http import peer_route

        def model(script, gate):
            if gate is None:
                return self.make(script)
            return gated_model(script, gate)

        async def agui(request, script, gate):
            return await AGUIAdapter.dispatch_request(
                request, agent=self.agent, model=model(script, gate), usage_limits=LIMITS
            )

        async def vercel(request, script, gate):
            return await VercelAIAdapter.dispatch_request(
                request, agent=self.agent, model=model(script, gate), usage_limits=LIMITS
            )

        return peer_route({"/run": agui, "/vercel": vercel})

    def filters(self):
        """Its <think> splitter: ModelResponsePartsManager.handle_text_delta(thinking_tags=...)."""
        if "FunctionModel" in self.name:
            return {}
        from pydantic_ai._parts_manager import ModelResponsePartsManager
        from pydantic_ai.models import ModelRequestParameters

        class ThinkSplit:
            opener = "<think>"

            def __init__(self):
                self.pm = ModelResponsePartsManager(model_request_parameters=ModelRequestParameters())

            def feed(self, t):
                out = ""
                for e in self.pm.handle_text_delta(
                    vendor_part_id="c", content=t, thinking_tags=("<think>", "</think>")
                ):
                    if isinstance(e, PartDeltaEvent) and isinstance(e.delta, TextPartDelta):
                        out += e.delta.content_delta
                    elif isinstance(e, PartStartEvent) and isinstance(e.part, TextPart):
                        out += e.part.content
                return out

            def flush(self):
                return ""

        return {"pydantic-ai thinking_tags parts manager": ThinkSplit}


def gated_model(script, gate):
    async def stream(messages, info):
        for i, s in enumerate(script.rounds[0].text):
            yield s
            if i == 0:
                await gate.wait()

    return FunctionModel(stream_function=stream)


CONTENDERS = [PydanticAI("Model"), PydanticAI("FunctionModel")]
