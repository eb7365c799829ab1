"""Calls of agents over A2A, in process, in every form that clients use."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.server.calls import JSON, Application, Call, ask
from treadle.projections.a2a.wire import Shape

NEW = ("a2a-version", "1.0")
OLD = ("a2a-version", "0.3")
SSE = ("accept", "text/event-stream")
FORMS = tuple((shape, binding) for shape in (Shape.V1_0, Shape.V0_3) for binding in ("rpc", "paths"))
"""Every version by every binding."""
_OLD_METHODS = {
    "SendMessage": "message/send",
    "SendStreamingMessage": "message/stream",
    "GetTask": "tasks/get",
    "CancelTask": "tasks/cancel",
    "SubscribeToTask": "tasks/resubscribe",
}
_numbers = itertools.count(1)


def message(text: str = "hi", **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of a message)
    """The parameters of a send in 1.0."""
    how = more.pop("configuration", None)
    parts = more.pop("parts", [{"text": text}])
    said = {"messageId": f"m{next(_numbers)}", "role": "ROLE_USER", "parts": parts, **more}
    return {"message": said, **({} if how is None else {"configuration": how})}


def old_message(text: str = "hi", **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of a message)
    """The parameters of a send in 0.3."""
    parts = more.pop("parts", [{"kind": "text", "text": text}])
    said = {"kind": "message", "messageId": f"m{next(_numbers)}", "role": "user", "parts": parts, **more}
    return {"message": said}


async def rpc(
    app: Application,
    method: str,
    params: Any = None,  # noqa: ANN401 (any JSON)
    *headers: tuple[str, str],
    call_id: Any = 7,  # noqa: ANN401 (any JSON)
    agent: str = "a",
    mount: str = "/a2a",
    version: tuple[str, str] = NEW,
) -> Call:
    """One call, and its whole answer."""
    body = {"jsonrpc": "2.0", "id": call_id, "method": method, "params": params or {}}
    return await ask(app, "POST", f"{mount}/{agent}", JSON, version, *headers, body=body)


def calling(
    app: Application,
    method: str,
    params: Any,  # noqa: ANN401 (any JSON)
    *headers: tuple[str, str],
) -> Call:
    """A call that is under way, to be entered."""
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    return Call(app, "POST", "/a2a/a", JSON, NEW, *headers, body=body)


class Client:
    """One client of agent `a`: a version and a binding.

    Shape: what it gives are the results and the frames alone, in the words of its version.
    """

    def __init__(self, app: Application, shape: Shape, binding: str, *headers: tuple[str, str]) -> None:
        self.app = app
        self.shape = shape
        self.binding = binding
        self.headers = headers
        self.frames_shape = Shape.V0_3_REST if shape is Shape.V0_3 and binding == "paths" else shape
        self._base = "/a2a/a/v1" if self.frames_shape is Shape.V0_3_REST else "/a2a/a"

    def sent(self, text: str = "hi", **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of a message)
        """A message in its form."""
        if self.shape is Shape.V1_0:
            return message(text, **more)
        if self.binding == "rpc":
            return old_message(text, **more)
        parts = more.pop("parts", [{"text": text}])
        said = {"message_id": f"m{next(_numbers)}", "role": "ROLE_USER", "content": parts}
        names = {"taskId": "task_id", "contextId": "context_id"}
        return {"request": {**said, **{names[name]: value for name, value in more.items()}}}

    async def send(self, text: str = "hi", **more: Any) -> dict[str, Any]:  # noqa: ANN401 (members of a message)
        """The task that a send is answered with."""
        said = (await self._asked("SendMessage", "POST", "/message:send", self.sent(text, **more))).json
        result = said["result"] if self.binding == "rpc" else said
        return result if self.frames_shape is Shape.V0_3 else result["task"]  # type: ignore[no-any-return]  # JSON of any kind

    async def stream(self, text: str = "hi", **more: Any) -> list[str]:  # noqa: ANN401 (members of a message)
        """The frames of a stream, each as JSON text without its envelope."""
        sent = self.sent(text, **more)
        return self.frames(await self._asked("SendStreamingMessage", "POST", "/message:stream", sent))

    async def get(self, task_id: str) -> dict[str, Any]:
        """A task."""
        return self._result(await self._asked("GetTask", "GET", f"/tasks/{task_id}", {"id": task_id}))

    async def cancel(self, task_id: str) -> Call:
        """The answer to a cancel."""
        return await self._asked("CancelTask", "POST", f"/tasks/{task_id}:cancel", {"id": task_id})

    async def subscribe(self, task_id: str, *, verb: str = "POST") -> Call:
        """The answer to a subscription."""
        return await self._asked("SubscribeToTask", verb, f"/tasks/{task_id}:subscribe", {"id": task_id})

    def frames(self, call: Call) -> list[str]:
        """The frames of a stream."""
        said = [event.text for event in call.events]
        if self.binding == "paths":
            return said
        read = [json.loads(one) for one in said]
        assert {(one["jsonrpc"], one["id"]) for one in read} == {("2.0", 7)}
        return [json.dumps(one["result"]) for one in read]

    def fault(self, call: Call) -> int:
        """The code of a fault: of JSON-RPC, or the status of a path."""
        if self.binding == "rpc":
            assert call.status == 200
            return int(call.json["error"]["code"])
        return call.status

    def _result(self, call: Call) -> dict[str, Any]:
        said: dict[str, Any] = call.json["result"] if self.binding == "rpc" else call.json
        return said

    async def _asked(self, method: str, verb: str, path: str, params: Mapping[str, Any]) -> Call:
        version = NEW if self.shape is Shape.V1_0 else OLD
        if self.binding == "rpc":
            named = method if self.shape is Shape.V1_0 else _OLD_METHODS[method]
            return await rpc(self.app, named, params, *self.headers, version=version)
        body = params if verb == "POST" and path.startswith("/message") else b""
        return await ask(self.app, verb, f"{self._base}{path}", JSON, version, *self.headers, body=body)


def clients(app: Application, *headers: tuple[str, str]) -> Sequence[Client]:
    """One of each form."""
    return [Client(app, shape, binding, *headers) for shape, binding in FORMS]
