"""A conversation with an agent that may ask people."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.behaviour.answers import PAY, Till
from tests.cli.test_chatting import Screen
from tests.runtime.agents import add, model_of, scripted
from treadle.app.agent import Agent
from treadle.cli.asked_chatting import may_ask
from treadle.cli.chatting import chat
from treadle.cli.exits import ExitCode
from treadle.cli.views import View
from treadle.plan.front_end import front_end_tool
from treadle.plan.questions import ask_user
from treadle.plan.tools import tool
from treadle.values.requests import UserMessage

pytestmark = pytest.mark.requirement("CLI-answer")


class Kinds(Screen):
    """Remembers what was shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    async def send(self, text: str) -> None:
        """Remember it."""
        self.shown.append(text)


def typed(*lines: str) -> Callable[..., str | None]:
    """Somebody who types these lines."""
    left = iter(lines)
    return lambda _="": next(left, None)


def chatted(agent: Agent, *lines: str) -> tuple[ExitCode, list[str]]:
    """A chat of these lines: its end, and the kinds of the events that were shown."""
    screen = Kinds()
    view = View(
        output=screen, opened=lambda who, what, past: who.events(what, history=past), shows=lambda event: event.kind
    )
    return chat(agent, view, typed(*lines)), screen.shown


def test_what_the_run_asks_is_asked_in_the_terminal_and_the_answer_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: what is decided about stands on stderr, whole; each event is shown once."""
    till = Till()
    code, shown = chatted(scripted(PAY, tools=[till.pay]), "pay", "edit", '{"cents": 4}', "/quit")
    assert (code, till.paid) == (ExitCode.DONE, [4])
    assert 'leave to call pay with {"cents":5}' in capfd.readouterr().err
    assert shown.count("run_started") == 1
    assert [kind for kind in shown if kind in ("interrupt", "resumed", "done")] == ["interrupt", "resumed", "done"]


def test_a_pause_that_is_left_open_ends_with_the_next_line(capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: the next question takes its place, and knows what was said."""
    till = Till()
    agent = scripted(PAY, tools=[till.pay])
    code, _ = chatted(agent, "first", "", "second", "deny", "", "/quit")
    assert (code, till.paid) == (ExitCode.DONE, [])
    assert "paused: the run waits for 1 answer" in capfd.readouterr().err
    asks = model_of(agent).asks
    said = [[one.text for one in ask.prompt.history if isinstance(one, UserMessage)] for ask in asks]
    assert said[:2] == [[], ["first"]]
    assert [ask.prompt.prompt for ask in asks] == ["first", "second", "second"]


@pytest.mark.requirement("CLI-asking")
@pytest.mark.parametrize("asked", [["/quit"], [" /quit "], ["deny", "/quit"], ["edit", "/quit"]])
def test_quit_within_a_question_ends_the_chat(asked: list[str]) -> None:
    """docs/cli.md: wherever it is typed; nothing was decided."""
    till = Till()
    agent = scripted(PAY, tools=[till.pay])
    code, shown = chatted(agent, "pay", *asked, "never")
    assert (code, till.paid, shown[-1]) == (ExitCode.DONE, [], "interrupt")
    assert len(model_of(agent).asks) == 1


def test_an_answer_that_does_not_fit_is_told_and_leaves_the_pause(capfd: pytest.CaptureFixture[str]) -> None:
    """Ours: what is wrong is said, and the same is asked again."""
    till = Till()
    code, _ = chatted(scripted(PAY, tools=[till.pay]), "pay", "edit", '{"cents": "x"}', "approve", "/quit")
    assert (code, till.paid) == (ExitCode.DONE, [5])
    assert "cents" in capfd.readouterr().err


def test_sigterm_while_a_run_goes_on_ends_the_chat() -> None:
    """docs/cli.md: who ends the process does not want another prompt."""

    @tool(requires_approval=True)
    async def stop() -> str:
        """End the process."""
        os.kill(os.getpid(), signal.SIGTERM)
        return "ended"

    agent = scripted("call: stop {}\n---\ntext: hm\nhang", tools=[stop])
    assert chatted(agent, "go", "approve", "never")[0] is ExitCode.CANCELLED


def test_an_agent_may_ask_if_any_of_its_tools_may() -> None:
    """Ours: others are chatted with as ever."""

    @tool(interrupts=True)
    async def sure() -> str:
        """Ask."""
        return ""

    assert not may_ask(scripted("text: x", tools=[add]))
    for one in (Till().pay, ask_user, sure, front_end_tool("pick", description="")):
        assert may_ask(scripted("text: x", tools=[add, one]))
