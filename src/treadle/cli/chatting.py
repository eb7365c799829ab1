"""A conversation in a terminal: each line is a question of one thread, and the history goes along.

Ctrl-C while an answer comes cancels that answer; at the prompt it ends the chat, as the end of the input does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from treadle.app.agent import Agent
from treadle.cli.answering import answer
from treadle.cli.asked_chatting import QUIT, AskedChat, ChatLeftError, may_ask
from treadle.cli.conclusion import told
from treadle.cli.exits import ExitCode
from treadle.cli.views import Form, View
from treadle.values.requests import HistoryMessage


def chat(
    agent: Agent,
    view: View,
    next_line: Callable[..., str | None],
    *,
    form: Form = Form.PEOPLE,
    base_url: str | None = None,
) -> ExitCode:
    """Answer line after line until there are no more, or one says `/quit`. `base_url` is where the model is served.

    Shape: `next_line` takes a prompt, or nothing for its own.

    Raises:
        KeyboardInterrupt: Ctrl-C at the prompt.
    """
    if may_ask(agent):
        return _chat_with_pauses(agent, view, next_line, form=form, base_url=base_url)
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


def _chat_with_pauses(
    agent: Agent, view: View, next_line: Callable[..., str | None], *, form: Form, base_url: str | None
) -> ExitCode:
    with asyncio.Runner() as loop, _given_back(agent, loop), AskedChat(agent, view, form=form, loop=loop) as asked:
        while (line := next_line()) is not None and line.strip() != QUIT:
            if line.strip():
                try:
                    answered = asked.answer(line, next_line)
                except ChatLeftError:
                    break
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
