"""The local model through its port, with the real weights."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from treadle.adapters.models.local import LocalModel
from treadle.adapters.models.local.engine import Job
from treadle.errors import ModelMissingError, ModelRefusedError
from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolOutcome
from treadle.values.ids import NO_CALL
from treadle.values.model import CallNamed, ModelItem, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.requests import Attachment, PromptAssembly, TurnMessage
from treadle.values.tools import ToolSpec

real_model = pytest.mark.real_model

ADD = ToolSpec(
    name="add",
    description="Add two whole numbers.",
    parameters={
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
)
QUESTION = PromptAssembly(prompt="What is 17 plus 25?")
STORY = ModelRequest(prompt=PromptAssembly(prompt="Tell a very long story about a dragon."))


async def lists_of(model: LocalModel, request: ModelRequest) -> list[list[ModelItem]]:
    """All that a model yields, closed when it is over."""
    async with aclosing(model.ask(request)) as lists:
        return [items async for items in lists]


async def turn_of(model: LocalModel, request: ModelRequest) -> ModelTurn:
    """The turn that it came to."""
    last = (await lists_of(model, request))[-1][-1]
    assert isinstance(last, TurnEnded)
    return last.turn


@real_model
async def test_a_tool_is_called_then_its_result_is_told_in_a_sentence() -> None:
    """Ours: the call is forced, streamed and whole; after its result the model speaks."""
    model = LocalModel(max_tokens=60)
    items = [item for said in await lists_of(model, ModelRequest(prompt=QUESTION, tools=(ADD,))) for item in said]
    told = [item for item in items if not isinstance(item, UsageTold)]
    last = told[-1]
    assert told[0] == CallNamed(slot=0, name="add")
    assert isinstance(last, TurnEnded)
    assert last.turn.stop_reason is StopReason.TOOL_CALLS
    (request,) = last.turn.tool_requests
    assert (request.damage, set(request.arguments)) == (None, {"a", "b"})
    assert len(told) > 4, "the arguments came in pieces"
    outcome = ToolOutcome(call_id=NO_CALL, content=42)
    answer = await turn_of(
        model, ModelRequest(prompt=QUESTION, tools=(ADD,), turns=[TurnMessage(turn=last.turn, outcomes=(outcome,))])
    )
    assert answer.tool_requests == ()
    assert answer.text
    assert {"input_tokens", "output_tokens", "total_tokens"} <= answer.usage.reported
    assert answer.usage.output_tokens > 0
    await model.aclose()


@real_model
async def test_every_schema_that_can_be_said_makes_a_grammar_that_the_engine_reads() -> None:
    """Ours: the notation is the engine's, so the engine is who says that it is right."""
    properties = {
        "city": {"type": "string", "maxLength": 20},
        "unit": {"enum": ["c", 'the "other"\\one', "größe"]},
        "days": {"type": "integer", "minimum": -3, "maximum": 14},
        "factor": {"type": "number"},
        "places": {"type": "array", "items": {"type": "string", "maxLength": 5}, "maxItems": 2},
        "note": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    }
    schema = {"type": "object", "properties": properties, "required": ["city", "unit", "days", "factor", "note"]}
    odd = ToolSpec(name="odd", description="Ask for the weather.", parameters=schema)
    model = LocalModel(max_tokens=99)
    turn = await turn_of(model, ModelRequest(prompt=PromptAssembly(prompt="Weather in Oslo?"), tools=(odd,)))
    (request,) = turn.tool_requests
    assert request.damage is None
    assert -3 <= request.arguments["days"] <= 14
    assert set(schema["required"]) <= set(request.arguments)
    await model.aclose()


@real_model
async def test_a_call_that_reaches_the_token_limit_is_damaged() -> None:
    """Design: a tool never runs on damaged arguments."""
    model = LocalModel(max_tokens=14)
    turn = await turn_of(model, ModelRequest(prompt=QUESTION, tools=(ADD,)))
    assert turn.stop_reason is StopReason.OTHER
    (request,) = turn.tool_requests
    assert request.damage is not None
    assert request.raw_arguments is not None
    assert request.raw_arguments.startswith("{")
    await model.aclose()


