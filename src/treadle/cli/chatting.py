"""A conversation in a terminal: each line is a question of one thread, and the history goes along.

Ctrl-C while an answer comes cancels that answer; at the prompt it ends the chat, as the end of the input does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from treadle.app.agent import Agent
from treadle.cli.answering import answer
from treadle.cli.conclusion import told
from treadle.cli.exits import ExitCode
from treadle.cli.views import View
from treadle.values.requests import HistoryMessage

QUIT = "/quit"


def chat(agent: Agent, view: View, next_line: Callable[[], str | None], *, base_url: str | None = None) -> ExitCode:
    """Answer line after line until there are no more, or one says `/quit`. `base_url` is where the model is served.

    Raises:
        KeyboardInterrupt: Ctrl-C at the prompt.
    """
    history: tuple[HistoryMessage, ...] = ()
    with asyncio.Runner() as runner, _given_back(agent, runner):
        while (line := next_line()) is not None and line.strip() != QUIT:
            if not line.strip():
                continue
            answered = runner.run(answer(agent, line, view, history=history))
            history = answered.result.messages
            told(answered, base_url=base_url)
            if answered.terminated:
                return ExitCode.CANCELLED
    return ExitCode.DONE


@contextmanager
def _given_back(agent: Agent, runner: asyncio.Runner) -> Iterator[None]:
    try:
        yield
    finally:
        runner.run(agent.aclose())
