"""A fault server in a thread of its own."""

from __future__ import annotations

import asyncio
import threading

import pytest

from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.app.agent import Agent
from treadle.errors import StateError
from treadle.runtime.result import RunResult
from treadle.testing.fault_thread import FaultThread
from treadle.testing.faults import SCENARIOS
from treadle.values.limits import Limits


def agent_of(server: FaultThread, scenario: str) -> Agent:
    """An agent whose model is a scenario."""
    model = OpenAIChat(scenario, base_url=server.base_url, api_key="k")
    return Agent(name="a", model=model, limits=Limits(stall_s=None))


def test_code_without_an_event_loop_asks_it_and_reads_the_ledger() -> None:
    """Any client, in any loop or in none (ours)."""
    with FaultThread() as server:
        assert agent_of(server, "text").run_sync("hi").text == SCENARIOS["text"].expected.text
        server.wait_for(lambda stats: stats.open_connections == 0)
        assert (server.stats.requests("text"), server.stats.problems()) == (1, [])


async def test_code_in_another_event_loop_asks_it_too() -> None:
    """A stalled answer is let go from the thread of the test (ours)."""
    with FaultThread() as server:
        agent = agent_of(server, "stop_me")
        asked: asyncio.Task[RunResult] = asyncio.create_task(agent.run("hi"))
        await asyncio.to_thread(server.wait_for, lambda stats: stats.stalled() == 1)
        server.release()
        assert (await asked).usage.output_tokens == 20
        await agent.aclose()


def test_it_serves_the_scenarios_it_was_given_and_no_other() -> None:
    """A test may bring its own (ours)."""
    with FaultThread(scenarios={"mine": SCENARIOS["text"]}) as server:
        assert list(server.scenarios) == ["mine"]
        assert agent_of(server, "mine").run_sync("hi").text


def test_it_is_gone_when_its_block_is_left() -> None:
    """Nothing is asked of it any more, and no thread stays behind (ours)."""
    with FaultThread() as server:
        pass
    with pytest.raises(StateError, match="while its `with` lasts"):
        server.release()
    assert not [thread for thread in threading.enumerate() if thread.name == "treadle fault server"]


def test_a_condition_that_is_never_met_is_told_with_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that waits for what does not come says what did (ours)."""
    monkeypatch.setattr("treadle.testing.faults.server.WAIT_S", 0.01)
    with FaultThread() as server, pytest.raises(TimeoutError, match="open_connections"):
        server.wait_for(lambda stats: stats.requests() == 1)


def test_a_server_that_cannot_listen_says_so_in_the_thread_that_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a thread that nobody looks at (ours)."""

    async def refuse(*_: object, **__: object) -> None:
        raise OSError("no sockets left")

    monkeypatch.setattr("asyncio.start_server", refuse)
    with pytest.raises(OSError, match="no sockets left"), FaultThread():
        pass