@real_model
async def test_an_answer_that_reaches_the_token_limit_says_so() -> None:
    """Design: a cut answer is never shown as done."""
    model = LocalModel(max_tokens=3)
    turn = await turn_of(model, ModelRequest(prompt=PromptAssembly(prompt="Tell a long story.")))
    assert turn.stop_reason is StopReason.LENGTH
    assert turn.usage.output_tokens == 3
    await model.aclose()


async def loop_turns(work: Coroutine[Any, Any, object]) -> int:
    """How often the event loop turned while the work went on."""
    task, turns = asyncio.create_task(work), 0
    while not task.done():
        await asyncio.sleep(0)
        turns += 1
    await task
    return turns


async def begin(model: LocalModel) -> None:
    """Hear the first words of a long story, and leave."""
    async with aclosing(model.ask(STORY)) as lists:
        async for items in lists:
            if any(isinstance(item, tuple) for item in items):
                return


async def begin_and_be_cancelled(model: LocalModel) -> None:
    """Hear the first words of a long story in a task that is cancelled then."""
    begun = asyncio.Event()

    async def listen() -> None:
        async with aclosing(model.ask(STORY)) as lists:
            async for items in lists:
                if any(isinstance(item, tuple) for item in items):
                    begun.set()

    task = asyncio.create_task(listen())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@real_model
