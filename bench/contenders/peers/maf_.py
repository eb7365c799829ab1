"""Microsoft agent-framework: Agent.run(stream=True) with a custom chat client."""

from __future__ import annotations

import asyncio
import logging

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    tool,
)

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script, arg_chunks

logging.getLogger("agent_framework").setLevel(logging.ERROR)


class ScriptedInner(BaseChatClient):
    def __init__(self, *, script: Script, gate=None, **kw):
        super().__init__(**kw)
        self.script = script
        self.gate = gate

    def _inner_get_response(self, *, messages, stream, options, **kwargs):
        assert stream
        script = self.script
        k = sum(str(m.role) == "assistant" for m in messages)

        async def gen():
            r, y = script.rounds[k], script.yields
            first = True
            for s in r.think:
                if y:
                    await asyncio.sleep(0)
                yield ChatResponseUpdate(contents=[Content.from_text_reasoning(text=s)], role="assistant")
            for s in r.text:
                if y:
                    await asyncio.sleep(0)
                yield ChatResponseUpdate(contents=[Content.from_text(text=s)], role="assistant")
                if first and self.gate is not None:
                    await self.gate.wait()
                first = False
            if r.call_id:
                for i, a in enumerate(arg_chunks(r.call_id)):
                    yield ChatResponseUpdate(
                        contents=[
                            Content.from_function_call(call_id=r.call_id, name=TOOL if i == 0 else "", arguments=a)
                        ],
                        role="assistant",
                    )

        return self._build_response_stream(gen())


class ScriptedClient(FunctionInvocationLayer, ScriptedInner):
    pass


@tool(name=TOOL, approval_mode="never_require")
async def lookup(query: str) -> str:
    """Look something up."""
    return TOOL_RESULT


class MAF(Contender):
    name = "agent-framework"
    api = "Agent.run(stream=True)"
    dists = ("agent-framework-core", "pydantic")

    async def run(self, script, gate=None):
        client = ScriptedClient(script=script, gate=gate, function_invocation_configuration={"max_iterations": 400})
        agent = Agent(client=client, tools=[lookup])
        async for u in agent.run("hi", stream=True):
            yield u

    def text_of(self, e):
        return "".join(c.text for c in e.contents if c.type == "text") or None

    def thought_of(self, e):
        return "".join(c.text or "" for c in e.contents if c.type == "text_reasoning") or None

    def encoders(self):
        def dump(events):
            for e in events:
                yield f"data: {e.to_json()}\n\n"

        return {"agent-framework update to_json": dump}

    def asgi(self):
        """Its own AG-UI FastAPI endpoint (agent-framework-ag-ui)."""
        from agent_framework_ag_ui import add_agent_framework_fastapi_endpoint
        from fastapi import FastAPI

        from contenders.peers._http import AGUI_BODY, forward_to, json_headers

        def build(script, gate):
            app = FastAPI()
            client = ScriptedClient(script=script, gate=gate, function_invocation_configuration={"max_iterations": 400})
            add_agent_framework_fastapi_endpoint(app, Agent(client=client, name="bench"), "/agui", single_user=True)
            return app

        count = [0]

        def patch(scope, body):
            count[0] += 1  # a fresh thread per request, as real clients have
            return (
                dict(scope, headers=json_headers(scope)),
                AGUI_BODY.replace(b'"threadId":"t"', b'"threadId":"t%d"' % count[0]),
                ["/agui"],
            )

        return forward_to(build, patch)


CONTENDERS = [MAF()]
