"""A conversation in a terminal. How it looks from outside stands in test_commands.py."""

from __future__ import annotations

import os
import signal

import pytest

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.notation import parse_script
from treadle.app.agent import Agent
from treadle.cli.chatting import chat
from treadle.cli.exits import ExitCode
from treadle.cli.output import Output
from treadle.cli.views import View
from treadle.values.requests import UserMessage


class Screen(Output):
    """Shows nothing, and sends a signal at the first piece that holds a word."""

    def __init__(self, *, word: str = "never", number: int = signal.SIGTERM) -> None:
        super().__init__(1)
        self._word = word
        self._number = number

    async def send(self, text: str) -> None:
        """Look at the piece."""
        if self._word in text:
            os.kill(os.getpid(), self._number)


def view(screen: Screen) -> View:
    """A view that shows the kind of each kernel event."""
    return View(
        output=screen, opened=lambda who, what, past: who.events(what, history=past), shows=lambda event: event.kind
    )


def told(model: ScriptedModel) -> list[list[str]]:
    """What the model was told before each question, and the question."""
    return [
        [
            *(one.text if isinstance(one, UserMessage) else one.turn.text for one in request.prompt.history),
            request.prompt.prompt,
        ]
        for request in model.asks
    ]


def test_each_line_is_asked_with_all_that_was_said_before() -> None:
    """docs/cli.md: each line is a question of one thread; blank lines are none, /quit ends."""
    model = ScriptedModel(parse_script("text: It is 3."))
    lines = iter(["one", "", "  ", "two", "three", " /quit ", "four"])
    code = chat(Agent(name="a", model=model), view(Screen()), lambda: next(lines, None))
    assert code is ExitCode.DONE
    assert told(model) == [
        ["one"],
        ["one", "It is 3.", "two"],
        ["one", "It is 3.", "two", "It is 3.", "three"],
    ]


def test_a_run_that_fails_is_told_and_the_chat_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: the end of the input ends a chat with 0, whatever the answers were."""
    model = ScriptedModel(parse_script("text: It is\nerror: refused"))
    lines = iter(["one", "two"])
    assert chat(Agent(name="a", model=model), view(Screen()), lambda: next(lines, None)) is ExitCode.DONE
    assert capsys.readouterr().err.count("error: model_refused: ") == 2
    assert told(model)[1] == ["one", "It is", "two"]


def test_sigterm_ends_the_answer_and_the_chat() -> None:
    """docs/cli.md: who ends the process does not want another prompt."""
    model = ScriptedModel(parse_script("text: It is\nhang"))
    lines = iter(["one", "two"])
    code = chat(Agent(name="a", model=model), view(Screen(word="text_delta")), lambda: next(lines, None))
    assert (code, next(lines)) == (ExitCode.CANCELLED, "two")


def test_ctrl_c_ends_the_answer_and_not_the_chat() -> None:
    """docs/cli.md: what was shown of the answer is remembered."""
    model = ScriptedModel(parse_script("text: It is\nhang"))
    lines = iter(["one", "two"])
    screen = Screen(word="text_delta", number=signal.SIGINT)
    assert chat(Agent(name="a", model=model), view(screen), lambda: next(lines, None)) is ExitCode.DONE
    assert told(model) == [["one"], ["one", "It is", "two"]]


def test_ctrl_c_at_the_prompt_goes_through() -> None:
    """docs/cli.md: at the prompt it ends the chat."""

    def interrupted() -> str | None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        chat(Agent(name="a", model=ScriptedModel(parse_script("text: hi"))), view(Screen()), interrupted)
