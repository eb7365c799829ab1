"""What the scripted agents say, held against the prompt."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.scripted.speech import played
from treadle.adapters.models.scripted.steps import Fault
from treadle.plan.questions import Question
from treadle.ports.model import ModelRequest
from treadle.testing.scenarios import speech
from treadle.testing.scenarios.model import Writer
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.ids import CallId
from treadle.values.model import ModelTurn, TurnEnded
from treadle.values.requests import PromptAssembly, TurnMessage

PROMPTS = st.text(min_size=1, max_size=300).filter(str.strip)
ANSWERING = (
    speech.say_text,
    speech.say_after_thinking,
    speech.say_slowly,
    speech.say_after_silence,
    speech.say_structured,
)
CALLING = (
    speech.say_with_tool,
    speech.say_with_parallel_tools,
    speech.say_with_failing_tool,
    speech.say_after_asking,
    speech.say_after_approval,
)


def _asked(prompt: str, *outcomes: ToolOutcome) -> ModelRequest:
    turns = (TurnMessage(turn=ModelTurn(), outcomes=outcomes),) if outcomes else ()
    return ModelRequest(prompt=PromptAssembly(prompt=prompt), turns=turns)


def _turn(write: Writer, request: ModelRequest, *, attempt: int = 0) -> ModelTurn:
    """The whole turn."""
    ended = played(write(request).attempts[attempt])[-1]
    assert isinstance(ended, tuple)
    assert isinstance(ended[-1], TurnEnded)
    return ended[-1].turn


def _outcome(content: object = None, *, status: ToolStatus = ToolStatus.OK, error: str | None = None) -> ToolOutcome:
    return ToolOutcome(call_id=CallId("c"), status=status, content=content, error=error)


def _answered(**said: object) -> ToolOutcome:
    return _outcome({"answers": [{"question_id": "q1", **said}]})


@pytest.mark.slow
@given(PROMPTS)
def test_an_answer_holds_the_prompt_to_the_character(prompt: str) -> None:
    """Ours: two runs can be told apart by what they say, whatever they were asked."""
    for write in ANSWERING:
        said = _turn(write, _asked(prompt))
        assert prompt in (json.loads(said.text)["prompt"] if write is speech.say_structured else said.text)
        assert said.tool_requests == ()
        assert said.usage.reported
    assert prompt in _turn(speech.say_and_take_back, _asked(prompt), attempt=1).text


@pytest.mark.slow
@given(PROMPTS)
def test_calls_have_sound_arguments_that_hold_the_prompt(prompt: str) -> None:
    """Ours: argument text may be cut and interleaved anywhere, and is whole in the end."""
    for write in CALLING:
        requests = _turn(write, _asked(prompt)).tool_requests
        assert [request.damage for request in requests] == [None] * len(requests)
        if write is not speech.say_after_asking:
            assert requests[0].arguments["text"] == prompt
    asked = _turn(speech.say_after_asking, _asked(prompt)).tool_requests[0]
    assert Question.model_validate(dict(asked.arguments["questions"][0])).header == "Colour"


def test_each_answer_says_what_came_of_its_calls() -> None:
    """Ours: a client that shows the answer shows what its person decided."""
    denied = _outcome(status=ToolStatus.DENIED, error="denied by a person: not today")
    shouted = _outcome({"shouted": "HI"})
    for write, outcomes, told in (
        (speech.say_with_tool, [_outcome(2)], "'hi' has 2 characters."),
        (speech.say_with_parallel_tools, [_outcome(2), shouted, _outcome(0)], "2 characters, 0 in nothing, HI"),
        (speech.say_with_failing_tool, [_outcome(status=ToolStatus.FAILED, error="x")], "It failed: hi"),
        (speech.say_after_asking, [_answered(chosen=["green"])], "It is green for 'hi'."),
        (speech.say_after_asking, [_answered(chosen=["red"], other="b")], "It is red and b for 'hi'."),
        (speech.say_after_asking, [denied], "No colour: denied by a person: not today."),
        (speech.say_after_approval, [_outcome("published 'hi'")], "It is published 'hi'."),
        (speech.say_after_approval, [denied], "It is not published, denied by a person: not today."),
    ):
        assert _turn(write, _asked("hi", *outcomes)).text == told


@pytest.mark.parametrize("write", [speech.break_off, speech.end_without_finish, speech.say_and_take_back])
def test_what_breaks_has_shown_something_before(write: Writer) -> None:
    """Ours: what was shown is what a client must not lose, or must take back."""
    moves = played(write(_asked("hi")).attempts[0])
    assert len(moves) > 3
    assert isinstance(moves[-1], Fault)


def test_the_long_one_is_long() -> None:
    """Ours: two thousand pieces at least, no two alike."""
    moves = played(speech.say_at_length(_asked("hi")).attempts[0])
    pieces = [item for move in moves if isinstance(move, tuple) for item in move if isinstance(item, tuple)]
    assert len(set(pieces)) == len(pieces) >= 2_000
