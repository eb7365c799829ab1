"""The scripted model at its port."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.model import ASKS_KEPT
from treadle.errors import (
    ModelBusyError,
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
    PlanError,
)
from treadle.ports.model import Model, ModelRequest
from treadle.values.model import TEXT, ModelItem, ModelTurn, StopReason, TurnEnded
from treadle.values.requests import PromptAssembly, TurnMessage
from treadle.values.tools import ToolSpec

BOUND_S = 5.0
BEHIND = TurnMessage(turn=ModelTurn(text="before"))


def _request(turns: int = 0, prompt: PromptAssembly | None = None) -> ModelRequest:
    return ModelRequest(prompt=prompt or PromptAssembly(prompt="hello"), turns=[BEHIND] * turns)


async def _reads(model: Model, request: ModelRequest) -> list[list[ModelItem]]:
    async with asyncio.timeout(BOUND_S), aclosing(model.ask(request)) as stream:
        return [items async for items in stream]


def _ended(text: str) -> TurnEnded:
    return TurnEnded(turn=ModelTurn(text=text, stop_reason=StopReason.STOP))


@pytest.mark.requirement("SCRIPT-1")
async def test_a_run_hears_the_turn_that_follows_those_behind_it() -> None:
    """Runs at the same time, and runs that were rebuilt, do not disturb each other (ours)."""
    model = ScriptedModel.from_text("text: a\n---\ntext: b")
    for turns, text in ((0, "a"), (1, "b"), (0, "a")):
        assert await _reads(model, _request(turns)) == [[(TEXT, text)], [_ended(text)]]
    assert model.name == "scripted"
    await model.aclose()


@pytest.mark.requirement("SCRIPT-1")
async def test_a_turn_asked_again_by_the_same_run_is_its_next_attempt() -> None:
    """The last attempt is played from then on, and another run begins with the first (ours)."""
    model = ScriptedModel.from_text("error: busy\n--- again\ntext: a")
    mine, other = PromptAssembly(prompt="hello"), PromptAssembly(prompt="hello")
    with pytest.raises(ModelBusyError):
        await _reads(model, _request(prompt=mine))
    with pytest.raises(ModelBusyError):
        await _reads(model, _request(prompt=other))
    for prompt in (mine, mine, other):
        assert await _reads(model, _request(prompt=prompt)) == [[(TEXT, "a")], [_ended("a")]]


async def test_reads_hold_as_many_items_as_asked_for() -> None:
    """One read of a real provider may hold many deltas (ours)."""
    model = ScriptedModel.from_text("text: a|b|c", items_per_read=2, yields=True)
    assert await _reads(model, _request()) == [[(TEXT, "a"), (TEXT, "b")], [(TEXT, "c"), _ended("abc")]]


async def test_what_a_reader_does_to_a_read_does_not_change_the_script() -> None:
    """Lists are the reader's own (ours)."""
    model = ScriptedModel.from_text("text: a")
    for items in await _reads(model, _request()):
        items.clear()
    assert await _reads(model, _request()) == [[(TEXT, "a")], [_ended("a")]]


@pytest.mark.requirement("SCRIPT-2")
@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("eof", ModelTruncatedError),
        ("error: busy retry_after=2 status=429", ModelBusyError),
        ("error: refused", ModelRefusedError),
        ("error: garbled", ModelGarbledError),
        ("error: timeout", ModelTimeoutError),
        ("error: unavailable", ModelUnavailableError),
    ],
)
async def test_each_fault_is_raised_behind_what_was_said(line: str, kind: type[ModelError]) -> None:
    """A broken stream breaks after it has begun (ours)."""
    model = ScriptedModel.from_text(f"text: a\n{line}", items_per_read=9, name="m")
    seen: list[list[ModelItem]] = []

    async def read() -> None:
        async with aclosing(model.ask(_request())) as stream:
            async for items in stream:
                seen.append(items)  # noqa: PERF401 (what came before the error is wanted)

    with pytest.raises(ModelError) as caught:
        await read()
    assert type(caught.value) is kind
    assert caught.value.provider == "m"
    assert seen == [[(TEXT, "a")]]
    if kind is ModelBusyError:
        assert (caught.value.retry_after_s, caught.value.status) == (2.0, 429)
    assert model.open_streams == 0


