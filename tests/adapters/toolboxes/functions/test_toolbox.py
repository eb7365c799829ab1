"""Python functions as tools: checks, results, progress, stops."""

from __future__ import annotations

import asyncio
import functools
import math
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from datetime import date
from typing import Any, NoReturn

import pytest

from treadle.adapters.toolboxes.functions import FunctionToolbox
from treadle.errors import PlanError, ToolError
from treadle.plan.tools import Tool, stop_requested, tool
from treadle.ports.toolbox import CallContext, Toolbox
from treadle.values.calls import ToolRequest
from treadle.values.mappings import frozen

BOUND_S = 5.0
HALVES = "x\ufffd" * 32
USER: ContextVar[str] = ContextVar("user")


class _Reader:
    """Who is told of progress."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.stop = threading.Event()
        self.context = CallContext(progress=self._take, stop=self.stop)

    async def _take(self, payload: Any) -> None:  # noqa: ANN401 (JSON terms)
        self.told.append(payload)


async def _call(*tools: Tool[..., Any], reader: _Reader | None = None, **arguments: object) -> Any:  # noqa: ANN401 (JSON terms)
    toolbox: Toolbox = FunctionToolbox(tools)
    request = ToolRequest(name=tools[0].name, arguments=arguments)
    async with asyncio.timeout(BOUND_S):
        return await toolbox.call(request, (reader or _Reader()).context)


@tool
async def add(a: int, b: int = 2) -> int:
    """Add."""
    return a + b


@tool
def greet(name: str) -> str:
    """Greet."""
    return f"hello {name}"


@tool
async def steps(to: int) -> AsyncIterator[dict[str, int]]:
    """Count."""
    told = {"at": 0}
    for number in range(to):
        told["at"] = number
        yield told


async def test_each_kind_of_function_gives_its_result() -> None:
    """Coroutine functions, plain ones, async generators (ours)."""
    assert await _call(add, a=1) == 3
    assert await _call(greet, name="you") == "hello you"
    assert await _call(steps, to=3) == {"at": 2}


def test_the_model_is_told_of_the_tools_in_their_order() -> None:
    """As the plan has them (ours)."""
    assert [spec.name for spec in FunctionToolbox([greet, add]).specs()] == ["greet", "add"]


def test_what_cannot_be_a_tool_is_no_part_of_a_toolbox() -> None:
    """A plan says so before; a toolbox made by hand says it here (ours)."""

    @tool
    def broken(*a: int) -> int:
        return len(a)

    with pytest.raises(PlanError) as caught:
        FunctionToolbox([add, broken])
    assert caught.value.problems == broken.problems


@pytest.mark.requirement("TOOL-3")
async def test_all_yields_but_the_last_are_progress_as_they_were_when_yielded() -> None:
    """The last value is the result; the generator may go on changing what it yielded (ours)."""
    reader = _Reader()
    assert await _call(steps, reader=reader, to=3) == {"at": 2}
    assert reader.told == [{"at": 0}, {"at": 1}]
    reader = _Reader()
    assert await _call(steps, reader=reader, to=0) is None
    assert reader.told == []


@pytest.mark.requirement("TOOL-2")
@pytest.mark.parametrize(
    ("request_", "damage"),
    [
        (ToolRequest(name="no such tool"), "no tool is called 'no such tool'; there are 'note', 'add'"),
        (ToolRequest(name="x\ud83d" * 99), f"no tool is called '{HALVES}'; there are 'note', 'add'"),
        (ToolRequest(name="note"), "argument 'text' is missing"),
        (ToolRequest(name="note", arguments={"text": 1}), "argument 'text' should be a valid string, came 1"),
        (ToolRequest(name="note", arguments={"text": "x"}, damage="cut off"), "cut off"),
    ],
)
async def test_a_request_that_does_not_fit_never_runs(request_: ToolRequest, damage: str) -> None:
    """Unknown tools and wrong arguments are damage, in words that a model can use (BR-050, ours)."""
    ran: list[object] = []

    @tool
    def note(text: str) -> None:
        ran.append(text)

    toolbox = FunctionToolbox([note, add])
    assert toolbox.checked(request_).damage == damage
    with pytest.raises(ToolError) as caught:
        await toolbox.call(request_, _Reader().context)
    assert str(caught.value) == damage
    assert ran == []


def test_a_request_that_fits_is_left_as_it_is() -> None:
    """Checking changes nothing; a toolbox without tools says so (ours)."""
    request = ToolRequest(name="add", arguments={"a": 1})
    assert FunctionToolbox([add]).checked(request) is request
    assert FunctionToolbox([]).checked(request).damage == "no tool is called 'add'; there are none"


@pytest.mark.requirement("BR-182", "BR-183", "BR-186")
async def test_results_and_progress_are_json_from_here_on() -> None:
    """Log, model and wires get the same value (BR-182, BR-183, BR-186)."""

    @tool
    async def look() -> Any:  # noqa: ANN401 (what is tested)
        return {"m": math.nan, "day": date(2024, 5, 6), "half": "\ud83d", "what": object()}

    @tool
    async def walk() -> AsyncIterator[Any]:
        yield {math.inf}
        yield b"x"

    reader = _Reader()
    expected = frozen({"m": None, "day": "2024-05-06", "half": "\ufffd", "what": {"unencodable": "object"}})
    assert await _call(look) == expected
    assert await _call(walk, reader=reader) == "eA=="
    assert reader.told == [(None,)]


async def test_an_awaitable_or_a_generator_from_a_plain_function_is_gone_through() -> None:
    """Decorators and partials hide what a function is (ours)."""

    @tool
    def later(a: int) -> Awaitable[int]:
        return add(a)

    @tool
    def walk(to: int) -> AsyncIterator[Any]:
        return steps(to)

    reader = _Reader()
    assert await _call(later, a=1) == 3
    assert await _call(walk, reader=reader, to=2) == {"at": 1}
    assert reader.told == [{"at": 0}]
    assert await _call(tool(functools.partial(add.function, b=5)), a=1) == 6


async def test_a_method_works_on_its_object() -> None:
    """Bound when it is taken, as any method (ours)."""

    class Shelf:
        def __init__(self) -> None:
            self.books: list[str] = []

        @tool
        def put(self, book: str) -> int:
            self.books.append(book)
            return len(self.books)

    shelf = Shelf()
    assert await _call(shelf.put, book="a") == 1
    assert shelf.books == ["a"]


@pytest.mark.requirement("TOOL-4")
async def test_a_tool_error_speaks_to_the_model_in_its_own_words() -> None:
    """Half a surrogate pair in them is replaced; no words at all are words too (BR-186, ours)."""

    def failing(*words: str) -> Tool[..., Any]:
        @tool
        def fail() -> NoReturn:
            raise ToolError(*words)

        return fail

    for words, told in [(("no bread \ud83d",), "no bread \ufffd"), ((), "the tool gave no reason")]:
        with pytest.raises(ToolError) as caught:
            await _call(failing(*words))
        assert str(caught.value) == told


@pytest.mark.parametrize("blocking", [True, False])
async def test_any_other_exception_is_the_tools_own(blocking: bool) -> None:  # noqa: FBT001 (a parameter of the test)
    """It goes on as it is; whoever called decides what the model is told (ours)."""
    error = ValueError("hunter2")

    def fail() -> NoReturn:
        raise error

    async def fail_later() -> NoReturn:
        raise error

    with pytest.raises(ValueError, match="hunter2") as caught:
        await _call(tool(fail if blocking else fail_later))
    assert caught.value is error


async def test_a_tool_ends_neither_the_process_nor_the_run() -> None:
    """`sys.exit()` and an inner cancel are the tool's failures: nobody stopped the call (ours)."""

    @tool
    async def leave() -> NoReturn:
        raise SystemExit(3)

    @tool
    async def wait() -> None:
        inner = asyncio.get_running_loop().create_future()
        inner.cancel()
        await inner

    for declared, words in (
        (leave, "the tool asked the process to exit"),
        (wait, "the tool was cancelled from within"),
    ):
        with pytest.raises(RuntimeError, match=words):
            await _call(declared)


