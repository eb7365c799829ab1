"""google-adk: Runner.run_async with StreamingMode.SSE and a custom BaseLlm."""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script


class ScriptedLlm(BaseLlm):
    script: Any = None
    gate: Any = None

    async def generate_content_async(self, llm_request, stream=False):
        script = self.script
        k = sum(1 for c in llm_request.contents if c.role == "model")
        r, y = script.rounds[k], script.yields
        first = True
        for s in r.think:
            if y:
                await asyncio.sleep(0)
            yield LlmResponse(
                content=types.Content(role="model", parts=[types.Part(text=s, thought=True)]), partial=True
            )
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=s)]), partial=True)
            if first and self.gate is not None:
                await self.gate.wait()
            first = False
        parts = [types.Part(text="".join(r.text))]
        if r.think:
            parts.insert(0, types.Part(text="".join(r.think), thought=True))
        if r.call_id:
            parts.append(
                types.Part(
                    function_call=types.FunctionCall(id=r.call_id, name=TOOL, args={"query": "weather in " + r.call_id})
                )
            )
        yield LlmResponse(
            content=types.Content(role="model", parts=parts), partial=False, turn_complete=True, usage_metadata=USAGE
        )


async def lookup(query: str) -> str:
    """Look something up."""
    return TOOL_RESULT


USAGE = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1, total_token_count=2)
RC = RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=0)
HI = types.Content(role="user", parts=[types.Part(text="hi")])


class ADK(Contender):
    name = "google-adk"
    api = "Runner.run_async(StreamingMode.SSE), InMemorySessionService"
    dists = ("google-adk", "google-genai", "pydantic")

    async def run(self, script, gate=None):
        agent = LlmAgent(name="bench", model=ScriptedLlm(model="scripted", script=script, gate=gate), tools=[lookup])
        svc = InMemorySessionService()
        runner = Runner(app_name="bench", agent=agent, session_service=svc)
        s = await svc.create_session(app_name="bench", user_id="u")
        async for e in runner.run_async(user_id="u", session_id=s.id, new_message=HI, run_config=RC):
            yield e

    def text_of(self, e):
        if not e.partial or not e.content:
            return None
        return "".join(p.text for p in e.content.parts if p.text and not p.thought) or None

    def thought_of(self, e):
        if not e.partial or not e.content:
            return None
        return "".join(p.text for p in e.content.parts if p.text and p.thought) or None

    def encoders(self):
        def dump(events):  # as the ADK's own FastAPI server does for /run_sse
            for e in events:
                yield f"data: {e.model_dump_json(exclude_none=True, by_alias=True)}\n\n"

        return {"google-adk event model_dump_json (its /run_sse)": dump}

    def asgi(self):
        from contenders.peers._http import sse_app

        async def frames(script, gate):
            async for e in self.run(script, gate):
                yield f"data: {e.model_dump_json(exclude_none=True, by_alias=True)}\n\n"

        return sse_app(frames)


CONTENDERS = [ADK()]
