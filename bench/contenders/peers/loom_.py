"""loom-kernel: AgentRuntime.run_stream over its pydantic-ai engine, a scripted pydantic-ai model.

loom's union has no thinking event (thinking is dropped) and every agent has a structured
answer, so the scripted model streams its text and ends with the output tool call.
"""

from __future__ import annotations

import asyncio
import logging

import msgspec
from loom.ai import AgentRuntime, AiConfig, InferenceTarget, TextDeltaEvent
from loom.ai.compiler import AgentCompiler
from loom.ai.config import AgentEndpointConfig
from loom.ai.declarative import AgentSpecV1
from loom.ai.engines.pydantic_ai.provider import PydanticAIEngineProvider
from loom.core.di import LoomContainer
from loom.core.identity import ANONYMOUS
from loom.core.use_case.registry import UseCaseRegistry
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from contender import Contender
from contenders.peers.pydantic_ai_ import ScriptedModel, ScriptedResponse

logging.getLogger("loom").setLevel(logging.ERROR)

SPEC = msgspec.convert(
    {
        "spec_version": 1,
        "name": "bench",
        "description": "bench",
        "instructions": "stream",
        "output": {
            "kind": "json_schema",
            "schema": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
        },
        "policies": {"run_timeout_ms": 1_800_000},
    },
    AgentSpecV1,
)
CONFIG = AiConfig(
    engine="pydantic-ai",
    models={"default": InferenceTarget(provider="openai", model="scripted", output_mode="tool")},
    endpoints={"bench": AgentEndpointConfig(enabled=True, auth="none", allow_anonymous=True)},
    max_concurrent_runs=100_000,
)


class Response(ScriptedResponse):
    async def _get_event_iterator(self):
        async for e in super()._get_event_iterator():
            yield e
        e = self._parts_manager.handle_tool_call_delta(
            vendor_part_id="out", tool_name="final_result", args='{"ok": true}', tool_call_id="out"
        )
        if e is not None:
            yield e


class LoomModel(ScriptedModel):
    from contextlib import asynccontextmanager

    gate = None

    @asynccontextmanager
    async def request_stream(self, messages, model_settings, model_request_parameters, run_context=None):
        model_settings, model_request_parameters = self.prepare_request(model_settings, model_request_parameters)
        yield Response(model_request_parameters, self.script, 0)


def gated(script, gate):
    async def stream(messages, info):
        for i, s in enumerate(script.rounds[0].text):
            yield s
            if i == 0:
                await gate.wait()
        yield {1: DeltaToolCall(name="final_result", json_args='{"ok": true}', tool_call_id="out")}

    return FunctionModel(stream_function=stream)


class NoDeps:
    def build(self, identity, container, state=None):
        return None


def runtime_of(model):
    provider = PydanticAIEngineProvider(model_resolver=lambda target: model)
    compiler = AgentCompiler(config=CONFIG, registry=UseCaseRegistry.build([]), supported_kinds=frozenset())
    plan = compiler.compile(SPEC)
    return AgentRuntime(plans=[plan], config=CONFIG, engine_provider=provider, deps=NoDeps(), container=LoomContainer())


class Loom(Contender):
    name = "loom-kernel"
    api = "AgentRuntime.run_stream"
    dists = ("loom-kernel", "pydantic-ai-slim", "msgspec", "a2a-sdk")

    def supports(self, script):
        return script.calls == 0

    async def run(self, script):
        async with runtime_of(LoomModel(script)) as rt:
            async with rt.run_stream("bench", "hi", identity=ANONYMOUS) as events:
                async for e in events:
                    yield e

    def text_of(self, e):
        return e.text if type(e) is TextDeltaEvent else None

    def encoders(self):
        import json

        from loom.ai.a2a.events import A2AEventProjector
        from loom.ai.fastapi.response import ENCODER
        from loom.ai.fastapi.streaming import encode_sse_event, stream_sse

        def a2a(events):
            p = A2AEventProjector(task_id="t", context_id="c", max_steps=12)
            for e in events:
                for x in p.project(e):
                    yield b"data: " + ENCODER.encode(x) + b"\n\n"

        def a2a_stdlib(events):
            p = A2AEventProjector(task_id="t", context_id="c", max_steps=12)
            for e in events:
                for x in p.project(e):
                    yield f"data: {json.dumps(x)}\n\n"

        def enc(events):
            for e in events:
                yield encode_sse_event(e)

        async def replay(events):
            for e in events:
                yield e

        def sse(events):
            return stream_sse(replay(events), heartbeat_ms=15_000)

        return {
            "loom A2AEventProjector + its encoder": a2a,
            "loom A2AEventProjector + json.dumps": a2a_stdlib,
            "loom encode_sse_event": enc,
            "loom stream_sse (heartbeats)": sse,
        }

    def asgi(self):
        from contenders.peers._http import forward_to
        from fastapi import FastAPI
        from loom.ai.fastapi.endpoints import bind_agent_endpoints

        runtimes = {}

        async def build(script, gate):
            key = (id(script), gate is not None)
            if key not in runtimes:
                rt = runtime_of(LoomModel(script) if gate is None else gated(script, gate))
                await rt.__aenter__()
                app = FastAPI()
                bind_agent_endpoints(app, runtime=rt, config=CONFIG)
                runtimes[key] = app
            return runtimes[key]

        def patch(scope, body):
            scope = dict(
                scope,
                headers=[
                    *[h for h in scope["headers"] if h[0] not in (b"content-type", b"content-length")],
                    (b"content-type", b"application/json"),
                ],
            )
            return scope, b'{"prompt": "hi"}', ["/agents/bench/stream"]

        return forward_to(build, patch)


CONTENDERS = [Loom()]
