"""The scripted agents by name: what each says, at which pace, with which tools, and how its run ends.

In: nothing, or another sense of time. Out: agents.

Source: docs/testing.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from treadle.app.agent import Agent
from treadle.plan.agent_plan import DEFAULT_RETRIES
from treadle.plan.questions import ask_user
from treadle.plan.tools import Tool
from treadle.runtime.result import RunOutcome
from treadle.testing.scenarios import speech
from treadle.testing.scenarios.model import Pace, Wait, Writer, WrittenModel
from treadle.testing.scenarios.tools import count, fail, publish, shout
from treadle.values.limits import Retries

STEP_S: Final = 0.03
"""Between two pieces, where nothing else is said: enough for a client to act in the middle."""
SLOW_S: Final = 0.25
LONG_S: Final = 0.002
SILENCE_S: Final = 8.0
AGAIN_S: Final = 0.05
"""Before what was taken back is said again."""

OUTPUT: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "prompt": {"type": "string"},
        "characters": {"type": "integer", "minimum": 0},
        "words": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["prompt", "characters", "words"],
    "additionalProperties": False,
}
"""What the answer of `structured` is."""


def steadily(_: int) -> float:
    """A little before each read."""
    return STEP_S


def slowly(_: int) -> float:
    """So long before each read that somebody can stop it."""
    return SLOW_S


def quickly(_: int) -> float:
    """As little as keeps one piece from another."""
    return LONG_S


def with_silence(number: int) -> float:
    """Steadily, but for one silence in the middle."""
    return SILENCE_S if number == speech.SILENT_AT else STEP_S


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAgent:
    """One way a run can go.

    Shape: `ends` is how the first segment of its run ends, if nobody stops it.
    """

    name: str
    says: str
    """What is to be seen of it, in a sentence."""
    write: Writer
    ends: RunOutcome = RunOutcome.DONE
    pace: Pace = steadily
    tools: tuple[Tool[..., Any], ...] = ()
    retries: Retries = DEFAULT_RETRIES
    output: Mapping[str, Any] | None = None
    """The schema of the answer, where it is no text."""

    def agent(self, *, wait: Wait = asyncio.sleep) -> Agent:
        """The agent.

        Raises:
            PlanError: Never on a whole installation.
        """
        model = WrittenModel("scenario", self.write, pace=self.pace, wait=wait)
        agent = Agent(name=self.name, model=model, tools=self.tools, retries=self.retries)
        return agent if self.output is None else agent.with_output(self.output)


SCRIPTED_AGENTS: Final = (
    ScriptedAgent(name="text", says="text alone", write=speech.say_text),
    ScriptedAgent(name="thinking", says="thinking, text, and both again", write=speech.say_after_thinking),
    ScriptedAgent(name="tool", says="a call, its result, an answer", write=speech.say_with_tool, tools=(count,)),
    ScriptedAgent(
        name="parallel_tools",
        says="three calls in one turn, their argument texts interleaved, one with progress",
        write=speech.say_with_parallel_tools,
        tools=(count, shout),
    ),
    ScriptedAgent(
        name="failing_tool",
        says="a call that fails, with words that nobody may be shown",
        write=speech.say_with_failing_tool,
        tools=(fail,),
    ),
    ScriptedAgent(
        name="ask_user",
        says="a question to the user, and what was answered",
        write=speech.say_after_asking,
        tools=(ask_user,),
        ends=RunOutcome.PAUSED,
    ),
    ScriptedAgent(
        name="approval",
        says="a call that needs leave: it runs, or the answer says why not",
        write=speech.say_after_approval,
        tools=(publish,),
        ends=RunOutcome.PAUSED,
    ),
    ScriptedAgent(
        name="cancel", says="an answer that takes a minute, to be stopped", write=speech.say_slowly, pace=slowly
    ),
    ScriptedAgent(
        name="error",
        says="a provider that fails after some text, with words that nobody may be shown",
        write=speech.break_off,
        ends=RunOutcome.ERROR,
    ),
    ScriptedAgent(
        name="provider_cut",
        says="a provider whose stream ends without a finish",
        write=speech.end_without_finish,
        ends=RunOutcome.ERROR,
    ),
    ScriptedAgent(
        name="silence_8s", says="eight seconds of silence in mid-answer", write=speech.say_after_silence,
        pace=with_silence,
    ),
    ScriptedAgent(name="long", says="thousands of pieces", write=speech.say_at_length, pace=quickly),
    ScriptedAgent(
        name="retraction",
        says="an attempt that was shown, taken back, and made again",
        write=speech.say_and_take_back,
        retries=Retries(after_output=True, first_wait_s=AGAIN_S),
    ),
    ScriptedAgent(name="structured", says="an answer that is a value", write=speech.say_structured, output=OUTPUT),
)  # fmt: skip
"""All of them. What each says depends on the prompt."""


def scenario_agents(*, wait: Wait = asyncio.sleep) -> tuple[Agent, ...]:
    """Agents of all of them.

    Args:
        wait: Lets seconds pass between pieces. Tests give one of their own.
    Raises:
        PlanError: Never on a whole installation.
    """
    return tuple(one.agent(wait=wait) for one in SCRIPTED_AGENTS)