async def test_an_own_cancel_within_a_tool_does_not_swallow_that_of_the_run() -> None:
    """A stopped call raises the cancellation (ours)."""
    begun = asyncio.Event()

    @tool
    async def wait() -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(_call(wait))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.requirement("BR-008")
async def test_a_blocking_tool_sees_that_it_is_to_stop_and_is_waited_for() -> None:
    """The stop reaches the thread; the cancellation is raised once it has ended (BR-008)."""
    begun, pulse, lines = threading.Event(), threading.Event(), []

    @tool
    def write() -> None:
        begun.set()
        while not stop_requested():
            pulse.wait(0.001)
        lines.append("ended")

    task = asyncio.create_task(_call(write))
    assert await asyncio.to_thread(begun.wait, BOUND_S)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert lines == ["ended"]


@pytest.mark.requirement("BR-008")
async def test_the_runs_own_flag_reaches_a_tool_too() -> None:
    """A run may say stop before it cancels the call (BR-008)."""
    reader, begun, pulse = _Reader(), threading.Event(), threading.Event()

    @tool
    def write() -> str:
        begun.set()
        while not stop_requested():
            pulse.wait(0.001)
        return "stopped"

    task = asyncio.create_task(_call(write, reader=reader))
    assert await asyncio.to_thread(begun.wait, BOUND_S)
    reader.stop.set()
    assert await task == "stopped"
    assert not stop_requested()


@pytest.mark.parametrize("end", ["cancel", "failed progress", "failed step"])
async def test_a_generator_is_closed_however_its_call_ends(end: str) -> None:
    """What it holds is given back before the call is over (ours)."""
    reader, closed, arrived = _Reader(), asyncio.Event(), asyncio.Event()

    @tool
    async def walk() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
            if end == "failed step":
                raise ValueError(end)
            arrived.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            closed.set()

    async def refuse(payload: object) -> None:
        raise ValueError(payload)

    context = CallContext(progress=refuse, stop=reader.stop) if end == "failed progress" else reader.context
    task = asyncio.create_task(FunctionToolbox([walk]).call(ToolRequest(name="walk"), context))
    if end == "cancel":
        async with asyncio.timeout(BOUND_S):
            await arrived.wait()
        task.cancel()
    with pytest.raises((ValueError, asyncio.CancelledError)):
        await task
    assert closed.is_set()
    assert reader.told == ([] if end == "failed progress" else [1])


