"""What any run tells a model is a transcript that its provider takes."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.testing.played_scripts import agent_of, played, seeds
from treadle.adapters.models.openai_chat.request import chat_messages
from treadle.adapters.models.scripted import ScriptedModel
from treadle.errors import RunFailedError
from treadle.testing.transcript_check import check_transcript


async def requests(seed: int) -> list[list[dict[str, Any]]]:
    """The messages of every request of a run, and of another run on its history."""
    agent = agent_of(seed)
    assert isinstance(agent.model, ScriptedModel)
    try:
        result = await agent.run("hi")
    except RunFailedError as failed:
        result = failed.result
    again = agent_of(seed)
    assert isinstance(again.model, ScriptedModel)
    async with again.events("and?", history=result.messages) as run:
        async for _ in run:
            pass
    return [chat_messages(ask) for ask in (*agent.model.asks, *again.model.asks)]


@pytest.mark.slow
@given(seed=seeds)
def test_any_played_run_tells_its_model_sound_messages(seed: int) -> None:
    """Cut, damaged, refused, retracted: the next request is valid for a strict provider (BR-002, BR-050)."""
    told = played(requests(seed))
    assert told
    assert [check_transcript(messages, "openai") for messages in told] == [[] for _ in told]


def _anthropic(dice: Random) -> list[dict[str, Any]]:
    """A sound transcript of any length."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
    for turn in range(dice.randint(0, 4)):
        ids = [f"t{turn}_{at}" for at in range(dice.randint(0, 3))]
        thinking = [{"type": "thinking", "thinking": "t", "signature": "s"}] * dice.randint(0, 2)
        calls = [{"type": "tool_use", "id": name, "name": "f", "input": {}} for name in ids]
        spoken = [{"type": "text", "text": "hm"}] if not calls or dice.random() < 0.5 else []
        results = [{"type": "tool_result", "tool_use_id": name, "content": ""} for name in ids]
        dice.shuffle(results)
        asked = [{"type": "text", "text": "and?"}] if not results or dice.random() < 0.5 else []
        messages.append({"role": "assistant", "content": [*thinking, *spoken, *calls]})
        messages.append({"role": "user", "content": [*results, *asked]})
    return messages


@given(seed=st.integers(0, 2**32))
def test_any_sound_transcript_of_the_other_provider_passes_and_none_without_a_call_or_a_result(seed: int) -> None:
    """Every call and every result is needed by the other (Anthropic API reference)."""
    messages = _anthropic(Random(seed))
    given_before = [message for message in messages if message["role"] == "assistant"]
    assert check_transcript(messages, "anthropic", received=given_before) == []
    for at, message in enumerate(messages):
        for place, block in enumerate(message["content"] if isinstance(message["content"], list) else ()):
            if block["type"] in ("tool_use", "tool_result"):
                rest = [*message["content"][:place], *message["content"][place + 1 :]]
                lacking = [*messages[:at], {**message, "content": rest}, *messages[at + 1 :]]
                assert check_transcript(lacking, "anthropic")