@pytest.mark.parametrize("leave", [begin, begin_and_be_cancelled])
async def test_leaving_in_mid_answer_frees_the_engine(
    leave: Callable[[LocalModel], Coroutine[Any, Any, None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Port: closing the generator, or cancelling its task, stops the provider.

    The story is more than four hundred tokens long, and the next question waits until the engine has left it.
    """
    model, short, late, take = LocalModel(), LocalModel(max_tokens=1), [], Job.take

    def counted(job: Job, chunk: Mapping[str, Any]) -> bool:
        if job.stopped:
            late.append(chunk)
        return take(job, chunk)

    monkeypatch.setattr(Job, "take", counted)
    await turn_of(short, ModelRequest(prompt=QUESTION))
    await leave(model)
    await turn_of(short, ModelRequest(prompt=QUESTION))
    # One token may be under way when it is left, and the engine may close with a chunk without one.
    assert len(late) <= 2
    for used in (model, short):
        await used.aclose()


@real_model
async def test_the_event_loop_goes_on_while_the_model_loads_and_speaks() -> None:
    """Ours: the native code runs in a thread of its own; between two lists the loop turns many times."""
    model = LocalModel(max_tokens=10)
    assert await loop_turns(turn_of(model, ModelRequest(prompt=QUESTION))) > 100 * 10
    await model.aclose()


@real_model
def test_it_works_in_several_event_loops_one_after_the_other() -> None:
    """Ours: `run_sync` makes a loop for each run."""
    model = LocalModel(max_tokens=3)
    texts = set()
    for _ in range(2):
        texts.add(asyncio.run(turn_of(model, ModelRequest(prompt=QUESTION))).text)
    asyncio.run(model.aclose())
    texts.add(asyncio.run(turn_of(model, ModelRequest(prompt=QUESTION))).text)
    asyncio.run(model.aclose())
    assert len(texts) == 1, "at temperature 0 the same question has the same answer"


@real_model
async def test_several_questions_at_once_are_each_answered() -> None:
    """Ours: they queue; none is lost and none is mixed with another."""
    model = LocalModel(max_tokens=4)
    requests = [ModelRequest(prompt=PromptAssembly(prompt=f"Say {word}.")) for word in ("yes", "no", "hello")]
    alone = [await turn_of(model, request) for request in requests]
    together = await asyncio.gather(*(turn_of(model, request) for request in requests))
    assert [turn.text for turn in together] == [turn.text for turn in alone]
    await model.aclose()


@real_model
async def test_a_prompt_that_does_not_fit_is_refused_in_our_words() -> None:
    """Design: the message is ours and says what was expected and what came."""
    model = LocalModel(context_tokens=256)
    with pytest.raises(ModelRefusedError, match="tokens does not fit the 256 of the local model") as raised:
        await turn_of(model, ModelRequest(prompt=PromptAssembly(prompt="hi " * 400)))
    assert raised.value.status == 400
    await model.aclose()


@real_model
async def test_weights_that_are_none_are_told_of(tmp_path: Path) -> None:
    """Ours: the engine's own words stay behind."""
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF" * 100)
    model = LocalModel(path=path)
    with pytest.raises(ModelMissingError, match="could not load its weights"):
        await turn_of(model, ModelRequest(prompt=QUESTION))
    await model.aclose()


SCRIPT = """
import asyncio, os, re, sys
from treadle.adapters.models.local import LocalModel
from treadle.ports.model import ModelRequest
from treadle.values.requests import PromptAssembly

def listening():
    files = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    mine = {os.readlink(file) for file in files if os.path.lexists(file)}
    rows = [line.split() for name in ("tcp", "tcp6") for line in open(f"/proc/self/net/{name}").readlines()[1:]]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in mine]

async def main():
    lists = LocalModel(max_tokens=MAX).ask(ModelRequest(prompt=PromptAssembly(prompt="Tell a story.")))
    async for items in lists:
        if any(isinstance(item, tuple) for item in items):
            END
    return lists

kept = asyncio.run(main())
if sys.platform == "linux":
    assert listening() == [], listening()
"""


@real_model
@pytest.mark.parametrize(("most", "end"), [("3", "pass"), ("900", "raise SystemExit"), ("900", "break")])
def test_the_process_ends_cleanly_and_listens_on_no_port(most: str, end: str) -> None:
    """Ours: nothing on stderr, exit 0, whether the answer is over, left open or thrown away with the process."""
    script = SCRIPT.replace("MAX", most).replace("END", end)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


ABANDONED = """
import asyncio
from treadle.adapters.models.local import LocalModel
from treadle.ports.model import ModelRequest
from treadle.values.requests import PromptAssembly

loop = asyncio.new_event_loop()
lists = LocalModel(max_tokens=900).ask(ModelRequest(prompt=PromptAssembly(prompt="Tell a story.")))
for _ in range(4):
    loop.run_until_complete(anext(lists))
"""


@real_model
def test_a_process_that_abandons_its_event_loop_does_not_crash() -> None:
    """Measured: native code that calls back into an interpreter which is gone aborts the process."""
    done = subprocess.run([sys.executable, "-c", ABANDONED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "FATAL" in done.stderr) == (0, False)


async def test_an_attachment_is_refused_before_anything_is_loaded() -> None:
    """Ours: a file that is dropped in silence would be an answer about nothing."""
    picture = Attachment(media_type="image/png", data=b"png")
    prompt = PromptAssembly(prompt="What is it?", attachments=(picture,))
    with pytest.raises(ModelRefusedError, match="reads text alone, came attachments of image/png"):
        await turn_of(LocalModel(), ModelRequest(prompt=prompt))


async def test_a_tool_that_no_grammar_can_say_is_refused_before_anything_is_loaded() -> None:
    """Ours: all problems at once, each with its tool and place."""
    tools = (ToolSpec(name="free", description="", parameters={"type": "object"}), ADD)
    with pytest.raises(ModelRefusedError, match="tool 'free': arguments: an object with free names"):
        await turn_of(LocalModel(), ModelRequest(prompt=QUESTION, tools=tools))


@pytest.mark.parametrize("field", ["threads", "context_tokens", "max_tokens"])
def test_a_number_that_cannot_work_is_refused_when_it_is_given(field: str) -> None:
    """Ours: legal if it exists."""
    words: dict[str, Any] = {field: 0}
    with pytest.raises(ValueError, match=f"{field} must be 1 or more, not 0"):
        LocalModel(**words)
