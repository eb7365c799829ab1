"""One question, answered. How it looks from outside stands in test_commands.py."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator

import pytest

from tests.cli.screen import Screen
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.notation import parse_script
from treadle.app.agent import Agent
from treadle.cli.answering import answer, answer_once
from treadle.cli.output import ReaderGoneError
from treadle.cli.views import View
from treadle.plan.tools import tool
from treadle.ports.model import ModelRequest
from treadle.runtime.result import RunOutcome
from treadle.values.model import ModelItem

SCRIPT = """
call: add {"a": 1, "b": 2}
---
text: It is |3.
"""


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def agent(script: str = SCRIPT) -> Agent:
    """An agent that says this."""
    return Agent(name="calc", model=ScriptedModel(parse_script(script)), tools=[add])


def kinds(screen: Screen) -> View:
    """A view that shows the kind of each kernel event."""
    return View(
        output=screen, opened=lambda who, what, past: who.events(what, history=past), shows=lambda event: event.kind
    )


def types(screen: Screen) -> View:
    """A view that shows the type of each stream event."""
    return View(
        output=screen, opened=lambda who, what, past: who.stream(what, history=past), shows=lambda event: event.type
    )


async def test_every_event_is_shown_and_the_result_is_given_back() -> None:
    """Ours: what is shown is what the run said, in order."""
    screen = Screen()
    answered = await answer(agent(), "1+2?", kinds(screen))
    assert (screen.shown[0], screen.shown[-1]) == ("run_started", "done")
    assert (answered.result.text, answered.tool_results, answered.failure, answered.terminated) == (
        "It is 3.", 1, None, False,
    )  # fmt: skip


async def test_results_are_counted_the_same_however_the_run_is_looked_at() -> None:
    """docs/cli.md: a cancelled run says how many results were kept, in each form."""
    assert (await answer(agent(), "1+2?", types(Screen()))).tool_results == 1


@pytest.mark.parametrize(("number", "terminated"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
async def test_a_stop_signal_cancels_and_the_closing_event_is_still_shown(
    number: signal.Signals, *, terminated: bool
) -> None:
    """docs/cli.md: the closing event still comes."""
    screen = Screen(word="text_delta", act=lambda: os.kill(os.getpid(), number))
    answered = await answer(agent("text: It is |3.\nhang"), "1+2?", kinds(screen))
    assert (answered.result.outcome, answered.terminated) == (RunOutcome.CANCELLED, terminated)
    assert screen.shown[-1] == "cancelled"


async def test_a_reader_that_goes_away_cancels_the_run() -> None:
    """Design, law 10: leaving an attached run cancels it."""

    def leave() -> None:
        raise ReaderGoneError

    model = ScriptedModel(parse_script("text: It is |3.\nhang"))
    with pytest.raises(ReaderGoneError):
        await answer(Agent(name="calc", model=model), "1+2?", kinds(Screen(word="text_delta", act=leave)))
    assert model.open_streams == 0


async def test_an_agent_that_is_asked_once_gives_back_what_its_model_holds() -> None:
    """Ours: no connection and no thread outlives the command's work."""
    closed = []

    class Closing:
        """A model that says whether it was closed."""

        name = "closing"

        def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
            """Ask the scripted one."""
            return ScriptedModel(parse_script("text: hi")).ask(request)

        async def aclose(self) -> None:
            """Say so."""
            closed.append(True)

    answered = await answer_once(Agent(name="a", model=Closing()), "hi", kinds(Screen()))
    assert (answered.result.text, closed) == ("hi", [True])
