"""One run, begun over one wire and watched over the others at once: each reader is cut off and comes back.

MCP is not among them: it has no way to look at a call that another wire began.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projections.a2a.task_folds import folded, read
from tests.projections.agui.client import Client as AguiClient
from tests.projections.vercel.ui_client import UiClient
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import LoopClock, log_of, virtually
from tests.server.calls import JSON, SSE, Call, text_of
from tests.server.wires.a2a.agents_asked import NEW
from tests.server.wires.agui_posts import HI, body, events_of
from tests.server.wires.openai_calls import frames
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.server import Server
from treadle.projections.a2a.wire import Shape
from treadle.values.events import Done, TextDelta

SCRIPT = "think: Hm.\ntext: It \ngate: first\ntext: is \ngate: second\ntext: 3, \ngate: third\ntext: of course."


class Watch:
    """A reader of a run over one wire: the pieces of what it was sent, from each connection."""

    def __init__(self, server: Server, run_id: str) -> None:
        self.server = server
        self.run_id = run_id
        self.taken: list[Call] = []
        self.call: Call | None = None

    def connects(self) -> Call:
        """A request that begins to read, or goes on behind what was read."""
        raise NotImplementedError

    def told(self) -> str:
        """The text that this client shows by now."""
        raise NotImplementedError

    def calls(self) -> list[Call]:
        """What it was sent, connection by connection."""
        return self.taken if self.call is None else [*self.taken, self.call]

    async def come(self) -> None:
        """Connect."""
        self.call = await self.connects().__aenter__()

    async def drop(self) -> None:
        """Lose the connection, and keep what came."""
        assert self.call is not None
        await self.call.__aexit__()
        self.taken.append(self.call)
        self.call = None

    async def shows(self, text: str) -> None:
        """Wait until this is what it shows."""
        assert self.call is not None
        await self.call.until(lambda _: self.told() == text)

    async def ends(self) -> None:
        """Wait until the stream has ended."""
        assert self.call is not None
        await self.call.over()
        assert self.call.is_complete
        await self.drop()


class Plain(Watch):
    """Kernel events: comes back behind the last id."""

    def connects(self) -> Call:
        """The id of the last event is what it comes back with."""
        last = [("last-event-id", named) for call in self.taken for named in call.ids][-1:]
        return Call(self.server.asgi, "GET", f"/v1/runs/{self.run_id}/events", SSE, *last)

    def told(self) -> str:
        """The text of the deltas."""
        return "".join(text_of(call.events) for call in self.calls())


class Agui(Watch):
    """AG-UI: posts the run again, and is told a snapshot and what comes."""

    def connects(self) -> Call:
        """The same post each time: the first has begun the run."""
        return Call(self.server.asgi, "POST", "/agui/a", JSON, body=body(HI, thread="chat-1"))

    def told(self) -> str:
        """What its reducer holds of every connection."""
        client = AguiClient()
        client.messages.append(HI)
        for call in self.calls():
            client.take(events_of(call))
        return client.text


class Vercel(Watch):
    """The UI message stream: comes back by the chat's id, and is told the whole message."""

    def connects(self) -> Call:
        """The chat is the thread."""
        return Call(self.server.asgi, "GET", "/vercel/a/chat-1/stream")

    def told(self) -> str:
        """The message of the newest connection, which replays it; a whole one by the client's own rules."""
        call = self.calls()[-1]
        said = [event.text for event in call.events]
        if call.is_complete:
            return UiClient().read(said, replays=True).text
        return "".join(one["delta"] for one in map(json.loads, said) if one["type"] == "text-delta")


class Responses(Watch):
    """Responses: comes back behind the last sequence number."""

    def connects(self) -> Call:
        """The response of a run's first segment, whoever began the run."""
        seen = [one["sequence_number"] for one in self._frames()]
        after = f"&starting_after={seen[-1]}" if seen else ""
        return Call(self.server.asgi, "GET", f"/openai/v1/responses/resp_{self.run_id}.s1?stream=true{after}")

    def told(self) -> str:
        """The deltas of every connection; no number came twice and none is missing."""
        told = self._frames()
        assert [one["sequence_number"] for one in told] == list(range(len(told)))
        return "".join(one["delta"] for one in told if one["type"] == "response.output_text.delta")

    def _frames(self) -> list[Any]:
        return [one for call in self.calls() for one in frames(call)]


class A2a(Watch):
    """A2A: subscribes again, and is told the task as it is and what comes."""

    def connects(self) -> Call:
        """A run is a task."""
        asked = {"jsonrpc": "2.0", "id": 7, "method": "SubscribeToTask", "params": {"id": self.run_id}}
        return Call(self.server.asgi, "POST", "/a2a/a", JSON, NEW, body=asked)

    def told(self) -> str:
        """The artifact of the newest connection, which begins with the task."""
        said = [json.dumps(json.loads(event.text)["result"]) for event in self.calls()[-1].events]
        if not said:
            return ""
        parts = [part for one in folded(read(said, Shape.V1_0)).get("artifacts", []) for part in one["parts"]]
        return "".join(part["text"] for part in parts)


WATCHES: tuple[type[Watch], ...] = (Plain, Agui, Vercel, Responses, A2a)


class Readers:
    """Two readers of each wire: one that stays, and one that is cut off and comes back."""

    def __init__(self, server: Server, run_id: str) -> None:
        self.steady = [watch(server, run_id) for watch in WATCHES]
        self.dropped = [watch(server, run_id) for watch in WATCHES]
        self.all = [*self.steady, *self.dropped]

    async def see(self, text: str) -> None:
        """Wait until all who are there show this."""
        for one in self.all:
            if one.call is not None:
                await one.shows(text)

    async def drop(self) -> None:
        """Cut off those who are to be cut off."""
        for one in self.dropped:
            await one.drop()

    async def come_back(self) -> None:
        """They connect again."""
        for one in self.dropped:
            await one.come()


@pytest.mark.requirement(
    "WIRES-one-log", "SERVE-resume", "AGUI-attach", "VERCEL-resume", "OPENAI-sequence", "A2A-subscribe"
)
@virtually
async def test_every_wire_tells_the_one_log_to_whoever_comes_back() -> None:
    """Design: one run, one log. They come back before more was said, while they were away, and before the end."""
    agent, store = scripted(SCRIPT), MemoryStore(LoopClock())
    open_gate = model_of(agent).open_gate
    async with Server([agent], store=store) as server:
        async with Call(server.asgi, "POST", "/agui/a", JSON, body=body(HI, thread="chat-1")) as begins:
            await begins.until(lambda call: b"It " in call.body)
        run_id = begins.headers["location"].rpartition("/")[2]
        readers = Readers(server, run_id)
        for one in readers.all:
            await one.come()
        await readers.see("It ")
        await readers.drop()
        await readers.come_back()
        await readers.see("It ")
        await readers.drop()
        open_gate("first")
        await readers.see("It is ")
        await readers.come_back()
        await readers.see("It is ")
        open_gate("second")
        await readers.see("It is 3, ")
        await readers.drop()
        await readers.come_back()
        open_gate("third")
        for one in readers.all:
            await one.ends()
        log = await log_of(store, run_id)
        (run,) = await server.runner.runs()
    text = "".join(event.text for event in log if isinstance(event, TextDelta))
    assert isinstance(log[-1], Done)
    assert text == log[-1].outcome.text == "It is 3, of course."
    assert (run.run_id, len(model_of(agent).asks)) == (run_id, 1)
    assert [(type(one), one.told()) for one in readers.all] == [(watch, text) for watch in (*WATCHES, *WATCHES)]
