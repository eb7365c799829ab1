"""LangGraph: one model node (+ ToolNode loop), a scripted BaseChatModel; three public streaming calls."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from contender import Contender
from workload import TOOL, TOOL_RESULT, Script, arg_chunks


def round_of(messages) -> int:
    return sum(isinstance(m, AIMessage) for m in messages)


class ScriptedChat(BaseChatModel):
    """The pattern the LangChain docs give for a custom streaming chat model."""

    script: Any = None
    gate: Any = None

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kw):
        return self

    def _generate(self, *a, **k):
        raise NotImplementedError

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        script = self.script
        r, y = script.rounds[round_of(messages)], script.yields
        first = True
        for s in r.think:
            if y:
                await asyncio.sleep(0)
            c = ChatGenerationChunk(message=AIMessageChunk(content=[{"type": "thinking", "thinking": s, "index": 0}]))
            if run_manager:
                await run_manager.on_llm_new_token("", chunk=c)
            yield c
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            content: Any = [{"type": "text", "text": s, "index": 1}] if r.think else s
            c = ChatGenerationChunk(message=AIMessageChunk(content=content))
            if run_manager:
                await run_manager.on_llm_new_token(s, chunk=c)
            yield c
            if first and self.gate is not None:
                await self.gate.wait()
            first = False
        if r.call_id:
            for i, a in enumerate(arg_chunks(r.call_id)):
                c = ChatGenerationChunk(
                    message=AIMessageChunk(
                        content="",
                        tool_call_chunks=[
                            {
                                "name": TOOL if i == 0 else None,
                                "args": a,
                                "id": r.call_id if i == 0 else None,
                                "index": 0,
                                "type": "tool_call_chunk",
                            }
                        ],
                    )
                )
                if run_manager:
                    await run_manager.on_llm_new_token("", chunk=c)
                yield c


@tool(TOOL)
async def lookup(query: str) -> str:
    """Look something up."""
    return TOOL_RESULT


def graph_of(model) -> Any:
    async def agent(state: MessagesState):
        return {"messages": [await model.ainvoke(state["messages"])]}

    g = StateGraph(MessagesState)
    g.add_node("agent", agent)
    g.add_node("tools", ToolNode([lookup]))
    g.add_edge(START, "agent")
    g.add_conditional_edges("agent", tools_condition)
    g.add_edge("tools", "agent")
    return g.compile()


def custom_graph(script: Script) -> Any:
    """No chat model at all: the node writes plain dicts to the custom stream."""

    async def agent(state: MessagesState):
        write = get_stream_writer()
        k = round_of(state["messages"])
        r, y = script.rounds[k], script.yields
        for s in r.think:
            if y:
                await asyncio.sleep(0)
            write({"type": "think", "text": s})
        for s in r.text:
            if y:
                await asyncio.sleep(0)
            write({"type": "text", "text": s})
        calls = []
        if r.call_id:
            calls = [{"name": TOOL, "args": {"query": "weather in " + r.call_id}, "id": r.call_id}]
        return {"messages": [AIMessage(content="".join(r.text), tool_calls=calls)]}

    g = StateGraph(MessagesState)
    g.add_node("agent", agent)
    g.add_node("tools", ToolNode([lookup]))
    g.add_edge(START, "agent")
    g.add_conditional_edges("agent", tools_condition)
    g.add_edge("tools", "agent")
    return g.compile()


INPUT = {"messages": [("user", "hi")]}
CONFIG = {"recursion_limit": 400}


def chunk_text(m) -> str | None:
    if not isinstance(m, AIMessageChunk):
        return None
    if isinstance(m.content, str):
        return m.content or None
    return "".join(b.get("text", "") for b in m.content if b.get("type") == "text") or None


def chunk_thought(m) -> str | None:
    if not isinstance(m, AIMessageChunk) or isinstance(m.content, str):
        return None
    return "".join(b.get("thinking", "") for b in m.content if b.get("type") == "thinking") or None


class LangGraph(Contender):
    dists = ("langgraph", "langchain-core", "pydantic")

    def __init__(self, mode: str):
        self.mode = mode
        self.name = f"langgraph[{mode}]"
        self.api = {
            "messages": 'graph.astream(stream_mode="messages")',
            "custom": 'graph.astream(stream_mode="custom"), get_stream_writer',
            "events_v2": 'graph.astream_events(version="v2")',
        }[mode]
        self.cache: dict[Any, Any] = {}

    def graph(self, script):
        key = id(script)
        if key not in self.cache:
            self.cache = {key: custom_graph(script) if self.mode == "custom" else graph_of(ScriptedChat(script=script))}
        return self.cache[key]

    async def run(self, script):
        g = self.graph(script)
        if self.mode == "events_v2":
            async for e in g.astream_events(INPUT, version="v2", config=CONFIG):
                yield e
        else:
            async for e in g.astream(INPUT, stream_mode=self.mode, config=CONFIG):
                yield e

    def text_of(self, e):
        if self.mode == "custom":
            return e["text"] if e["type"] == "text" else None
        if self.mode == "messages":
            return chunk_text(e[0])
        return chunk_text(e["data"]["chunk"]) if e["event"] == "on_chat_model_stream" else None

    def thought_of(self, e):
        if self.mode == "custom":
            return e["text"] if e["type"] == "think" else None
        if self.mode == "messages":
            return chunk_thought(e[0])
        return chunk_thought(e["data"]["chunk"]) if e["event"] == "on_chat_model_stream" else None

    def encoders(self):
        if self.mode != "messages":
            return {}
        import json

        import orjson
        from langchain_core.load import dumps

        def model_dump(events):
            for m, meta in events:
                yield f"data: {m.model_dump_json()}\n\n"

        def lc_dumps(events):
            for m, meta in events:
                yield f"data: {dumps([m, meta])}\n\n"

        def hand(events):
            for m, meta in events:
                yield f"data: {json.dumps({'type': 'text', 'text': m.content})}\n\n"

        def server(events):
            from langgraph_sdk.sse import BytesLike  # noqa: F401  (present: same installation the server uses)

            for m, meta in events:
                yield (
                    b"event: messages\ndata: "
                    + orjson.dumps([m, meta], default=lambda o: o.model_dump() if hasattr(o, "model_dump") else str(o))
                    + b"\n\n"
                )

        return {
            "LangChain chunk model_dump_json": model_dump,
            "LangChain chunk load.dumps": lc_dumps,
            "LangChain chunk orjson+model_dump": server,
            "LangChain chunk hand-made dict json.dumps": hand,
        }

    def asgi(self):
        if self.mode != "messages":
            return None
        from contenders.peers._http import sse_app

        async def frames(script, gate):
            g = graph_of(ScriptedChat(script=script, gate=gate))
            async for m, meta in g.astream(INPUT, stream_mode="messages", config=CONFIG):
                yield f"data: {m.model_dump_json()}\n\n"

        return sse_app(frames)


CONTENDERS = [LangGraph("messages"), LangGraph("custom"), LangGraph("events_v2")]
