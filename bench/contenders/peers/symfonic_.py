"""symfonic-core: SymfonicAgent.stream_typed with a scripted chat model; its two text filters."""

from __future__ import annotations

import dataclasses
import logging

from contender import Contender
from contenders.peers.langgraph_ import ScriptedChat, lookup

logging.getLogger("symfonic").setLevel(logging.CRITICAL)


class Provider:
    def __init__(self, script, gate=None):
        self.model = ScriptedChat(script=script, gate=gate)

    def get_chat_model(self, config):
        return self.model

    def supports_thinking(self):
        return False

    def supports_streaming(self):
        return True

    def supports_forced_tool_choice(self, config):
        return True


def agent_of(script, gate=None):
    from symfonic.agent.config import FrameworkConfig
    from symfonic.agent.engine import SymfonicAgent

    config = FrameworkConfig.with_defaults()
    # the default recursion limit (50) is too near to 20 tool rounds
    config = config.model_copy(update={"agent": dataclasses.replace(config.agent, recursion_limit=400)})
    return SymfonicAgent(model_provider=Provider(script, gate), config=config, tools=[lookup])


class Symfonic(Contender):
    name = "symfonic-core"
    api = "SymfonicAgent.stream_typed"
    dists = ("symfonic-core", "langgraph", "langchain-core", "pydantic")
    cache: dict = {}

    def agent(self, script):
        key = id(script)
        if key not in self.cache:
            self.cache = {key: agent_of(script)}
        return self.cache[key]

    async def run(self, script):
        async for e in self.agent(script).stream_typed("hi"):
            yield e

    def text_of(self, e):
        return e.text if type(e).__name__ == "TextDeltaEvent" else None

    def thought_of(self, e):
        return e.text if type(e).__name__ == "ThinkingDeltaEvent" else None

    def encoders(self):
        import json

        from sse_starlette.event import ServerSentEvent
        from symfonic.core.streaming.transpiler import _event_to_dict

        def router(events):  # the body of its POST /stream/typed generator + sse-starlette's framing
            for e in events:
                yield ServerSentEvent(event=type(e).__name__, data=json.dumps(_event_to_dict(e), default=str)).encode()

        return {"symfonic _event_to_dict + sse-starlette": router}

    def asgi(self):
        """Its own FastAPI router's POST /stream/typed; the script travels in the query string."""
        from contenders.peers._http import forward_to

        from fastapi import FastAPI
        from symfonic.agent.fastapi.router import create_agent_router

        def build(script, gate):
            app = FastAPI()
            app.include_router(create_agent_router(agent_of(script, gate)))
            return app

        def patch(scope, body):
            scope = dict(
                scope,
                headers=[
                    *[h for h in scope["headers"] if h[0] not in (b"content-type", b"content-length")],
                    (b"content-type", b"application/json"),
                    (b"x-tenant-id", b"t1"),
                ],
            )
            return scope, b'{"query": "hi", "tenant_id": "t1"}', ["/api/v1/stream/typed"]

        return forward_to(build, patch)

    def filters(self):
        from symfonic.core.streaming.citation_filter import CitationFilter
        from symfonic.core.streaming.extraction_filter import ExtractionFilter

        class Both:
            def __init__(self):
                self.a, self.b = ExtractionFilter(), CitationFilter()

            def feed(self, t):
                c = self.a.feed(t)
                return self.b.feed(c) if c else ""

            def flush(self):
                r = self.a.flush()
                r = self.b.feed(r) if r else ""
                return r + self.b.flush()

        return {
            "symfonic ExtractionFilter": ExtractionFilter,
            "symfonic CitationFilter": CitationFilter,
            "symfonic Extraction+Citation": Both,
        }


CONTENDERS = [Symfonic()]
