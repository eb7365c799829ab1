"""The model port: what a model behind a wire and its fake keep alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import pytest

from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.adapters.models.scripted import ScriptedModel
from treadle.errors import ModelError
from treadle.ports.model import Model, ModelRequest
from treadle.testing.faults.server import FaultServer
from treadle.values.model import ARGUMENTS, TEXT, CallNamed, ModelItem, ModelTurn, TurnEnded, UsageTold
from treadle.values.requests import PromptAssembly

SCRIPTS = {
    "text": "text: The |cat |sat |on |it.\nfinish: stop\nusage: 9 5 total=14",
    "parallel_tools": (
        'call: add id=call_a {"a":1,"b":2}\ncall: lookup id=call_b {"q":"x"}\ncall: ping id=call_c {}\n'
        "finish: tool_calls"
    ),
    "eof_after_text": "text: ha|lf\neof",
    "status_400": "error: refused status=400",
    "stop_me": "text: 0 |1 \nhang",
}
"""What scenarios of the fault server say, for the scripted model."""

Make = Callable[[str], Model]


@pytest.fixture(params=["openai-chat", "scripted"])
async def make(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Each model there is, by the name of what it is to say."""
    async with FaultServer() as server:
        made: list[Model] = []

        def of(name: str) -> Model:
            if request.param == "scripted":
                made.append(ScriptedModel.from_text(SCRIPTS[name], name=name))
            else:
                made.append(OpenAIChat(name, base_url=server.base_url, api_key="k"))
            return made[-1]

        yield of
        for model in made:
            await model.aclose()


def question() -> ModelRequest:
    """A question of a run of its own."""
    return ModelRequest(prompt=PromptAssembly(prompt="hi"))


async def heard(model: Model, items: list[ModelItem] | None = None) -> list[ModelItem]:
    """All that a model says to one question, in a list that keeps what came before a failure."""
    items = [] if items is None else items
    async with aclosing(model.ask(question())) as reads:
        async for read in reads:
            items += read
    return items


def turn_of(items: list[ModelItem]) -> ModelTurn:
    """The turn at the end."""
    last = items[-1]
    assert isinstance(last, TurnEnded)
    return last.turn


async def test_a_model_has_the_name_it_was_given(make: Make) -> None:
    """Events name it (the port)."""
    assert make("text").name == "text"


async def test_pieces_are_what_the_turn_says_and_the_turn_comes_last(make: Make) -> None:
    """Non-empty pieces, then one end (the port)."""
    items = await heard(make("text"))
    pieces = [text for kind, text in [item for item in items if isinstance(item, tuple)] if kind == TEXT]
    assert pieces == ["The ", "cat ", "sat ", "on ", "it."]
    assert turn_of(items).text == "".join(pieces)
    assert sum(isinstance(item, TurnEnded) for item in items) == 1


async def test_usage_is_told_by_the_end_of_the_turn(make: Make) -> None:
    """The last word on it is the turn's (the port)."""
    items = await heard(make("text"))
    told = [item.usage for item in items if isinstance(item, UsageTold)]
    assert told[-1] == turn_of(items).usage
    assert (told[-1].input_tokens, told[-1].output_tokens) == (9, 5)


async def test_a_call_is_named_before_its_arguments(make: Make) -> None:
    """Slots count from 0; ids are the provider's, and none is ours yet (the port)."""
    items = await heard(make("parallel_tools"))
    slot, texts = -1, ["", "", ""]
    for item in items:
        if isinstance(item, CallNamed):
            slot = item.slot
        elif isinstance(item, tuple) and item[0] == ARGUMENTS:
            texts[slot] += item[1]
    assert texts == ['{"a":1,"b":2}', '{"q":"x"}', "{}"]
    requests = turn_of(items).tool_requests
    assert [request.name for request in requests] == ["add", "lookup", "ping"]
    assert [request.provider_id for request in requests] == ["call_a", "call_b", "call_c"]
    assert {request.call_id for request in requests} == {""}
    assert dict(requests[0].arguments) == {"a": 1, "b": 2}


@pytest.mark.parametrize(("name", "code"), [("eof_after_text", "upstream_truncated"), ("status_400", "model_refused")])
async def test_what_breaks_is_one_of_our_errors(make: Make, name: str, code: str) -> None:
    """After all that was said before it, and without an end of the turn (the port)."""
    items: list[ModelItem] = []
    with pytest.raises(ModelError) as broken:
        await heard(make(name), items)
    assert broken.value.code == code
    said = "".join(item[1] for item in items if isinstance(item, tuple))
    assert said == ("half" if name == "eof_after_text" else "")
    assert not any(isinstance(item, TurnEnded) for item in items)


async def test_an_answer_can_be_left_in_the_middle_and_the_model_asked_again(make: Make) -> None:
    """Closing the generator lets go of the answer (the port)."""
    model = make("stop_me")
    for _ in range(2):
        async with aclosing(model.ask(question())) as reads:
            async for read in reads:
                if any(isinstance(item, tuple) for item in read):
                    break


async def test_a_model_that_was_closed_can_be_asked_again(make: Make) -> None:
    """What it holds is opened anew (the port)."""
    model = make("text")
    first = turn_of(await heard(model))
    await model.aclose()
    assert turn_of(await heard(model)) == first
