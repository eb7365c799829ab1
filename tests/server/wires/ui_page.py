"""A page with `useChat` on it, in process: it keeps its messages, posts them all, and reads as a client does."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tests.projections.vercel.ui_client import UiClient
from tests.server.calls import JSON, Application, Call, ask

Message = dict[str, Any]


class Page:
    """One chat.

    Shape: `messages` are what it holds; `answer` is the newest answer as its client has it. `call` is its last request.
    """

    def __init__(
        self, app: Application, *headers: tuple[str, str], chat: str = "chat-1", agent: str = "a", query: str = ""
    ) -> None:
        self.app = app
        self.chat = chat
        self.headers = headers
        self.base = f"/vercel/{agent}"
        self.query = query
        self.messages: list[Message] = []
        self.answer = UiClient()
        self.call: Call | None = None

    @property
    def text(self) -> str:
        """What the newest answer says."""
        return self.answer.text

    @property
    def metadata(self) -> dict[str, Any]:
        """What stands at it."""
        return self.answer.metadata

    def body(self, **more: Any) -> dict[str, Any]:  # noqa: ANN401 (fields of a post)
        """What it posts."""
        return {"id": self.chat, "messages": deepcopy(self.messages), "trigger": "submit-message", **more}

    async def send(self, text: str, *, named: str = "u1") -> Page:
        """A person says something."""
        self.messages.append({"id": named, "role": "user", "parts": [{"type": "text", "text": text}]})
        self.answer = UiClient()
        return await self.post()

    async def post(self, **more: Any) -> Page:  # noqa: ANN401 (fields of a post)
        """Post what it has, and read the response."""
        self.call = await ask(self.app, "POST", f"{self.base}{self.query}", JSON, *self.headers, body=self.body(**more))
        return self.read(self.call, replays=False)

    async def resume(self) -> Page:
        """Come back to what goes on."""
        target = f"{self.base}/{self.chat}/stream{self.query}"
        self.call = await ask(self.app, "GET", target, *self.headers)
        return self if self.call.status == 204 else self.read(self.call, replays=True)

    async def stop(self) -> Call:
        """Ask that it stops."""
        return await ask(self.app, "POST", f"{self.base}/{self.chat}/stop", *self.headers)

    def read(self, call: Call, *, replays: bool) -> Page:
        """Take a response in, and put the answer among the messages."""
        assert call.status == 200, call.body
        assert call.headers["x-vercel-ai-ui-message-stream"] == "v1"
        assert call.headers["content-type"].startswith("text/event-stream")
        assert call.is_complete
        self.answer.read([event.data.decode() for event in call.events], replays=replays)
        self.keep()
        return self

    def keep(self) -> None:
        """The answer as it stands is the newest message."""
        message = {"id": self.answer.message_id, "role": "assistant", "parts": self.answer.parts}
        self.messages = [one for one in self.messages if one["id"] != message["id"]] + [message]

    async def approve(self, *, approved: bool = True, **more: Any) -> Page:  # noqa: ANN401 (fields of an approval)
        """A person decides about what waits for leave."""
        for part in self.answer.parts:
            if part.get("state") == "approval-requested":
                part["state"] = "approval-responded"
                part["approval"] |= {"approved": approved, **more}
        self.keep()
        return await self.post()

    async def give(self, output: object) -> Page:
        """A person, or the page, gives the output of what waits for one."""
        for part in self.answer.parts:
            if part.get("state") == "input-available" and not part.get("providerExecuted"):
                part.update(state="output-available", output=output)
        self.keep()
        return await self.post()


def refused(call: Call | None) -> tuple[int, str]:
    """How a request was refused: status, and the code that its text begins with."""
    assert call is not None
    assert call.headers["content-type"].startswith("text/plain")
    return call.status, call.body.decode().partition(": ")[0]


async def post(page: Page, **more: Any) -> Call:  # noqa: ANN401 (fields of a post)
    """Post what a page has, and look at nothing."""
    return await ask(page.app, "POST", page.base, JSON, *page.headers, body=page.body(**more))
