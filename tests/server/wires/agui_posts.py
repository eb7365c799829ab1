"""Posts of an AG-UI client to a server in process, and what it holds then: shared by the tests of this mount."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.projections.agui.client import Client
from tests.projections.agui.rules import Event, read, violations
from tests.server.calls import JSON, Call, ask
from treadle.app.server import Server

Message = dict[str, Any]
HI: Message = {"id": "user-1", "role": "user", "content": "hi"}


def body(*messages: Message, thread: str = "t", run: str = "run-1", **more: Any) -> dict[str, Any]:  # noqa: ANN401 (any JSON)
    """A post."""
    return {"threadId": thread, "runId": run, "messages": list(messages), **more}


class Page:
    """A page that holds a thread as the official client does, and posts all that it holds each time."""

    def __init__(
        self, server: Server, *headers: tuple[str, str], thread: str = "t", agent: str = "a", mount: str = "/agui"
    ) -> None:
        self.client = Client()
        self.calls: list[Call] = []
        self._server = server
        self._headers = headers
        self._thread = thread
        self._path = f"{mount}/{agent}"

    @property
    def ending(self) -> Event:
        """How its last run ended."""
        return self.client.endings[-1]

    @property
    def interrupts(self) -> list[dict[str, Any]]:
        """What it is asked now."""
        asked: list[dict[str, Any]] = self.ending.get("outcome", {}).get("interrupts", [])
        return asked

    @property
    def pending(self) -> list[str]:
        """The calls that it has to run now."""
        calls: list[str] = self.ending.get("outcome", {}).get("pendingToolCallIds", [])
        return calls

    async def say(self, text: str = "hi", **more: Any) -> Call:  # noqa: ANN401 (any JSON)
        """A person says something."""
        number = sum(one["role"] == "user" for one in self.client.messages) + 1
        self.client.messages.append({**HI, "id": f"user-{number}", "content": text})
        return await self.post(**more)

    async def answer(self, *payloads: Any, **more: Any) -> Call:  # noqa: ANN401 (any JSON)
        """A person answers what is asked, in its order; None cancels."""
        return await self.resume(*resume_of(self.interrupts, payloads), **more)

    async def resume(self, *entries: dict[str, Any], **more: Any) -> Call:  # noqa: ANN401 (any JSON)
        """Post these answers."""
        return await self.post(resume=list(entries), **more)

    async def give(self, call_id: str, content: str, **more: Any) -> Call:  # noqa: ANN401 (any JSON)
        """The page has run a call."""
        at = f"{call_id}.page"
        self.client.messages.append({"id": at, "role": "tool", "toolCallId": call_id, "content": content, **more})
        return await self.post()

    async def post(self, *, run: str = "", **more: Any) -> Call:  # noqa: ANN401 (any JSON)
        """Post, and take in what comes."""
        named = run or f"run-{len(self.calls) + 1}"
        posted = body(*self.client.messages, thread=self._thread, run=named, **more)
        call = await ask(self._server.asgi, "POST", self._path, JSON, *self._headers, body=posted)
        self.calls.append(call)
        if call.status == 200:
            events = events_of(call)
            assert violations(events) == []
            assert events[0].get("runId", named) == named
            self.client.take(events)
        return call


def resume_of(interrupts: Sequence[Event], payloads: Sequence[Any]) -> list[dict[str, Any]]:
    """Entries that answer interrupts."""
    return [
        {"interruptId": one["id"], "status": "cancelled"}
        if payload is None
        else {"interruptId": one["id"], "status": "resolved", "payload": payload}
        for one, payload in zip(interrupts, payloads, strict=False)
    ]


def events_of(call: Call) -> list[Event]:
    """The events of a stream by now: each is data alone."""
    assert all((event.event, event.event_id) == ("message", "") for event in call.events)
    return read(event.data.decode() for event in call.events)


def types(events: Sequence[Event]) -> list[str]:
    """Their types, neighbours of one type once."""
    found: list[str] = []
    for event in events:
        if not found or found[-1] != event["type"]:
            found.append(event["type"])
    return found
