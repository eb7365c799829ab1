"""Sockets of an ASGI application, in process: what was sent is in the test's hand, and so is the client's leaving."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

Application = Callable[..., Any]
Terms = dict[str, Any]


class SocketCall:
    """One socket.

    Shape: `came` is what the application sent as messages, each as JSON; `times` when it did. `close` is the code and
    the reason with which it was closed by the application, `status` that of a refused handshake.
    """

    def __init__(
        self,
        app: Application,
        *headers: tuple[str, str],
        path: str = "/v1/socket",
        client: tuple[str, int] = ("127.0.0.1", 50_000),
        extensions: tuple[str, ...] = ("websocket.http.response",),
        root_path: str = "",
    ) -> None:
        given = {"host": "localhost", **dict(headers)}
        self._app = app
        self._scope = {
            "type": "websocket",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": f"{root_path}{path}",
            "raw_path": f"{root_path}{path}".encode(),
            "query_string": b"",
            "root_path": root_path,
            "headers": [(name.lower().encode(), text.encode("latin-1")) for name, text in given.items()],
            "client": client,
            "server": ("127.0.0.1", 80),
            "subprotocols": [],
            "extensions": {name: {} for name in extensions},
        }
        self._told: asyncio.Queue[Terms] = asyncio.Queue()
        self._told.put_nowait({"type": "websocket.connect"})
        self._changed = asyncio.Event()
        self._open = asyncio.Event()
        self._open.set()
        self._broken: Exception | None = None
        self.is_accepted = False
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.came: list[Terms] = []
        self.times: list[float] = []
        self.close: tuple[int, str] | None = None
        self.task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self.task = asyncio.create_task(self._app(self._scope, self._told.get, self._send))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()
        self.thaw()
        await self.over()

    def say(self, **terms: Any) -> None:  # noqa: ANN401 (any JSON)
        """Send a message."""
        self.say_text(json.dumps(terms))

    def say_text(self, text: str) -> None:
        """Send a message that need be no JSON."""
        self._told.put_nowait({"type": "websocket.receive", "text": text})

    def say_bytes(self, data: bytes) -> None:
        """Send a message that is no text."""
        self._told.put_nowait({"type": "websocket.receive", "bytes": data})

    def read(self, run_id: str, **more: Any) -> None:  # noqa: ANN401 (any JSON)
        """Ask for a run."""
        self.say(type="read", run_id=run_id, **more)

    def leave(self) -> None:
        """The client goes."""
        self._told.put_nowait({"type": "websocket.disconnect", "code": 1001})

    def freeze(self) -> None:
        """The client reads nothing any more."""
        self._open.clear()

    def thaw(self) -> None:
        """The client reads on."""
        self._open.set()

    def lose(self) -> None:
        """The connection is lost, as the next send finds."""
        self._broken = OSError("lost")

    async def over(self) -> Self:
        """Wait until the application has ended it."""
        assert self.task is not None
        await self.task
        return self

    async def until(self, holds: Callable[[SocketCall], object]) -> Self:
        """Wait until something holds of what came."""
        while not holds(self):
            assert self.task is not None
            assert not self.task.done(), f"the socket is over: {self.close} {self.came!r}"
            self._changed.clear()
            await self._changed.wait()
        return self

    async def until_over(self, *run_ids: str) -> Self:
        """Wait until runs are over on it."""
        return await self.until(lambda call: {*run_ids} <= {one["run_id"] for one in call.told("over")})

    def told(self, kind: str) -> list[Terms]:
        """The messages beside events, of one type."""
        return [one for one in self.came if one.get("type") == kind and "kind" not in one]

    def events(self, run_id: str) -> list[Terms]:
        """The events of a run by now."""
        return [one for one in self.came if "kind" in one and one["run_id"] == run_id]

    def text(self, run_id: str) -> str:
        """The text that a run has said by now."""
        return "".join(one["text"] for one in self.events(run_id) if one["kind"] == "text_delta")

    async def _send(self, message: Terms) -> None:
        await self._open.wait()
        if self._broken is not None:
            raise self._broken
        match message["type"]:
            case "websocket.accept":
                self.is_accepted = True
            case "websocket.send":
                self.came.append(json.loads(message["text"]))
                self.times.append(asyncio.get_running_loop().time())
            case "websocket.close":
                self.close = (message["code"], message["reason"])
            case "websocket.http.response.start":
                self.status = message["status"]
                self.headers = {name.decode(): text.decode() for name, text in message["headers"]}
            case "websocket.http.response.body":
                self.body += message.get("body", b"")
        self._changed.set()
