"""What a checker says of a server and of the runs of a scope. Checked by mypy, never run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_type

from starlette.types import ASGIApp

from treadle import Agent, Runner, RunView, Server, StartedRun, TurnMessage, UserMessage, WatchedRecord
from treadle.runtime.scoped_runs import ScopedRuns
from treadle.values.model import ModelTurn
from treadle.values.runs import RunState


async def served(agent: Agent) -> None:
    """A server, its application and its runner."""
    async with Server([agent], store="memory://") as server:
        assert_type(server, Server)
        assert_type(server.asgi, ASGIApp)
        assert_type(server.runner, Runner)
        assert_type(server.readers, int)


async def within(runner: Runner) -> None:
    """The runs of another scope are used as those of the runner."""
    runs = runner.within("acme")
    assert_type(runs, ScopedRuns)
    assert_type(await runs.start("a", "hi"), StartedRun)
    before: list[UserMessage | TurnMessage] = [UserMessage(text="hi"), TurnMessage(turn=ModelTurn(text="ho"))]
    assert_type(await runs.start("a", [*before, UserMessage(text="who?")]), StartedRun)
    assert_type(await runs.get("r"), RunView)
    assert_type(await runs.state("r"), RunState)
    assert_type(await runs.runs(), Sequence[RunState])
    async for record in runs.watch("r"):
        assert_type(record, WatchedRecord)
