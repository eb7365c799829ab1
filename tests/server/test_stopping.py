"""Stop, over HTTP: whatever the run is at, it ends within a second, and says that it is stopping until that is true."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import pass_time, virtually
from tests.server.calls import JSON, Call, ask, started
from tests.server.sockets import LONGEST_S, served
from tests.server.test_servers import asked
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.plan.tools import stop_requested, tool
from treadle.ports.model import ModelRequest
from treadle.testing.stream_check import check_stream
from treadle.values.model import TEXT, ModelItem

WITHIN_S = 1.0
CALLS = "text: It |is\ncall: work {}\n---\ntext: over"


class Talker:
    """A model that never comes to an end."""

    name = "talker"

    async def ask(self, _: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Say a word every now and then."""
        while True:
            await pass_time(0.05)
            yield [(TEXT, "word ")]

    async def aclose(self) -> None:
        """Nothing is held."""


def waiting() -> Any:  # noqa: ANN401 (a tool)
    """A tool that waits in the event loop for what never comes."""

    @tool
    async def work() -> str:
        """Wait."""
        await asyncio.Event().wait()
        return ""

    return work


def telling() -> Any:  # noqa: ANN401 (a tool)
    """A tool that tells how far it is, without end."""

    @tool
    async def work() -> AsyncGenerator[int, None]:
        """Count."""
        number = 0
        while True:
            yield (number := number + 1)
            await pass_time(0.05)

    return work


def blocking(until: threading.Event) -> Any:  # noqa: ANN401 (a tool)
    """A tool that blocks its thread and looks at nothing."""

    @tool
    def work() -> str:
        """Block."""
        until.wait(LONGEST_S)
        return "after all"

    return work


def settled(call: Call) -> list[str]:
    """How the calls of a run came out."""
    results = [json.loads(event.data) for event in call.events if event.event == "tool_result"]
    return [one["outcome"]["status"] for one in results]


@pytest.mark.requirement("SERVE-stop")
@pytest.mark.parametrize(
    ("at_work", "reached", "came_out"),
    [
        ("speaking", "text_delta", []),
        ("silent", "text_delta", []),
        ("waiting", "tool_call", ["cancelled"]),
        ("telling", "tool_progress", ["cancelled"]),
        ("blocking", "tool_call", ["unknown"]),
    ],
)
@virtually
async def test_a_stop_ends_a_run_within_a_second_whatever_it_is_at(
    at_work: str, reached: str, came_out: list[str]
) -> None:
    """Promise 6, BR-009: Stop does, within a second; a run whose calls are still being stopped says so."""
    thread_ends = threading.Event()
    agents = {
        "speaking": lambda: Agent(name="a", model=Talker()),
        "silent": lambda: scripted("text: It |is\nhang"),
        "waiting": lambda: scripted(CALLS, tools=[waiting()]),
        "telling": lambda: scripted(CALLS, tools=[telling()]),
        "blocking": lambda: scripted(CALLS, tools=[blocking(thread_ends)]),
    }
    loop = asyncio.get_running_loop()
    try:
        async with Server([agents[at_work]()]) as server:
            run_id = await started(server.asgi)
            async with Call(server.asgi, "GET", f"/v1/runs/{run_id}/events") as call:
                await call.until(call.said(reached))
                asked_s = loop.time()
                stop = await ask(server.asgi, "POST", f"/v1/runs/{run_id}/cancel", JSON, body={"reason": "tired"})
                assert (stop.status, stop.json["state"], stop.json["accepted"]) == (202, "owned", True)
                if came_out:
                    await call.until(call.said("stage"))
                    assert json.loads(call.events[call.kinds.index("stage")].data)["phase"] == "stopping"
                await call.over()
            assert loop.time() - asked_s < WITHIN_S
            assert (call.kinds[-1], json.loads(call.events[-1].data)["reason"]) == ("cancelled", "tired")
            assert settled(call) == came_out
            view = (await ask(server.asgi, "GET", f"/v1/runs/{run_id}")).json
            assert (view["state"], view["text"]) == ("cancelled", call.text)
            events = [record.event async for record in server.runner.watch(run_id)]
            assert check_stream(events) == []
            thread_ends.set()
            again = await ask(server.asgi, "POST", f"/v1/runs/{run_id}/cancel")
            assert (again.status, again.json["state"], again.json["accepted"]) == (200, "cancelled", False)
        assert [event.index for event in events] == list(range(len(call.events)))
    finally:
        thread_ends.set()


@pytest.mark.slow
@pytest.mark.requirement("SERVE-stop")
def test_a_tool_in_a_thread_that_listens_ends_by_itself() -> None:
    """Promise 6: a blocking tool hears of a stop by `stop_requested()`, and its end is the call's."""
    begun, heard = threading.Event(), threading.Event()

    @tool
    def work() -> str:
        """Block, and look."""
        begun.set()
        while not stop_requested():
            heard.wait(0.01)
        heard.set()
        return "heard"

    with served(Server([scripted(CALLS, tools=[work])])) as url:
        run_id = json.loads(asked(url, "POST", "/v1/runs", {"agent": "a", "prompt": "hi"})[1])["run_id"]
        assert begun.wait(LONGEST_S)
        assert asked(url, "POST", f"/v1/runs/{run_id}/cancel", {})[0] in (200, 202)
        body = asked(url, "GET", f"/v1/runs/{run_id}/events")[1].decode()
        assert heard.wait(LONGEST_S)
    assert "event: cancelled\n" in body
    assert '"status":"cancelled"' in body
