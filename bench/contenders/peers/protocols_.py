"""Encoders that belong to a protocol's own SDK rather than to an agent framework:
ag-ui-protocol's EventEncoder and a2a-sdk's event -> SSE JSON. L2 only; the native
events are the floor's structs."""

from __future__ import annotations

import json

from contenders.floor import Floor


class Protocols(Floor):
    name = "protocol-sdks"
    api = "(no loop)"
    dists = ("ag-ui-protocol", "a2a-sdk", "protobuf", "msgspec")

    def asgi(self):
        return None

    def encoders(self):
        from a2a.types.a2a_pb2 import Artifact, Part, StreamResponse, TaskArtifactUpdateEvent
        from ag_ui.core import EventType, TextMessageContentEvent
        from ag_ui.encoder import EventEncoder
        from google.protobuf.json_format import MessageToDict

        mid = "0191a3c4-7d2e-7c55-9f64-0a1b2c3d4e5f"

        def agui(events):
            e = EventEncoder()
            for x in events:
                yield e.encode(
                    TextMessageContentEvent(type=EventType.TEXT_MESSAGE_CONTENT, message_id=mid, delta=x.text)
                )

        def a2a(events):  # what a2a-sdk's JSON-RPC route does per event: to_stream_response, MessageToDict, json.dumps
            for x in events:
                m = StreamResponse(
                    artifact_update=TaskArtifactUpdateEvent(
                        task_id=mid,
                        context_id=mid,
                        append=True,
                        artifact=Artifact(artifact_id="response", parts=[Part(text=x.text)]),
                    )
                )
                d = MessageToDict(m, preserving_proto_field_name=False)
                yield f"data: {json.dumps({'jsonrpc': '2.0', 'id': '1', 'result': d})}\n\n"

        return {"ag-ui-protocol: event + EventEncoder": agui, "a2a-sdk: proto event + MessageToDict + json": a2a}


CONTENDERS = [Protocols()]