@pytest.mark.requirement("BR-177")
async def test_tools_see_the_context_variables_of_their_own_run() -> None:
    """In the loop, in a thread and step by step, with two runs at once (BR-177)."""

    @tool
    async def here() -> str:
        await asyncio.sleep(0)
        return USER.get()

    @tool
    def thread() -> str:
        return USER.get()

    @tool
    async def stepwise() -> AsyncIterator[str]:
        yield USER.get()
        await asyncio.sleep(0)
        yield USER.get()

    async def run(user: str) -> list[str]:
        USER.set(user)
        return [await _call(declared) for declared in (here, thread, stepwise, thread)]

    async with asyncio.timeout(BOUND_S):
        async with asyncio.TaskGroup() as group:
            runs = {user: group.create_task(run(user)) for user in ("U", "V")}
    assert {user: task.result() for user, task in runs.items()} == {"U": ["U"] * 4, "V": ["V"] * 4}


async def test_more_blocking_calls_than_threads_run_one_after_the_other() -> None:
    """Threads are bounded and no call is refused for it (ours)."""

    @tool
    def look(a: int) -> int:
        return a

    toolbox = FunctionToolbox([look], max_threads=1)
    calls: list[Callable[[], Any]] = [
        functools.partial(toolbox.call, ToolRequest(name="look", arguments={"a": number}), _Reader().context)
        for number in range(5)
    ]
    async with asyncio.timeout(BOUND_S):
        assert await asyncio.gather(*(call() for call in calls)) == [0, 1, 2, 3, 4]


async def test_what_was_found_of_a_request_is_used_for_that_request_alone() -> None:
    """Two calls may share their arguments, as calls without any do (ours)."""

    @tool
    async def one(a: int = 1) -> str:
        """One."""
        return f"one {a}"

    @tool
    async def two(b: int = 2) -> str:
        """Two."""
        return f"two {b}"

    toolbox = FunctionToolbox([one, two])
    first, second = ToolRequest(name="one"), ToolRequest(name="two")
    assert first.arguments is second.arguments
    checked = [toolbox.checked(request) for request in (first, second, first)]
    results = [await toolbox.call(request, _Reader().context) for request in checked]
    assert results == ["one 1", "two 2", "one 1"]


async def test_only_so_many_checked_requests_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request that is never called costs no memory for ever, and is checked again if it is (ours)."""
    monkeypatch.setattr("treadle.adapters.toolboxes.functions.toolbox.MOST_FOUND", 1)
    toolbox = FunctionToolbox([add])
    requests = [toolbox.checked(ToolRequest(name="add", arguments={"a": number})) for number in range(3)]
    assert [await toolbox.call(request, _Reader().context) for request in requests] == [2, 3, 4]


@pytest.mark.parametrize(("rule", "asks"), [(True, True), (False, False), (lambda _: 1, True), (lambda _: "", False)])
def test_a_tool_says_whether_a_person_must_allow_a_call(rule: Any, asks: bool) -> None:  # noqa: ANN401, FBT001 (a rule of any kind)
    """Always, never, or by the arguments (design)."""
    guarded = tool(requires_approval=rule)(add.function)
    toolbox = FunctionToolbox([guarded])
    assert toolbox.needs_approval(ToolRequest(name="add", arguments={"a": 1})) is asks


@pytest.mark.parametrize("rule", [True, lambda _: True])
def test_what_waits_for_a_person_is_not_held(rule: Any) -> None:  # noqa: ANN401 (a rule of any kind)
    """Ours: arguments may be large, many calls may wait, and each is checked again before it runs."""
    toolbox = FunctionToolbox([tool(requires_approval=rule)(add.function)])
    request = ToolRequest(name="add", arguments={"a": 1})
    counts = [sys.getrefcount(request.arguments)]
    toolbox.checked(request)
    counts.append(sys.getrefcount(request.arguments))
    asks = toolbox.needs_approval(request)
    counts.append(sys.getrefcount(request.arguments))
    assert asks
    # Counted outside of what is asserted: an assertion holds what it looks at.
    assert counts[1] > counts[0] == counts[2]


def test_a_rule_that_breaks_asks_a_person(caplog: pytest.LogCaptureFixture) -> None:
    """The safe answer where nobody can tell (design)."""

    def broken(arguments: Any) -> bool:  # noqa: ANN401 (JSON terms)
        return bool(arguments["nothing"])

    toolbox = FunctionToolbox([tool(requires_approval=broken)(add.function)])
    assert toolbox.needs_approval(ToolRequest(name="add", arguments={"a": 1}))
    assert "approval rule" in caplog.text
