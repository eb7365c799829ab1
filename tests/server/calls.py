"""Requests to an ASGI application, in process: what was sent is in the test's hand, and so is the client's leaving."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Self
from urllib.parse import quote

from treadle.framing.sse import SseEvent, SseParser

Application = Callable[..., Any]
JSON = ("content-type", "application/json")
SSE = ("accept", "text/event-stream")
NDJSON = ("accept", "application/x-ndjson")


class Call:
    """One request.

    Shape: `bodies` are what the application sent, each with the time at which it did. `stuck` holds every send from the
    next one on, as a server does whose client reads nothing.
    """

    def __init__(
        self,
        app: Application,
        method: str,
        target: str,
        *headers: tuple[str, str],
        body: bytes | Mapping[str, Any] = b"",
        client: tuple[str, int] = ("127.0.0.1", 50_000),
        root_path: str = "",
    ) -> None:
        path, _, query = target.partition("?")
        given = {"host": "localhost", **dict(headers)}
        self._app = app
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": f"{root_path}{path}",
            "raw_path": quote(f"{root_path}{path}").encode(),
            "query_string": query.encode(),
            "root_path": root_path,
            "headers": [(name.lower().encode(), text.encode("latin-1")) for name, text in given.items()],
            "client": client,
            "server": ("127.0.0.1", 80),
        }
        self._body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._asked = 0
        self._gone = asyncio.Event()
        self._changed = asyncio.Event()
        self._open = asyncio.Event()
        self._open.set()
        self.status = 0
        self.headers: dict[str, str] = {}
        self.bodies: list[tuple[float, bytes]] = []
        self.is_complete = False
        self.task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.task = asyncio.create_task(self._app(self._scope, self._receive, self._send))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()
        self.thaw()
        await self.over()

    def leave(self) -> None:
        """The client goes."""
        self._gone.set()

    def freeze(self) -> None:
        """The client reads nothing any more."""
        self._open.clear()

    def thaw(self) -> None:
        """The client reads on."""
        self._open.set()

    async def over(self) -> Self:
        """Wait until the application has answered."""
        assert self.task is not None
        await self.task
        return self

    async def until(self, holds: Callable[[Call], object]) -> Self:
        """Wait until something holds of what was sent."""
        while not holds(self):
            assert self.task is not None
            assert not self.task.done(), f"the answer is over: {self.status} {self.body!r}"
            self._changed.clear()
            await self._changed.wait()
        return self

    @property
    def posted(self) -> Any:  # noqa: ANN401 (any JSON)
        """What was asked, as JSON."""
        return json.loads(self._body)

    @property
    def body(self) -> bytes:
        """All that was sent."""
        return b"".join(body for _, body in self.bodies)

    @property
    def json(self) -> Any:  # noqa: ANN401 (any JSON)
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def events(self) -> list[SseEvent]:
        """The events of the stream by now."""
        return SseParser().feed(self.body)

    @property
    def ids(self) -> list[str]:
        """Their cursors."""
        return [event.event_id for event in self.events]

    @property
    def kinds(self) -> list[str]:
        """What they are."""
        return [event.event for event in self.events]

    @property
    def text(self) -> str:
        """The text that they say."""
        return text_of(self.events)

    def said(self, kind: str) -> Callable[[Call], bool]:
        """Whether an event of this kind has come."""
        return lambda call: kind in call.kinds

    async def _receive(self) -> dict[str, Any]:
        self._asked += 1
        if self._asked == 1:
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        await self._open.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): text.decode() for name, text in message["headers"]}
        else:
            self.bodies.append((asyncio.get_running_loop().time(), message.get("body", b"")))
            self.is_complete = not message.get("more_body", False)
        self._changed.set()


async def ask(app: Application, method: str, target: str, *headers: tuple[str, str], **more: Any) -> Call:  # noqa: ANN401 (as of `Call`)
    """Ask, and wait for the whole answer."""
    async with Call(app, method, target, *headers, **more) as call:
        return await call.over()


async def started(app: Application, prompt: str = "hi", *headers: tuple[str, str], **more: Any) -> str:  # noqa: ANN401 (the body)
    """Start a run of agent `a`; its id."""
    call = await ask(app, "POST", "/v1/runs", JSON, *headers, body={"agent": "a", "prompt": prompt, **more})
    assert call.status in (200, 201), call.body
    run_id: str = call.json["run_id"]
    return run_id


def text_of(events: list[SseEvent]) -> str:
    """The text that events say."""
    return "".join(json.loads(event.data)["text"] for event in events if event.event == "text_delta")
