"""A conversation with an agent that may ask people: what it asks is put to whoever types, and the run goes on.

In: an agent, lines. Out: each line answered by a run of one thread, kept in memory for as long as the chat lasts.
Ctrl-C while an answer comes cancels that answer. A pause that is left open ends with the next line.

Source: docs/cli.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.cli import asking
from treadle.cli.answering import Answered, stopped_by
from treadle.cli.diagnostics import complain, tell
from treadle.cli.kept_answering import shown_segment
from treadle.cli.stopping import stop_signals
from treadle.cli.views import Form, View
from treadle.errors import ResumeError
from treadle.runtime.open_pauses import OpenPause
from treadle.runtime.result import RunOutcome, result_of
from treadle.values.pauses import Answer

THREAD = "chat"
QUIT = "/quit"


class ChatLeftError(Exception):
    """Whoever types wants to end the chat, in the middle of a question. The run is left where it waits."""


def may_ask(agent: Agent) -> bool:
    """Whether a run of this agent may come to wait for a person."""
    return any(
        one.requires_approval or one.options.interrupts or one.options.asks is not None for one in agent.plan.tools
    )


class AskedChat:
    """One conversation, line by line. Open it in an event loop, and close it there."""

    def __init__(self, agent: Agent, view: View, *, form: Form, loop: asyncio.Runner) -> None:
        self._agent = agent
        self._view = view
        self._form = form
        self._loop = loop
        self._runner = Runner([agent], drain_s=0)

    def __enter__(self) -> AskedChat:
        self._loop.run(self._runner.__aenter__())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self._runner.__aexit__(None, None, None))

    def answer(self, line: str, next_line: Callable[[str], str | None]) -> Answered:
        """Answer a line. What the run asks meanwhile is asked here, until it is over or nobody answers.

        Raises:
            ChatLeftError: `/quit` was typed in place of an answer.
        """
        answered = self._loop.run(self._started(line))
        while answered.result.outcome is RunOutcome.PAUSED and not answered.terminated:
            run_id = answered.result.run_id
            said = _put(self._loop.run(self._runner.pauses(run_id)), next_line)
            if not said:
                break
            answered = self._loop.run(self._answered(run_id, said, answered))
        return answered

    async def _started(self, line: str) -> Answered:
        run = await self._runner.start(self._agent.name, line, thread_id=THREAD, on_busy="cancel_previous")
        return await self._followed(run.run_id, after=None)

    async def _answered(self, run_id: str, said: list[Answer], before: Answered) -> Answered:
        after = (await self._runner.get(run_id)).cursor
        try:
            taken = await self._runner.answer(run_id, said, principal="chat")
        except ResumeError as refused:
            complain(f"treadle: {refused}")
            return before
        return before if taken.open else await self._followed(run_id, after=after)

    async def _followed(self, run_id: str, *, after: str | None) -> Answered:
        runner, view = self._runner, self._view
        with stop_signals() as stop:
            async with stopped_by(stop, view.output, lambda: runner.cancel(run_id)):
                closing, results = await shown_segment(runner, run_id, view, form=self._form, after=after)
        result = result_of(closing, thread_id=(await runner.state(run_id)).thread_id, messages=())
        return Answered(result=result, failure=None, tool_results=results, terminated=stop.terminated)


def _put(pauses: tuple[OpenPause, ...], next_line: Callable[[str], str | None]) -> list[Answer]:
    """What a person says to these; those that they leave open are left out."""

    def read(prompt: str) -> str | None:
        typed = next_line(prompt)
        if typed is not None and typed.strip() == QUIT:
            raise ChatLeftError
        return typed

    said = []
    for pause in pauses:
        tell(asking.shown(pause).rstrip("\n"))
        if (answer := asking.put(pause, read)) is not None:
            said.append(answer)
    return said