@pytest.mark.requirement("SCRIPT-2")
@pytest.mark.parametrize(("line", "words"), [("raise", "the script raises"), ("raise: hunter2", "hunter2")])
async def test_a_script_may_raise_what_no_adapter_should(line: str, words: str) -> None:
    """So that a run's own border can be tried (ours)."""
    with pytest.raises(RuntimeError, match=words):
        await _reads(ScriptedModel.from_text(line), _request())


@pytest.mark.requirement("SCRIPT-2")
async def test_a_script_hangs_until_its_task_is_cancelled() -> None:
    """So that cancels and stalls can be tried; the stream is closed then (ours)."""
    model = ScriptedModel.from_text("text: a\nhang")
    began = asyncio.Event()

    async def read() -> None:
        async with aclosing(model.ask(_request())) as stream:
            async for _ in stream:
                began.set()

    task = asyncio.create_task(read())
    await began.wait()
    assert model.open_streams == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.open_streams == 0


async def test_a_stream_counts_as_open_from_its_first_step_until_it_is_closed() -> None:
    """So that a leak can be seen (ours)."""
    model = ScriptedModel.from_text("text: a|b")
    never = model.ask(_request())
    await never.aclose()
    assert (model.open_streams, model.asks) == (0, [])
    stream = model.ask(_request())
    await anext(stream)
    assert model.open_streams == 1
    await stream.aclose()
    assert model.open_streams == 0


async def test_a_gate_holds_the_answer_until_it_is_opened() -> None:
    """So that a test decides what comes when, without a sleep (ours)."""
    model = ScriptedModel.from_text("text: a\ngate: go\ntext: b")
    heard: asyncio.Queue[list[ModelItem]] = asyncio.Queue()

    async def read() -> None:
        async with aclosing(model.ask(_request())) as stream:
            async for items in stream:
                heard.put_nowait(items)

    async with asyncio.timeout(BOUND_S), asyncio.TaskGroup() as group:
        group.create_task(read())
        assert await heard.get() == [(TEXT, "a")]
        await asyncio.sleep(0)
        assert heard.empty()
        model.open_gate("go")
        assert await heard.get() == [(TEXT, "b")]


async def test_what_the_model_was_told_is_remembered_as_it_was() -> None:
    """The run's own list of turns grows; what was asked does not (ours)."""
    model = ScriptedModel.from_text("text: a\n---\ntext: b")
    prompt, turns = PromptAssembly(prompt="hello"), []
    spec = ToolSpec(name="add", description="Add.", parameters={})
    for _ in range(2):
        await _reads(model, ModelRequest(prompt=prompt, turns=turns, tools=(spec,)))
        turns.append(BEHIND)
    assert model.asks == [
        ModelRequest(prompt=prompt, turns=(), tools=(spec,)),
        ModelRequest(prompt=prompt, turns=(BEHIND,), tools=(spec,)),
    ]


async def test_only_the_latest_questions_are_remembered() -> None:
    """A model that runs for long does not grow (ours)."""
    model = ScriptedModel.from_text("text: a")
    for number in range(ASKS_KEPT + 5):
        await _reads(model, _request(prompt=PromptAssembly(prompt=str(number))))
    assert len(model.asks) == ASKS_KEPT
    assert model.asks[0].prompt.prompt == "5"


async def test_a_script_that_is_over_refuses() -> None:
    """Asking again would not help (ours)."""
    model = ScriptedModel.from_text("text: a")
    with pytest.raises(ModelRefusedError, match="1 turns and was asked for turn 2"):
        await _reads(model, _request(turns=1))


def test_a_script_needs_a_turn() -> None:
    """Told when the model is made (ours)."""
    with pytest.raises(PlanError):
        ScriptedModel(())


async def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    """What `scripted:FILE` names (ours)."""
    path = tmp_path / "hello.script"
    path.write_text("text: grün\n", encoding="utf-8")
    assert await _reads(ScriptedModel.from_file(path), _request()) == [[(TEXT, "grün")], [_ended("grün")]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff", "cannot be read: UnicodeDecodeError"),
        (b"sing: la", "script line 1: expected one of"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_problem_of_the_plan(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    """It names the file (ours)."""
    path = tmp_path / "hello.script"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PlanError) as caught:
        ScriptedModel.from_file(str(path))
    assert len(caught.value.problems) == 1
    assert str(path) in caught.value.problems[0]
    assert problem in caught.value.problems[0]
