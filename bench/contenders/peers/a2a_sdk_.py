"""a2a-sdk's own server: AgentExecutor -> EventQueue -> DefaultRequestHandler -> JSON-RPC SSE, in-memory task store.

L1 drives DefaultRequestHandler.on_message_send_stream (executor to ordered events, task saved as it grows);
L3 the Starlette routes of create_jsonrpc_routes."""

from __future__ import annotations

import asyncio
import logging

from a2a.server.agent_execution import AgentExecutor
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    Message,
    Part,
    Role,
    SendMessageRequest,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
)

from contender import Contender
from contenders.peers.prototype import model

logging.getLogger("a2a").setLevel(logging.ERROR)


class Executor(AgentExecutor):
    def __init__(self, script, gate=None):
        self.script, self.gate = script, gate

    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(
            Task(
                id=context.task_id,
                context_id=context.context_id,
                status=TaskStatus(state=TaskState.TASK_STATE_SUBMITTED),
                history=[context.message],
            )
        )
        up = TaskUpdater(event_queue, context.task_id, context.context_id)
        await up.start_work()
        first = True
        async for kind, s in model(self.script, 0, self.gate):
            if kind == 0:
                await up.add_artifact([Part(text=s)], artifact_id="response", append=not first)
                first = False
        await up.complete()

    async def cancel(self, context, event_queue):
        raise NotImplementedError


CARD = AgentCard(
    name="bench",
    description="bench",
    version="1",
    capabilities=AgentCapabilities(streaming=True),
    supported_interfaces=[AgentInterface(url="http://x/", protocol_binding="JSONRPC", protocol_version="1.0")],
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
)


def handler(script, gate=None):
    return DefaultRequestHandler(agent_executor=Executor(script, gate), task_store=InMemoryTaskStore(), agent_card=CARD)


class A2ASdk(Contender):
    name = "a2a-sdk server"
    api = "DefaultRequestHandler.on_message_send_stream"
    dists = ("a2a-sdk", "protobuf")
    n = 0

    def supports(self, script):
        return script.calls == 0 and not script.thought and script.n <= 5000  # quadratic: see the scale rows

    async def run(self, script):
        self.n += 1
        req = SendMessageRequest(message=Message(message_id=f"m{self.n}", role=Role.ROLE_USER, parts=[Part(text="hi")]))
        async for e in handler(script).on_message_send_stream(req, ServerCallContext()):
            yield e

    def text_of(self, e):
        if isinstance(e, TaskArtifactUpdateEvent):
            return "".join(p.text for p in e.artifact.parts)
        return None

    def asgi(self):
        from starlette.applications import Starlette
        from a2a.server.routes import create_jsonrpc_routes

        from contenders.peers._http import forward_to

        count = [0]

        def build(script, gate):
            return Starlette(routes=create_jsonrpc_routes(handler(script, gate), "/a2a"))

        def patch(scope, body):
            count[0] += 1
            scope = dict(
                scope,
                headers=[
                    *[h for h in scope["headers"] if h[0] not in (b"content-type", b"content-length", b"accept")],
                    (b"content-type", b"application/json"),
                    (b"accept", b"text/event-stream"),
                    (b"a2a-version", b"1.0"),
                ],
            )
            return (
                scope,
                (
                    b'{"jsonrpc":"2.0","id":"1","method":"SendStreamingMessage","params":{"message":{"messageId":"m%d",'
                    b'"role":"ROLE_USER","parts":[{"text":"hi"}]}}}' % count[0]
                ),
                ["/a2a"],
            )

        return forward_to(build, patch)


CONTENDERS = [A2ASdk()]
